/**
 * What must hold of every run, whatever happened: checked after each step and once more at the end. Written from the
 * rules, not from the engine: where it needs D-1, D-2 or D-9 it says them again in its own words.
 */
import type { Decision, EngineAction, FailoverState, PastAttempt } from '../../src/core/failover/machine.ts';
import type { PlannedModel, PlannedTarget } from '../../src/core/failover/plan-types.ts';
import { CALLER_FAULTS } from './layout.ts';
import { check, opens, relation, sameServer, targetOf } from './rules-again.ts';
import type { RunResult, WatchedStep } from './virtual-run.ts';

interface Started {
  readonly no: number;
  readonly rank: number;
  readonly role: string;
  /** The step in which it started; the steps are counted. */
  readonly step: number;
  /** It was made again without what it rejected. */
  bareNext?: true;
}

/** Roles of calls to a target that was called before. */
const AGAIN: ReadonlySet<string> = new Set(['retry', 'extend', 'bare']);

const BEGINS: ReadonlySet<EngineAction['type']> = new Set(['admit-attempt', 'start-attempt', 'wait', 'arm-hedge']);

/** Follows one run. `step` after each event, `end` when it is over. */
export class Invariants {
  #commits = 0;
  #finished = false;
  readonly #started: Started[] = [];
  readonly #roles = new Map<number, string>();
  readonly #explained = new Map<number, Decision>();
  /** The step in which each attempt went into the history. */
  readonly #ended = new Map<number, number>();
  #steps = 0;

