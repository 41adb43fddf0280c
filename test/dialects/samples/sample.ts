/** A stream as it may come, with the verdict its dialect's grammar gives it (dialects §7, §8). */
import type { Dialect } from '../../../src/core/wire-names.ts';

export type Verdict =
  | 'ok'
  | 'ok_refusal'
  | 'ok_content_filter'
  | 'ok_empty'
  | 'ok_unterminated'
  | 'failover'
  | 'error_after_commit'
  | 'truncated_after_commit';

export interface Sample {
  readonly name: string;
  readonly dialect: Dialect;
  readonly blocks: readonly (string | Buffer)[];
  readonly verdict: Verdict;
  /** Block whose end commits; null = none does, absent = of no account here. */
  readonly commit?: number | null;
  /** [input, output, cache read] in the normal form; null = none told. */
  readonly usage?: readonly [number, number, number] | null;
  readonly n?: number;
  /** Through other dialects it may end otherwise: nobody there has a place for it, or a library there would misread it. */
  readonly crossed?: Verdict;
}

/** An error object as any dialect may get it, and one without a frame; the terminator that only one dialect has. */
export const ERR = { error: { message: 'upstream worker died', type: 'server_error', param: null, code: null } };
export const UNFRAMED =
  '{\n  "error": {\n    "code": 503,\n    "message": "worker is gone",\n    "status": "UNAVAILABLE"\n  }\n}\n';
export const DONE = 'data: [DONE]\n\n';
