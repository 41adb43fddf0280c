/** Operators' tokens: compared by hash and in constant time, so that neither length nor content leaks by timing. */
import { timingSafeEqual } from 'node:crypto';
import { secretHash } from '../../config/secret-hash.ts';

/** SHA-256 of a token, as the configuration keeps it. */
export function tokenHash(token: string): Buffer {
  return Buffer.from(secretHash(token), 'hex');
}

/** The token of an `Authorization: Bearer` header; null when there is none. */
export function bearerToken(header: string | undefined): string | null {
  return /^bearer +(\S+) *$/i.exec(header ?? '')?.[1] ?? null;
}

/** @param expected SHA-256 of the right token */
export function isToken(sent: string, expected: Buffer): boolean {
  const hash = tokenHash(sent);
  return hash.length === expected.length && timingSafeEqual(hash, expected);
}
