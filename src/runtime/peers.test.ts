import { describe, expect, it } from 'vitest';
import { StepClock } from '../../test/support/fleet-of-boards.ts';
import { SharedHub } from '../adapters/shared-memory/shared-hub.ts';
import { ClientRetryWatch } from '../core/client-retry.ts';
import { makeFailure } from '../core/failure.ts';
import { HealthBoard } from '../core/health/board.ts';
import { healthKeys } from '../core/health/keys.ts';
import { DEFAULT_HEALTH } from '../core/health/settings.ts';
import { KeyBreaker } from '../core/key-breaker/key-breaker.ts';
import { LimitBoard } from '../core/limits/limit-board.ts';
import type { LimitScope } from '../core/limits/limits.ts';
import { UNLIMITED } from '../core/limits/unlimited.ts';
import { liftKey, startAfresh } from './key-rests.ts';
import { joinPeers } from './peers.ts';

const SCOPE: LimitScope = { kind: 'key', id: 'k', limits: { ...UNLIMITED, requestsPerDay: 1 } };

/** Replicas of one hub, with what requests and operators touch. */
function replicas(count: number) {
  const clock = new StepClock();
  const hub = new SharedHub(clock);
  const bans = { ban: () => undefined, lift: () => undefined };
  return {
    clock,
    hub,
    all: Array.from({ length: count }, (_, i) => {
      const keys = healthKeys({ model: 'm', channelId: 'ch', channel: 'm#ch', credential: 'c', upstreamModel: 'up' });
      const board = new HealthBoard(DEFAULT_HEALTH);
      board.configureTargets([keys], clock.now());
      const parts = {
        board,
        keyBreaker: new KeyBreaker(),
        retryWatch: new ClientRetryWatch(),
        clock,
        limits: new LimitBoard(),
        bans,
      };
      return { ...parts, keys, peers: joinPeers(parts, hub.join(String(i))) };
    }),
  };
}

describe('H-4: what one replica tells, the others take up', () => {
  it('H-1: rests and circuits of its board', () => {
    const { clock, all } = replicas(3);
    const [a, , c] = all;
    const answer = a!.board.admit(a!.keys, clock.now(), { throughOpen: false });
    const failure = makeFailure({ class: 'auth', status: 401, message: 'no' });
    if (answer.ok) a!.board.settle(answer.permit, { kind: 'failure', failure }, clock.now());
    expect(c!.board.standing(c!.keys, clock.now())).toMatchObject({ state: 'cooling', reason: 'cooling_auth' });
  });

  it('G-6: keys that are suspended, banned, lifted', () => {
    const { clock, all } = replicas(2);
    const [a, b] = all;
    const rest = (): unknown => b!.keyBreaker.rest('k', clock.now(), clock.wall());
    a!.peers.tell({ kind: 'suspended', key: 'k', forMs: 60_000 });
    expect(rest()).toEqual({ state: 'suspended', until: clock.wall() + 60_000 });
    a!.peers.tell({ kind: 'suspended', key: 'k', forMs: 10 });
    expect(rest()).toEqual({ state: 'suspended', until: clock.wall() + 60_000 });
    liftKey(a!, 'k');
    expect(rest()).toBeNull();
    a!.peers.tell({ kind: 'banned', key: 'k', since: 5 });
    expect(rest()).toEqual({ state: 'banned', since: 5 });
    liftKey(a!, 'k');
    expect(rest()).toBeNull();
  });

  it('G-8: a key made anew under an old name has nothing of its namesake anywhere', () => {
    const { clock, all } = replicas(2);
    const [a, b] = all;
    const ask = () => b!.limits.admit([SCOPE], { tokens: 0, cost: null }, clock.now(), clock.wall()).ok;
    b!.keyBreaker.suspend('k', 60_000, clock.now());
    expect([ask(), ask()]).toEqual([true, false]);
    startAfresh(a!, 'k');
    expect(ask()).toBe(true);
    expect(b!.keyBreaker.rest('k', clock.now(), clock.wall())).toBeNull();
  });

  it('D-7: a failure makes the next equal request a retry at any replica, a success ends that', () => {
    const { clock, all } = replicas(2);
    const [a, b] = all;
    const seen = () => b!.retryWatch.recognise('k', 0, 7, clock.now());
    a!.peers.tell({ kind: 'unanswered', key: 'k', fingerprint: 7, calls: 2, failed: true });
    expect(seen()).toEqual({ count: 1, how: 'fingerprint', callsBefore: 2 });
    a!.peers.tell({ kind: 'unanswered', key: 'k', fingerprint: 7, calls: 1, failed: false });
    expect(seen()).toEqual({ count: 1, how: 'fingerprint', callsBefore: 3 });
    a!.peers.tell({ kind: 'answered', key: 'k', fingerprint: 7 });
    expect(seen().count).toBe(0);
  });
});
