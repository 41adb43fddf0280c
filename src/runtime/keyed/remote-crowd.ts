/**
 * Other processes' clients of a run here (I-6): a reader of its spool as long as one of them waits, so that the run goes on
 * without its own client (I-9). What streams is copied for them, in parts; the end they take from the stored answer.
 */
import type { Clock } from '../../ports/clock.ts';
import type { RemoteJoins, SpoolPart } from '../../ports/remote-joins.ts';
import { type KeyedRun, MOST_STORED } from './keyed-run.ts';
import type { SpoolReader } from './spool.ts';

export interface RemoteCrowdDeps {
  readonly joins: Pick<RemoteJoins, 'push' | 'ended'>;
  readonly clock: Clock;
}

const PART_BYTES = 64 * 1024;
/** Small pieces of an answer travel together. */
const GATHER_MS = 50;

export class RemoteCrowd implements SpoolReader {
  readonly openedEarly = false;
  readonly #deps: RemoteCrowdDeps;
  readonly #run: KeyedRun;
  readonly #joiners = new Set<string>();
  #wantsBytes = false;
  #hasHead = false;
  #at = 0;
  #seq = 0;
  #copying = false;
  /** The store took no part: who waits gets everything at the end. */
  #broken = false;

  constructor(deps: RemoteCrowdDeps, run: KeyedRun) {
    this.#deps = deps;
    this.#run = run;
  }

  /** The same joiner may be told of again. */
  add(joiner: string, wantsBytes: boolean): void {
    const { spool } = this.#run;
    if (spool.finished !== null) return;
    if (this.#joiners.size === 0) spool.add(this);
    this.#joiners.add(joiner);
    this.#wantsBytes ||= wantsBytes;
    this.pump();
  }

  remove(joiner: string): void {
    if (this.#joiners.delete(joiner) && this.#joiners.size === 0) this.#run.spool.remove(this);
  }

  /** Keep-alives are everybody's own. */
  startKeepAlive(): void {}
  stopKeepAlive(): void {}

  pump(): void {
    if (this.#copying) return;
    if (!this.#needsMore()) {
      if (this.#run.spool.finished !== null) this.#leave();
      return;
    }
    this.#copying = true;
    void this.#copy().finally(() => {
      this.#copying = false;
      this.pump();
    });
  }

  /** After the end only of an answer that is not kept: nobody else has it. */
  #needsMore(): boolean {
    const { spool } = this.#run;
    if (!this.#wantsBytes || this.#broken || spool.head === null) return false;
    const { finished, bytes } = spool;
    if (finished !== null && (finished.kind === 'error' || bytes.length <= MOST_STORED)) return false;
    return !this.#hasHead || this.#at < bytes.length;
  }

  async #copy(): Promise<void> {
    try {
      if (!this.#hasHead) await this.#pushHead();
      else await this.#gather();
      const bytes = await this.#next();
      if (bytes.length > 0) await this.#push({ kind: 'bytes', bytes });
    } catch {
      this.#broken = true;
    }
  }

  async #pushHead(): Promise<void> {
    const { head } = this.#run.spool;
    if (head === null) return;
    this.#hasHead = true;
    const models = await this.#run.planned;
    const { status, headers } = head;
    await this.#push({ kind: 'head', status, headers, ...(models !== null && { models }) });
  }

  async #gather(): Promise<void> {
    const { bytes, finished } = this.#run.spool;
    if (finished !== null || bytes.length - this.#at >= PART_BYTES) return;
    await new Promise<void>((resolve) => void this.#deps.clock.after(GATHER_MS, resolve));
  }

  async #next(): Promise<Uint8Array> {
    const { bytes } = this.#run.spool;
    const pieces: Uint8Array[] = [];
    for (let room = PART_BYTES; room > 0 && this.#at < bytes.length; ) {
      const piece = (await bytes.read(this.#at)).subarray(0, room);
      pieces.push(piece);
      this.#at += piece.length;
      room -= piece.length;
    }
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
  }

  async #push(part: SpoolPart): Promise<void> {
    const seq = this.#seq;
    this.#seq += 1;
    await this.#deps.joins.push(this.#run.own, seq, part);
  }

  #leave(): void {
    if (this.#joiners.size === 0) return;
    this.#joiners.clear();
    this.#run.spool.remove(this);
    this.#deps.joins.ended(this.#run.own);
  }
}
