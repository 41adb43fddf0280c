import { beforeEach, describe, expect, it } from 'vitest';
import { FAILURE_CLASSES, type Failure, type FailureClass, makeFailure } from '../failure.ts';
import { type AdmitOptions, HealthBoard, type Permit } from './board.ts';
import { healthKeys } from './keys.ts';
import { LEASE_MS } from './lease.ts';
import type { CallOutcome } from './outcome.ts';
import { DEFAULT_HEALTH } from './settings.ts';

const MINUTE = 60_000;
const FIRMLY: AdmitOptions = { throughOpen: false };
const OPENLY: AdmitOptions = { throughOpen: true };

function keysOf(channelId: string, credential: string | null, upstreamModel = 'up') {
  return healthKeys({ model: 'v/m', channelId, channel: `v/m#${channelId}`, credential, upstreamModel });
}

const INIT = { model: 'v/m', channelId: 'a', channel: 'v/m#a', upstreamModel: 'up' };
const A1 = keysOf('a', 'k1');
const A2 = keysOf('a', 'k2');
const B1 = keysOf('b', 'k1');
const C1_OTHER = keysOf('c', 'k1', 'other');
const LOCAL = keysOf('local', null);

let board: HealthBoard;
beforeEach(() => {
  board = new HealthBoard(DEFAULT_HEALTH);
});

function permit(keys = A1, now = 0, options = FIRMLY): Permit {
  const admission = board.admit(keys, now, options);
  if (!admission.ok) throw new Error(`refused: ${admission.reason}`);
  return admission.permit;
}

function failed(failureClass: FailureClass, hintMs: number | null = null): CallOutcome {
  const hint = hintMs === null ? null : { ms: hintMs, source: 'header:retry-after' };
  return { kind: 'failure', failure: makeFailure({ class: failureClass, message: '', hint }) };
}

function call(keys: typeof A1, now: number, outcome: CallOutcome, options = FIRMLY): void {
  board.settle(permit(keys, now, options), outcome, now);
}

const reasonOf = (keys: typeof A1, now: number) => board.standing(keys, now).reason;
const stateOf = (keys: typeof A1, now: number) => board.standing(keys, now).state;

describe('H-1: whose cooldown it is', () => {
  it.each([
    ['rate_limit', 'cooling_backoff'],
    ['permission', 'cooling_permission'],
    ['model_not_found', 'cooling_model_not_found'],
  ] as const)('H-1: %s rests the credential at that upstream model alone', (failureClass, reason) => {
    call(A1, 0, failed(failureClass));
    expect(reasonOf(A1, 1)).toBe(reason);
    expect(reasonOf(B1, 1)).toBe(reason);
    expect(reasonOf(C1_OTHER, 1)).toBeNull();
    expect(reasonOf(A2, 1)).toBeNull();
  });

  it.each([
    ['auth', 'cooling_auth'],
    ['quota_exhausted', 'cooling_quota'],
  ] as const)('H-1: %s rests the whole credential', (failureClass, reason) => {
    call(A1, 0, failed(failureClass));
    expect(reasonOf(A1, 1)).toBe(reason);
    expect(reasonOf(C1_OTHER, 1)).toBe(reason);
    expect(reasonOf(A2, 1)).toBeNull();
  });

  it('H-1: a target without credential stands for itself', () => {
    call(LOCAL, 0, failed('auth'));
    expect(reasonOf(LOCAL, 1)).toBe('cooling_auth');
    expect(reasonOf(keysOf('local-2', null), 1)).toBeNull();
  });

  it('H-1: names that only look alike when joined are told apart', () => {
    call(keysOf('a', 'k|x', 'm'), 0, failed('rate_limit', 5000));
    expect(reasonOf(keysOf('a', 'k', 'x|m'), 1)).toBeNull();
  });
});

