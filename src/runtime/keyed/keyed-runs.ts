/**
 * Every run under a key in this process, and the way to one: join what runs here, else ask the ledger (I-2, I-6). Of a
 * crowd under one key one asks; the others wait for what it finds.
 */
import type { StoredFailure } from '../../core/idempotency/key-row.ts';
import type { Clock } from '../../ports/clock.ts';
import type { ClaimAnswer, SharedIdempotency, StoredAnswer } from '../../ports/idempotency-store.ts';
import { StateStoreUnavailable } from '../../ports/object-store.ts';
import type { RemoteJoin, RemoteJoins } from '../../ports/remote-joins.ts';
import { idOf, type KeyedAsk } from './ask.ts';
import type { Disk } from './disk-room.ts';
import type { JoinableRun } from './joinable-run.ts';
import { KeyedRun } from './keyed-run.ts';
import { inTime } from './ledger-time.ts';
import { lookingOnly } from './looking-only.ts';
import { ledgerUnavailable, processStopped, roundLost, spoolLost } from './refusals.ts';
import { RemoteCrowd } from './remote-crowd.ts';
import { RemoteRun } from './remote-run.ts';
import type { StreamWords } from './stream-words.ts';

/** The folder is where spools are written, and the ledger lies. */
export interface KeyedRunsDeps extends Disk {
  readonly store: SharedIdempotency;
  readonly clock: Clock;
  readonly reportBug: (error: unknown, requestId: string) => void;
}

/** What a request finds under its key. */
export type Found =
  /** Its own round: it must run it to an end. */
  | { readonly kind: 'owner'; readonly run: KeyedRun }
  | { readonly kind: 'running'; readonly run: JoinableRun }
  /** It runs elsewhere: `follow` joins it. */
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

const SECOND_LOOK_MS = 5;
/**
 * A round that a caller's fault has ended at another process frees its key in the instant in which that caller is told:
 * whoever comes with the corrected request before that is written would be refused for good (I-5).
 */
const FREED_MS = [5, 50, 200] as const;

export class KeyedRuns {
  readonly store: SharedIdempotency;
  readonly #deps: KeyedRunsDeps;
  readonly #runs = new Map<string, KeyedRun>();
  /** Runs of other processes that somebody waits for here. */
  readonly #remote = new Map<string, RemoteRun>();
  readonly #crowds = new WeakMap<KeyedRun, RemoteCrowd>();
  /** Claims on their way; settled whatever they come to. */
  readonly #claiming = new Map<string, Promise<unknown>>();

  constructor(deps: KeyedRunsDeps) {
    this.#deps = deps;
    this.store = deps.store;
    const { joins } = deps.store;
    joins?.onJoin((join) => this.#crowdOf(join, joins)?.add(join.joiner, join.wantsBytes));
    joins?.onLeave((join) => this.#crowdOf(join, joins)?.remove(join.joiner));
  }

  /** Runs of this process that have not ended. */
  get size(): number {
    return this.#runs.size;
  }

  /** Never rejects for the ledger's sake. */
  async find(ask: KeyedAsk, requestId: string): Promise<Found> {
    let found = await this.#find(ask, requestId);
    if (this.store.joins === null) return found;
    for (const ms of FREED_MS) {
      if (found.kind !== 'reused') return found;
      await new Promise<void>((resolve) => void this.#deps.clock.after(ms, resolve));
      found = await this.#find(ask, requestId);
    }
    return found;
  }

  async #find(ask: KeyedAsk, requestId: string): Promise<Found> {
    const claiming = this.#claiming.get(ask.id);
    if (claiming !== undefined) await claiming;
    const known = this.#openRun(ask);
    if (known !== null) return known;
    const found = await this.#claim(ask, requestId);
    if (found.kind !== 'elsewhere') return found;
    if (ask.onDuplicate === 'join') return this.#openRun(ask) ?? found;
    // It may just be ending: who will not wait is told so only after a second look.
    await new Promise<void>((resolve) => void this.#deps.clock.after(SECOND_LOOK_MS, resolve));
    return this.#openRun(ask) ?? this.#claim(ask, requestId);
  }

  /** A run that was found elsewhere, as everybody here follows it. `words`: of who finds it first. */
  follow(ask: KeyedAsk, { round, requestId }: Elsewhere, words: StreamWords): JoinableRun {
    const { store } = this.#deps;
    const known = this.#remote.get(ask.id);
    if (known !== undefined && !known.isClosed && known.own.requestId === requestId) return known;
    const over = (ended: RemoteRun): void => {
      if (this.#remote.get(ask.id) === ended) this.#remote.delete(ask.id);
    };
    const joins = store.joins ?? lookingOnly(this.#deps.clock);
    const run = new RemoteRun({ ...this.#deps, joins, over }, ask, { round, requestId }, words);
    this.#remote.set(ask.id, run);
    return run;
  }

  /** Others have closed everything that was ours: nothing more is sent for it, and no answer of it ends well (I-8). */
  loseAll(): void {
    for (const run of [...this.#runs.values()]) {
      run.refuse({ error: roundLost(this.#deps.clock.wall()), exhausted: false, release: false });
      run.stop();
    }
  }

  #crowdOf({ ref, round }: Pick<RemoteJoin, 'ref' | 'round'>, joins: RemoteJoins): RemoteCrowd | null {
    const run = this.#runs.get(idOf(ref));
    if (run === undefined || run.own.round !== round || run.isClosed) return null;
    const known = this.#crowds.get(run);
    if (known !== undefined) return known;
    const crowd = new RemoteCrowd({ joins, clock: this.#deps.clock }, run);
    this.#crowds.set(run, crowd);
    return crowd;
  }

  #openRun({ id, fingerprint }: KeyedAsk): Found | null {
    const run = this.#runs.get(id);
    const open = run === undefined || run.isClosed ? this.#remote.get(id) : run;
    if (open === undefined || open.isClosed) return null;
    return open.ask.fingerprint === fingerprint ? { kind: 'running', run: open } : REUSED;
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

type Elsewhere = Extract<Found, { readonly kind: 'elsewhere' }>;

const REUSED: Found = { kind: 'reused' };
