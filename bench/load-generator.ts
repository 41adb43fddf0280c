/** Sends requests and times them. Bounded in number and in time; counts events, keeps no bodies unless asked. */
import { Pool } from 'undici';

/** One request as its sender saw it. Times in ms. */
export interface Sample {
  /** 0 when no status came. */
  readonly status: number;
  readonly totalMs: number;
  /** Until the first event whose content is not the role alone; NaN when none came. */
  readonly firstTokenMs: number;
  readonly events: number;
  /** Ended by the server, whole. */
  readonly ended: boolean;
  /** The answer's `x-should-retry`. */
  readonly shouldRetry: string | null;
  /** The last 256 bytes, or the whole body with `keepBody`. */
  readonly tail: string;
}

export interface RequestPlan {
  readonly body: (index: number) => Buffer;
  readonly keepBody?: boolean;
  /** Beside the usual ones. */
  readonly headers?: (index: number) => Readonly<Record<string, string>>;
}

const NEWLINE = 10;
/** Stands in every token of a stream, not in its role event. */
const CONTENT = Buffer.from('"content":" ');

/** Counts blank lines, also across chunk borders. */
class EventCounter {
  events = 0;
  #last = 0;
  count(chunk: Buffer): void {
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) {
      const before = at === 0 ? this.#last : chunk[at - 1];
      if (before === NEWLINE) this.events += 1;
    }
    this.#last = chunk[chunk.length - 1] ?? this.#last;
  }
}

export class LoadGenerator {
  readonly #pool: Pool;
  readonly #path: string;
  readonly #headers: Record<string, string>;

  /** `url` up to and without `/chat/completions`. */
  constructor(url: string, key: string, connections: number) {
    const { origin, pathname } = new URL(url);
    this.#path = `${pathname.replace(/\/$/, '')}/chat/completions`;
    this.#headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` };
    this.#pool = new Pool(origin, {
      connections,
      headersTimeout: 120_000,
      bodyTimeout: 120_000,
      keepAliveTimeout: 300_000,
    });
  }

  send(plan: RequestPlan, index: number): Promise<Sample> {
    const startedAt = performance.now();
    const counter = new EventCounter();
    let [status, firstTokenMs] = [0, Number.NaN];
    let kept: Buffer = Buffer.alloc(0);
    let shouldRetry: string | null = null;
    const headers = plan.headers === undefined ? this.#headers : { ...this.#headers, ...plan.headers(index) };
    return new Promise((resolve) => {
      const finish = (ended: boolean) => {
        const totalMs = performance.now() - startedAt;
        const tail = kept.toString('utf8');
        resolve({ status, totalMs, firstTokenMs, events: counter.events, ended, shouldRetry, tail });
      };
      this.#pool.dispatch(
        { path: this.#path, method: 'POST', headers, body: plan.body(index) },
        {
          onRequestStart() {},
          onResponseStart(_controller, code, answered) {
            status = code;
            const said = answered['x-should-retry'];
            shouldRetry = said === undefined ? null : String(said);
          },
          onResponseData(_controller, chunk) {
            counter.count(chunk);
            if (Number.isNaN(firstTokenMs) && chunk.includes(CONTENT)) firstTokenMs = performance.now() - startedAt;
            if (plan.keepBody === true) kept = Buffer.concat([kept, chunk]);
            else if (chunk.length >= 256) kept = chunk.subarray(-256);
            else kept = Buffer.concat([kept, chunk]).subarray(-256);
          },
          onResponseEnd: () => finish(true),
          onResponseError: () => finish(false),
        },
      );
    });
  }

  /** Closed loop: `concurrency` senders, each sends its next when the last is answered. */
  async closedLoop(plan: RequestPlan, requests: number, concurrency: number): Promise<Sample[]> {
    const samples: Sample[] = [];
    let next = 0;
    const sender = async () => {
      while (next < requests) {
        const index = next;
        next += 1;
        samples.push(await this.send(plan, index));
      }
    };
    await Promise.all(Array.from({ length: concurrency }, sender));
    return samples;
  }

  /**
   * Open loop: `perSecond` requests a second whether or not earlier ones were answered, so that a slow server can't
   * slow the load down. Each is timed from the moment it was sent.
   */
  async openLoop(plan: RequestPlan, requests: number, perSecond: number): Promise<Sample[]> {
    const startedAt = performance.now();
    const running: Promise<Sample>[] = [];
    while (running.length < requests) {
      const due = Math.min(requests, Math.floor(((performance.now() - startedAt) / 1000) * perSecond) + 1);
      while (running.length < due) running.push(this.send(plan, running.length));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    return Promise.all(running);
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}
