/** Token counts of this dialect in the gateway's fields: its input leaves the cache out (dialects §11). */
import type { Usage } from '../../core/usage/usage.ts';
import type { Json } from '../failure/answer-faults.ts';

/** Reads a parsed `usage`. Null = it holds no count. */
export function readUsage(usage: Json): Usage | null {
  const fresh = count(usage['inputTokens']);
  const output = count(usage['outputTokens']);
  if (fresh === null && output === null) return null;
  const cacheRead = count(usage['cacheReadInputTokens']);
  const cacheWrite = count(usage['cacheWriteInputTokens']);
  const input = fresh === null ? null : fresh + (cacheRead ?? 0) + (cacheWrite ?? 0);
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    reasoning: null,
    audioInput: null,
    audioOutput: null,
    total: input === null || output === null ? null : input + output,
    estimated: false,
  };
}

/** A count is a whole number, not negative; anything else is unknown. */
function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
