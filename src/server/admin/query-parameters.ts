/** Query strings of the admin plane: strict, because a misspelt filter that is ignored shows the wrong requests. */
import { badParameter } from './bad-parameter.ts';

/** Longest value of a name filter. */
const MAX_CHARS = 512;

export class QueryParameters {
  readonly #values: Readonly<Record<string, string>>;

  /** Throws `ClientError` 400 for a name that is not `known` and for one that is sent twice. */
  constructor(query: unknown, known: readonly string[]) {
    const values: Record<string, string> = {};
    for (const [name, value] of Object.entries(query as Record<string, unknown>)) {
      if (!known.includes(name)) throw badParameter(name.slice(0, 64), `is unknown; ${knownOnes(known)}`);
      if (typeof value !== 'string') throw badParameter(name, 'is sent more than once');
      values[name] = value;
    }
    this.#values = values;
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    if (value === undefined) return undefined;
    if (value.length === 0 || value.length > MAX_CHARS) {
      throw badParameter(name, `must have 1 to ${MAX_CHARS} characters`);
    }
    return value;
  }

  oneOf(name: string, allowed: readonly string[]): string | undefined {
    const value = this.#values[name];
    if (value === undefined || allowed.includes(value)) return value;
    throw badParameter(name, `must be one of ${allowed.join(', ')}`);
  }

  flag(name: string): boolean | undefined {
    const value = this.oneOf(name, ['true', 'false']);
    return value === undefined ? undefined : value === 'true';
  }

  whole(name: string, min: number, max: number): number | undefined {
    const value = this.#values[name];
    if (value === undefined) return undefined;
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw badParameter(name, `must be a whole number from ${min} to ${max}`);
  }

  /** Wall ms from milliseconds since 1970, a date, or a date and time with zone. */
  instant(name: string): number | undefined {
    const value = this.#values[name];
    if (value === undefined) return undefined;
    if (/^\d{1,15}$/.test(value)) return Number(value);
    // A plus that was not percent-encoded arrives as a space.
    const text = value.replace(/ (?=\d\d:?\d\d$)/, '+');
    const complete = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d))?$/i.test(text);
    const ms = complete ? Date.parse(text.toUpperCase()) : Number.NaN;
    if (!Number.isNaN(ms)) return ms;
    throw badParameter(
      name,
      'must be a date, a date and time with zone (2026-11-29T10:00:00Z), or milliseconds since 1970',
    );
  }
}

function knownOnes(known: readonly string[]): string {
  return known.length === 0 ? 'this path takes none' : `there are ${known.join(', ')}`;
}
