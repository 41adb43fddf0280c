/** The request header `X-Sim: status=503;times=1`: a fault asked for by the caller itself. */
import { END_NAMES, SOCKET_NAMES } from '../script/names.ts';
import type { End, SocketFault } from '../script/step.ts';
import type { Behaviour } from './behaviour.ts';

/** `times` null = every call. */
export interface XSim {
  readonly behaviour: Behaviour;
  readonly times: number | null;
}

const KEYS = ['status', 'delay_ms', 'end', 'socket', 'cut_after', 'times', 'retry_after', 'body', 'id'];

/**
 * Reads the header: `;`-separated `key=value`, values percent-encoded where they hold a `;`. A text is what is wrong
 * with it. `id` only tells apart callers that use the same faults.
 */
export function readXSim(header: string): XSim | string {
  const fields = new Map<string, string>();
  for (const part of header.split(';')) {
    const text = part.trim();
    if (text === '') continue;
    const at = text.indexOf('=');
    const key = at < 0 ? text : text.slice(0, at).trim();
    if (!KEYS.includes(key)) return `X-Sim: unknown key "${key}" (known: ${KEYS.join(', ')})`;
    if (at < 0) return `X-Sim: ${key} needs a value, as in ${key}=…`;
    if (fields.has(key)) return `X-Sim: ${key} is given twice`;
    const value = decodeValue(text.slice(at + 1).trim());
    if (value === null) return `X-Sim: the value of ${key} is badly percent-encoded`;
    fields.set(key, value);
  }
  return behaviourOf(fields);
}

function behaviourOf(fields: ReadonlyMap<string, string>): XSim | string {
  const behaviour: { -readonly [Key in keyof Behaviour]: Behaviour[Key] } = {};
  let times: number | null = null;
  for (const [key, value] of fields) {
    const n = /^\d{1,9}$/.test(value) ? Number(value) : null;
    if (key === 'status') {
      if (n === null || n < 200 || n > 599) return 'X-Sim: status is a number from 200 to 599';
      behaviour.status = n;
    } else if (key === 'end') {
      if (!END_NAMES.includes(value as End)) return `X-Sim: end is one of ${END_NAMES.join(', ')}`;
      behaviour.end = value as End;
    } else if (key === 'socket') {
      if (!SOCKET_NAMES.includes(value as SocketFault)) return `X-Sim: socket is one of ${SOCKET_NAMES.join(', ')}`;
      behaviour.socket = value as SocketFault;
    } else if (key === 'body') {
      behaviour.body = value;
    } else if (key !== 'id') {
      if (n === null) return `X-Sim: ${key} is a whole number`;
      if (key === 'delay_ms') behaviour.delayMs = n;
      if (key === 'cut_after') behaviour.cutAfter = n;
      if (key === 'retry_after') behaviour.retryAfterS = n;
      if (key === 'times') times = n;
    }
  }
  return { behaviour, times };
}

function decodeValue(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/**
 * Counts what `times` allows: so many faults, then one ordinary answer, then the same again. One request that is
 * tried until it succeeds thus sees exactly `times` faults. Callers at the same time tell themselves apart by `id`.
 */
export class XSimCounter {
  readonly #used = new Map<string, number>();
  /** A stream of ever new ids must not grow the map for ever. */
  static readonly #MOST = 10_000;

  /** Whether this call is one of the faulty ones. */
  strikes(header: string, times: number | null): boolean {
    if (times === null) return true;
    const used = this.#used.get(header) ?? 0;
    if (used >= times) {
      this.#used.delete(header);
      return false;
    }
    if (used === 0 && this.#used.size >= XSimCounter.#MOST) this.#used.clear();
    this.#used.set(header, used + 1);
    return true;
  }

  reset(): void {
    this.#used.clear();
  }
}