describe('H-1: how long it lasts', () => {
  const lengthOf = (keys: typeof A1, now: number) => board.standing(keys, now).until! - now;

  it.each([
    ['rate_limit', 30_000, 30_000, true],
    ['rate_limit', 3_600_000, 5 * MINUTE, true],
    ['rate_limit', null, 1000, false],
    ['rate_limit', 0, 1000, false],
    ['quota_exhausted', 600_000, 600_000, true],
    ['quota_exhausted', 86_400_000, 60 * MINUTE, true],
    ['quota_exhausted', null, 5 * MINUTE, false],
    ['auth', null, 5 * MINUTE, false],
    ['auth', 1000, 5 * MINUTE, false],
    ['permission', null, 5 * MINUTE, false],
    ['model_not_found', null, 10 * MINUTE, false],
  ] as const)('H-1: %s with a stated wait of %s ms rests %s ms', (failureClass, hint, ms, stated) => {
    call(A1, 100, failed(failureClass, hint));
    expect(lengthOf(A1, 100)).toBe(ms);
    expect(board.standing(A1, 100).stated).toBe(stated);
    expect(stateOf(A1, 100 + ms - 1)).toBe('cooling');
    expect(stateOf(A1, 100 + ms)).toBe('ok');
  });

  it('H-1: unstated rate limits double up to 5 min; a success resets the level', () => {
    const lengths: number[] = [];
    let now = 0;
    for (let i = 0; i < 11; i++) {
      call(A1, now, failed('rate_limit'));
      lengths.push(lengthOf(A1, now));
      now = board.standing(A1, now).until!;
    }
    expect(lengths.slice(0, 9)).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000]);
    expect(lengths.slice(9)).toEqual([5 * MINUTE, 5 * MINUTE]);
    call(A1, now, { kind: 'success' });
    call(A1, now, failed('rate_limit'));
    expect(lengthOf(A1, now)).toBe(1000);
  });

  it('H-1: calls refused together raise the level once', () => {
    const permits = Array.from({ length: 20 }, () => permit());
    for (const [i, held] of permits.entries()) board.settle(held, failed('rate_limit'), 10 + i);
    expect(board.standing(A1, 30).until).toBe(1010);
    call(A1, 1010, failed('rate_limit'));
    expect(lengthOf(A1, 1010)).toBe(2000);
  });

  it('H-1: a late refusal of the same burst rests the target again, not longer than the first', () => {
    const [first, second] = [permit(), permit()];
    board.settle(first, failed('rate_limit'), 0);
    board.settle(second, failed('rate_limit'), 5000);
    expect(lengthOf(A1, 5000)).toBe(1000);
  });

  it('H-1: a stated wait replaces a guess, and no guess shortens a stated wait', () => {
    const [first, second, third] = [permit(), permit(), permit()];
    board.settle(first, failed('rate_limit'), 0);
    board.settle(second, failed('rate_limit', 200), 0);
    expect(board.standing(A1, 0)).toMatchObject({ reason: 'cooling_rate_limit', until: 200, stated: true });
    board.settle(third, failed('rate_limit'), 0);
    expect(board.standing(A1, 0)).toMatchObject({ until: 200, stated: true });
  });

  it('H-1: of two stated waits the later end holds', () => {
    const [first, second] = [permit(), permit()];
    board.settle(first, failed('rate_limit', 20_000), 0);
    board.settle(second, failed('rate_limit', 3000), 100);
    expect(board.standing(A1, 100).until).toBe(20_000);
  });

  it('H-1: a credential at fault counts before its rate limit, and the later end is the return', () => {
    const [first, second] = [permit(), permit()];
    board.settle(first, failed('rate_limit', 400_000), 0);
    board.settle(second, failed('auth'), 0);
    expect(board.standing(A1, 1)).toMatchObject({ reason: 'cooling_auth', until: 5 * MINUTE });
    board.configure({ ...DEFAULT_HEALTH, authMs: 500 });
    const [third, fourth] = [permit(keysOf('c', 'k9')), permit(keysOf('c', 'k9'))];
    board.settle(third, failed('rate_limit'), 0);
    board.settle(fourth, failed('auth'), 0);
    expect(board.standing(keysOf('c', 'k9'), 1)).toMatchObject({ reason: 'cooling_auth', until: 1000 });
  });

  it('H-1: a success that was asked for before the rest began does not end it', () => {
    const [slow, refused] = [permit(), permit()];
    board.settle(refused, failed('rate_limit', 30_000), 10);
    board.settle(slow, { kind: 'success' }, 20);
    expect(stateOf(A1, 21)).toBe('cooling');
  });

  it('H-1: figures come from the settings and may be replaced while running', () => {
    board.configure({ ...DEFAULT_HEALTH, authMs: 1000, rateLimit: { baseMs: 200, capMs: 2000 } });
    call(A1, 0, failed('auth'));
    expect(lengthOf(A1, 0)).toBe(1000);
    call(A2, 0, failed('rate_limit', 60_000));
    expect(lengthOf(A2, 0)).toBe(2000);
  });
});