  step(step: WatchedStep): void {
    this.#steps += 1;
    const { before, after, actions, event } = step;
    const stranger = 'attempt' in event && !before.live.some(({ no }) => no === event.attempt);
    check(!stranger || before === after, 'an event of an attempt that is over changes nothing');
    if (before === after) {
      check(actions.length === 0, 'nothing changed, nothing to do');
      return;
    }
    check(!this.#finished, 'nothing after finish');
    check(after.at.now === event.now, 'the state knows the time');
    for (const action of actions) this.#action(action, step);
    for (const { no } of after.history.slice(before.history.length)) this.#ended.set(no, this.#steps);
    this.#rivals(step);
    check(this.#commits <= 1, 'at most one commit');
    this.#afterClientGone(step);
    this.#afterCallerFault(step);
    this.#budgets(after);
    check(after.live.length <= 2, 'at most one attempt beside another');
    check(after.phase !== 'waiting' || after.live.length === 0, 'nothing runs while waiting');
    check(this.#finished === (after.phase === 'done'), 'finish exactly when done');
    check(this.#finished || after.live.length > 0 || after.phase === 'waiting', 'something is always under way');
  }

  #action(action: EngineAction, step: WatchedStep): void {
    const { before, after, event } = step;
    check(!this.#finished, 'finish is the last action');
    if (BEGINS.has(action.type)) check(this.#commits === 0, `${action.type} after commit`);
    switch (action.type) {
      case 'admit-attempt':
        check(event.now < before.budgets.deadlineAt, 'no admission at or after the deadline');
        check(action.attempt === this.#started.length + 1 + before.attemptOffset, 'attempts are numbered without gaps');
        this.#roles.set(action.attempt, action.role);
        if (action.role === 'hedge') this.#hedge(action.rank, before);
        if (action.role === 'extend') this.#extension(action, before);
        if (action.role === 'bare') this.#bared(action, step.event);
        return;
      case 'start-attempt':
        this.#start(action, after, event.now);
        return;
      case 'wait':
        check(action.ms >= 0 && event.now + action.ms < before.budgets.deadlineAt, 'no wait past the deadline');
        return;
      case 'commit-attempt':
        this.#commits += 1;
        check(
          before.live.some(({ no, state }) => no === action.attempt && (state === 'running' || state === 'held')),
          'only an attempt that runs, or has answered, commits',
        );
        return;
      case 'explain':
        check(action.reason.length > 0, 'a decision has a reason');
        this.#explained.set(action.attempt, action.decision);
        return;
      case 'finish':
        this.#finished = true;
        return;
      case 'abort-attempt':
      case 'hold-attempt':
      case 'arm-hedge':
      case 'alert':
        return;
    }
  }

  #start(action: Extract<EngineAction, { type: 'start-attempt' }>, after: FailoverState, now: number): void {
    const { attempt, rank, timeoutMs, firstTokenTimeoutMs } = action;
    const role = this.#roles.get(attempt) ?? '';
    check(now < after.budgets.deadlineAt, 'no attempt at or after the deadline');
    check(timeoutMs >= 1 && timeoutMs <= after.budgets.deadlineAt - now, 'an attempt ends by the deadline');
    check(
      firstTokenTimeoutMs === null || firstTokenTimeoutMs < timeoutMs,
      'the first-token timeout is the shorter one',
    );
    const again = this.#started.some((other) => other.rank === rank);
    const repeats = AGAIN.has(role);
    check(again === repeats, 'the same target again only as a repeat, a repeat only of a tried target');
    const isBare = this.#started.some((other) => other.rank === rank && other.bareNext === true) || role === 'bare';
    check((action.bare === true) === isBare, 'what a target rejected is not sent to it again');
    if (role === 'bare') this.#started.findLast((other) => other.rank === rank)!.bareNext = true;
    this.#started.push({ no: attempt, rank, role, step: this.#steps });
  }

  /** D-8, D-11. */
  #hedge(rank: number, { live, options, actsUpstream, plan }: FailoverState): void {
    const [first, ...others] = live;
    check(first?.state === 'running' && others.length === 0, 'a hedge runs beside one attempt that runs');
    check(!['hedge', 'extend', 'bare'].includes(first.role), 'no hedge beside a hedge or a call made again');
    check(options.hedgeAfterMs !== null, 'a hedge only where it is asked for');
    check(!actsUpstream, 'what acts upstream is not hedged');
    const model = plan.models.findIndex(({ targets }) => targets.some((target) => target.rank === rank));
    const crosses = options.crossModel && options.on.has('timeout');
    check(model === first.modelPos || (crosses && model > first.modelPos), 'another model only where timeout opens it');
  }

  /** D-5: once, at the same target, in place of an answer that was cut. */
  #extension(action: Extract<EngineAction, { type: 'admit-attempt' }>, before: FailoverState): void {
    check(
      before.options.onTruncated === 'extend' && !before.actsUpstream,
      'a longer answer only where it is asked for',
    );
    const cut = before.live.find(({ rank }) => rank === action.rank);
    check(cut?.state === 'running' && cut.role !== 'extend', 'a longer answer is asked for once');
    check(!action.draws && action.extendTo !== undefined, 'a longer answer has a length and repeats no failure');
  }

  /** at once, at the same target, once, and only after it said what it rejects. */
  #bared(action: Extract<EngineAction, { type: 'admit-attempt' }>, event: WatchedStep['event']): void {
    check(
      event.type === 'attempt-failed' && event.bare === true,
      'without its reasoning only what was rejected for it',
    );
    const earlier = this.#started.filter(({ rank }) => rank === action.rank);
    check(
      earlier.length > 0 && !earlier.some(({ bareNext }) => bareNext === true),
      'left out once, at the same target',
    );
    check(!action.draws, 'nothing is drawn from the retry budget');
  }

  /** Whoever is not served is broken off in the step that commits: nothing of it reaches the client. */
  #rivals({ before, after, actions }: WatchedStep): void {
    const winner = actions.find((action) => action.type === 'commit-attempt');
    if (winner === undefined) return;
    check(after.live.length === 1 && after.live[0]?.no === winner.attempt, 'one is left after a commit');
    const aborted = actions.flatMap((action) => (action.type === 'abort-attempt' ? [action.attempt] : []));
    for (const { no, state } of before.live) {
      const over = no === winner.attempt || state === 'admitting' || after.history.some((past) => past.no === no);
      check(over, 'a rival has its record when it has lost');
      const failed = after.history.some((past) => past.no === no && past.result === 'failed');
      check(no === winner.attempt || state === 'admitting' || failed || aborted.includes(no), 'a rival is broken off');
    }
  }

  #budgets(after: FailoverState): void {
    check(this.#started.length <= after.budgets.maxAttempts, 'attempts within max_attempts');
    check(after.budgets.costLeft === null || after.budgets.costLeft >= 0n, 'never more cost than allowed');
  }

  #afterClientGone({ event, after, before }: WatchedStep): void {
    if (event.type !== 'client-gone') return;
    if (event.detach) check(after === before, 'a run that is detached goes on');
    else check(after.phase === 'done' && after.verdict?.kind === 'client_closed', 'the client went, the run ends');
  }

