/** Token counts of the Chat shape, in the gateway's fields (dialects §11). */
import type { Usage } from '../../core/usage/usage.ts';
import { textOf } from '../bytes/text.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Reads a `usage` object's bytes. Null = it holds no count. */
export function readUsage(json: Uint8Array): Usage | null {
  return usageOf(fieldsOf(JSON.parse(textOf(json))));
}

/** The same of a `usage` object that is read already. */
export function usageOf(usage: Fields): Usage | null {
  const input = fieldsOf(usage['prompt_tokens_details']);
  const output = fieldsOf(usage['completion_tokens_details']);
  const read: Usage = {
    input: count(usage['prompt_tokens']),
    output: count(usage['completion_tokens']),
    // Some upstreams keep cached tokens beside the details instead of in them.
    cacheRead:
      count(input['cached_tokens']) ?? count(usage['cached_tokens']) ?? count(usage['prompt_cache_hit_tokens']),
    cacheWrite: count(input['cache_write_tokens']),
    reasoning: count(output['reasoning_tokens']),
    audioInput: count(input['audio_tokens']),
    audioOutput: count(output['audio_tokens']),
    total: count(usage['total_tokens']),
    estimated: false,
  };
  const known = [read.input, read.output, read.total].some((value) => value !== null);
  return known ? read : null;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** A count is a whole number, not negative; anything else is unknown. */
function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
