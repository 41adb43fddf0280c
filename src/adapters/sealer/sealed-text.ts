/** The form of a sealed text: `v1.KEYID.` and, in base64url, nonce (12 bytes), ciphertext, tag (16 bytes). */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SealKey } from './seal-key.ts';

export const ALGORITHM = 'aes-256-gcm';
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;
const FORM = /^v1\.([0-9a-f]{8})\.([A-Za-z0-9_-]+)$/;

export function sealText(plain: string, context: string, { id, key }: SealKey): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(boundIn(id, context));
  const parts = [nonce, cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return `v1.${id}.${Buffer.concat(parts).toString('base64url')}`;
}

/** Null = wrong key or context, or the text is damaged: GCM can't tell these apart. */
export function openText(sealed: string, context: string, { id, key }: SealKey): string | null {
  const bytes = Buffer.from(FORM.exec(sealed)?.[2] ?? '', 'base64url');
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return null;
  const tagAt = bytes.length - TAG_BYTES;
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(boundIn(id, context));
  decipher.setAuthTag(bytes.subarray(tagAt));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, tagAt)), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}

/** The key a text was sealed with; null = it is no sealed text. */
export function keyIdOf(sealed: string): string | null {
  return FORM.exec(sealed)?.[1] ?? null;
}

function boundIn(id: string, context: string): Buffer {
  return Buffer.from(`understudy v1 ${id} ${context}`, 'utf8');
}
