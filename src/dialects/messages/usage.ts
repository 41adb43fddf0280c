/** Token counts of this dialect, in the gateway's fields (dialects §11): `input_tokens` leaves out what the cache holds. */
import type { Usage } from '../../core/usage/usage.ts';
import { objectOf } from '../failure/answer-faults.ts';

/** The counters of one answer. They are cumulative: each that is told again replaces the one before. */
export class Counters {
  #input: number | null = null;
  #cacheRead: number | null = null;
  #cacheWrite: number | null = null;
  #output: number | null = null;
  #reasoning: number | null = null;

  /** Reads a `usage` object. `opening`: that of `message_start`, whose output is a placeholder. */
  note(value: unknown, opening = false): void {
    const usage = objectOf(value);
    if (usage === null) return;
    this.#input = count(usage['input_tokens']) ?? this.#input;
    this.#cacheRead = count(usage['cache_read_input_tokens']) ?? this.#cacheRead;
    this.#cacheWrite = count(usage['cache_creation_input_tokens']) ?? this.#cacheWrite;
    if (opening) return;
    this.#output = count(usage['output_tokens']) ?? this.#output;
    this.#reasoning = count(objectOf(usage['output_tokens_details'])?.['thinking_tokens']) ?? this.#reasoning;
  }

  /** Null = nothing was counted. */
  get usage(): Usage | null {
    if (this.#input === null && this.#output === null) return null;
    const input = this.#input === null ? null : this.#input + (this.#cacheRead ?? 0) + (this.#cacheWrite ?? 0);
    return {
      input,
      output: this.#output,
      cacheRead: this.#cacheRead,
      cacheWrite: this.#cacheWrite,
      reasoning: this.#reasoning,
      audioInput: null,
      audioOutput: null,
      total: input === null || this.#output === null ? null : input + this.#output,
      estimated: false,
    };
  }
}

export function readUsage(value: unknown): Usage | null {
  const counters = new Counters();
  counters.note(value);
  return counters.usage;
}

/** The same in this dialect's words; what nobody counted is 0, as its clients do sums with them. */
export function writeUsage(usage: Usage | null): Record<string, unknown> {
  const cached = (usage?.cacheRead ?? 0) + (usage?.cacheWrite ?? 0);
  return {
    input_tokens: Math.max(0, (usage?.input ?? 0) - cached),
    cache_creation_input_tokens: usage?.cacheWrite ?? 0,
    cache_read_input_tokens: usage?.cacheRead ?? 0,
    output_tokens: usage?.output ?? 0,
    ...(usage?.reasoning == null ? {} : { output_tokens_details: { thinking_tokens: usage.reasoning } }),
  };
}

/** A count is a whole number, not negative; anything else is unknown. */
function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
