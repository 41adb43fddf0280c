/** A call's answer, ready to be played onto the connection. */
import type { Behaviour } from '../answer/behaviour.ts';
import type { End } from '../script/step.ts';

/** Bytes as one flushed write, or a pause. */
export type Piece = Uint8Array | { readonly waitMs: number };

export interface Reply {
  /** Before the first byte. */
  readonly delayMs: number;
  /** A fault below HTTP that takes the answer's place. */
  readonly socket: Behaviour['socket'] | null;
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly pieces: Iterable<Piece>;
  /** Announced as content-length; null = chunked. */
  readonly length: number | null;
  readonly end: End;
}

/** Headers by lower-case name; later sets win. */
export function headerMap(...sets: (Readonly<Record<string, string | number>> | undefined)[]): Map<string, string> {
  const merged = new Map<string, string>();
  for (const set of sets) {
    for (const [name, value] of Object.entries(set ?? {})) merged.set(name.toLowerCase(), String(value));
  }
  return merged;
}
