/**
 * A run that another process has, as those see it who wait for it here (I-6): one look at the ledger and one copy of its
 * bytes for all of them. What is shown of it is always a beginning of the answer that was stored, or breaks off (I-11).
 */
import { hash } from 'node:crypto';
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { RoundView, SharedIdempotency, StoredAnswer } from '../../ports/idempotency-store.ts';
import type { JoinHandle, RemoteJoins, SpoolPart } from '../../ports/remote-joins.ts';
import type { RelayResult } from '../relay.ts';
import type { KeyedAsk } from './ask.ts';
import type { Disk } from './disk-room.ts';
import { errorElsewhere, interruptedElsewhere } from './errors-elsewhere.ts';
import type { JoinableRun } from './joinable-run.ts';
import type { OwnRound, RoundState } from './round.ts';
import { answerHeaders, Spool } from './spool.ts';
import { type StreamWords, wordsAfter } from './stream-words.ts';

export interface RemoteRunDeps extends Disk {
  readonly store: Pick<SharedIdempotency, 'look'>;
  readonly joins: Pick<RemoteJoins, 'wait'>;
  readonly clock: Clock;
  readonly reportBug: (error: unknown, requestId: string) => void;
  /** Nobody waits for it any more, or it has come to its end. */
  readonly over: (run: RemoteRun) => void;
}

/** The longest that a change goes unseen where nobody tells of it, ms. */
const LONGEST_PAUSE_MS = 500;
const FIRST_PAUSE_MS = 5;
/** How long the last parts of an answer that is not kept are waited for, ms. */
const LAST_PARTS_MS = 5000;

export class RemoteRun implements JoinableRun {
  readonly ask: KeyedAsk;
  readonly own: Pick<OwnRound, 'round' | 'requestId'>;
  readonly clientKey = null;
  readonly spool: Spool;
  readonly planned: Promise<readonly string[] | null>;
  readonly settled: Promise<Pick<RelayResult, 'servedModel' | 'degradedReasons'> | null>;
  readonly abandoned: Promise<void>;
  state: RoundState = 'running';
  digest: string | null = null;
  isLeft = false;
  readonly #deps: RemoteRunDeps;
  readonly #words: StreamWords;
  readonly #handle: JoinHandle;
  #plan: (models: readonly string[] | null) => void = () => {};
  #settle: (result: Pick<RelayResult, 'servedModel' | 'degradedReasons'> | null) => void = () => {};
  #abandon: () => void = () => {};
  #seq = 0;
  /** Shown with the first bytes: a client that has seen none of them can still be told anything. */
  #head: Extract<SpoolPart, { readonly kind: 'head' }> | null = null;