describe('H-2: what counts', () => {
  const CHANNEL_FAULTS = ['connection_error', 'timeout', 'overloaded', 'server_error', 'malformed'] as const;

  it.each(CHANNEL_FAULTS)('H-1: five %s open the circuit for every credential of the channel', (failureClass) => {
    for (let i = 0; i < 5; i++) call(A1, i, failed(failureClass));
    expect(stateOf(A1, 5)).toBe('open');
    expect(stateOf(A2, 5)).toBe('open');
    expect(stateOf(B1, 5)).toBe('ok');
    expect(board.list(5, 0).find(({ id }) => id === A1.id)).toMatchObject({ class: failureClass, failures: 5 });
  });

  const HARMLESS = FAILURE_CLASSES.filter((name) => makeFailure({ class: name, message: '' }).scope === 'request');

  it('H-2: the harmless classes are those the rule names', () => {
    expect(HARMLESS).toEqual([
      'context_length',
      'content_policy',
      'invalid_request',
      'unsupported',
      'payload_too_large',
      'generation_rejected',
      'gateway_rejected',
      'client_closed',
      'empty',
    ]);
  });

  it.each(HARMLESS)('H-2: %s neither cools nor opens, however often, nor counts as a call', (failureClass) => {
    for (let i = 0; i < 50; i++) call(A1, i, failed(failureClass, 60_000));
    expect(stateOf(A1, 50)).toBe('ok');
    expect(board.list(50, 0)).toMatchObject([{ calls: 0, failures: 0 }]);
  });

  it('H-2: aborts are neither failures nor successes', () => {
    for (let i = 0; i < 4; i++) call(A1, i, failed('server_error'));
    for (let i = 0; i < 20; i++) call(A1, 4, { kind: 'neutral' });
    expect(stateOf(A1, 5)).toBe('ok');
    call(A1, 6, failed('server_error'));
    expect(stateOf(A1, 7)).toBe('open');
  });

  it('H-1: faults of credentials do not open the circuit', () => {
    for (let i = 0; i < 30; i++) call(A1, i * 400_000, failed('rate_limit', 10));
    expect(board.circuits(0)).toEqual([{ channel: 'v/m#a', state: 'closed' }]);
  });
});

function open(keys = A1, now = 0): number {
  for (let i = 0; i < 5; i++) call(keys, now, failed('server_error'));
  return now + 5000;
}

