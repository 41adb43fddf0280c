/** `X-Understudy-Rehearse`: failures made on purpose, so that a caller sees what becomes of them. */
import { quotedName } from '../quoted-name.ts';
import { bad, good, type Read } from './read.ts';

/** As it is shown; Node gives header names in lower case. */
export const REHEARSE = 'X-Understudy-Rehearse';

/**
 * `refused`, `connect_timeout`: no connection. `reset`: cut after the request was sent. `timeout`: no answer comes, the
 * attempt's own timeouts end it. `malformed`: a good status with a page of HTML.
 */
export const REHEARSED_FAULTS = ['refused', 'connect_timeout', 'reset', 'timeout', 'malformed'] as const;
export type RehearsedFault = (typeof REHEARSED_FAULTS)[number];

/** An answer of the upstream that is an error. */
export interface RehearsedStatus {
  readonly status: number;
  /** The provider's error code; null = none. */
  readonly code: string | null;
  /** What its `Retry-After` says; null = it has none. */
  readonly retryAfterS: number | null;
}

export interface Rehearsal {
  readonly failure: RehearsedStatus | RehearsedFault;
  /** So many attempts fail, from the first. */
  readonly times: number;
  /** How long each failure takes to come. */
  readonly delayMs: number;
}

/** As many as a request may make (C-4): all of them. */
const MOST_TIMES = 20;
const RANGES = { status: [400, 599], times: [1, MOST_TIMES], retry_after: [0, 86_400], delay_ms: [0, 60_000] } as const;
const CODE = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/;
const FIELDS = ['status', 'fault', 'times', 'retry_after', 'code', 'delay_ms'] as const;
type Field = (typeof FIELDS)[number];

/**
 * The header's wish, e.g. `status=503;times=2`: undefined = it was not sent, null. 400 `invalid_parameter` where it can
 * not be read; who may not rehearse is told nothing more than that.
 */
export function readRehearsal(header: unknown, allowed: boolean): Read<Rehearsal | null> {
  if (header === undefined) return good(null);
  if (!allowed) {
    return bad('permission_denied', `this key may not send ${REHEARSE}; ask an admin for \`allow_rehearse\``, REHEARSE);
  }
  const fields = readFields(Array.isArray(header) ? header.join(';') : String(header));
  return fields.ok ? rehearsalOf(fields.value) : fields;
}

function wrong(what: string): ReturnType<typeof bad> {
  return bad('invalid_parameter', `${REHEARSE}: ${what}; e.g. \`status=503;times=1\``, REHEARSE);
}

function readFields(header: string): Read<ReadonlyMap<Field, string>> {
  const fields = new Map<Field, string>();
  for (const part of header.split(';')) {
    if (part.trim() === '') continue;
    const equals = part.indexOf('=');
    const name = (equals < 0 ? part : part.slice(0, equals)).trim();
    const field = FIELDS.find((known) => known === name);
    if (field === undefined) return wrong(`${quotedName(name)} is unknown; known: ${FIELDS.join(', ')}`);
    if (equals < 0) return wrong(`\`${field}\` needs a value`);
    if (fields.has(field)) return wrong(`\`${field}\` is given twice`);
    fields.set(field, part.slice(equals + 1).trim());
  }
  return good(fields);
}

function rehearsalOf(fields: ReadonlyMap<Field, string>): Read<Rehearsal> {
  const numbers: Partial<Record<keyof typeof RANGES, number>> = {};
  for (const [field, [least, most]] of Object.entries(RANGES)) {
    const text = fields.get(field as keyof typeof RANGES);
    if (text === undefined) continue;
    const value = /^\d{1,9}$/.test(text) ? Number(text) : -1;
    if (value < least || value > most) return wrong(`\`${field}\` must be a whole number from ${least} to ${most}`);
    numbers[field as keyof typeof RANGES] = value;
  }
  const failure = failureOf(fields, numbers);
  if (!failure.ok) return failure;
  return good({ failure: failure.value, times: numbers.times ?? 1, delayMs: numbers.delay_ms ?? 0 });
}

function failureOf(
  fields: ReadonlyMap<Field, string>,
  { status, retry_after: retryAfterS }: { readonly status?: number; readonly retry_after?: number },
): Read<Rehearsal['failure']> {
  const named = fields.get('fault');
  const code = fields.get('code');
  if ((status === undefined) === (named === undefined)) return wrong('name either a `status` or a `fault`');
  if (status !== undefined) {
    if (code !== undefined && !CODE.test(code)) {
      return wrong('`code` must be 1 to 64 letters, digits, and `_`, `-`, `.`, `:` after the first');
    }
    return good({ status, code: code ?? null, retryAfterS: retryAfterS ?? null });
  }
  if (code !== undefined || retryAfterS !== undefined) return wrong('`code` and `retry_after` go with a `status` only');
  const fault = REHEARSED_FAULTS.find((known) => known === named);
  return fault === undefined ? wrong(`\`fault\` must be one of ${REHEARSED_FAULTS.join(', ')}`) : good(fault);
}
