/** Token counts of endpoints that are never translated, in the gateway's fields (dialects §11). */
import type { Usage } from '../../core/usage/usage.ts';
import { type BodyView, member, memberValue } from '../bytes/body-view.ts';
import { objectOf } from '../failure/answer-faults.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Of an answer or an event: its `usage`, or what rerankers tell of themselves. Null = it holds no count of tokens. */
export function usageIn(view: BodyView): Usage | null {
  return usageOf(fieldsAt(view, 'usage')) ?? billedUnits(fieldsAt(view, 'meta'));
}

function fieldsAt(view: BodyView, key: string): Fields {
  const found = member(view, key);
  return found === null ? {} : fieldsOf(memberValue(view, found));
}

function usageOf(usage: Fields): Usage | null {
  const input = fieldsOf(
    usage['input_tokens_details'] ?? usage['input_token_details'] ?? usage['prompt_tokens_details'],
  );
  const output = fieldsOf(usage['output_tokens_details'] ?? usage['completion_tokens_details']);
  return known({
    input: count(usage['input_tokens'] ?? usage['prompt_tokens']),
    output: count(usage['output_tokens'] ?? usage['completion_tokens']),
    cacheRead: count(input['cached_tokens']),
    cacheWrite: null,
    reasoning: count(output['reasoning_tokens']),
    audioInput: count(input['audio_tokens']),
    audioOutput: count(output['audio_tokens']),
    total: count(usage['total_tokens']),
    estimated: false,
  });
}

/** `{"tokens": {"input_tokens"…}, "billed_units": {"search_units"…}}`: only tokens have a price here. */
function billedUnits(meta: Fields): Usage | null {
  const tokens = fieldsOf(meta['tokens'] ?? meta['billed_units']);
  const input = count(tokens['input_tokens']);
  const output = count(tokens['output_tokens']);
  const rest = { cacheRead: null, cacheWrite: null, reasoning: null, audioInput: null, audioOutput: null };
  return known({ input, output, ...rest, total: count(tokens['total_tokens']), estimated: false });
}

function known(usage: Usage): Usage | null {
  return usage.input === null && usage.output === null && usage.total === null ? null : usage;
}

function fieldsOf(value: unknown): Fields {
  return objectOf(value) ?? {};
}

/** A count is a whole number, not negative; anything else is unknown. */
function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
