/**
 * Clients at a steady rate, whatever comes back: plain requests are sent once, keyed ones until they have their answer,
 * some by two clients at a time. What they got is compared byte by byte.
 */
import type { RawAnswer } from '../../faults/raw-client.ts';
import type { RoundRobin } from './round-robin.ts';

export interface TrafficOptions {
  readonly front: RoundRobin;
  readonly clientKey: string;
  /** Requests a second, first sendings of keyed ones included. */
  readonly rate: number;
  readonly draw: (below: number) => number;
}

/** A request that was sent once. */
export interface PlainResult {
  /** Milliseconds since the traffic began. */
  readonly sentAt: number;
  readonly tookMs: number;
  /** Until its first word. */
  readonly waitedMs: number;
  readonly stream: boolean;
  /** A whole answer of the upstream. */
  readonly ok: boolean;
  /** Status and code, or how it broke. */
  readonly how: string;
}

export interface KeyedResult {
  readonly key: string;
  /** Whole answers, in the order they came. */
  readonly delivered: string[];
  readonly others: string[];
  /** Longest wait for the first word of an answer, in ms. */
  longestMs: number;
  /** What that answer was. */
  longestHow: string;
  isSettled: boolean;
}

const TICK_MS = 10;
/** Clients come again after a while that doubles, as the official ones do; later where they are told so. */
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8000;

export class Traffic {
  readonly plain: PlainResult[] = [];
  readonly keyed = new Map<string, KeyedResult>();
  readonly #options: TrafficOptions;
  readonly #underWay = new Set<Promise<void>>();
  #startedAt = 0;
  #isLast = false;
  #next = 0;

  constructor(options: TrafficOptions) {
    this.#options = options;
  }

  /** Sends for `ms`; resolves when that time is over. Requests under way go on. */
  async run(ms: number): Promise<void> {
    this.#startedAt = performance.now();
    for (;;) {
      const now = performance.now() - this.#startedAt;
      if (now >= ms) return;
      const due = Math.floor((now / 1000) * this.#options.rate);
      while (this.#next < due) this.#send();
      await pause(TICK_MS);
    }
  }

  /** Waits until every keyed request has its answer, at most `ms`; then gives up those that have none. */
  async settle(ms: number): Promise<void> {
    const timer = setTimeout(() => {
      this.#isLast = true;
    }, ms);
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    clearTimeout(timer);
  }

  /** Counts of what plain requests sent in this span came to, in ms since the traffic began. */
  share(failed: (result: PlainResult) => boolean, from = 0, until = Number.MAX_VALUE): number {
    const sent = this.plain.filter(({ sentAt }) => sentAt >= from && sentAt < until);
    return sent.filter(failed).length / Math.max(sent.length, 1);
  }

  /** Who waited longer than `ms` for a first word. */
  waitedLongerThan(ms: number): string[] {
    const told = (what: string, waited: number, how: string): string =>
      `${what} waited ${Math.round(waited)} ms: ${how}`;
    return [
      ...this.plain.filter(({ waitedMs }) => waitedMs > ms).map(({ waitedMs, how }) => told('plain', waitedMs, how)),
      ...[...this.keyed.values()]
        .filter(({ longestMs }) => longestMs > ms)
        .map(({ key, longestMs, longestHow }) => told(key, longestMs, longestHow)),
    ];
  }

  /** Outcomes of plain requests that failed, by the second in which they were sent. */
  failures(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { ok, sentAt, how, tookMs } of this.plain) {
      const what = `${Math.floor(sentAt / 1000)} s: ${how} after ${Math.round(tookMs / 1000)} s`;
      if (!ok) counts[what] = (counts[what] ?? 0) + 1;
    }
    return counts;
  }

  /** How often each outcome was seen, for whoever reads the output. */
  tally(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { how } of this.plain) counts[`plain ${how}`] = (counts[`plain ${how}`] ?? 0) + 1;
    for (const { delivered, others } of this.keyed.values()) {
      counts['keyed 200'] = (counts['keyed 200'] ?? 0) + delivered.length;
      for (const how of others) counts[`keyed ${how}`] = (counts[`keyed ${how}`] ?? 0) + 1;
    }
    return counts;
  }

  #send(): void {
    this.#next += 1;
    const number = this.#next;
    const stream = this.#options.draw(3) === 0;
    if (number % 2 === 0) this.#track(this.#sendPlain(`plain-${number}`, stream));
    else this.#sendKeyed(`keyed-${number}`, stream);
  }

  #track(work: Promise<void>): void {
    const tracked = work.finally(() => this.#underWay.delete(tracked));
    this.#underWay.add(tracked);
  }

  async #sendPlain(marker: string, stream: boolean): Promise<void> {
    const sentAt = performance.now() - this.#startedAt;
    const answer = await this.#ask(marker, stream, {});
    const ok = isWhole(answer, stream);
    this.plain.push({
      sentAt,
      tookMs: answer.endedAt,
      waitedMs: firstWordAt(answer),
      stream,
      ok,
      how: howOf(answer, stream),
    });
  }

  #sendKeyed(key: string, stream: boolean): void {
    const result: KeyedResult = { key, delivered: [], others: [], longestMs: 0, longestHow: '', isSettled: false };
    this.keyed.set(key, result);
    this.#track(this.#insist(result, stream, 0));
    // A second client, soon: mostly at another replica.
    if (this.#options.draw(4) === 0) this.#track(this.#insist(result, stream, this.#options.draw(30)));
  }

  async #insist(result: KeyedResult, stream: boolean, afterMs: number): Promise<void> {
    if (afterMs > 0) await pause(afterMs);
    for (let wait = FIRST_PAUSE_MS; !this.#isLast; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
      const answer = await this.#ask(result.key, stream, { 'idempotency-key': result.key });
      if (firstWordAt(answer) > result.longestMs) {
        result.longestMs = firstWordAt(answer);
        result.longestHow = `${howOf(answer, stream)}${stream ? ', streamed' : ''}`;
      }
      if (isWhole(answer, stream)) {
        result.delivered.push(answer.text);
        result.isSettled = true;
        return;
      }
      const how = howOf(answer, stream);
      result.others.push(how);
      if (how.includes('key_attempts_exhausted')) {
        result.isSettled = true;
        return;
      }
      await pause(Math.max(wait, Number(answer.headers['retry-after-ms'] ?? 0)) + this.#options.draw(wait));
    }
  }

  #ask(marker: string, stream: boolean, headers: Readonly<Record<string, string>>): Promise<RawAnswer> {
    return this.#options.front.send('/v1/chat/completions', {
      headers: { authorization: `Bearer ${this.#options.clientKey}`, ...headers },
      body: { model: 'm', messages: [{ role: 'user', content: marker }], ...(stream ? { stream: true } : {}) },
    });
  }
}

/** No deadline cuts a stream that has begun (T-3). */
function firstWordAt({ headersAt, endedAt }: RawAnswer): number {
  return headersAt ?? endedAt;
}

function isWhole({ status, text, end }: RawAnswer, stream: boolean): boolean {
  return status === 200 && end === 'complete' && (!stream || text.endsWith('data: [DONE]\n\n'));
}

function howOf(answer: RawAnswer, stream: boolean): string {
  const { status, end, text, errorCode } = answer;
  if (isWhole(answer, stream)) return '200';
  if (status === null) return `no answer (${errorCode ?? end})`;
  if (end !== 'complete') return `${status} cut`;
  const code = /"code":\s*"([a-z_]+)"/.exec(text)?.[1] ?? text.slice(0, 60);
  return `${status} ${code}`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
