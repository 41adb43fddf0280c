/** Why an answer ended, in this dialect's words and in the canonical model's (dialects §11). */
import type { Finish } from '../canonical.ts';

/** Words nobody knows were no proper stop: `length`. */
export function finishOf(reason: string): Finish {
  switch (reason) {
    case 'end_turn':
    case 'stop_sequence':
      return 'stop';
    case 'tool_use':
      return 'tool_calls';
    case 'refusal':
      return 'refusal';
    case 'pause_turn':
      return 'pause';
    default:
      return 'length';
  }
}

/** What an answer held, as far as its reason depends on it. */
export interface Held {
  readonly calls: boolean;
  readonly refusal: boolean;
}

/** Clients act on calls only under their own reason, and know a refusal by nothing else. */
export function stopReason(finish: Finish, raw: string, stopSequence: string | null, { calls, refusal }: Held): string {
  switch (finish) {
    case 'stop':
    case 'tool_calls':
      if (calls) return 'tool_use';
      if (refusal) return 'refusal';
      return stopSequence === null ? 'end_turn' : 'stop_sequence';
    case 'length':
      return raw === 'model_context_window_exceeded' ? raw : 'max_tokens';
    case 'content_filter':
    case 'refusal':
      return 'refusal';
    case 'pause':
      return 'pause_turn';
  }
}
