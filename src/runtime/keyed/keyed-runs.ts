/**
 * Every run under a key in this process, and the way to one: join what runs here, else ask the ledger (I-2, I-6). Of a
 * crowd under one key one asks; the others wait for what it finds.
 */
import type { StoredFailure } from '../../core/idempotency/key-row.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ClaimAnswer, IdempotencyStore, StoredAnswer } from '../../ports/idempotency-store.ts';
import { StateStoreUnavailable } from '../../ports/object-store.ts';
import type { KeyedAsk } from './ask.ts';
import type { Disk } from './disk-room.ts';
import { KeyedRun } from './keyed-run.ts';
import { inTime } from './ledger-time.ts';
import { ledgerUnavailable, processStopped, spoolLost } from './refusals.ts';

/** The folder is where spools are written, and the ledger lies. */
export interface KeyedRunsDeps extends Disk {
  readonly store: IdempotencyStore;
  readonly clock: Clock;
  readonly reportBug: (error: unknown, requestId: string) => void;
}

/** What a request finds under its key. */
export type Found =
  /** Its own round: it must run it to an end. */
  | { readonly kind: 'owner'; readonly run: KeyedRun }
  | { readonly kind: 'running'; readonly run: KeyedRun }
  /** It runs elsewhere, and the request did not want to wait or has waited long enough. */
  | { readonly kind: 'elsewhere'; readonly round: number; readonly requestId: string }
  | {
      readonly kind: 'succeeded';
      readonly round: number;
      readonly requestId: string;
      readonly answer: StoredAnswer | null;
    }
  | { readonly kind: 'reused' }
  | { readonly kind: 'exhausted'; readonly failure: StoredFailure }
  | { readonly kind: 'unavailable' };

/** Between looks at a key that runs elsewhere, ms. */
const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 500;

export class KeyedRuns {
  readonly store: IdempotencyStore;
  readonly #deps: KeyedRunsDeps;
  readonly #runs = new Map<string, KeyedRun>();
  /** Claims on their way; settled whatever they come to. */
  readonly #claiming = new Map<string, Promise<unknown>>();

  constructor(deps: KeyedRunsDeps) {
    this.#deps = deps;
    this.store = deps.store;
  }

  /** Runs of this process that have not ended. */
  get size(): number {
    return this.#runs.size;
  }

  /** Never rejects for the ledger's sake. `isGone`: nobody waits for it any more. */
  async find(ask: KeyedAsk, requestId: string, isGone: () => boolean): Promise<Found> {
    const { clock } = this.#deps;
    const until = clock.now() + ask.patienceMs;
    const claiming = this.#claiming.get(ask.id);
    if (claiming !== undefined) await claiming;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const run = this.#openRun(ask);
      if (run !== null) return run.ask.fingerprint === ask.fingerprint ? { kind: 'running', run } : REUSED;
      const found = await this.#claim(ask, requestId);
      if (found.kind !== 'elsewhere') return found;
      if (this.#openRun(ask) !== null) continue;
      if (ask.onDuplicate === 'reject' && pause > FIRST_PAUSE_MS) return found;
      if (isGone() || clock.now() + pause > until) return found;
      await new Promise<void>((resolve) => void clock.after(pause, resolve));
    }
  }

  #openRun({ id }: KeyedAsk): KeyedRun | null {
    const run = this.#runs.get(id);
    return run === undefined || run.isClosed ? null : run;
  }

  async #claim(ask: KeyedAsk, requestId: string): Promise<Found> {
    const claiming = this.#ask(ask, requestId);
    if (this.#claiming.has(ask.id)) return claiming;
    this.#claiming.set(ask.id, claiming);
    try {
      return await claiming;
    } finally {
      this.#claiming.delete(ask.id);
    }
  }

  async #ask(ask: KeyedAsk, requestId: string): Promise<Found> {
    const { store, clock } = this.#deps;
    const { ref, fingerprint, expiresAt, maxAttempts, regenerate } = ask;
    const claim = { ref, fingerprint, requestId, at: clock.wall(), expiresAt, maxAttempts, regenerate };
    try {
      const answer = await inTime(clock, store.claim(claim), (late) => this.#giveBack(ask, requestId, late));
      if (answer.kind === 'owner') return { kind: 'owner', run: this.#begin(ask, requestId, answer) };
      return answer.kind === 'running' ? { ...answer, kind: 'elsewhere' } : answer;
    } catch (error) {
      if (!(error instanceof StateStoreUnavailable)) this.#deps.reportBug(error, requestId);
      return { kind: 'unavailable' };
    }
  }

  #begin(ask: KeyedAsk, requestId: string, { round, attemptsBefore }: Owned): KeyedRun {
    const { clock } = this.#deps;
    const run = new KeyedRun(
      {
        ...this.#deps,
        over: (ended) => {
          if (this.#runs.get(ask.id) === ended) this.#runs.delete(ask.id);
        },
        spoolFailed: (_error, failed) => {
          const error = failed.spool.headersSent ? spoolLost() : ledgerUnavailable(clock.wall());
          failed.refuse({ error, exhausted: false, release: false });
          failed.stop();
        },
      },
      ask,
      { ref: ask.ref, round, attemptsBefore, requestId },
    );
    this.#runs.set(ask.id, run);
    return run;
  }

  /** Nobody waits for this round any more: the key is free at once. */
  #giveBack({ ref }: KeyedAsk, requestId: string, answer: ClaimAnswer): void {
    if (answer.kind !== 'owner') return;
    const { status, code, message } = processStopped();
    const failure = { status, code: code ?? '', message, requestId, at: this.#deps.clock.wall() };
    void this.#deps.store.fail({ ref, round: answer.round, state: 'failed', failure, release: true });
  }
}

type Owned = Extract<ClaimAnswer, { readonly kind: 'owner' }>;

const REUSED: Found = { kind: 'reused' };
