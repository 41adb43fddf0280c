/** Secrets the gateway makes: shown once, kept as hashes, or sealed where they are needed again (G-9). */
import { randomBytes } from 'node:crypto';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62⁴³ > 2²⁵⁶: enough digits for 32 bytes. */
const DIGITS = 43;

/** A client key: `us-` and 32 random bytes in base 62, always of the same length. */
export function newClientKey(): string {
  return `us-${base62(randomBytes(32))}`;
}

/** A member's token for the admin plane. */
export function newMemberToken(): string {
  return `us-member-${base62(randomBytes(32))}`;
}

/** What signs a webhook's messages: `whsec_` and 32 random bytes in base64, the form of Standard Webhooks. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

function base62(bytes: Uint8Array): string {
  let left = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (let digit = 0; digit < DIGITS; digit += 1) {
    text = ALPHABET.charAt(Number(left % 62n)) + text;
    left /= 62n;
  }
  return text;
}
