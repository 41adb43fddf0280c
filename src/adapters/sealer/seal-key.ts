/** One 256-bit key, read from text, and the id by which sealed texts name it. */
import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { SealKeyError } from '../../ports/sealer.ts';

export interface SealKey {
  /** Eight hex digits derived from the key; says which key it is and nothing about it. */
  readonly id: string;
  readonly key: KeyObject;
}

const KEY_BYTES = 32;
const HEX = /^[0-9a-fA-F]{64}$/;
/** 32 bytes are 43 digits of base64, or 44 with padding; both alphabets are about. */
const BASE64 = /^[A-Za-z0-9+/_-]{43}=?$/;

/** @param where names the place in messages, e.g. `UNDERSTUDY_SEAL_KEY`; the text itself is never repeated. */
export function readSealKey(text: string, where: string): SealKey {
  const bytes = HEX.test(text) ? Buffer.from(text, 'hex') : BASE64.test(text) ? Buffer.from(text, 'base64') : null;
  if (bytes === null || bytes.length !== KEY_BYTES) {
    throw new SealKeyError(
      `${where} must be 32 random bytes as 64 hex digits or as base64; make one with: openssl rand -hex 32`,
    );
  }
  // The placeholder of a template, never a drawn key.
  if (bytes.every((byte) => byte === bytes[0])) {
    throw new SealKeyError(`${where} is one byte repeated, not a random key; make one with: openssl rand -hex 32`);
  }
  return sealKeyOf(bytes);
}

/** A new key and its text for the key file. */
export function drawSealKey(): { readonly sealKey: SealKey; readonly text: string } {
  const bytes = randomBytes(KEY_BYTES);
  return { sealKey: sealKeyOf(bytes), text: bytes.toString('hex') };
}

function sealKeyOf(bytes: Buffer): SealKey {
  const id = createHmac('sha256', bytes).update('understudy seal key id').digest('hex').slice(0, 8);
  return { id, key: createSecretKey(bytes) };
}
