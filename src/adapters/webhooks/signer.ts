/** Signatures by the rules of Standard Webhooks: HMAC-SHA-256 over `id.timestamp.body`. */
import { createHmac } from 'node:crypto';

const PREFIX = 'whsec_';

export interface SignedHeaders {
  readonly 'webhook-id': string;
  /** Whole seconds since the epoch. */
  readonly 'webhook-timestamp': string;
  /** `v1,BASE64`, one per secret, with a space between. */
  readonly 'webhook-signature': string;
}

/** `secrets`: `whsec_` and base64; several while a receiver changes over, who then accepts either. `wall`: ms. */
export function signedHeaders(
  { id, body }: { readonly id: string; readonly body: string },
  secrets: readonly string[],
  wall: number,
): SignedHeaders {
  const seconds = String(Math.floor(wall / 1000));
  return {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': secrets.map((secret) => `v1,${signature(secret, `${id}.${seconds}.${body}`)}`).join(' '),
  };
}

function signature(secret: string, text: string): string {
  const key = Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, 'base64');
  return createHmac('sha256', key).update(text, 'utf8').digest('base64');
}