describe('P-5 and H-1: circuits at the door', () => {
  it('P-5: an open circuit refuses, with the time of its probe, unless nothing else is left', () => {
    open();
    expect(board.admit(A1, 100, FIRMLY)).toEqual({ ok: false, reason: 'circuit_open', availableAt: 5000 });
    expect(board.admit(A1, 100, OPENLY)).toMatchObject({ ok: true, permit: { holdsProbe: false } });
  });

  it('P-5: calls let through an open circuit do not move it', () => {
    const at = open();
    const through = permit(A1, 100, OPENLY);
    const other = permit(A1, 100, OPENLY);
    board.settle(through, { kind: 'success' }, 200);
    board.settle(other, failed('server_error'), 200);
    expect(board.standing(A1, 200)).toMatchObject({ state: 'open', until: at });
  });

  it('H-1: half-open lets exactly one through; others are refused, or pass by P-5 without being probes', () => {
    const at = open();
    expect(board.standing(A1, at)).toMatchObject({ state: 'half_open', probeInFlight: false });
    const probe = permit(A1, at);
    expect(probe.holdsProbe).toBe(true);
    expect(board.standing(A1, at)).toMatchObject({ state: 'half_open', probeInFlight: true });
    expect(board.admit(A2, at, FIRMLY)).toEqual({ ok: false, reason: 'probe_in_flight', availableAt: null });
    expect(permit(A2, at, OPENLY).holdsProbe).toBe(false);
    board.settle(probe, { kind: 'success' }, at + 1);
    expect(stateOf(A1, at + 1)).toBe('ok');
  });

  it('H-1: who may pass anyway is still the probe when there is none', () => {
    expect(permit(A1, open(), OPENLY).holdsProbe).toBe(true);
  });

  it('H-1: a failed probe opens for twice as long', () => {
    const at = open();
    call(A1, at, failed('timeout'));
    expect(board.standing(A1, at)).toMatchObject({ state: 'open', until: at + 10_000 });
  });

  it.each([
    ['cancelled', { kind: 'neutral' }],
    ['ended by the caller’s fault', failed('invalid_request')],
    ['ended by a rate limit', failed('rate_limit', 1)],
  ] as const)('H-1: a probe that was %s gives its place back and decides nothing', (_how, outcome) => {
    const at = open();
    board.settle(permit(A1, at), outcome, at);
    expect(board.standing(A2, at)).toMatchObject({ state: 'half_open', probeInFlight: false });
    expect(permit(A2, at).holdsProbe).toBe(true);
  });

  it('H-1: a probe nobody gives back is replaced in the end, and its late word no longer counts', () => {
    const at = open();
    const lost = permit(A1, at);
    expect(board.admit(A1, at + LEASE_MS - 1, FIRMLY).ok).toBe(false);
    const next = permit(A1, at + LEASE_MS);
    expect(next.holdsProbe).toBe(true);
    board.settle(lost, { kind: 'success' }, at + LEASE_MS);
    expect(stateOf(A1, at + LEASE_MS)).toBe('half_open');
    board.settle(next, { kind: 'success' }, at + LEASE_MS);
    expect(stateOf(A1, at + LEASE_MS)).toBe('ok');
  });

  it('H-1: news of calls from before the circuit opened moves it no more', () => {
    const late = Array.from({ length: 10 }, () => permit());
    const at = open();
    for (const held of late.slice(0, 5)) board.settle(held, failed('server_error'), 100);
    expect(board.standing(A1, 100).until).toBe(at);
    call(A1, at, { kind: 'success' });
    for (const held of late.slice(5)) board.settle(held, failed('server_error'), at);
    expect(stateOf(A1, at)).toBe('ok');
  });

  it('H-1: a late success from before does not end a new row of faults', () => {
    const late = permit();
    const at = open();
    call(A1, at, { kind: 'success' });
    for (let i = 0; i < 4; i++) call(A1, at, failed('server_error'));
    board.settle(late, { kind: 'success' }, at);
    call(A1, at, failed('server_error'));
    expect(stateOf(A1, at)).toBe('open');
  });

  it('P-5: calls let through do not count after the probe closed the circuit either', () => {
    const at = open();
    const through = Array.from({ length: 5 }, () => permit(A1, 100, OPENLY));
    call(A1, at, { kind: 'success' });
    for (const held of through) board.settle(held, failed('server_error'), at);
    expect(stateOf(A1, at)).toBe('ok');
  });

  it('H-1: a resting credential does not use up the probe', () => {
    const at = open();
    board.settle(permit(A1, 0, OPENLY), failed('auth'), 0);
    expect(board.admit(A1, at, FIRMLY)).toMatchObject({ ok: false, reason: 'cooling_auth' });
    expect(permit(A2, at).holdsProbe).toBe(true);
  });

  it('settles once: later words about the same call are ignored', () => {
    const held = permit();
    board.settle(held, { kind: 'success' }, 0);
    for (let i = 0; i < 9; i++) board.settle(held, failed('auth'), i);
    expect(board.standing(A1, 9).state).toBe('ok');
    expect(board.list(9, 0)).toMatchObject([{ calls: 1, failures: 0 }]);
  });
});

