/**
 * A run under a key, as long as it lives in this process: its round in the ledger, its answer's spool, and everybody who
 * waits for it (I-6). It keeps its answer before anybody sees the end of it (I-3).
 */
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import type { NewAnswer } from '../../ports/idempotency-store.ts';
import type { AnswerGate, FinishedAnswer } from '../answer-gate.ts';
import type { HeaderList } from '../delivery.ts';
import type { RelayResult } from '../relay.ts';
import type { KeyedAsk } from './ask.ts';
import { type Disk, leavesRoom } from './disk-room.ts';
import type { JoinableRun } from './joinable-run.ts';
import { ledgerUnavailable, neverFinished } from './refusals.ts';
import { type OwnRound, Round, type RoundDeps, type RoundEnd, type RoundState } from './round.ts';
import { Spool, sharedHeaders } from './spool.ts';

/** I-4: a larger answer is delivered, and not kept. */
export const MOST_STORED = 32 * 1024 * 1024;
/** A larger one is not kept either where the disk is nearly full: the ledger needs what is left of it. */
const ALWAYS_STORED = 64 * 1024;

/** The folder is where spools are written, and the ledger lies. */
export interface KeyedRunDeps extends RoundDeps, Disk {
  /** The round is over: the key's next request asks the ledger. */
  readonly over: (run: KeyedRun) => void;
  /** The spool's file can't be written or read. */
  readonly spoolFailed: (error: unknown, run: KeyedRun) => void;
}

export class KeyedRun implements AnswerGate, JoinableRun {
  readonly ask: KeyedAsk;
  readonly round: Round;
  readonly spool: Spool;
  /** SHA-256 of the answer that counts, hex; null = there is none yet. */
  digest: string | null = null;
  /** Ids of the models it may reach, once it has a plan; null = it was refused before. */
  readonly planned: Promise<readonly string[] | null>;
  /** It has a plan (or none). The first word counts. */
  plan: (models: readonly string[] | null) => void = () => {};
  /** How it ended, for those who joined; null = before anything ran. */
  readonly settled: Promise<RelayResult | null>;
  /** Says how it ended. The first word counts. */
  settle: (result: RelayResult | null) => void = () => {};
  /** Ends the run when its spool can't be kept; set once it runs. */
  stop: () => void = () => {};
  readonly #deps: KeyedRunDeps;
  /** Everybody has left, and it does not go on alone (I-9). */
  isLeft = false;

  constructor(deps: KeyedRunDeps, ask: KeyedAsk, own: OwnRound) {
    this.#deps = deps;
    this.ask = ask;
    this.settled = new Promise((resolve) => {
      this.settle = resolve;
    });
    this.planned = new Promise((resolve) => {
      this.plan = resolve;
    });
    this.round = new Round(deps, own);
    const { folder, space } = deps;
    const place = { folder, name: own.requestId, ...(space !== undefined && { space }) };
    this.spool = new Spool(place, (error) => deps.spoolFailed(error, this));
  }

  get own(): OwnRound {
    return this.round.own;
  }

  get state(): RoundState {
    return this.round.state;
  }

  get clientKey(): string {
    return this.ask.clientKey;
  }

  /** There is nothing to join: it has ended, or is about to. The ledger knows more. */
  get isClosed(): boolean {
    return this.isLeft || this.spool.finished !== null;
  }

  async keep({ finished, ...given }: FinishedAnswer): Promise<GatewayError | null> {
    const { clock } = this.#deps;
    const { attempt, status, servedModel, stream, headers, last } = given;
    if (!finished) return this.#refuse(neverFinished());
    const digest = this.spool.bytes.digest(last);
    const body = await this.#body(last);
    if (body === 'lost') return this.#refuse(ledgerUnavailable(clock.wall()));
    const answer: NewAnswer = {
      status,
      headers: kept(headers),
      body,
      stream,
      at: clock.wall(),
      servedModel,
      digest,
    };
    const refused = await this.round.succeed(attempt, answer);
    if (refused === null) this.digest = digest;
    this.#deps.over(this);
    return refused;
  }

  /** The round ends without success; without effect after one. */
  fail(end: RoundEnd): void {
    this.round.fail(end);
    this.#deps.over(this);
  }

  /** Ends it before or beside a run: everybody who waits is told. */
  refuse(end: RoundEnd): void {
    this.fail(end);
    this.spool.fail(end.error, 0);
    this.plan(null);
    this.settle(null);
  }

  #refuse(error: GatewayError): GatewayError {
    this.fail({ error, exhausted: false, release: false });
    return error;
  }

  /** Null = too large to be kept, or for the disk. */
  async #body(last: Uint8Array): Promise<Uint8Array | null | 'lost'> {
    const { bytes } = this.spool;
    const length = bytes.length + last.length;
    if (length > MOST_STORED || (length > ALWAYS_STORED && !leavesRoom(this.#deps, length))) return null;
    if (bytes.length === 0) return last;
    try {
      return await bytes.all(last);
    } catch {
      return 'lost';
    }
  }
}

/** What a replay sends again, beside its own ids and length. */
function kept(headers: HeaderList): Record<string, string> {
  const record: Record<string, string> = {};
  const list = sharedHeaders(headers);
  for (let at = 0; at + 1 < list.length; at += 2) {
    if (list[at] !== 'content-length') record[list[at]!] = list[at + 1]!;
  }
  return record;
}
