/**
 * Asks for permits before a call and gives each back once (G-1: every attempt anew): capabilities, health, the retry budget,
 * limits, the prepaid balance. All refuse here; the engine decides what a refusal means. Guardrails have had their word
 * in the plan: what they forbid has no target, and the engine itself ends the request at its turn (G-2).
 */
import type { EngineAction, RefusalReason } from '../core/failover/machine.ts';
import type { PlannedTarget } from '../core/failover/plan-types.ts';
import type { Failure } from '../core/failure.ts';
import type { AdmitOptions, HealthBoard, Permit } from '../core/health/board.ts';
import type { LimitAdmission, LimitLease } from '../core/limits/limit-board.ts';
import { insufficientBalance, storeUnavailable } from '../core/money/refusals.ts';
import { quotedName } from '../core/quoted-name.ts';
import type { NanoUsd } from '../core/usage/usage.ts';
import type { SharedProbes } from '../ports/shared.ts';
import type { Accounts, Reservation } from './accounts.ts';
import { type Bill, tokensOf } from './attempt-bill.ts';
import { attemptId } from './attempt-trace.ts';
import type { Gateway } from './gateway.ts';
import type { Job } from './job.ts';
import { tellCrossed } from './limit-alerts.ts';

/** The engine’s wish to start an attempt: every one is asked for anew. */
export type AdmitAction = Extract<EngineAction, { readonly type: 'admit-attempt' }>;

type Admitted = { readonly type: 'admitted'; readonly attempt: number; readonly permits: number };
type Refused = {
  readonly type: 'refused';
  readonly attempt: number;
  readonly reason: RefusalReason;
  readonly availableAt: number | null;
  readonly failure: Failure | null;
};

/** What the engine is told; `availableAt` in wall ms. */
export type Answer = Admitted | Refused;

/** What one admitted attempt holds until it is over. */
interface Held {
  /** The channel whose one probe among all replicas it is (H-4); null = none that was asked for. */
  probe: string | null;
  /** Null = given back: its call is over, its answer waits (D-5). */
  permit: Permit | null;
  lease: LimitLease | null;
  /** Id of its reservation; null = its workspace is not prepaid, or pays nothing for it. */
  reservation: string | null;
}

/** A ledger that does not answer by then counts as one that can't be written: a hanging disk must not hang requests. */
const LEDGER_MS = 5000;

type Settled = 'served' | 'failed' | 'interrupted' | 'cancelled';

/** What is asked, and what gets it back. */
export interface Grantors
  extends Pick<Gateway, 'board' | 'retryBudget' | 'limits' | 'clock' | 'alerts' | 'caps' | 'peers'> {
  readonly measurements: Pick<Gateway['measurements'], 'inFlight'>;
  readonly accounts: Pick<Accounts, 'isPrepaid' | 'available' | 'reserve' | 'settle' | 'held'>;
  readonly metrics: Pick<Gateway['metrics'], 'retryBudgetRefused'>;
}

/** What is known of the request. */
export interface Applicant
  extends Pick<
    Job,
    'identity' | 'workspace' | 'planned' | 'unfit' | 'lacksEntitlement' | 'healthKeys' | 'limitScopes'
  > {
  readonly snapshot: Pick<Job['snapshot'], 'credentials'>;
  readonly money: Pick<Job['money'], 'worstCost' | 'expected'>;
}

/** Of one request: takes what each of its attempts needs, and gives it back once. */
export class Admission {
  readonly #gateway: Grantors;
  readonly #job: Applicant;
  /** By attempt number. */
  readonly #held = new Map<number, Held>();
  /** Reservations of answers that were delivered, if they count, by attempt number. */
  readonly #owed = new Map<number, string>();
  readonly #paysLater: boolean;
  #reservations = 0;
  #over = false;

  /** `paysLater`: whether a delivered answer counts is known after its attempt's end only (I-3); `pay` is called then. */
  constructor(gateway: Grantors, job: Applicant, paysLater = false) {
    this.#gateway = gateway;
    this.#job = job;
    this.#paysLater = paysLater;
  }