describe('P-4: cooldowns at the door', () => {
  const BACKOFF: AdmitOptions = { throughOpen: false, throughBackoff: true };

  it('P-4: a stated wait refuses, with its end', () => {
    call(A1, 0, failed('rate_limit', 30_000));
    for (const options of [FIRMLY, OPENLY, BACKOFF]) {
      expect(board.admit(A1, 1, options)).toEqual({
        ok: false,
        reason: 'cooling_rate_limit',
        availableAt: 30_000,
      });
    }
  });

  it('P-4: an unstated one lets one call per channel through, when nothing else is left', () => {
    const [first, second] = [permit(A1), permit(A2)];
    board.settle(first, failed('rate_limit'), 0);
    board.settle(second, failed('rate_limit'), 0);
    expect(board.admit(A1, 1, FIRMLY)).toEqual({ ok: false, reason: 'cooling_backoff', availableAt: 1000 });
    const held = permit(A1, 1, BACKOFF);
    expect(board.standing(A2, 1).backoffCallInFlight).toBe(true);
    expect(board.admit(A2, 2, BACKOFF)).toMatchObject({ ok: false, reason: 'cooling_backoff' });
    board.settle(held, { kind: 'neutral' }, 3);
    expect(board.admit(A2, 4, BACKOFF).ok).toBe(true);
  });

  it('P-4: the success of such a call ends the rest; its refusal prolongs it', () => {
    call(A1, 0, failed('rate_limit'));
    call(A1, 1, failed('rate_limit'), BACKOFF);
    expect(board.standing(A1, 1).until).toBe(2001);
    call(A1, 2, { kind: 'success' }, BACKOFF);
    expect(stateOf(A1, 2)).toBe('ok');
  });

  it.each(['auth', 'quota_exhausted', 'permission', 'model_not_found'] as const)(
    'P-4: %s is no backoff and is not passed',
    (failureClass) => {
      call(A1, 0, failed(failureClass));
      expect(board.admit(A1, 1, BACKOFF).ok).toBe(false);
    },
  );

  it('D-9: a repeat of the request’s own target passes its own backoff and an open circuit', () => {
    call(A1, 0, failed('rate_limit'));
    expect(board.admit(A1, 300, { throughOpen: false, repeat: true }).ok).toBe(true);
    open(A2, 0);
    expect(board.admit(A2, 300, { throughOpen: false, repeat: true }).ok).toBe(true);
  });

  it('D-3: a repeat does not jump a stated wait, but an early timer is forgiven', () => {
    call(A1, 0, failed('rate_limit', 2000));
    expect(board.admit(A1, 300, { throughOpen: false, repeat: true }).ok).toBe(false);
    expect(board.admit(A1, 1999.2, { throughOpen: false, repeat: true }).ok).toBe(true);
  });
});

