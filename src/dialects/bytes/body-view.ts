/**
 * One JSON object's raw bytes plus the spans of its top-level keys, from one scan (architecture: BodyView).
 * Values are read on demand; edits are written as slices, so unknown fields and big integers survive byte for byte.
 */

/** Byte span of one top-level member. */
export interface Member {
  readonly key: string;
  /** Offset of the key's opening quote. */
  readonly keyStart: number;
  /** Span of the value, without surrounding space. */
  readonly valueStart: number;
  readonly valueEnd: number;
}

export interface BodyView {
  readonly bytes: Uint8Array;
  /** Offsets of `{` and of the byte past `}`. */
  readonly start: number;
  readonly end: number;
  readonly members: readonly Member[];
}
