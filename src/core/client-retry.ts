/** Retry stacking (D-7): recognises that a client repeats by itself what failed here a moment ago. */

/** Endpoint and body of a request as one number: equal requests are equal, different ones almost never. */
export type Fingerprint = number;

export interface ClientRetry {
  /** Which repeat it is, from 1; 0 = none. */
  readonly count: number;
  readonly how: 'header' | 'fingerprint' | null;
  /** Upstream calls that the same business request has cost before, in the requests it repeats. */
  readonly callsBefore: number;
}

/** D-7's window after a failure. */
const WINDOW_MS = 60_000;
/** Failures remembered at most: an outage under load must not fill the memory. The oldest is forgotten first. */
const MAX_FAILURES = 10_000;
/** A count beyond this is no SDK's. */
const MAX_COUNT = 1000;

const NO_RETRY: ClientRetry = { count: 0, how: null, callsBefore: 0 };

interface Failures {
  readonly key: string;
  /** Failures in a row. A client that left saw none. */
  count: number;
  /** Upstream calls of all of them. */
  calls: number;
  /** Monotonic ms of the last. */
  at: number;
}

/** Recent failures by key and fingerprint, the least recent first. Times are monotonic ms, given by the caller. */
export class ClientRetryWatch {
  readonly #recent = new Map<string, Failures>();
  /** How many are remembered per key: a key without failures costs no fingerprint. */
  readonly #perKey = new Map<string, number>();
  readonly #max: number;

  constructor(max: number = MAX_FAILURES) {
    this.#max = max;
  }

  get size(): number {
    return this.#recent.size;
  }

  /**
   * A request of this key ended without an answer, after so many upstream calls. `failed`: its client was told so; one
   * that left may come again all the same, and what it has cost belongs to the same business request.
   */
  note(key: string, fingerprint: Fingerprint, now: number, calls = 0, failed = true): void {
    this.#expire(now);
    const id = idOf(key, fingerprint);
    const known = this.#recent.get(id);
    if (known === undefined) this.#perKey.set(key, (this.#perKey.get(key) ?? 0) + 1);
    else this.#recent.delete(id);
    const count = (known?.count ?? 0) + (failed ? 1 : 0);
    this.#recent.set(id, { key, count, calls: (known?.calls ?? 0) + calls, at: now });
    if (this.#recent.size > this.#max) this.#forgetOldest();
  }

  /** The same request succeeded: its next repeat is a new wish, not a retry. */
  forget(key: string, fingerprint: Fingerprint): void {
    const id = idOf(key, fingerprint);
    const known = this.#recent.get(id);
    if (known !== undefined) this.#remove(id, known);
  }

  /**
   * Whether a request that has just arrived is a client's own retry. `headerCount`: `x-stainless-retry-count` as read by
   * `statedRetryCount`. `fingerprint` may be a function; it is called only if this key failed lately.
   */
  recognise(
    key: string,
    headerCount: number,
    fingerprint: Fingerprint | (() => Fingerprint),
    now: number,
  ): ClientRetry {
    this.#expire(now);
    const known = this.#knownOf(key, fingerprint);
    const callsBefore = known?.calls ?? 0;
    if (headerCount > 0) return { count: headerCount, how: 'header', callsBefore };
    return known === undefined || known.count === 0
      ? NO_RETRY
      : { count: known.count, how: 'fingerprint', callsBefore };
  }

  #knownOf(key: string, fingerprint: Fingerprint | (() => Fingerprint)): Failures | undefined {
    if (!this.#perKey.has(key)) return undefined;
    return this.#recent.get(idOf(key, typeof fingerprint === 'function' ? fingerprint() : fingerprint));
  }

  /** Entries are in the order of their last failure, so the old ones stand in front. */
  #expire(now: number): void {
    for (const [id, failures] of this.#recent) {
      if (now - failures.at <= WINDOW_MS) return;
      this.#remove(id, failures);
    }
  }

  #forgetOldest(): void {
    for (const [id, failures] of this.#recent) {
      this.#remove(id, failures);
      return;
    }
  }

  #remove(id: string, { key }: Failures): void {
    this.#recent.delete(id);
    const left = (this.#perKey.get(key) ?? 1) - 1;
    if (left === 0) this.#perKey.delete(key);
    else this.#perKey.set(key, left);
  }
}

function idOf(key: string, fingerprint: Fingerprint): string {
  return `${fingerprint} ${key}`;
}

/** The header's count; 0 when it is absent or no count. */
export function statedRetryCount(header: unknown): number {
  if (typeof header !== 'string' || !/^\d{1,9}$/.test(header)) return 0;
  return Math.min(Number(header), MAX_COUNT);
}

/**
 * A fast 53-bit hash over endpoint and all bytes of the body: two multiplicative lanes over words of four bytes. Not for
 * secrets and not against forgers: whoever forges one only miscounts retries of his own key.
 */
export function requestFingerprint(endpoint: string, body: Uint8Array): Fingerprint {
  let low = 0xdeadbeef ^ body.length;
  let high = 0x41c6ce57 ^ endpoint.length;
  const mix = (word: number): void => {
    low = Math.imul(low ^ word, 0x9e3779b1);
    low ^= low >>> 15;
    high = Math.imul(high ^ word, 0x5f356495);
    high ^= high >>> 13;
  };
  for (let i = 0; i < endpoint.length; i++) mix(endpoint.charCodeAt(i));
  const whole = body.length - (body.length % 4);
  for (let i = 0; i < whole; i += 4) {
    mix(body[i]! | (body[i + 1]! << 8) | (body[i + 2]! << 16) | (body[i + 3]! << 24));
  }
  for (let i = whole; i < body.length; i++) mix(body[i]! + 256);
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  return (high & 0x1fffff) * 0x100000000 + (low >>> 0);
}