  /** At once, or later where money has to be held back first: the ledger is on disk; or where other replicas are asked (H-4). */
  ask(action: AdmitAction): Answer | Promise<Answer> {
    const { attempt } = action;
    const planned = this.#job.planned(action.rank);
    const unfit = this.#job.unfit(planned.target);
    if (unfit !== null) return refused(attempt, 'incapable', null, unfit.failure);
    if (this.#job.lacksEntitlement(planned.target)) return refused(attempt, 'entitlement_unavailable', null, null);
    const amount = this.#amountFor(planned, action.extendTo);
    if (amount === null) return refused(attempt, 'price_unknown', null, null);
    const held = this.#hold(action, planned);
    if (!(held instanceof Promise)) return this.#keep(attempt, held, amount);
    return held.then((late) => this.#keep(attempt, late, amount));
  }

  #keep(attempt: number, held: Held | Refused, amount: NanoUsd): Answer | Promise<Answer> {
    if ('type' in held) return held;
    if (this.#over) {
      this.#giveBack(held, { kind: 'neutral' }, null);
      return refused(attempt, 'limit', null, null);
    }
    this.#held.set(attempt, held);
    if (amount === 0n) return { type: 'admitted', attempt, permits: 1 };
    return this.#reserve(attempt, held, amount);
  }

  /** What `ask` would answer right now. Nothing is taken, held or counted (X-4, H-2). */
  peek(action: AdmitAction): Answer {
    const { attempt, draws } = action;
    const planned = this.#job.planned(action.rank);
    const { target } = planned;
    const unfit = this.#job.unfit(target);
    if (unfit !== null) return refused(attempt, 'incapable', null, unfit.failure);
    if (this.#job.lacksEntitlement(target)) return refused(attempt, 'entitlement_unavailable', null, null);
    const amount = this.#amountFor(planned);
    if (amount === null) return refused(attempt, 'price_unknown', null, null);
    const { board, retryBudget, limits, clock, accounts } = this.#gateway;
    const { workspace } = this.#job;
    const [now, wall] = [clock.now(), clock.wall()];
    const keys = this.#job.healthKeys(target);
    const rests = board.refusal(keys, now, freedoms(action, planned));
    if (rests !== null) return refused(attempt, rests.reason, wallOf(rests.availableAt, now, wall), null);
    if (draws && !retryBudget.mayRepeat(keys.channel, now)) return refused(attempt, 'retry_budget', null, null);
    if (this.#isFull(keys.channel)) return refused(attempt, 'limit', null, null);
    const scopes = this.#job.limitScopes(target);
    const full = scopes.length === 0 ? null : limits.refusal(scopes, this.#job.money.expected(target), now, wall);
    if (full !== null) return refused(attempt, 'limit', full.reached.availableAt, null);
    const isEmpty = amount > 0n && (accounts.available(workspace) ?? 1n) <= 0n;
    if (isEmpty) return refused(attempt, 'balance', null, insufficientBalance(workspace));
    return { type: 'admitted', attempt, permits: 1 };
  }

  /** An attempt is over: its permit goes back, its outcome to the health board (H-1, H-2), its bill to limits and balance. */
  settle(attempt: number, result: Settled, failure: Failure | null, bill: Bill | null): void {
    const held = this.#held.get(attempt);
    if (held === undefined) return;
    this.#held.delete(attempt);
    if (result === 'served') this.#giveBack(held, { kind: 'success' }, bill);
    else if (failure === null || result === 'cancelled') this.#giveBack(held, { kind: 'neutral' }, bill);
    else this.#giveBack(held, { kind: 'failure', failure }, bill);
    if (held.reservation === null) return;
    if (this.#paysLater && bill?.delivered === true) this.#owed.set(attempt, held.reservation);
    else this.#charge(held.reservation, bill);
  }

  /** Charges what waited for it, by what is known of each attempt now. */
  pay(billOf: (attempt: number) => Bill | null): void {
    for (const [attempt, reservation] of this.#owed) this.#charge(reservation, billOf(attempt));
    this.#owed.clear();
  }

  /** A call is over with a good answer of which nobody knows yet whether it is served (D-5): only the money stays held. */
  answered(attempt: number, bill: Bill): void {
    const held = this.#held.get(attempt);
    if (held !== undefined) this.#giveBack(held, { kind: 'success' }, bill);
  }

  /** Health and limits, once. */
  #giveBack(held: Held, outcome: Parameters<HealthBoard['settle']>[1], bill: Bill | null): void {
    const { board, clock, limits } = this.#gateway;
    const { permit, lease, probe } = held;
    const now = clock.now();
    held.permit = null;
    held.lease = null;
    held.probe = null;
    if (permit !== null) board.settle(permit, outcome, now);
    // After what it has shown: nobody may probe what is known by then.
    if (probe !== null) this.#gateway.peers?.probes.end(probe);
    if (lease === null) return;
    const actual = bill === null ? UNUSED : { tokens: tokensOf(bill.usage) ?? 0, cost: bill.cost };
    const crossed = limits.settle(lease, actual, now, clock.wall());
    tellCrossed(this.#gateway, crossed, this.#job.identity.requestId);
  }

  /** The request is over, whatever still holds a permit; what is granted from now on goes back at once. */
  releaseAll(): void {
    this.#over = true;
    for (const attempt of [...this.#held.keys()]) this.settle(attempt, 'cancelled', null, null);
  }

  /** Health, the retry budget and limits: all or none of them. */
  #hold(action: AdmitAction, planned: PlannedTarget): Held | Refused | Promise<Held | Refused> {
    const { board, clock, peers } = this.#gateway;
    const keys = this.#job.healthKeys(planned.target);
    const now = clock.now();
    const answer = board.admit(keys, now, freedoms(action, planned));
    if (!answer.ok) return refused(action.attempt, answer.reason, wallOf(answer.availableAt, now, clock.wall()), null);
    const held: Held = { permit: answer.permit, lease: null, probe: null, reservation: null };
    if (answer.permit.holdsProbe && peers !== null) return this.#probe(action, planned, held, peers.probes);
    return this.#holdLimits(action, planned, held);
  }

  /** H-1: one probe among all replicas; where another makes it, only what may pass an open circuit goes on (P-5). */
  async #probe(action: AdmitAction, planned: PlannedTarget, held: Held, probes: SharedProbes): Promise<Held | Refused> {
    const { channel } = this.#job.healthKeys(planned.target);
    const mine = await probes.take(channel);
    if (mine === true) held.probe = channel;
    const { throughOpen, repeat } = freedoms(action, planned);
    if (mine !== false) return this.#holdLimits(action, planned, held);
    if (held.permit !== null) this.#gateway.board.yieldProbe(held.permit);
    if (throughOpen || repeat === true) return this.#holdLimits(action, planned, held);
    this.#giveBack(held, { kind: 'neutral' }, null);
    return refused(action.attempt, 'probe_in_flight', null, null);
  }

  #holdLimits(action: AdmitAction, planned: PlannedTarget, held: Held): Held | Refused | Promise<Held | Refused> {
    const { attempt, draws } = action;
    const { retryBudget, clock, metrics } = this.#gateway;
    const keys = this.#job.healthKeys(planned.target);
    const now = clock.now();
    if (draws && !retryBudget.mayRepeat(keys.channel, now)) {
      this.#giveBack(held, { kind: 'neutral' }, null);
      metrics.retryBudgetRefused();
      return refused(attempt, 'retry_budget', null, null);
    }
    const taken = this.#isFull(keys.channel)
      ? refused(attempt, 'limit', null, null)
      : this.#takeLimits(attempt, planned, now);
    if (!(taken instanceof Promise)) return this.#holdLease(action, keys.channel, held, taken);
    return taken.then((late) => this.#holdLease(action, keys.channel, held, late));
  }

  #holdLease({ draws }: AdmitAction, channel: string, held: Held, taken: LimitLease | Refused | null): Held | Refused {
    if (taken !== null && 'type' in taken) {
      this.#giveBack(held, { kind: 'neutral' }, null);
      return taken;
    }
    const { retryBudget, clock } = this.#gateway;
    held.lease = taken;
    if (draws) retryBudget.noteRepeat(channel, clock.now());
    else retryBudget.noteFirst(channel, clock.now());
    return held;
  }

  /** A channel that is slowed down has as many calls in flight as it may (O-4). */
  #isFull(channel: string): boolean {
    const { caps, measurements } = this.#gateway;
    const cap = caps.capOf(channel);
    return cap !== null && measurements.inFlight(channel) >= cap;
  }

  /** Of credential and channel (P-4). Null = neither has limits. */
  #takeLimits(
    attempt: number,
    { target }: PlannedTarget,
    now: number,
  ): LimitLease | Refused | null | Promise<LimitLease | Refused> {
    const scopes = this.#job.limitScopes(target);
    if (scopes.length === 0) return null;
    const { limits, clock } = this.#gateway;
    const answer = limits.admit(scopes, this.#job.money.expected(target), now, clock.wall());
    return answer instanceof Promise ? answer.then((late) => leaseOf(attempt, late)) : leaseOf(attempt, answer);
  }

  /** What a prepaid workspace has to hold back for the call; 0 = nothing, null = its price is unknown (G-4). */
  #amountFor({ target, worstCost }: PlannedTarget, extendTo?: number): NanoUsd | null {
    const { money, workspace, snapshot } = this.#job;
    if (!this.#gateway.accounts.isPrepaid(workspace)) return 0n;
    // Its own account at the provider pays for a credential of its own.
    if (target.credential !== null && snapshot.credentials[target.credential]!.kind === 'byok') return 0n;
    if (extendTo !== undefined) return money.worstCost(target, extendTo);
    return worstCost === undefined ? money.worstCost(target) : worstCost;
  }

  async #reserve(attempt: number, held: Held, amount: NanoUsd): Promise<Answer> {
    const { accounts } = this.#gateway;
    const { workspace, identity } = this.#job;
    this.#reservations += 1;
    // A number whose call never started is given to the next one; its reservation's id is not.
    const id = `${attemptId(identity.requestId, attempt)}.${this.#reservations}`;
    const reservation = await this.#inTime(accounts.reserve(workspace, id, amount), id);
    const stillAsked = this.#held.get(attempt) === held && !this.#over;
    if (reservation === 'ok') {
      if (stillAsked) held.reservation = id;
      else accounts.settle(id, 0n);
      return { type: 'admitted', attempt, permits: 1 };
    }
    if (stillAsked) this.settle(attempt, 'cancelled', null, null);
    if (reservation === 'unavailable') return refused(attempt, 'store_unavailable', null, storeUnavailable());
    this.#alertEmpty();
    return refused(attempt, 'balance', null, insufficientBalance(workspace));
  }

  /** A grant that comes too late is given back when it comes. */
  #inTime(asked: Promise<Reservation>, id: string): Promise<Reservation> {
    return new Promise((resolve, reject) => {
      let waiting = true;
      const cancel = this.#gateway.clock.after(LEDGER_MS, () => {
        waiting = false;
        resolve('unavailable');
      });
      asked.then((answer) => {
        cancel();
        if (waiting) resolve(answer);
        else if (answer === 'ok') this.#gateway.accounts.settle(id, 0n);
      }, reject);
    });
  }