describe('H-3: the board shown and handled', () => {
  it('H-3: lists every configured target, in wall time', () => {
    board.configureTargets([A1, A2, LOCAL], 0);
    call(A1, 0, failed('rate_limit', 30_000));
    call(A1, 30_000, { kind: 'success' });
    const at = open(LOCAL, 30_000);
    expect(board.list(30_000, 1_000_000)).toEqual([
      {
        id: A1.id,
        model: 'v/m',
        channel: 'a',
        credential: 'k1',
        state: 'ok',
        class: null,
        since: null,
        until: null,
        probe_at: null,
        level: 0,
        calls: 2,
        failures: 1,
      },
      expect.objectContaining({ id: A2.id, credential: 'k2', calls: 0, failures: 0 }),
      expect.objectContaining({
        id: LOCAL.id,
        credential: null,
        state: 'open',
        class: 'server_error',
        since: 1_000_000,
        until: 1_000_000 + at - 30_000,
        probe_at: 1_000_000 + at - 30_000,
        level: 1,
      }),
    ]);
  });

  it('H-3: a cooling target shows class, end and level', () => {
    call(A1, 0, failed('rate_limit'));
    expect(board.list(400, 5400)).toMatchObject([
      { state: 'cooling', class: 'rate_limit', since: 5000, until: 6000, probe_at: null, level: 1 },
    ]);
  });

  it('H-3: a half-open target has no end, and a probe that is due', () => {
    const at = open();
    expect(board.list(at + 10, at + 10)).toMatchObject([{ state: 'half_open', until: null, probe_at: at }]);
  });

  it('H-3: an open circuit has been in trouble since it left closed, whatever its probes came to', () => {
    const at = open();
    call(A1, at, failed('server_error'));
    expect(board.list(at + 5, at + 5)).toMatchObject([{ state: 'open', since: 0, level: 2 }]);
    board.drain(A1.id, at + 6);
    board.drain(A1.id, at + 7);
    expect(board.list(at + 8, at + 8)).toMatchObject([{ state: 'drained', since: at + 6 }]);
    board.undrain(A1.id);
    call(A1, board.list(at + 8, 0)[0]!.probe_at! + at + 8, { kind: 'success' });
    expect(board.list(at + 90_000, 0)).toMatchObject([{ state: 'ok', since: null }]);
  });

  it('H-3: a rest that is made longer began when it began; the next one begins anew', () => {
    call(A1, 0, failed('rate_limit', 30_000));
    board.learn(
      {
        kind: 'rest',
        key: A1.credentialModel,
        reason: 'cooling_rate_limit',
        cause: 'rate_limit',
        forMs: 60_000,
        stated: true,
        level: 0,
      },
      10_000,
    );
    expect(board.list(20_000, 20_000)).toMatchObject([{ state: 'cooling', since: 0, until: 70_000 }]);
    call(A1, 80_000, failed('rate_limit', 30_000));
    expect(board.list(80_000, 80_000)).toMatchObject([{ state: 'cooling', since: 80_000 }]);
  });

  it('H-3: a drained target is out until it is undrained, for repeats too, and keeps its counts', () => {
    const held = permit();
    expect(board.drain(A1.id, 0)).toBe(true);
    expect(board.standing(A1, 0)).toMatchObject({ state: 'drained', reason: 'drained', until: null });
    for (const options of [FIRMLY, OPENLY, { throughOpen: true, throughBackoff: true, repeat: true }]) {
      expect(board.admit(A1, 0, options)).toEqual({ ok: false, reason: 'drained', availableAt: null });
    }
    expect(stateOf(A2, 0)).toBe('ok');
    board.settle(held, { kind: 'success' }, 5);
    expect(board.reset(A1.id)).toBe(true);
    expect(stateOf(A1, 5)).toBe('drained');
    expect(board.undrain(A1.id)).toBe(true);
    expect(stateOf(A1, 5)).toBe('ok');
  });

  it('H-3: reset ends rests and circuits, and what was out before says nothing after', () => {
    const late = Array.from({ length: 5 }, () => permit());
    open();
    board.settle(permit(A1, 1, OPENLY), failed('quota_exhausted'), 1);
    expect(board.reset(A1.id)).toBe(true);
    expect(board.list(2, 2)).toMatchObject([{ state: 'ok', class: null, level: 0, calls: 0, failures: 0 }]);
    for (const held of late) board.settle(held, failed('server_error'), 3);
    expect(stateOf(A1, 4)).toBe('ok');
  });

  it('H-3: unknown ids are told', () => {
    expect([board.reset('x'), board.drain('x', 0), board.undrain('x')]).toEqual([false, false, false]);
  });

  it('H-3: ids fit into a path and differ where names differ', () => {
    const names = ['a/b', 'a b', 'a~2fb', 'a.b', 'ä', '模', '..', 'k1~~k2', 'a#b?c&d%e'];
    const ids = names.flatMap((name) => [
      keysOf(name, null).id,
      keysOf(name, 'k').id,
      keysOf('k', name).id,
      keysOf('k', null, name).id,
    ]);
    for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9._~-]+$/);
    expect(new Set(ids).size).toBe(names.length * 3 + 1);
  });

  it('shows the circuit of every channel', () => {
    open(A1);
    permit(B1);
    expect(board.circuits(1)).toEqual([
      { channel: 'v/m#a', state: 'open' },
      { channel: 'v/m#b', state: 'closed' },
    ]);
    expect(board.circuits(5000)[0]).toEqual({ channel: 'v/m#a', state: 'half_open' });
  });
});

