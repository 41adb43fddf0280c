/**
 * Limits of several replicas together (H-4): decided in memory like those of one, within blocks of room that were taken
 * ahead of the shared state. Only a call for which there is no room asks, and waits a moment; without the shared state
 * every replica is what it would be alone.
 */
import { Block, type Taken, TICK_MS, type Wanted } from '../core/limits/block.ts';
import type { Instant } from '../core/limits/last-word.ts';
import type { Actual, LimitAdmission, LimitBoard, LimitLease } from '../core/limits/limit-board.ts';
import type { LimitKeeper } from '../core/limits/limit-keeper.ts';
import type { Expected, LimitReached, LimitScope, Limits } from '../core/limits/limits.ts';
import type { BlockAsk, BlockGrant } from '../core/limits/room.ts';
import { isLonger, type LimitUsage } from '../core/limits/scope-usage.ts';
import type { LimitCrossed } from '../core/limits/threshold.ts';
import type { Cancel, Clock } from '../ports/clock.ts';
import { SHARED_MS, type Shared } from '../ports/shared.ts';

/** A process that was so busy itself reads first what has arrived meanwhile: ms. */
const BUSY_MS = 20;
/** A scope nobody asks for is let go of after so many ms. */
const FORGET_MS = 60_000;

export interface BlockBoardParts {
  /** This process’s own counts. */
  readonly board: LimitBoard;
  readonly shared: Pick<Shared, 'up' | 'limits' | 'onChange'>;
  readonly clock: Clock;
}

interface Call {
  readonly scopes: readonly LimitScope[];
  readonly blocks: readonly Block[];
  readonly expected: Expected;
  readonly share: number;
}

/** Who waits for the answer to the next ask; false = there was none. */
interface Waiter {
  readonly room: Wanted;
  readonly heard: (answered: boolean) => void;
}

interface BlockLease extends LimitLease {
  readonly taken: readonly Taken[];
}

type Refused = Extract<LimitAdmission, { readonly ok: false }>;