  /** The workspace pays for what was delivered: by its cost, or what was held back where nobody knows that. */
  #charge(reservation: string, bill: Bill | null): void {
    const { accounts } = this.#gateway;
    const charge = bill?.delivered === true ? (bill.cost ?? accounts.held(reservation) ?? 0n) : 0n;
    accounts.settle(reservation, charge);
  }

  #alertEmpty(): void {
    const { alerts, clock } = this.#gateway;
    const { workspace, identity } = this.#job;
    const message = `workspace ${quotedName(workspace)}: the prepaid balance is used up`;
    const what = { kind: 'budget.exhausted', message, workspace, data: { workspace } };
    alerts.raise({ ...what, requestId: identity.requestId, at: clock.wall() });
  }
}

/** What health may be passed by (P-4, P-5). */
function freedoms({ role, insist }: AdmitAction, planned: PlannedTarget): AdmitOptions {
  return {
    throughOpen: planned.throughOpenCircuit || insist,
    throughBackoff: planned.throughBackoff ?? false,
    repeat: role === 'retry',
  };
}

/** A monotonic instant on the wall clock. */
function wallOf(at: number | null, now: number, wall: number): number | null {
  return at === null ? null : wall + (at - now);
}

function leaseOf(attempt: number, answer: LimitAdmission): LimitLease | Refused {
  return answer.ok ? answer.lease : refused(attempt, 'limit', answer.reached.availableAt, null);
}

/** Held and given back without a call. */
const UNUSED = { tokens: 0, cost: 0n };

function refused(attempt: number, reason: RefusalReason, availableAt: number | null, failure: Failure | null): Refused {
  return { type: 'refused', attempt, reason, availableAt, failure };
}
