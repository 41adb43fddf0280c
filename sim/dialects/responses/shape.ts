/** What a request's JSON must look like, told in the API's own words: the first thing wrong is the refusal. */
import { type Fields, isFields } from '../../answer/fields.ts';
import type { Refusal } from '../../answer/request.ts';

/** Stands for `code: null`. */
export const NO_CODE = '';

/** Looks at one value; `at` is its path. Null = nothing wrong. */
export type Check = (value: unknown, at: string) => Refusal | null;

/** A refusal with 400, unless told otherwise. Without a code the API answers `code: null`. */
export function refuse(message: string, param: string | null, code = NO_CODE, status = 400): Refusal {
  return { status, message, param, code };
}

/** Any JSON. */
export const anything: Check = () => null;
export const flag: Check = (value, at) => (typeof value === 'boolean' ? null : wrongType(at, 'a boolean', value));
export const object: Check = (value, at) => (isFields(value) ? null : wrongType(at, 'an object', value));

/** A string, perhaps no longer than `max` and of the form `pattern`. */
export function text(max = Number.POSITIVE_INFINITY, pattern: RegExp | null = null): Check {
  return (value, at) => {
    if (typeof value !== 'string') return wrongType(at, 'a string', value);
    if (value.length > max) {
      const given = `but got a string with length ${value.length} instead.`;
      const message = `Invalid '${at}': string too long. Expected a string with maximum length ${max}, ${given}`;
      return refuse(message, at, 'string_above_max_length');
    }
    if (pattern === null || pattern.test(value)) return null;
    const wanted = `Expected a string that matches the pattern '${pattern.source}'.`;
    return refuse(`Invalid '${at}': string does not match pattern. ${wanted}`, at, 'invalid_value');
  };
}

/** A number from `min` to `max`; `kind` says whether it must be whole. */
export function number(kind: 'integer' | 'decimal', min: number, max = Number.POSITIVE_INFINITY): Check {
  return (value, at) => {
    const fits = typeof value === 'number' && (kind === 'decimal' || Number.isInteger(value));
    if (!fits) return wrongType(at, kind === 'integer' ? 'an integer' : 'a decimal', value);
    if (value < min) return outside('below', 'minimum', '>=', min, value);
    return value > max ? outside('above', 'maximum', '<=', max, value) : null;

    function outside(word: string, bound: string, sign: string, limit: number, given: number): Refusal {
      const wanted = `Expected a value ${sign} ${limit}, but got ${given} instead.`;
      const message = `Invalid '${at}': ${kind} ${word} ${bound} value. ${wanted}`;
      return refuse(message, at, `${kind}_${word}_${bound.slice(0, 3)}_value`);
    }
  };
}

/** One of these words. */
export function oneOf(...words: readonly string[]): Check {
  return (value, at) => {
    if (typeof value !== 'string') return wrongType(at, `one of ${listed(words)}`, value);
    return words.includes(value) ? null : unsupported(value, words, at);
  };
}

export function orNull(check: Check): Check {
  return (value, at) => (value === null ? null : check(value, at));
}

/** An array of such values, at most `max` of them. */
export function list(check: Check, max = Number.POSITIVE_INFINITY): Check {
  return (value, at) => {
    if (!Array.isArray(value)) return wrongType(at, 'an array', value);
    if (value.length > max) {
      const given = `but got an array with length ${value.length} instead.`;
      const message = `Invalid '${at}': array too long. Expected an array with maximum length ${max}, ${given}`;
      return refuse(message, at, 'array_above_max_length');
    }
    for (const [i, one] of value.entries()) {
      const found = check(one, `${at}[${i}]`);
      if (found !== null) return found;
    }
    return null;
  };
}

/** A string, or an array of such values. */
export function textOr(check: Check): Check {
  return (value, at) => {
    if (typeof value === 'string') return null;
    return Array.isArray(value) ? list(check)(value, at) : wrongType(at, 'a string or an array of objects', value);
  };
}

/** An object of these fields and no others. Names that end in `!` must be there. */
export function shape(fields: Readonly<Record<string, Check>>): Check {
  const checks = new Map(Object.entries(fields).map(([name, check]) => [name.replace(/!$/, ''), check]));
  const required = Object.keys(fields).flatMap((name) => (name.endsWith('!') ? [name.slice(0, -1)] : []));
  return (value, at) => {
    if (!isFields(value)) return wrongType(at, 'an object', value);
    const under = at === '' ? '' : `${at}.`;
    for (const [name, given] of Object.entries(value)) {
      const check = checks.get(name);
      if (check === undefined) {
        return refuse(`Unknown parameter: '${under}${name}'.`, `${under}${name}`, 'unknown_parameter');
      }
      const found = check(given, `${under}${name}`);
      if (found !== null) return found;
    }
    const absent = required.find((name) => value[name] === undefined);
    return absent === undefined ? null : missing(`${under}${absent}`);
  };
}

/** An object whose `type` says which of the checks it has to pass. `untyped` is the type of one without. */
export function byType(checks: Readonly<Record<string, Check>>, untyped: (fields: Fields) => string | null): Check {
  return (value, at) => {
    if (!isFields(value)) return wrongType(at, 'an object', value);
    const type = value['type'] ?? untyped(value);
    if (type === null || type === undefined) return missing(`${at}.type`);
    if (typeof type !== 'string') return wrongType(`${at}.type`, 'a string', type);
    const check = Object.hasOwn(checks, type) ? checks[type] : undefined;
    return check === undefined ? unsupported(type, Object.keys(checks), `${at}.type`) : check(value, at);
  };
}

export function missing(at: string): Refusal {
  return refuse(`Missing required parameter: '${at}'.`, at, 'missing_required_parameter');
}

export function wrongType(at: string, wanted: string, given: unknown): Refusal {
  const message = `Invalid type for '${at}': expected ${wanted}, but got ${nameOf(given)} instead.`;
  return refuse(message, at, 'invalid_type');
}

function unsupported(given: string, known: readonly string[], at: string): Refusal {
  return refuse(`Invalid value: '${given}'. Supported values are: ${listed(known)}.`, at, 'invalid_value');
}

function listed(words: readonly string[]): string {
  const quoted = words.map((word) => `'${word}'`);
  const last = quoted.at(-1) ?? '';
  return quoted.length < 2 ? last : `${quoted.slice(0, -1).join(', ')}${quoted.length > 2 ? ',' : ''} and ${last}`;
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
