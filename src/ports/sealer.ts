/** Encryption at rest for secrets that must be read again (G-9). */
export interface Sealer {
  /**
   * AES-256-GCM; `context` is bound in: what was sealed for one purpose opens for no other. The result is text:
   * `v1.KEYID.…`. Throws `SealKeyError` when the key of a first seal can't be kept.
   */
  seal(plain: string, context: string): string;
  /** Throws `SealBroken` when key, context or text don't fit. */
  open(sealed: string, context: string): string;
  /** As `seal`, for bytes: 33 bytes longer than `plain`. They keep their key: a rotation doesn't seal them again. */
  sealBytes(plain: Uint8Array, context: string): Uint8Array;
  /** Throws `SealBroken` when key, context or bytes don't fit. */
  openBytes(sealed: Uint8Array, context: string): Uint8Array;
  /** Whether the text was sealed with the current key; others are sealed again by a rotation. */
  isCurrent(sealed: string): boolean;
}

/** A sealer whose key can be replaced while everything sealed stays readable at every moment. */
export interface RotatingSealer extends Sealer {
  /**
   * Where the current key lives. One from the environment is replaced by the operator (new one in, old one among the old
   * ones, restart); rotating then only seals again what older keys had sealed.
   */
  readonly keySource: 'environment' | 'file';
  /**
   * Makes a new key current, seals everything again with it and forgets older keys that no text names any more. After a
   * crash at any point everything opens, and the next rotation finishes the work. One at a time: a second call while one
   * runs rejects with `SealKeyError`.
   */
  rotate(texts: SealedTexts): Promise<Rotation>;
}

/**
 * Everything that is sealed, as its keeper sees it. While a rotation runs the keeper lets no other change through: a text
 * sealed before it and written after its last look would need a key that is gone.
 */
export interface SealedTexts {
  /** All of it at this moment, ids unique. Asked again after replacing, for what was written meanwhile. */
  list(): Promise<readonly SealedText[]>;
  /**
   * Puts new texts in place of old ones; resolves when they are durable. A text that is no longer the one listed
   * (`was`) must be left as it is.
   */
  replace(changes: readonly ResealedText[]): Promise<void>;
  /** Ids of the keys that stored bytes were sealed with: kept until those bytes have expired. Absent = there are none. */
  keysOfBytes?(): Promise<readonly string[]>;
}

export interface SealedText {
  /** As in `credential acme-openai`: names the text in reports. */
  readonly id: string;
  readonly context: string;
  readonly sealed: string;
}

export interface ResealedText {
  readonly id: string;
  readonly was: string;
  readonly sealed: string;
}

export interface Rotation {
  /** Id of the key that is current now; not a secret. */
  readonly keyId: string;
  readonly resealed: number;
  /** Ids of texts that no known key opens; they were left as they were. */
  readonly broken: readonly string[];
  /** Keys that are still kept beside the current one: some text or stored bytes need them, or the environment holds them. */
  readonly olderKeys: number;
}

/** The sealed text can't be opened: another key, another context, or damaged. The message says which and what to do. */
export class SealBroken extends Error {}

/** The keys themselves can't be used: not well formed, a file others may read, a disk that can't be written. */
export class SealKeyError extends Error {}