  /** Waits from now on. */
  constructor(deps: RemoteRunDeps, ask: KeyedAsk, own: Pick<OwnRound, 'round' | 'requestId'>, words: StreamWords) {
    this.#deps = deps;
    this.ask = ask;
    this.own = own;
    this.#words = words;
    this.planned = new Promise((resolve) => {
      this.#plan = resolve;
    });
    this.settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.abandoned = new Promise((resolve) => {
      this.#abandon = resolve;
    });
    const { folder, space } = deps;
    const place = { folder, name: `joined-${own.requestId}`, ...(space !== undefined && { space }) };
    this.spool = new Spool(place, () => this.#breakOff(interruptedElsewhere(null)));
    this.#handle = deps.joins.wait({ ref: ask.ref, ...own }, words.request.stream);
    void this.#follow().catch((error: unknown) => {
      deps.reportBug(error, own.requestId);
      void this.#giveUp();
    });
  }

  get isClosed(): boolean {
    return this.isLeft || this.spool.finished !== null;
  }

  /** Everybody here has left: the run may end for it (I-9). */
  passedBy(): void {
    if (this.isClosed || this.spool.readers > 0) return;
    this.isLeft = true;
    this.#close();
  }

  async #follow(): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; !this.isClosed; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      if (await this.#take()) pause = FIRST_PAUSE_MS;
      const view = await this.#look();
      if (this.isClosed) return;
      if (view !== null && view.kind !== 'running') return this.#conclude(view);
      await this.#handle.woken(pause);
    }
  }

  /** Null = the ledger can't be read now: it is asked again. */
  async #look(): Promise<RoundView | null> {
    const { ref } = this.ask;
    return this.#deps.store.look(ref, this.own.round, this.own.requestId).catch(() => null);
  }

  /** Whether something has come. */
  async #take(): Promise<boolean> {
    if (!this.#words.request.stream) return false;
    const parts = await this.#handle.parts(this.#seq).catch(() => []);
    for (const part of parts) {
      if (this.isClosed) return false;
      this.#seq += 1;
      this.#show(part);
    }
    return parts.length > 0;
  }

  #show(part: SpoolPart): void {
    if (part.kind === 'head') {
      this.#head = part;
      this.#plan(part.models ?? []);
      return;
    }
    if (this.#head !== null) this.spool.open(this.#head.status, [...this.#head.headers]);
    this.spool.write(part.bytes);
  }

  async #conclude(view: Exclude<RoundView, { readonly kind: 'running' }>): Promise<void> {
    const shown = this.spool.headersSent;
    if (view.kind === 'succeeded') return this.#succeeded(view.answer, view.digest);
    if (view.kind === 'gone') return shown ? this.#breakOff(interruptedElsewhere(null)) : this.#giveUp();
    const { failure, sent } = view;
    if (shown) return this.#breakOff(interruptedElsewhere(failure));
    // Nobody was called for it, or its own clients have left: this request is as good as new.
    if (!sent || failure.code === 'client_closed') return this.#giveUp();
    this.state = failure.code === 'retry_exhausted' ? 'failed_retry_exhausted' : 'failed';
    this.#finish([], null);
    this.spool.fail(errorElsewhere(failure), failure.told?.attempts?.length ?? 0);
    this.#close();
  }

  async #succeeded(answer: StoredAnswer | null, digest: string): Promise<void> {
    if (answer === null) return this.#unkept(digest);
    const { body, servedModel, headers } = answer;
    const shown = this.spool.bytes.length;
    if (shown > 0 && hash('sha256', body.subarray(0, shown), 'hex') !== this.spool.bytes.digest(NOTHING)) {
      return this.#breakOff(interruptedElsewhere(null));
    }
    this.#kept(digest);
    const isDegraded = headers['x-understudy-degraded'] === 'true';
    const reason = servedModel === this.#words.request.model ? 'request' : 'model';
    this.#finish(servedModel === null ? [] : [servedModel], {
      servedModel,
      degradedReasons: isDegraded ? [reason] : [],
    });
    this.spool.open(answer.status, answerHeaders(answer));
    this.spool.end(shown === 0 ? body : body.subarray(shown));
    this.#close();
  }

  /** Too large to be kept: what was copied is all there is of it. */
  async #unkept(digest: string): Promise<void> {
    const { clock } = this.#deps;
    for (const until = clock.now() + LAST_PARTS_MS; this.spool.headersSent && clock.now() < until; ) {
      if (this.spool.bytes.digest(NOTHING) === digest) {
        this.#kept(digest);
        this.#finish([], { servedModel: null, degradedReasons: [] });
        this.spool.end(null);
        return this.#close();
      }
      if (!(await this.#take())) await this.#handle.woken(LONGEST_PAUSE_MS);
      if (this.isClosed) return;
    }
    return this.spool.headersSent ? this.#breakOff(interruptedElsewhere(null)) : this.#giveUp();
  }

  #kept(digest: string): void {
    this.state = 'succeeded';
    this.digest = digest;
  }

  #finish(models: readonly string[] | null, result: Pick<RelayResult, 'servedModel' | 'degradedReasons'> | null): void {
    this.#plan(models);
    this.#settle(result);
  }

  /** T-4: something was shown, and nothing of another round may follow it. */
  async #breakOff(error: GatewayError): Promise<void> {
    if (this.isClosed) return;
    this.state = 'failed';
    const frame = await wordsAfter(this.#words, this.spool.bytes, error);
    this.#finish([], null);
    this.spool.fail(error, 0, frame);
    this.#close();
  }

  /** Nothing was shown: everybody looks at the key again. */
  async #giveUp(): Promise<void> {
    if (this.isClosed) return;
    this.isLeft = true;
    this.#finish(null, null);
    this.#close();
    this.#abandon();
  }

  #close(): void {
    this.#handle.leave();
    this.#deps.over(this);
  }
}

const NOTHING = new Uint8Array();