export class BlockBoard implements LimitKeeper {
  readonly #board: LimitBoard;
  readonly #shared: BlockBoardParts['shared'];
  readonly #clock: Clock;
  readonly #blocks: Record<LimitScope['kind'], Map<string, Block>> = {
    credential: new Map(),
    channel: new Map(),
    key: new Map(),
    workspace: new Map(),
  };
  readonly #waiting = new Map<Block, Waiter[]>();
  readonly #due = new Set<Block>();
  #sending = false;
  #downSince = 0;
  #cancel: Cancel;
  #closed = false;

  constructor({ board, shared, clock }: BlockBoardParts) {
    this.#board = board;
    this.#shared = shared;
    this.#clock = clock;
    shared.onChange((up) => this.#changed(up));
    this.#cancel = clock.after(TICK_MS, () => this.#tick());
  }

  close(): void {
    this.#closed = true;
    this.#cancel();
  }

  admit(
    scopes: readonly LimitScope[],
    expected: Expected,
    now: number,
    wall: number,
    share: number = 1,
  ): LimitAdmission | Promise<LimitAdmission> {
    const blocks = this.#shared.up ? this.#blocksOf(scopes, now) : NO_BLOCKS;
    if (blocks.length === 0) return this.#board.admit(scopes, expected, now, wall, share);
    const call = { scopes, blocks, expected, share };
    const missing = this.#look(call, now, wall);
    if ('ok' in missing) return missing;
    return missing.length === 0 ? this.#go(call, now, wall) : this.#ask(call, missing);
  }

  settle(lease: LimitLease, actual: Actual, now: number, wall: number): readonly LimitCrossed[] {
    const isFirst = !lease.settled;
    const crossed = this.#board.settle(lease, actual, now, wall);
    if (!isFirst || !isBlockLease(lease) || !this.#shared.up) return crossed;
    const { tokens: expected } = lease.expected;
    for (const taken of lease.taken) {
      const inFlight = this.#board.inFlight(taken.block.scope);
      if (taken.block.settle(taken, (actual.tokens ?? expected) - expected, inFlight, now)) this.#send(taken.block);
    }
    return crossed;
  }

  reached(scope: LimitScope, now: number, wall: number): LimitReached | null {
    const alone = this.#board.reached(scope, now, wall);
    return alone ?? this.#blocks[scope.kind].get(scope.id)?.closed(1, { now, wall, isLast: false }) ?? null;
  }

  refusal(
    scopes: readonly LimitScope[],
    expected: Expected,
    now: number,
    wall: number,
    share: number = 1,
  ): { readonly scope: LimitScope; readonly reached: LimitReached } | null {
    const alone = this.#board.refusal(scopes, expected, now, wall, share);
    if (alone !== null || !this.#shared.up) return alone;
    const verdict = this.#look({ scopes, expected, share, blocks: this.#blocksOf(scopes, now) }, now, wall);
    return 'ok' in verdict ? { scope: verdict.scope, reached: verdict.reached } : null;
  }

  /** Of the minute and of what runs: all replicas’, as far as they are known. */
  usage(scope: Pick<LimitScope, 'kind' | 'id'>, now: number, wall: number): LimitUsage {
    const alone = this.#board.usage(scope, now, wall);
    const block = this.#blocks[scope.kind].get(scope.id);
    const fleet = block?.fleet ?? null;
    if (block === undefined || fleet === null) return alone;
    const { requests, tokens, slots } = block.idle;
    const { minute } = alone;
    return {
      ...alone,
      inFlight: Math.max(alone.inFlight, fleet.slots - slots),
      heldTokens: alone.heldTokens + fleet.others.heldTokens,
      heldSpend: alone.heldSpend + fleet.others.heldSpend,
      minute: {
        ...minute,
        requests: Math.max(minute.requests, fleet.requests - requests),
        tokens: Math.max(minute.tokens, fleet.tokens - tokens),
      },
    };
  }

  forget(scope: Pick<LimitScope, 'kind' | 'id'>, now: number, wall: number): void {
    this.#board.forget(scope, now, wall);
    this.#blocks[scope.kind].delete(scope.id);
    this.#shared.limits.forget(scope);
  }

  /** Blocks without room for the call that may ask for it; or what refuses the call right now. */
  #look(call: Call, now: number, wall: number, isLast = false): readonly Block[] | Refused {
    const missing: Block[] = [];
    let refused: Refused | null = null;
    for (const block of call.blocks) {
      const verdict = verdictOf(block, call, { now, wall, isLast });
      if (verdict === 'fits') continue;
      if (verdict === 'asks') missing.push(block);
      else if (refused === null || isLonger(verdict.availableAt, refused.reached.availableAt))
        refused = { ok: false, scope: block.scope, reached: verdict };
    }
    if (refused === null && missing.length === 0) return missing;
    for (const block of call.blocks) block.unmet(now);
    if (refused !== null) return refused;
    const alone = this.#board.refusal(call.scopes, call.expected, now, wall, call.share);
    return alone === null ? missing : { ok: false, ...alone };
  }

  #go({ scopes, blocks, expected, share }: Call, now: number, wall: number): LimitAdmission {
    const answer = this.#board.admit(scopes, expected, now, wall, share);
    if (!answer.ok) return answer;
    const taken = blocks.map((block) => block.take(expected, now));
    for (const block of blocks) if (block.wantsMore()) this.#send(block);
    const lease: BlockLease = { ...answer.lease, taken };
    return { ok: true, lease };
  }

  async #ask(call: Call, first: readonly Block[]): Promise<LimitAdmission> {
    const until = this.#clock.now() + SHARED_MS;
    let missing = first;
    for (;;) {
      const heard = await Promise.all(missing.map((block) => this.#next(block, call.expected)));
      const [now, wall] = [this.#clock.now(), this.#clock.wall()];
      if (!this.#shared.up) return this.#go(call, now, wall);
      const isLate = heard.includes(false) || now >= until;
      const found = this.#look(call, now, wall, isLate);
      if ('ok' in found) return found;
      if (found.length === 0 || isLate) return this.#go(call, now, wall);
      missing = found;
    }
  }

  #next(block: Block, expected: Expected): Promise<boolean> {
    return new Promise((resolve) => {
      const due = this.#clock.now() + SHARED_MS;
      let cancel = this.#clock.after(SHARED_MS, () => {
        const wasBusy = this.#clock.now() - due > BUSY_MS;
        if (!wasBusy) return resolve(false);
        cancel = this.#clock.after(BUSY_MS, () => resolve(false));
      });
      const heard = (answered: boolean): void => {
        cancel();
        resolve(answered);
      };
      const waiter = { room: block.roomFor(expected), heard };
      const others = this.#waiting.get(block);
      if (others === undefined) this.#waiting.set(block, [waiter]);
      else others.push(waiter);
      this.#send(block);
    });
  }

  /** Asks of the same turn go together; of one block one is under way at a time. */
  #send(block: Block): void {
    this.#due.add(block);
    if (this.#sending) return;
    this.#sending = true;
    queueMicrotask(() => {
      this.#sending = false;
      const blocks = [...this.#due].filter(({ asking }) => !asking);
      this.#due.clear();
      if (blocks.length > 0) void this.#exchange(blocks);
    });
  }

  async #exchange(blocks: readonly Block[]): Promise<void> {
    const [sentAt, wall] = [this.#clock.now(), this.#clock.wall()];
    const waiters = blocks.map((block) => this.#waiting.get(block) ?? []);
    const asks = blocks.map((block, i) => {
      this.#waiting.delete(block);
      block.asking = true;
      const rooms = waiters[i]!.map(({ room }) => room);
      return block.ask(this.#board.own(block.scope, sentAt, wall), rooms, sentAt);
    });
    const grants = await this.#shared.limits.take(asks);
    const now = this.#clock.now();
    for (const [i, block] of blocks.entries()) {
      block.asking = false;
      if (grants !== null && this.#shared.up) this.#granted(block, asks[i]!, grants[i]!, sentAt, now);
      for (const { heard } of waiters[i]!) heard(grants !== null);
      if (this.#waiting.has(block)) this.#send(block);
    }
  }

  #granted(block: Block, ask: BlockAsk, grant: BlockGrant, sentAt: number, now: number): void {
    // Forgotten in the middle of everything: all of the minute is told anew.
    const since = block.untoldSince ?? (grant.known || block.fleet === null ? null : now);
    block.granted(grant, ask, sentAt, now);
    this.#board.learn(block.scope, grant.fleet.others, now, this.#clock.wall());
    block.untoldSince = null;
    if (since === null) return;
    block.tellRecent(this.#board.recent(block.scope, grant.known ? since : Number.NEGATIVE_INFINITY, now), now);
    this.#send(block);
  }

  #tick(): void {
    if (this.#closed) return;
    const now = this.#clock.now();
    for (const blocks of Object.values(this.#blocks)) {
      for (const [id, block] of blocks) {
        if (block.isQuiet(now, FORGET_MS)) blocks.delete(id);
        else if (block.tick(this.#board.inFlight(block.scope), now) && this.#shared.up) this.#send(block);
      }
    }
    this.#cancel = this.#clock.after(TICK_MS, () => this.#tick());
  }

  #changed(up: boolean): void {
    const [now, wall] = [this.#clock.now(), this.#clock.wall()];
    if (!up) this.#downSince = now;
    for (const blocks of Object.values(this.#blocks)) {
      for (const block of blocks.values()) {
        if (up) {
          block.untoldSince ??= this.#downSince;
          this.#send(block);
          continue;
        }
        block.drop();
        this.#board.learn(block.scope, NOBODY, now, wall);
      }
    }
  }

  #blocksOf(scopes: readonly LimitScope[], now: number): readonly Block[] {
    const blocks: Block[] = [];
    for (const scope of scopes) {
      if (!isLimited(scope.limits)) continue;
      const known = this.#blocks[scope.kind].get(scope.id);
      const block = known ?? new Block(scope, now);
      if (known === undefined) this.#blocks[scope.kind].set(scope.id, block);
      block.scope = scope;
      blocks.push(block);
    }
    return blocks;
  }
}

const NO_BLOCKS: readonly Block[] = [];
const NOTHING = { start: 0, requests: 0, tokens: 0, spend: 0n };
const NOBODY = { heldTokens: 0, heldSpend: 0n, day: NOTHING, month: NOTHING };

function isBlockLease(lease: LimitLease): lease is BlockLease {
  return 'taken' in lease;
}

/** Whether any limit is set; worked out once for each set of limits. */
function isLimited(limits: Limits): boolean {
  const known = limited.get(limits);
  if (known !== undefined) return known;
  const found = Object.values(limits).some((limit) => limit !== null);
  limited.set(limits, found);
  return found;
}

const limited = new WeakMap<Limits, boolean>();

function verdictOf(block: Block, { expected, share }: Call, at: Instant): 'fits' | 'asks' | LimitReached {
  if (share < 1) {
    const reached = block.shareReached(share, at);
    if (reached === 'stale') return 'asks';
    if (reached !== null) return reached;
  }
  if (block.fits(expected)) return 'fits';
  const closed = block.closed(block.leastTokens(expected), at);
  if (closed !== null || !at.isLast) return closed ?? 'asks';
  const full = block.shareReached(1, at);
  return full === 'stale' || full === null ? 'asks' : full;
}
