import { describe, expect, it } from 'vitest';
import type { PlannedTarget, Target } from '../core/failover/plan-types.ts';
import { RetryBudget } from '../core/failover/retry-budget.ts';
import { makeFailure } from '../core/failure.ts';
import { HealthBoard } from '../core/health/board.ts';
import { healthKeys } from '../core/health/keys.ts';
import { DEFAULT_HEALTH } from '../core/health/settings.ts';
import { type LimitAdmission, LimitBoard } from '../core/limits/limit-board.ts';
import type { LimitKeeper } from '../core/limits/limit-keeper.ts';
import type { LimitScope, Limits } from '../core/limits/limits.ts';
import { UNLIMITED } from '../core/limits/unlimited.ts';
import type { Clock } from '../ports/clock.ts';
import type { Reservation } from './accounts.ts';
import { Admission, type AdmitAction, type Applicant, type Grantors } from './admission.ts';
import type { Bill } from './attempt-bill.ts';

const ONE_AT_A_TIME: LimitScope = { kind: 'credential', id: 'c', limits: { ...UNLIMITED, concurrent: 1 } };
const TARGET: Target = { model: 0, channel: 0, credential: 0 };
const KEYS = healthKeys({ model: 'm', channelId: 'ch', channel: 'm#ch', credential: 'c', upstreamModel: 'up' });
const SERVED: Bill = { usage: null, cost: 30n, delivered: true };

/** Accounts whose answers the test gives, and that say what became of each reservation. */
class ScriptedAccounts {
  readonly asked: { id: string; amount: bigint; answer: (answer: Reservation) => void }[] = [];
  readonly settled: [string, bigint][] = [];
  prepaid = true;
  left = 1000n;

  isPrepaid(): boolean {
    return this.prepaid;
  }
  available(): bigint {
    return this.left;
  }
  reserve(_workspace: string, id: string, amount: bigint): Promise<Reservation> {
    return new Promise((answer) => this.asked.push({ id, amount, answer }));
  }
  settle(id: string, charge: bigint): void {
    this.settled.push([id, charge]);
  }
  held(id: string): bigint | null {
    return this.asked.find((one) => one.id === id)?.amount ?? null;
  }
}

interface Change {
  readonly planned?: Partial<PlannedTarget>;
  readonly scopes?: readonly LimitScope[];
  readonly worstCost?: bigint | null;
  readonly kind?: 'platform' | 'byok';
  readonly unfit?: ReturnType<Applicant['unfit']>;
  readonly lacksEntitlement?: boolean;
  /** Of the channel; two calls are in flight there. */
  readonly cap?: number;
}

function setUp(change: Change = {}) {
  const timers = new Set<() => void>();
  const clock: Clock = {
    wall: () => 1_700_000_000_000,
    now: () => 5000,
    after: (_ms, callback) => {
      timers.add(callback);
      return () => timers.delete(callback);
    },
  };
  const accounts = new ScriptedAccounts();
  const alerts: string[] = [];
  const grantors: Omit<Grantors, 'limits'> & { readonly limits: LimitBoard } = {
    peers: null,
    board: new HealthBoard(DEFAULT_HEALTH),
    retryBudget: new RetryBudget({ ratio: 0, windowMs: 10_000, min: 1 }),
    limits: new LimitBoard(),
    clock,
    alerts: { raise: ({ kind, message }) => alerts.push(`${kind} ${message}`) },
    accounts,
    metrics: { retryBudgetRefused: () => undefined },
    caps: { capOf: (channel) => (channel === KEYS.channel ? (change.cap ?? null) : null) },
    measurements: { inFlight: (channel) => (channel === KEYS.channel ? 2 : 0) },
  };
  const planned: PlannedTarget = {
    rank: 1,
    target: TARGET,
    contextWindow: null,
    throughOpenCircuit: false,
    ...change.planned,
  };
  const applicant: Applicant = {
    identity: { requestId: 'req_7', clientRequestId: null },
    workspace: 'acme',
    planned: () => planned,
    unfit: () => change.unfit ?? null,
    lacksEntitlement: () => change.lacksEntitlement ?? false,
    healthKeys: () => KEYS,
    limitScopes: () => change.scopes ?? [],
    snapshot: { credentials: [credential(change.kind ?? 'platform')] },
    money: {
      worstCost: () => (change.worstCost === undefined ? 100n : change.worstCost),
      expected: () => ({ tokens: 10, cost: null }),
    },
  };
  return { admission: new Admission(grantors, applicant), accounts, grantors, applicant, alerts, timers };
}

