/** Finish reasons of the Chat dialect, and its token counts, from and to the canonical model (dialects §11). */
import type { Usage } from '../../core/usage/usage.ts';
import type { Finish } from '../canonical.ts';
import { FAILED_FINISH, FILTER_FINISH } from './answer-fault.ts';

/** Null = it says that the answer failed (F-6). Words nobody knows were no proper stop: `length`. */
export function finishOf(raw: string): Finish | null {
  switch (raw) {
    case 'stop':
    case 'length':
    case 'tool_calls':
    case 'content_filter':
      return raw;
    case 'function_call':
      return 'tool_calls';
    case 'eos':
    case 'stop_sequence':
      return 'stop';
  }
  if (FAILED_FINISH.has(raw)) return null;
  return FILTER_FINISH.has(raw) ? 'content_filter' : 'length';
}

/** It says that calls were made. */
export function saysCalls(raw: string): boolean {
  return finishOf(raw) === 'tool_calls';
}

/** The dialect's own word. */
export function finishWord(finish: Finish): string {
  if (finish === 'refusal') return 'content_filter';
  return finish === 'pause' ? 'length' : finish;
}

/** Counts as the dialect writes them; what nobody said is 0. */
export function usageObject(usage: Usage): Record<string, unknown> {
  const input = usage.input ?? 0;
  const output = usage.output ?? 0;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: usage.total ?? input + output,
    prompt_tokens_details: {
      cached_tokens: usage.cacheRead ?? 0,
      ...(usage.cacheWrite === null ? {} : { cache_write_tokens: usage.cacheWrite }),
      ...(usage.audioInput === null ? {} : { audio_tokens: usage.audioInput }),
    },
    completion_tokens_details: {
      ...(usage.reasoning === null ? {} : { reasoning_tokens: usage.reasoning }),
      ...(usage.audioOutput === null ? {} : { audio_tokens: usage.audioOutput }),
    },
  };
}
