/** Token counts of the Responses shape, in the gateway's fields (dialects §11). */
import type { Usage } from '../../core/usage/usage.ts';
import { objectOf } from '../failure/answer-faults.ts';

/** Reads a parsed `usage`. Null = it holds no count. */
export function readUsage(value: unknown): Usage | null {
  const usage = objectOf(value);
  if (usage === null) return null;
  const input = objectOf(usage['input_tokens_details']);
  const output = objectOf(usage['output_tokens_details']);
  const read: Usage = {
    input: count(usage['input_tokens']),
    output: count(usage['output_tokens']),
    cacheRead: count(input?.['cached_tokens']),
    cacheWrite: count(input?.['cache_write_tokens']),
    reasoning: count(output?.['reasoning_tokens']),
    audioInput: count(input?.['audio_tokens']),
    audioOutput: count(output?.['audio_tokens']),
    total: count(usage['total_tokens']),
    estimated: false,
  };
  const known = [read.input, read.output, read.total].some((tokens) => tokens !== null);
  return known ? read : null;
}

/** A `usage` as a client of this dialect reads it: every field there, what is unknown left out or 0. */
export function writeUsage(usage: Usage): Record<string, unknown> {
  const input = usage.input ?? 0;
  const output = usage.output ?? 0;
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: usage.cacheRead ?? 0,
      ...(usage.cacheWrite === null ? {} : { cache_write_tokens: usage.cacheWrite }),
      ...(usage.audioInput === null ? {} : { audio_tokens: usage.audioInput }),
    },
    output_tokens: output,
    output_tokens_details: {
      reasoning_tokens: usage.reasoning ?? 0,
      ...(usage.audioOutput === null ? {} : { audio_tokens: usage.audioOutput }),
    },
    total_tokens: usage.total ?? input + output,
  };
}

/** A count is a whole number, not negative; anything else is unknown. */
function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