function credential(kind: 'platform' | 'byok'): Applicant['snapshot']['credentials'][number] {
  const common = { ix: 0, name: 'c', provider: 'p', order: 1, limits: null, baseUrl: null, managedBy: 'file' } as const;
  return { ...common, kind, workspace: kind === 'byok' ? 'acme' : null, secret: SECRET };
}
const SECRET = { reveal: () => 's' } as unknown as Applicant['snapshot']['credentials'][number]['secret'];

function action(change: Partial<AdmitAction> = {}): AdmitAction {
  return { type: 'admit-attempt', attempt: 1, rank: 1, role: 'first', draws: false, insist: false, ...change };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('G-1: what one attempt is asked, in this order', () => {
  it('a plain one is answered at once, and touches no ledger', () => {
    const { admission, accounts } = setUp();
    accounts.prepaid = false;
    expect(admission.ask(action())).toEqual({ type: 'admitted', attempt: 1, permits: 1 });
    expect(accounts.asked).toEqual([]);
  });

  it('P-6 before health, health before limits, limits before the balance', async () => {
    const unfit = { failure: null };
    expect(setUp({ unfit, worstCost: null }).admission.ask(action())).toMatchObject({
      reason: 'incapable',
      failure: null,
    });
    const cooling = setUp({ scopes: [ONE_AT_A_TIME] });
    const permit = cooling.grantors.board.admit(KEYS, 0, { throughOpen: false });
    const failure = makeFailure({ class: 'auth', status: 401, message: 'no' });
    if (permit.ok) cooling.grantors.board.settle(permit.permit, { kind: 'failure', failure }, 5000);
    const taken = cooling.grantors.limits.admit([ONE_AT_A_TIME], { tokens: 1, cost: null }, 5000, 0);
    expect(taken.ok).toBe(true);
    expect(cooling.admission.ask(action())).toMatchObject({ reason: 'cooling_auth' });
    const full = setUp({ scopes: [ONE_AT_A_TIME] });
    full.grantors.limits.admit([ONE_AT_A_TIME], { tokens: 1, cost: null }, 5000, 0);
    expect(full.admission.ask(action())).toMatchObject({ reason: 'limit', failure: null });
    expect(full.accounts.asked).toEqual([]);
  });

  it('G-5: without a key to sign its token a target is passed over, asked or peeked at, and nothing is taken', () => {
    const { admission, accounts, grantors } = setUp({ lacksEntitlement: true, scopes: [ONE_AT_A_TIME] });
    const answer = { reason: 'entitlement_unavailable', availableAt: null, failure: null };
    expect(admission.peek(action())).toMatchObject(answer);
    expect(admission.ask(action())).toMatchObject(answer);
    expect(accounts.asked).toEqual([]);
    expect(grantors.limits.admit([ONE_AT_A_TIME], { tokens: 1, cost: null }, 5000, 0).ok).toBe(true);
  });

  it('P-4: a full credential is passed over, and takes neither permit nor repeat with it', () => {
    const { admission, grantors } = setUp({ scopes: [ONE_AT_A_TIME], worstCost: 0n });
    const other = grantors.limits.admit([ONE_AT_A_TIME], { tokens: 1, cost: null }, 5000, 0);
    const repeat = action({ role: 'retry', draws: true });
    expect(admission.ask(repeat)).toMatchObject({ reason: 'limit' });
    if (other.ok) grantors.limits.settle(other.lease, { tokens: 1, cost: 0n }, 5000, 0);
    // The one repeat of the budget is still there.
    expect(admission.ask(repeat)).toMatchObject({ type: 'admitted' });
    admission.settle(1, 'served', null, SERVED);
    expect(admission.ask({ ...repeat, attempt: 2 })).toMatchObject({ reason: 'retry_budget' });
  });

  it('O-4: a channel that is slowed down is passed over while it has as many calls as it may, asked or peeked at', () => {
    for (const [cap, admits] of [
      [1, false],
      [2, false],
      [3, true],
    ] as const) {
      const { admission, grantors } = setUp({ cap, scopes: [ONE_AT_A_TIME], worstCost: 0n });
      const answer = admits ? { type: 'admitted' } : { reason: 'limit', availableAt: null, failure: null };
      expect(admission.peek(action())).toMatchObject(answer);
      expect(admission.ask(action())).toMatchObject(answer);
      // Nothing stays taken by a refusal.
      expect(grantors.limits.admit([ONE_AT_A_TIME], { tokens: 1, cost: null }, 5000, 0).ok).toBe(!admits);
    }
  });

  it('G-4: an unknown price is left out, known 0 and an own credential hold nothing back', () => {
    expect(setUp({ worstCost: null }).admission.ask(action())).toMatchObject({
      reason: 'price_unknown',
      failure: null,
    });
    expect(setUp({ worstCost: 0n }).admission.ask(action())).toMatchObject({ type: 'admitted' });
    expect(setUp({ kind: 'byok', worstCost: null }).admission.ask(action())).toMatchObject({ type: 'admitted' });
    expect(setUp({ planned: { worstCost: 0n }, worstCost: 9n }).admission.ask(action())).toMatchObject({
      type: 'admitted',
    });
  });
});

describe('X-4: what would be answered, without taking anything', () => {
  const peeked = (change: Change = {}) => setUp(change).admission.peek(action());

  it('X-4, P-4: limits are asked and not taken, however often', () => {
    const { admission, grantors } = setUp({ scopes: [ONE_AT_A_TIME], worstCost: 0n });
    for (let i = 0; i < 3; i += 1) expect(admission.peek(action())).toMatchObject({ type: 'admitted' });
    expect(grantors.limits.size).toBe(0);
    expect(admission.ask(action())).toMatchObject({ type: 'admitted' });
    expect(admission.peek(action({ attempt: 2 }))).toMatchObject({ type: 'refused', reason: 'limit' });
  });

  it('X-4, H-1: the one probe of a half-open circuit stays where it is', () => {
    const { admission, grantors } = setUp({ worstCost: 0n });
    const { board } = grantors;
    const failure = makeFailure({ class: 'server_error', status: 500, message: 'no' });
    for (let i = 0; i < DEFAULT_HEALTH.circuit.consecutive; i += 1) {
      const call = board.admit(KEYS, -20_000, { throughOpen: true });
      if (call.ok) board.settle(call.permit, { kind: 'failure', failure }, -20_000);
    }
    expect(board.standing(KEYS, 5000)).toMatchObject({ state: 'half_open', probeInFlight: false });
    for (let i = 0; i < 3; i += 1) expect(admission.peek(action())).toMatchObject({ type: 'admitted' });
    expect(board.standing(KEYS, 5000)).toMatchObject({ probeInFlight: false });
    expect(admission.ask(action())).toMatchObject({ type: 'admitted' });
    expect(admission.peek(action({ attempt: 2 }))).toMatchObject({ reason: 'probe_in_flight' });
    expect(admission.peek(action({ attempt: 2, insist: true }))).toMatchObject({ type: 'admitted' });
  });

  it('X-4, D-6: the repeats of the budget are asked for and left', () => {
    const { admission } = setUp({ worstCost: 0n });
    const repeat = action({ role: 'retry', draws: true });
    for (let i = 0; i < 3; i += 1) expect(admission.peek(repeat)).toMatchObject({ type: 'admitted' });
    expect(admission.ask(repeat)).toMatchObject({ type: 'admitted' });
    expect(admission.peek({ ...repeat, attempt: 2 })).toMatchObject({ reason: 'retry_budget' });
  });

  it('X-4, G-4: an empty balance refuses what it would have to pay for, and no ledger is asked', () => {
    const { admission, accounts } = setUp();
    expect(admission.peek(action())).toMatchObject({ type: 'admitted' });
    accounts.left = 0n;
    expect(admission.peek(action())).toMatchObject({ reason: 'balance', failure: { code: 'insufficient_balance' } });
    accounts.prepaid = false;
    expect(admission.peek(action())).toMatchObject({ type: 'admitted' });
    expect([accounts.asked, accounts.settled]).toEqual([[], []]);
  });

  it('X-4: it says what `ask` says, in the same order', () => {
    const unfit = { failure: null };
    expect(peeked({ unfit, worstCost: null })).toMatchObject({ reason: 'incapable' });
    expect(peeked({ worstCost: null })).toMatchObject({ reason: 'price_unknown' });
    expect(peeked({ kind: 'byok', worstCost: null })).toMatchObject({ type: 'admitted' });
    const { admission, grantors, timers } = setUp();
    const call = grantors.board.admit(KEYS, 5000, { throughOpen: false });
    const failure = makeFailure({ class: 'auth', status: 401, message: 'no' });
    if (call.ok) grantors.board.settle(call.permit, { kind: 'failure', failure }, 5000);
    const [peek, ask] = [admission.peek(action()), admission.ask(action())];
    expect(peek).toEqual(ask);
    expect(peek).toMatchObject({ reason: 'cooling_auth', availableAt: 1_700_000_000_000 + DEFAULT_HEALTH.authMs });
    expect(timers.size).toBe(0);
  });
});

describe('G-4: money is held back before the call', () => {
  it('its worst case, under an id of its own; then it may start, and pays for what was delivered', async () => {
    const { admission, accounts } = setUp();
    const asked = admission.ask(action());
    expect(accounts.asked.map(({ id, amount }) => [id, amount])).toEqual([['att_7_1.1', 100n]]);
    accounts.asked[0]?.answer('ok');
    expect(await asked).toEqual({ type: 'admitted', attempt: 1, permits: 1 });
    admission.settle(1, 'served', null, SERVED);
    admission.settle(1, 'served', null, SERVED);
    admission.releaseAll();
    expect(accounts.settled).toEqual([['att_7_1.1', 30n]]);
  });

  it.each([
    ['what failed is not charged', { usage: null, cost: 30n, delivered: false }, 0n],
    ['what nobody can price costs what was held back', { usage: null, cost: null, delivered: true }, 100n],
    ['what never ran costs nothing', null, 0n],
  ])('%s', async (_what, bill, charge) => {
    const { admission, accounts } = setUp();
    const asked = admission.ask(action());
    accounts.asked[0]?.answer('ok');
    await asked;
    admission.settle(1, 'failed', null, bill);
    expect(accounts.settled).toEqual([['att_7_1.1', charge]]);
  });

  it('empty: 402 and the end of the request, with all that was taken given back, and an alert', async () => {
    const { admission, accounts, grantors, alerts } = setUp({ scopes: [ONE_AT_A_TIME] });
    const asked = admission.ask(action());
    accounts.asked[0]?.answer('empty');
    expect(await asked).toMatchObject({ reason: 'balance', failure: { status: 402, code: 'insufficient_balance' } });
    expect(accounts.settled).toEqual([]);
    expect(grantors.limits.reached(ONE_AT_A_TIME, 5000, 0)).toBeNull();
    expect(alerts).toEqual(['budget.exhausted workspace `acme`: the prepaid balance is used up']);
  });

  it('H-5: a ledger that can not be written: 503, and back in a second', async () => {
    const { admission, accounts } = setUp();
    const asked = admission.ask(action());
    accounts.asked[0]?.answer('unavailable');
    expect(await asked).toMatchObject({
      reason: 'store_unavailable',
      failure: { status: 503, code: 'store_unavailable', hint: { ms: 1000 } },
    });
  });

  it('H-5: one that does not answer counts as such; what it grants too late goes back', async () => {
    const { admission, accounts, timers, grantors } = setUp({ scopes: [ONE_AT_A_TIME] });
    const asked = admission.ask(action());
    for (const ring of timers) ring();
    expect(await asked).toMatchObject({ reason: 'store_unavailable' });
    expect(grantors.limits.reached(ONE_AT_A_TIME, 5000, 0)).toBeNull();
    accounts.asked[0]?.answer('ok');
    await turn();
    expect(accounts.settled).toEqual([['att_7_1.1', 0n]]);
  });

  it('the timer of a ledger that answers goes with the answer', async () => {
    const { admission, accounts, timers } = setUp();
    const asked = admission.ask(action());
    expect(timers.size).toBe(1);
    accounts.asked[0]?.answer('ok');
    await asked;
    expect(timers.size).toBe(0);
  });

  it.each(['ok', 'empty', 'unavailable'] as const)(
    'T-6: the request ends while the ledger is asked, which then says %s: everything is given back, once',
    async (answer) => {
      const { admission, accounts, grantors } = setUp({ scopes: [ONE_AT_A_TIME] });
      const asked = admission.ask(action());
      admission.releaseAll();
      expect(grantors.limits.reached(ONE_AT_A_TIME, 5000, 0)).toBeNull();
      const usage = grantors.limits.usage(ONE_AT_A_TIME, 5000, 0);
      expect(usage.inFlight).toBe(0);
      accounts.asked[0]?.answer(answer);
      await asked;
      expect(accounts.settled).toEqual(answer === 'ok' ? [['att_7_1.1', 0n]] : []);
      expect(grantors.limits.usage(ONE_AT_A_TIME, 5000, 0).inFlight).toBe(0);
    },
  );

  it('a number that is asked for again has another reservation', async () => {
    const { admission, accounts } = setUp();
    const first = admission.ask(action());
    accounts.asked[0]?.answer('ok');
    await first;
    admission.settle(1, 'cancelled', null, null);
    const second = admission.ask(action());
    accounts.asked[1]?.answer('ok');
    await second;
    admission.settle(1, 'served', null, SERVED);
    expect(accounts.settled).toEqual([
      ['att_7_1.1', 0n],
      ['att_7_1.2', 30n],
    ]);
  });
});

describe('P-4, G-4: limits get the bill', () => {
  it('what was used takes the place of what was expected; crossing a budget is told once', async () => {
    const limits: Limits = { ...UNLIMITED, tokensPerMinute: 1000, soft: { ...UNLIMITED, spendPerDay: 50n } };
    const scope: LimitScope = { kind: 'channel', id: 'm#ch', limits };
    const { admission, grantors, alerts } = setUp({ scopes: [scope], worstCost: 0n });
    const usage = { input: 100, output: 20, cacheRead: null, cacheWrite: null, reasoning: null } as const;
    const rest = { audioInput: null, audioOutput: null, total: null, estimated: false } as const;
    for (const attempt of [1, 2, 3]) {
      await admission.ask(action({ attempt }));
      admission.settle(attempt, 'served', null, { usage: { ...usage, ...rest }, cost: 30n, delivered: true });
    }
    expect(grantors.limits.usage(scope, 5000, grantors.clock.wall())).toMatchObject({
      inFlight: 0,
      minute: { requests: 3, tokens: 360 },
      day: { spend: 90n },
    });
    expect(alerts).toHaveLength(1);
    expect(alerts[0]).toMatch(/^budget\.soft_limit channel m#ch .*per day/);
  });

  it('a call that was never made has used nothing', async () => {
    const scope: LimitScope = { kind: 'channel', id: 'm#ch', limits: { ...UNLIMITED, tokensPerMinute: 1000 } };
    const { admission, grantors } = setUp({ scopes: [scope], worstCost: 0n });
    await admission.ask(action());
    admission.releaseAll();
    expect(grantors.limits.usage(scope, 5000, 0).minute.tokens).toBe(0);
  });
});

describe('H-4: where other replicas have to be asked', () => {
  /** A circuit that is half-open, and what other replicas say to its probe. */
  function halfOpen(mine: boolean | null, change: Change = {}) {
    const rig = setUp({ worstCost: 0n, ...change });
    const failure = makeFailure({ class: 'server_error', status: 500, message: 'no' });
    for (let i = 0; i < DEFAULT_HEALTH.circuit.consecutive; i += 1) {
      const call = rig.grantors.board.admit(KEYS, -20_000, { throughOpen: true });
      if (call.ok) rig.grantors.board.settle(call.permit, { kind: 'failure', failure }, -20_000);
    }
    const said: string[] = [];
    const probes = {
      take: async (channel: string) => {
        said.push(`take ${channel}`);
        return mine;
      },
      end: (channel: string) => void said.push(`end ${channel}`),
    };
    rig.grantors.board.onNews(({ kind }) => said.push(kind));
    const admission = new Admission({ ...rig.grantors, peers: { tell: () => undefined, probes } }, rig.applicant);
    const stands = () => rig.grantors.board.standing(KEYS, 5000);
    return { ...rig, admission, said, stands };
  }

  it('H-1: the one probe is given back after it was told what it has shown', async () => {
    const { admission, said, stands } = halfOpen(true);
    expect(await admission.ask(action())).toMatchObject({ type: 'admitted' });
    expect(stands()).toMatchObject({ probeInFlight: true });
    admission.settle(1, 'served', null, SERVED);
    expect(stands().state).toBe('ok');
    expect(said).toEqual(['take m#ch', 'circuit', 'end m#ch']);
    admission.releaseAll();
    expect(said).toHaveLength(3);
  });

  it('H-1: another’s probe refuses, and leaves nothing behind', async () => {
    const { admission, said, stands } = halfOpen(false, { scopes: [ONE_AT_A_TIME] });
    expect(await admission.ask(action())).toMatchObject({
      type: 'refused',
      reason: 'probe_in_flight',
      availableAt: null,
    });
    expect(stands()).toMatchObject({ state: 'half_open', probeInFlight: false });
    expect(said).toEqual(['take m#ch']);
  });

  it('P-5: where nothing else is left it goes through all the same, and is no probe', async () => {
    const { admission, said, stands } = halfOpen(false);
    expect(await admission.ask(action({ insist: true }))).toMatchObject({ type: 'admitted' });
    admission.settle(1, 'served', null, SERVED);
    expect(stands().state).toBe('half_open');
    expect(said).toEqual(['take m#ch']);
  });

  it('H-4: when nobody can say, each replica makes its own', async () => {
    const { admission, said, stands } = halfOpen(null);
    expect(await admission.ask(action())).toMatchObject({ type: 'admitted' });
    admission.settle(1, 'served', null, SERVED);
    expect(stands().state).toBe('ok');
    expect(said).toEqual(['take m#ch', 'circuit']);
  });

  it('P-4: limits may answer later; refused or over meanwhile, everything goes back', async () => {
    for (const [ok, over] of [
      [true, false],
      [false, false],
      [true, true],
    ]) {
      const rig = setUp({ worstCost: 0n, scopes: [ONE_AT_A_TIME] });
      const own = rig.grantors.limits;
      let answer: (admission: LimitAdmission) => void = () => undefined;
      const limits: LimitKeeper = {
        admit: () => new Promise((resolve) => (answer = resolve)),
        settle: (...args) => own.settle(...args),
        reached: (...args) => own.reached(...args),
        refusal: (...args) => own.refusal(...args),
        usage: (...args) => own.usage(...args),
        forget: (...args) => own.forget(...args),
      };
      const admission = new Admission({ ...rig.grantors, limits }, rig.applicant);
      const asked = admission.ask(action());
      expect(asked).toBeInstanceOf(Promise);
      if (over) admission.releaseAll();
      const reached = { limit: 'concurrent', availableAt: 77 } as const;
      answer(
        ok
          ? own.admit([ONE_AT_A_TIME], { tokens: 1, cost: null }, 5000, 0)
          : { ok: false, scope: ONE_AT_A_TIME, reached },
      );
      expect(await asked).toMatchObject(
        ok && !over ? { type: 'admitted' } : { type: 'refused', reason: 'limit', availableAt: over ? null : 77 },
      );
      expect(own.usage(ONE_AT_A_TIME, 5000, 0).inFlight).toBe(ok && !over ? 1 : 0);
      if (ok && !over) admission.settle(1, 'served', null, SERVED);
      expect(own.usage(ONE_AT_A_TIME, 5000, 0).inFlight).toBe(0);
    }
  });
});
