/** Keeps a workspace's whole answers for its ladder (E-4): copies what its client gets, hands it over when it was whole. */
import type { AnswerKeeping } from '../../config/snapshot.ts';
import { endBroken } from '../deliver-error.ts';
import type { Delivery, HeaderList, KeepAliveRule } from '../delivery.ts';
import type { Gateway } from '../gateway.ts';
import type { Job } from '../job.ts';
import type { RelayResult } from '../relay.ts';
import type { FailoverRun } from '../run-failover.ts';
import { keptRef } from './kept-ref.ts';

/** A larger answer is not kept: nobody needs megabytes to stand in. */
const LARGEST = 4 * 1024 * 1024;

/** Null = the workspace keeps nothing, as most. */
export function keeperOf(gateway: Gateway, job: Job): Keeper | null {
  const keeping = job.snapshot.workspaces.get(job.workspace)?.answers ?? null;
  return keeping === null ? null : new Keeper(gateway, job, keeping);
}

export class Keeper {
  readonly #gateway: Gateway;
  readonly #job: Job;
  readonly #keeping: AnswerKeeping;
  readonly #copy: CopyingDelivery[] = [];

  constructor(gateway: Gateway, job: Job, keeping: AnswerKeeping) {
    this.#gateway = gateway;
    this.#job = job;
    this.#keeping = keeping;
  }

  /** The same delivery, watched. */
  watch(delivery: Delivery): Delivery {
    const copy = new CopyingDelivery(delivery, Math.min(LARGEST, this.#keeping.maxBytes));
    this.#copy.push(copy);
    return copy;
  }

  /** Never throws: an answer not kept is no fault of its request. Only what an upstream answered, whole and beyond doubt, is worth giving again. */
  ended(run: FailoverRun, result: RelayResult): void {
    try {
      this.#keep(run, result);
    } catch (error) {
      this.#gateway.reportBug(error, this.#job.identity.requestId);
    }
  }

  #keep(run: FailoverRun, { verdict, servedModel, degradedReasons }: RelayResult): void {
    const body = this.#copy[0]?.taken() ?? null;
    if (verdict.kind !== 'served' || servedModel === null || body === null) return;
    const winner = run.traces.find(({ no }) => no === verdict.attempt);
    if (winner === undefined || winner.content !== 'content' || winner.attempt.tap?.suspicious === true) return;
    // Bytes that mean nothing without their content type are of no use to a later request.
    if (winner.attempt.isRaw) return;
    const ref = keptRef(this.#job);
    if (ref === null) return;
    const at = this.#gateway.storeClock.wall();
    this.#gateway.ladder.kept.keep({
      ref,
      workspace: this.#job.workspace,
      body,
      stream: this.#job.request.stream,
      servedModel,
      degradedReasons,
      requestId: this.#job.identity.requestId,
      at,
      expiresAt: at + this.#keeping.maxAgeMs,
      maxBytes: this.#keeping.maxBytes,
    });
  }
}

/** Passes everything on and remembers the bytes, up to a limit. */
class CopyingDelivery implements Delivery {
  readonly #inner: Delivery;
  readonly #limit: number;
  /** Only where the watched one has it: what several clients share. */
  readonly fail?: NonNullable<Delivery['fail']>;
  #parts: Uint8Array[] | null = [];
  #length = 0;

  constructor(inner: Delivery, limit: number) {
    this.#inner = inner;
    this.#limit = limit;
    if (inner.fail !== undefined) this.fail = (error, attempts, frame) => inner.fail?.(error, attempts, frame);
  }

  /** Null = too large. Once. */
  taken(): Uint8Array | null {
    const parts = this.#parts;
    this.#parts = null;
    return parts === null ? null : Buffer.concat(parts);
  }

  get headersSent(): boolean {
    return this.#inner.headersSent;
  }
  get openedEarly(): boolean {
    return this.#inner.openedEarly;
  }
  get gone(): boolean {
    return this.#inner.gone;
  }
  get bytesSent(): number {
    return this.#inner.bytesSent;
  }

  open(status: number, headers: HeaderList): void {
    this.#inner.open(status, headers);
  }

  write(bytes: Uint8Array): boolean {
    this.#add(bytes);
    return this.#inner.write(bytes);
  }

  onDrain(callback: () => void): void {
    this.#inner.onDrain(callback);
  }

  end(bytes: Uint8Array | null): void {
    if (bytes !== null) this.#add(bytes);
    this.#inner.end(bytes);
  }

  destroy(): void {
    endBroken(this.#inner, 'destroy');
  }

  onGone(callback: () => void): void {
    this.#inner.onGone(callback);
  }

  startKeepAlive(rule: KeepAliveRule, headers: () => HeaderList): void {
    this.#inner.startKeepAlive(rule, headers);
  }

  stopKeepAlive(): void {
    this.#inner.stopKeepAlive();
  }

  #add(bytes: Uint8Array): void {
    if (this.#parts === null) return;
    this.#length += bytes.length;
    if (this.#length > this.#limit) this.#parts = null;
    else this.#parts.push(bytes);
  }
}