describe('memory', () => {
  const HOURS = 3_600_000;

  it('targets that left the configuration are forgotten once idle; health survives a reload', () => {
    board.configureTargets([A1, A2], 0);
    call(A2, 0, failed('auth'));
    board.configureTargets([A1], 1000);
    expect(board.list(1000, 0)).toHaveLength(2);
    board.configureTargets([A1, A2], 2000);
    expect(reasonOf(A2, 2000)).toBe('cooling_auth');
    board.configureTargets([A1], 2 * HOURS);
    expect(board.list(2 * HOURS, 0).map(({ id }) => id)).toEqual([A1.id]);
    expect(board.circuits(2 * HOURS)).toHaveLength(1);
  });

  it('H-1: a credential with another secret starts afresh; its channel and the other credentials go on', () => {
    open(A1);
    for (const target of [A1, A2]) board.settle(permit(target, 1, OPENLY), failed('auth'), 1);
    expect(reasonOf(A1, 2)).toBe('cooling_auth');
    board.renewCredential('k1');
    expect(stateOf(A1, 2)).toBe('open');
    expect(reasonOf(A2, 2)).toBe('cooling_auth');
    board.renewCredential('k2');
    expect(reasonOf(A2, 2)).toBeNull();
  });

  it('H-1: another upstream model under the same names starts afresh there; circuit, credential and drain go on', () => {
    open(A1);
    board.settle(permit(A1, 1, OPENLY), failed('rate_limit', 30_000), 1);
    board.drain(A1.id, 0);
    const renamed = keysOf('a', 'k1', 'newer');
    board.configureTargets([renamed], 2);
    expect(stateOf(renamed, 2)).toBe('drained');
    board.undrain(renamed.id);
    expect(stateOf(renamed, 2)).toBe('open');
    expect(board.list(2, 0)).toMatchObject([{ calls: 6, failures: 6 }]);
  });

  it('what is drained, resting or still out is not forgotten', () => {
    board.configure({ ...DEFAULT_HEALTH, quotaMs: 10 * HOURS });
    permit(A1);
    board.drain(A1.id, 0);
    call(A2, 0, failed('quota_exhausted'));
    const running = permit(LOCAL);
    call(keysOf('z', 'k5'), 0, { kind: 'success' });
    board.configureTargets([], 2 * HOURS);
    expect(board.list(2 * HOURS, 0).map(({ id }) => id)).toEqual([A1.id, A2.id, LOCAL.id]);
    board.settle(running, failed('auth'), 2 * HOURS);
    expect(reasonOf(LOCAL, 2 * HOURS)).toBe('cooling_auth');
  });

  it('H-3: names without end are not remembered without end, resting ones included; the configured and the busy stay', () => {
    board.configureTargets([A1], 0);
    call(A1, 0, failed('auth'));
    const busy = permit(keysOf('busy', 'k9'), 0);
    board.drain(A1.id, 0);
    for (let i = 0; i < 20_000; i++) call(keysOf(`n${i}`, 'k3', `up-${i}`), i, failed('model_not_found'));
    expect(board.list(20_000, 0).length).toBeLessThan(10_000);
    expect(board.circuits(20_000).length).toBeLessThan(10_000);
    expect(stateOf(A1, 20_000)).toBe('drained');
    expect(reasonOf(keysOf('n19999', 'k3', 'up-19999'), 20_000)).toBe('cooling_model_not_found');
    board.settle(busy, failed('auth'), 20_000);
    expect(reasonOf(keysOf('busy', 'k9'), 20_001)).toBe('cooling_auth');
  });

  it('a forgotten target that comes back is known again by all who ask', () => {
    call(A1, 0, { kind: 'success' });
    board.configureTargets([], 2 * HOURS);
    expect(board.list(2 * HOURS, 0)).toEqual([]);
    call(A1, 2 * HOURS, failed('auth'));
    expect(reasonOf(keysOf('a', 'k1'), 2 * HOURS)).toBe('cooling_auth');
    expect(board.list(2 * HOURS, 0)).toHaveLength(1);
  });

  it('two boards do not share what they know of the same names', () => {
    const other = new HealthBoard(DEFAULT_HEALTH);
    call(A1, 0, failed('auth'));
    expect(other.standing(A1, 1).state).toBe('ok');
    expect(stateOf(A1, 1)).toBe('cooling');
  });

  it('ten thousand strangers do not stay', () => {
    for (let i = 0; i < 10_000; i++) call(keysOf(`c${i}`, `k${i}`), i * MINUTE, { kind: 'success' });
    expect(board.list(0, 0).length).toBeLessThan(300);
  });
});

