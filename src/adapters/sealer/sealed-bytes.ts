/** The form of sealed bytes: version (1 byte), key id (4), nonce (12), ciphertext, tag (16). For what is too large for text. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SealKey } from './seal-key.ts';
import { ALGORITHM, NONCE_BYTES, TAG_BYTES } from './sealed-text.ts';

const VERSION = 1;
const NONCE_AT = 5;
const BODY_AT = NONCE_AT + NONCE_BYTES;

export function sealBytes(plain: Uint8Array, context: string, { id, key }: SealKey): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(boundIn(id, context));
  const head = Buffer.concat([Buffer.from([VERSION]), Buffer.from(id, 'hex'), nonce]);
  return Buffer.concat([head, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Null = wrong key or context, or the bytes are damaged: GCM can't tell these apart. */
export function openBytes(sealed: Uint8Array, context: string, { id, key }: SealKey): Uint8Array | null {
  const tagAt = sealed.length - TAG_BYTES;
  const nonce = sealed.subarray(NONCE_AT, BODY_AT);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(boundIn(id, context));
  decipher.setAuthTag(sealed.subarray(tagAt));
  try {
    return Buffer.concat([decipher.update(sealed.subarray(BODY_AT, tagAt)), decipher.final()]);
  } catch {
    return null;
  }
}

/** The key bytes were sealed with; null = they are no sealed bytes. */
export function keyIdOfBytes(sealed: Uint8Array): string | null {
  if (sealed.length < BODY_AT + TAG_BYTES || sealed[0] !== VERSION) return null;
  return Buffer.from(sealed.subarray(1, NONCE_AT)).toString('hex');
}

/** Other than a sealed text's, so that neither opens as the other. */
function boundIn(id: string, context: string): Buffer {
  return Buffer.from(`understudy bytes v1 ${id} ${context}`, 'utf8');
}
