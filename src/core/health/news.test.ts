import { describe, expect, it } from 'vitest';
import { type FailureClass, makeFailure } from '../failure.ts';
import { HealthBoard, type Permit } from './board.ts';
import { healthKeys } from './keys.ts';
import type { HealthNews } from './news.ts';
import { DEFAULT_HEALTH } from './settings.ts';

const KEYS = () => healthKeys({ model: 'm', channelId: 'ch', channel: 'm#ch', credential: 'c', upstreamModel: 'up' });

/** Boards that tell each other everything, after `lateMs`. */
function fleet(count: number, lateMs = 5) {
  const told: HealthNews[] = [];
  const boards = Array.from({ length: count }, () => new HealthBoard(DEFAULT_HEALTH));
  const keys = boards.map(() => KEYS());
  const rig = { boards, keys, told, now: 1000 };
  for (const [i, board] of boards.entries()) {
    board.configureTargets([keys[i]!], rig.now);
    board.onNews((news) => {
      told.push(news);
      for (const other of boards) if (other !== board) other.learn(news, rig.now + lateMs);
    });
  }
  return {
    ...rig,
    rig,
    call(i: number): Permit | null {
      const answer = boards[i]!.admit(keys[i]!, rig.now, { throughOpen: false });
      return answer.ok ? answer.permit : null;
    },
    end(i: number, permit: Permit, how: FailureClass | 'ok', hintMs?: number): void {
      const hint = hintMs === undefined ? {} : { hint: { ms: hintMs, source: 'header:retry-after' as const } };
      const failure = how === 'ok' ? null : makeFailure({ class: how, status: 500, message: 'no', ...hint });
      boards[i]!.settle(permit, failure === null ? { kind: 'success' } : { kind: 'failure', failure }, rig.now);
    },
    fail(i: number, how: FailureClass, hintMs?: number): void {
      this.end(i, this.call(i)!, how, hintMs);
    },
    state: (i: number) => boards[i]!.standing(keys[i]!, rig.now + 10),
  };
}

describe('H-4, H-1: what one replica learns rests at all', () => {
  it('a stated wait', () => {
    const f = fleet(3);
    f.fail(0, 'rate_limit', 30_000);
    expect(f.state(2)).toMatchObject({ state: 'cooling', reason: 'cooling_rate_limit', stated: true });
    expect(f.state(2).until).toBe(1005 + 30_000);
    expect(f.told).toHaveLength(1);
  });

  it('a guess does not take the place of a stated time, nor shorten a longer guess', () => {
    const f = fleet(2);
    f.fail(0, 'rate_limit', 30_000);
    f.boards[0]!.learn(
      {
        kind: 'rest',
        key: f.keys[0]!.credentialModel,
        reason: 'cooling_backoff',
        cause: 'rate_limit',
        forMs: 60_000,
        stated: false,
        level: 4,
      },
      1000,
    );
    expect(f.state(0)).toMatchObject({ reason: 'cooling_rate_limit', until: 31_000 });
    const g = fleet(1);
    const guess = (forMs: number) =>
      g.boards[0]!.learn(
        {
          kind: 'rest',
          key: g.keys[0]!.credentialModel,
          reason: 'cooling_backoff',
          cause: 'rate_limit',
          forMs,
          stated: false,
          level: 3,
        },
        1000,
      );
    guess(8000);
    guess(1000);
    expect(g.state(0).until).toBe(9000);
  });

  it('the backoff goes on from the level another replica has reached', () => {
    const f = fleet(2);
    f.fail(0, 'rate_limit');
    f.rig.now += 1100;
    f.fail(1, 'rate_limit');
    expect(f.state(1).until).toBe(f.rig.now + 2000);
  });

  it('auth and quota, for the whole credential; an operator’s reset ends them everywhere', () => {
    const f = fleet(2);
    f.fail(1, 'auth');
    expect(f.state(0)).toMatchObject({ state: 'cooling', reason: 'cooling_auth' });
    expect(f.boards[0]!.reset(f.keys[0]!.id)).toBe(true);
    expect(f.state(1).state).toBe('ok');
  });

  it('a new secret clears what the old one was refused for, everywhere', () => {
    const f = fleet(2);
    f.fail(1, 'auth');
    f.boards[0]!.renewCredential('c');
    expect(f.state(1).state).toBe('ok');
  });

  it('a circuit opens and closes everywhere, with its level and its cause', () => {
    const f = fleet(3);
    for (let i = 0; i < 5; i += 1) f.fail(0, 'server_error');
    for (const i of [0, 1, 2]) expect(f.state(i).state).toBe('open');
    expect(f.boards[1]!.list(f.rig.now, 0)[0]).toMatchObject({ class: 'server_error', level: 1 });
    f.rig.now += 5100;
    expect(f.state(2).state).toBe('half_open');
    f.end(1, f.call(1)!, 'server_error');
    expect(f.state(0)).toMatchObject({ state: 'open', until: f.rig.now + 10_005 });
    f.rig.now += 10_100;
    f.end(2, f.call(2)!, 'ok');
    for (const i of [0, 1, 2]) expect(f.state(i).state).toBe('ok');
  });

  it('H-3: a drain holds everywhere, and so does its end', () => {
    const f = fleet(2);
    f.boards[0]!.drain(f.keys[0]!.id, 0);
    expect(f.state(1).state).toBe('drained');
    f.boards[1]!.undrain(f.keys[1]!.id);
    expect(f.state(0).state).toBe('ok');
  });

  it('nothing that was learned is told on, and what changes nothing is not told', () => {
    const f = fleet(3);
    f.fail(0, 'auth');
    expect(f.told).toHaveLength(1);
    f.end(1, fleet(1).call(0)!, 'ok');
    const good = fleet(2);
    for (let i = 0; i < 50; i += 1) good.end(0, good.call(0)!, 'ok');
    expect(good.told).toEqual([]);
  });

  it('news of a target that is not configured yet hold once it is, for what is left of them', () => {
    const board = new HealthBoard(DEFAULT_HEALTH);
    const keys = KEYS();
    board.learn({ kind: 'drain', id: keys.id }, 1000);
    board.learn({ kind: 'circuit', channel: keys.channel, forMs: 500, level: 1, cause: 'timeout' }, 1000);
    board.learn(
      {
        kind: 'rest',
        key: keys.credentialKey,
        reason: 'cooling_auth',
        cause: 'auth',
        forMs: 5000,
        stated: false,
        level: 0,
      },
      1000,
    );
    board.configureTargets([keys], 2000);
    expect(board.standing(keys, 2000).state).toBe('drained');
    board.undrain(keys.id);
    expect(board.standing(keys, 2000)).toMatchObject({ state: 'cooling', until: 6000 });
    expect(board.circuits(2000)).toEqual([{ channel: 'm#ch', state: 'closed' }]);
  });

  it('H-1: a probe that is another replica’s is none here; its end moves no circuit', () => {
    const f = fleet(1);
    for (let i = 0; i < 5; i += 1) f.fail(0, 'server_error');
    f.rig.now += 5100;
    const permit = f.call(0)!;
    expect(permit.holdsProbe).toBe(true);
    f.boards[0]!.yieldProbe(permit);
    f.end(0, permit, 'ok');
    expect(f.state(0).state).toBe('half_open');
    expect(f.call(0)?.holdsProbe).toBe(true);
  });
});
