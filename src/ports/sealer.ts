/** Encryption at rest for secrets that must be read again (G-9). */
export interface Sealer {
  /** AES-256-GCM; `context` is bound in: what was sealed for one purpose opens for no other. The result is text: `v1.KEYID.…`. */
  seal(plain: string, context: string): string;
  /** Throws `SealBroken` when key, context or text don't fit. */
  open(sealed: string, context: string): string;
  /** Whether the text was sealed with the current key; others are sealed again by a rotation. */
  isCurrent(sealed: string): boolean;
}

/** The sealed text can't be opened: another key, another context, or damaged. */
export class SealBroken extends Error {}