  #afterCallerFault({ event, after, before, actions }: WatchedStep): void {
    if (event.type !== 'attempt-failed' || before.options.policy === 'permissive') return;
    if (!CALLER_FAULTS.has(event.failure.class) || event.failure.maybeExecuted) return;
    if (actions.some((action) => action.type === 'admit-attempt' && action.role === 'bare')) return;
    check(!actions.some((action) => BEGINS.has(action.type)), 'a caller fault never fails over');
    const held = before.live.some(({ state }) => state === 'held');
    check(after.phase === (held ? 'committed' : 'done'), 'a caller fault ends the request, or its longer answer');
    const marks = [...after.spent].filter(([rank, reason]) => before.spent.get(rank) !== reason);
    check(marks.length === 0, 'a caller fault says nothing about targets');
  }

  /** The end: records, explanations, and the rules on where it went. */
  end({ state }: RunResult): void {
    check(this.#finished && state.verdict !== null, 'every run ends with a verdict');
    const numbers = state.history.map(({ no }) => no).sort((a, b) => a - b);
    const started = this.#started.map(({ no }) => no).sort((a, b) => a - b);
    check(numbers.join() === started.join(), 'each started attempt ends in exactly one record');
    check(
      this.#started.every(({ no }) => this.#explained.has(no)),
      'each started attempt is explained',
    );
    this.#verdictMatches(state);
    for (const [index, { no }] of this.#started.entries()) {
      const past = state.history.find((record) => record.no === no)!;
      this.#decisionMatches(state, past, this.#started[index + 1]);
    }
    this.#mayBeExecuted(state);
    this.#channelFaults(state);
    this.#repeatCounts(state);
  }

  #verdictMatches(state: FailoverState): void {
    const kind = state.verdict!.kind;
    check((kind === 'served' || kind === 'interrupted') <= (this.#commits === 1), 'an answer was committed');
    check(kind !== 'all_resting' || this.#started.length === 0, 'all_resting means no call was made');
    check(this.#commits === 0 || ['served', 'interrupted', 'client_closed'].includes(kind), 'a commit decides the end');
    const served = state.history.filter(({ result }) => result === 'served').length;
    check(served === (kind === 'served' ? 1 : 0), 'served once, or not at all');
  }

  /** What was said of an attempt is what happened next. Hedges run in parallel, so only single runs are compared. */
  #decisionMatches(state: FailoverState, past: PastAttempt, next: Started | undefined): void {
    if (this.#started.some(({ role }) => role === 'hedge') || next?.role === 'extend') return;
    const decision = this.#explained.get(past.no)!;
    if (decision === 'serve' || decision === 'stop') {
      check(next === undefined, `said ${decision}, yet another attempt started`);
      check((decision === 'serve') === (past.result === 'served'), 'serve is said of what was served');
      return;
    }
    // Said, but something else ended it before the target could start.
    if (next === undefined) {
      check(state.verdict!.kind === 'client_closed', `said ${decision}, yet nothing started`);
      return;
    }
    const from = targetOf(state, past.rank);
    const to = targetOf(state, next.rank);
    check(decision === relation(from, to), `said ${decision}, went from rank ${past.rank} to ${next.rank}`);
    const obeys = past.failure?.shouldRetry !== false || next.role === 'bare';
    check(decision !== 'retry' || obeys, 'x-should-retry: false is obeyed');
    if (decision === 'next_model') this.#mayChangeModel(state, past, to);
  }

  /** D-1. A model passed by without a call failed with trigger rate_limit (P-4). */
  #mayChangeModel(state: FailoverState, past: PastAttempt, to: PlannedTarget): void {
    const { options, plan } = state;
    check(options.crossModel, 'cross_model: false keeps the model');
    check(options.on.size > 0, 'on: [] keeps the model');
    check(past.failure !== null && opens(past.failure, state), 'the failure opens another model');
    check(to.target.model > past.modelPos, 'the chain goes forward');
    const named = (model: PlannedModel) => model.origin === 'request' || model.origin === 'virtual';
    const open = (model: PlannedModel) => options.policy !== 'strict' || named(model);
    check(open(plan.models[to.target.model]!), 'strict goes only to named models');
    const between = plan.models.slice(past.modelPos + 1, to.target.model).filter(open);
    const rests = between.some(({ skipped }) => skipped?.reason === 'cooling_rate_limit');
    check(!rests || options.on.has('rate_limit'), 'past a resting model only with rate_limit in on');
  }

  /** D-10, D-11: what may have been executed is not repeated without a key. */
  #mayBeExecuted(state: FailoverState): void {
    const { policy } = state.options;
    const bound = policy === 'strict' || (policy === 'standard' && state.actsUpstream);
    if (!bound || state.keyed) return;
    const last = this.#started.at(-1)?.step ?? 0;
    const unknown = state.history.filter(
      ({ result, failure }) => result === 'failed' && failure?.maybeExecuted === true,
    );
    check(
      unknown.every(({ no }) => this.#ended.get(no)! >= last),
      'nothing follows a call that may have been executed',
    );
  }

  /** D-2. */
  #channelFaults(state: FailoverState): void {
    if (state.options.policy === 'permissive') return;
    for (const past of state.history) {
      if (past.failure?.scope !== 'channel' || past.result !== 'failed') continue;
      const faulty = targetOf(state, past.rank);
      const over = this.#ended.get(past.no)!;
      // What a hedge had called already may be asked again.
      const turned = this.#started.filter(({ step, role }) => step > over && !AGAIN.has(role));
      const later = turned.map(({ rank }) => targetOf(state, rank));
      const sibling = later.find((other) => other.rank !== faulty.rank && sameServer(other, faulty));
      check(sibling === undefined, "a channel's own fault skips its other credentials");
    }
  }

  /** D-9: N repeats at most; in standard and permissive only of the last target left. */
  #repeatCounts(state: FailoverState): void {
    const { retries, policy } = state.options;
    const most = retries ?? (policy === 'strict' ? 2 : 1);
    const repeats = this.#started.filter(({ role }) => role === 'retry');
    for (const { rank } of repeats) {
      check(repeats.filter((other) => other.rank === rank).length <= most, `more than ${most} repeats of one target`);
    }
    const lone = state.plan.models.flatMap(({ targets }) => targets).length === 1;
    const stays = !state.options.crossModel || state.options.on.size === 0;
    check(
      repeats.length === 0 || retries !== null || policy === 'strict' || lone || stays,
      'only a lone target repeats by default',
    );
  }
}
