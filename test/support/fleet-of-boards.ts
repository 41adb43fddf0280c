/** Several replicas' limits in virtual time: boards over one hub, a latency between them, requests with lengths. */
import { SharedHub } from '../../src/adapters/shared-memory/shared-hub.ts';
import { type LimitAdmission, LimitBoard, type LimitLease } from '../../src/core/limits/limit-board.ts';
import type { Expected, LimitScope } from '../../src/core/limits/limits.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { SharedLimits } from '../../src/ports/shared.ts';
import { BlockBoard } from '../../src/runtime/block-board.ts';

/** 2026-11-29T10:00:00Z. */
const WALL = Date.UTC(2026, 10, 29, 10);

/** Time that passes only when it is told to; what waits for nothing but promises has happened before it goes on. */
export class StepClock implements Clock {
  #now = 1000;
  #order = 0;
  readonly #timers: { at: number; order: number; callback: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  wall(): number {
    return WALL + this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms), order: ++this.#order, callback };
    this.#timers.push(timer);
    this.#timers.sort((a, b) => a.at - b.at || a.order - b.order);
    return () => {
      const index = this.#timers.indexOf(timer);
      if (index >= 0) this.#timers.splice(index, 1);
    };
  }

  async run(until: number): Promise<void> {
    await settled();
    while (this.#timers.length > 0 && this.#timers[0]!.at <= until) {
      const timer = this.#timers.shift()!;
      this.#now = Math.max(this.#now, timer.at);
      timer.callback();
      await settled();
    }
    this.#now = Math.max(this.#now, until);
  }
}

async function settled(): Promise<void> {
  for (let i = 0; i < 12; i += 1) await null;
}

export interface FleetOptions {
  readonly replicas: number;
  /** From a replica to the shared state and back: ms. */
  readonly latencyMs?: number;
}

/** One call that went out. */
export interface Sent {
  readonly at: number;
  readonly replica: number;
  readonly lease: LimitLease;
}

export class Fleet {
  readonly clock = new StepClock();
  readonly hub = new SharedHub(this.clock);
  readonly boards: readonly BlockBoard[];
  readonly sent: Sent[] = [];
  readonly refused: { readonly at: number; readonly answer: Extract<LimitAdmission, { ok: false }> }[] = [];
  /** What was used in the end, counted where the call went out. */
  readonly settled: { readonly at: number; readonly tokens: number }[] = [];
  /** The most calls that ran at the same time. */
  most = 0;
  #running = 0;
  /** Calls that had to wait for an answer of the shared state. */
  waited = 0;
  /** Exchanges with the shared state. */
  asks = 0;

  constructor({ replicas, latencyMs = 1 }: FleetOptions) {
    this.boards = Array.from({ length: replicas }, (_, i) => {
      const shared = this.hub.join(`replica ${i}`);
      const limits = this.#late(shared.limits, latencyMs);
      const { hub } = this;
      const late = {
        get up() {
          return hub.up;
        },
        limits,
        onChange: shared.onChange,
      };
      return new BlockBoard({ board: new LimitBoard(), shared: late, clock: this.clock });
    });
  }

  /** Asks at one replica, now; what goes out runs for so long and uses `actual` tokens in the end. */
  ask(
    replica: number,
    scopes: readonly LimitScope[],
    expected: Expected,
    run: { ms: number; tokens: number; cost?: bigint; share?: number },
  ): void {
    const { clock } = this;
    const board = this.boards[replica]!;
    const took = (answer: LimitAdmission): void => {
      if (!answer.ok) {
        this.refused.push({ at: clock.now(), answer });
        return;
      }
      this.sent.push({ at: clock.now(), replica, lease: answer.lease });
      this.#running += 1;
      this.most = Math.max(this.most, this.#running);
      this.settled.push({ at: clock.now(), tokens: run.tokens });
      const actual = { tokens: run.tokens, cost: run.cost ?? 0n };
      clock.after(run.ms, () => {
        this.#running -= 1;
        board.settle(answer.lease, actual, clock.now(), clock.wall());
      });
    };
    const answer = board.admit(scopes, expected, clock.now(), clock.wall(), run.share ?? 1);
    if (answer instanceof Promise) {
      this.waited += 1;
      void answer.then(took);
    } else took(answer);
  }

  #late(limits: SharedLimits, ms: number): SharedLimits {
    return {
      forget: (scope) => limits.forget(scope),
      take: (asks) => {
        this.asks += asks.length;
        return new Promise((resolve) => {
          this.clock.after(ms / 2, () => {
            void limits.take(asks).then((grants) => this.clock.after(ms / 2, () => resolve(grants)));
          });
        });
      },
    };
  }
}

/** The most entries of any window of `ms`; `at` ascending. */
export function mostWithin(ms: number, at: readonly number[], weight: (index: number) => number = () => 1): number {
  let [from, total, most] = [0, 0, 0];
  for (let to = 0; to < at.length; to += 1) {
    total += weight(to);
    while (at[from]! <= at[to]! - ms) {
      total -= weight(from);
      from += 1;
    }
    most = Math.max(most, total);
  }
  return most;
}