it('a failure’s own scope is what counts', () => {
  const scopes: Record<string, Failure['scope']> = {};
  for (const name of FAILURE_CLASSES) scopes[name] = makeFailure({ class: name, message: '' }).scope;
  expect(scopes['auth']).toBe('credential');
  expect(scopes['permission']).toBe('credential_model');
});

describe('H-1: a credential with an address of its own', () => {
  const OWN = healthKeys({ ...INIT, credential: 'own', ownAddress: true });
  const SHARED = healthKeys({ ...INIT, credential: 'shared' });
  const DOWN = failed('connection_error');

  it('H-1: opens its own circuit, and the channel of everybody else stays closed', () => {
    for (let i = 0; i < DEFAULT_HEALTH.circuit.consecutive; i += 1) call(OWN, i, DOWN);
    expect(stateOf(OWN, 10)).toBe('open');
    expect(stateOf(SHARED, 10)).toBe('ok');
    expect(board.circuits(10)).toContainEqual({ channel: 'v/m#a@own', state: 'open' });
  });

  it("H-1: is not kept from its server by the channel's open circuit", () => {
    for (let i = 0; i < DEFAULT_HEALTH.circuit.consecutive; i += 1) call(SHARED, i, DOWN);
    expect(stateOf(SHARED, 10)).toBe('open');
    expect(stateOf(OWN, 10)).toBe('ok');
  });

  it("H-1: its circuit starts anew with another address; the channel's stays as it is", () => {
    for (let i = 0; i < DEFAULT_HEALTH.circuit.consecutive; i += 1) call(OWN, i, DOWN);
    for (let i = 0; i < DEFAULT_HEALTH.circuit.consecutive; i += 1) call(SHARED, i, DOWN);
    board.renewCredential('own');
    board.renewCredential('shared');
    expect([stateOf(OWN, 10), stateOf(SHARED, 10)]).toEqual(['ok', 'open']);
  });

  it('H-1: is listed under the same id with and without it; a reload that gives it one starts anew', () => {
    const before = healthKeys({ ...INIT, credential: 'own' });
    expect(before.id).toBe(OWN.id);
    for (let i = 0; i < DEFAULT_HEALTH.circuit.consecutive; i += 1) call(before, i, DOWN);
    expect(stateOf(before, 10)).toBe('open');
    board.configureTargets([OWN], 10);
    expect(stateOf(OWN, 10)).toBe('ok');
  });
});
