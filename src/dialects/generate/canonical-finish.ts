/** Why an answer ended, from and to the canonical model (dialects §11). */
import type { Finish } from '../canonical.ts';
import { CUT_FINISH, FAILED_FINISH, FILTER_FINISH } from './finish-words.ts';

/** Null = it says that the answer failed (F-6). Calls are an ordinary end here; words nobody knows were no proper stop. */
export function finishOf(raw: string, called: boolean): Finish | null {
  if (raw === 'STOP') return called ? 'tool_calls' : 'stop';
  if (raw === CUT_FINISH) return 'length';
  if (raw === 'CONTINUATION') return 'pause';
  if (FAILED_FINISH.has(raw)) return null;
  return FILTER_FINISH.has(raw) ? 'content_filter' : 'length';
}

/** The dialect's own word; a refusal has none but the filter's. */
export function finishWordOf(finish: Finish, refused: boolean): string {
  switch (finish) {
    case 'stop':
    case 'tool_calls':
      return refused ? 'SAFETY' : 'STOP';
    case 'length':
    case 'pause':
      return CUT_FINISH;
    case 'content_filter':
    case 'refusal':
      return 'SAFETY';
  }
}
