/** Joins the other replicas where `shared: redis://…` names what they share (H-4); `memory`: there are none. */
import { openRedisShared } from '../adapters/shared-redis/open-shared.ts';
import { newId } from '../adapters/system-clock.ts';
import type { Secret } from '../config/snapshot.ts';
import type { LimitBoard } from '../core/limits/limit-board.ts';
import type { LimitKeeper } from '../core/limits/limit-keeper.ts';
import type { Alerts } from '../ports/alerts.ts';
import type { Cancel } from '../ports/clock.ts';
import type { Shared } from '../ports/shared.ts';
import { BlockBoard } from '../runtime/block-board.ts';
import type { Gateway } from '../runtime/gateway.ts';
import { joinPeers, type Peers } from '../runtime/peers.ts';
import type { Closers } from './closers.ts';

/** While it is away it is said again this often: ms. */
const SAID_AGAIN_MS = 300_000;

export interface SharedParts extends Pick<Gateway, 'board' | 'keyBreaker' | 'retryWatch' | 'clock'> {
  /** Null = `memory`. */
  readonly url: Secret | null;
  readonly limits: LimitBoard;
  readonly alerts: Alerts;
}

export interface OpenShared {
  /** Null = nothing is shared. */
  readonly shared: Shared | null;
  readonly limits: LimitKeeper;
  readonly peers: Peers | null;
}

/** Never rejects: out of reach at the start is as later, told and tried again (H-4). */
export async function openShared(parts: SharedParts, closers: Closers): Promise<OpenShared> {
  const { url, clock, limits: board } = parts;
  if (url === null) return { shared: null, limits: board, peers: null };
  const teller = new LinkTeller(parts);
  closers.add(() => teller.close());
  const shared = await openRedisShared({
    url: url.reveal(),
    replica: newId('rep_'),
    clock,
    onLink: (up, reason) => teller.heard(up, reason),
  });
  closers.add(() => shared.close());
  const limits = new BlockBoard({ board, shared, clock });
  closers.add(() => limits.close());
  return { shared, limits, peers: joinPeers({ ...parts, limits }, shared) };
}

/** Says that the shared state is away, again while it stays so, and that it is back. */
class LinkTeller {
  readonly #parts: Pick<SharedParts, 'alerts' | 'clock'>;
  #isAway = false;
  #reason = '';
  #cancel: Cancel = () => undefined;

  constructor(parts: Pick<SharedParts, 'alerts' | 'clock'>) {
    this.#parts = parts;
  }

  heard(up: boolean, reason: string): void {
    const wasAway = this.#isAway;
    this.#isAway = !up;
    this.#reason = reason;
    if (up === !wasAway) return;
    if (up) {
      this.#cancel();
      this.#raise(
        'shared.back',
        'the shared state is back: limits, cooldowns and circuits hold for all replicas again',
      );
      return;
    }
    this.#sayAway();
  }

  close(): void {
    this.#cancel();
  }

  #sayAway(): void {
    const what = 'each replica goes by its own limits, cooldowns and circuits until it is back';
    this.#raise('shared.lost', `the shared state is away (${this.#reason}): ${what}`);
    this.#cancel = this.#parts.clock.after(SAID_AGAIN_MS, () => this.#sayAway());
  }

  #raise(kind: 'shared.lost' | 'shared.back', message: string): void {
    this.#parts.alerts.raise({ kind, message, requestId: null, at: this.#parts.clock.wall() });
  }
}
