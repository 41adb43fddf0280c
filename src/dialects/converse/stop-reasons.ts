/** Why an answer of this dialect ended (dialects §11, F-6). */
import type { FailureClass } from '../../core/failure.ts';
import type { Finish } from '../canonical.ts';

const FINISHES: ReadonlyMap<string, Finish> = new Map<string, Finish>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool_calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['content_filtered', 'content_filter'],
  ['guardrail_intervened', 'content_filter'],
]);

/** Reasons that say the answer failed. */
export const FAILED_STOPS: ReadonlyMap<string, FailureClass> = new Map<string, FailureClass>([
  ['malformed_model_output', 'server_error'],
  ['malformed_tool_use', 'server_error'],
]);

/** Reasons of a filter. */
export const FILTER_STOPS: ReadonlySet<string> = new Set(['content_filtered', 'guardrail_intervened']);

/** What a reason means. Some models say that they are done where they call: `called` = the answer has calls. */
export function finishOf(reason: string, called: boolean): Finish {
  const finish = FINISHES.get(reason) ?? 'pause';
  return finish === 'stop' && called && reason === 'end_turn' ? 'tool_calls' : finish;
}
