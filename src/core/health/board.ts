/**
 * The health board: which targets rest, whose circuit is open, who may call now (H-1 to H-3, P-4, P-5). In-process and
 * deterministic: every call brings the monotonic time. All methods are O(1) but `list`, `circuits` and `configureTargets`.
 */
import type { RefusalReason } from '../failover/machine.ts';
import type { FailureClass } from '../failure.ts';
import type { CircuitState } from './breaker.ts';
import { afterMs, changesOf, type Marks, marksOf, restOver } from './changes.ts';
import type { HealthKeys } from './keys.ts';
import type { HealthNews, RestNews } from './news.ts';
import { applyFailure, applySuccess, type CallOutcome } from './outcome.ts';
import { Permit } from './permit.ts';
import type { HealthSettings } from './settings.ts';
import { type HealthState, rulingRest, type Standing, standingOf } from './standing.ts';
import { type TargetHealth, TargetTable } from './targets.ts';

export type { HealthKeys, Permit };

/** What a call may ignore. */
export interface AdmitOptions {
  /** Nothing else is left: pass a circuit that is open, or half-open with its probe out (P-5). */
  readonly throughOpen: boolean;
  /** Nothing else is left: pass a cooldown without a stated wait, one call per channel at a time (P-4). */
  readonly throughBackoff?: boolean;
  /** The same request repeats its own target: only another's stated wait, or a drain, stops it (D-3, D-9). */
  readonly repeat?: boolean;
}

export type Admission = { readonly ok: true; readonly permit: Permit } | Refused;

/** `availableAt`: monotonic ms, null when nobody knows. */
interface Refused {
  readonly ok: false;
  readonly reason: RefusalReason;
  readonly availableAt: number | null;
}

/** What a call that may go out takes with it. */
type Holds = Pick<Permit, 'holdsProbe' | 'holdsBackoffCall'>;

/** A row of `GET /admin/v1/health/targets`. Instants are wall ms. */
export interface TargetReport {
  readonly id: string;
  readonly model: string;
  readonly channel: string;
  readonly credential: string | null;
  readonly state: HealthState;
  /** Class of the failure behind the state; null when it is `ok` or `drained`. */
  readonly class: FailureClass | null;
  /** When it came into this trouble: an open circuit's failed probes, or a rest made longer, leave it; null when it is `ok`. */
  readonly since: number | null;
  readonly until: number | null;
  readonly probe_at: number | null;
  /** Of the circuit while it is not closed, else of the rate limit's backoff. */
  readonly level: number;
  /** Calls that said something about the upstream, since start or reset; and those that failed by its fault. */
  readonly calls: number;
  readonly failures: number;
}

/** Others' news of unknown targets, at most. */
const MAX_EARLY = 1000;

/** A repeat's timer may fire this much before the stated wait is over; it must not be refused for that. */
const EARLY_TIMER_MS = 5;

export class HealthBoard {
  readonly #table = new TargetTable();
  #settings: HealthSettings;
  #lastCall = 0;
  /** Null = nobody listens. */
  #tell: ((news: HealthNews) => void) | null = null;
  /** Others' news of what this board does not know yet; `at` monotonic ms. */
  #early: { readonly news: HealthNews; readonly at: number }[] = [];

  constructor(settings: HealthSettings) {
    this.#settings = settings;
  }

  /** New figures after a reload; running rests keep their end. */
  configure(settings: HealthSettings): void {
    this.#settings = settings;
  }

  /** All targets of the current configuration: listed from now on; others are forgotten after an hour without use. */
  configureTargets(all: readonly HealthKeys[], now: number): void {
    this.#table.configure(all, now);
    for (const { news, at } of this.#early.splice(0)) {
      const left = afterMs(news, now - at);
      if (left !== null) this.learn(left, now);
    }
  }

  /** What happens here and concerns other replicas (H-4); what was learned from them is never told. */
  onNews(tell: (news: HealthNews) => void): void {
    this.#tell = tell;
  }

  /** Another replica's news. Of a target no configuration has named yet they are remembered until one does. */
  learn(news: HealthNews, now: number): void {
    if (this.#learn(news, now)) return;
    this.#early.push({ news, at: now });
    if (this.#early.length > MAX_EARLY) this.#early.shift();
  }

  /** How a target stands (P-4, P-5). Changes nothing that can be seen. */
  standing(keys: HealthKeys, now: number): Standing {
    return standingOf(this.#table.of(keys, now), now);
  }

  /** Asks for one call. What is granted must be settled exactly once, however the call ends. */
  admit(keys: HealthKeys, now: number, options: AdmitOptions): Admission {
    const target = this.#table.of(keys, now);
    const verdict = this.#judge(target, now, options);
    if ('ok' in verdict) return verdict;
    return { ok: true, permit: this.#grant(target, verdict, now) };
  }

  /** What `admit` would refuse a call with right now; null = nothing. Takes and changes nothing. */
  refusal(keys: HealthKeys, now: number, options: AdmitOptions): Refused | null {
    const verdict = this.#judge(this.#table.of(keys, now), now, options);
    return 'ok' in verdict ? verdict : null;
  }

  #judge(target: TargetHealth, now: number, options: AdmitOptions): Refused | Holds {
    if (target.drained) return refused('drained', null);
    const repeat = options.repeat === true;

    let holdsBackoffCall = false;
    const rest = rulingRest(target, now);
    if (rest !== null && !(repeat && (!rest.stated || rest.until - now <= EARLY_TIMER_MS))) {
      const until = Math.max(target.credential.until, target.credentialModel.until);
      const passes = rest.reason === 'cooling_backoff' && options.throughBackoff === true;
      if (!passes || target.channel.backoffCall.busy(now)) return refused(rest.reason!, until);
      holdsBackoffCall = true;
    }

    let holdsProbe = false;
    const { breaker } = target.channel;
    if (!breaker.closed) {
      const halfOpen = breaker.state(now) === 'half_open';
      holdsProbe = halfOpen && !breaker.probe.busy(now);
      if (!holdsProbe && !options.throughOpen && !repeat) {
        return halfOpen ? refused('probe_in_flight', null) : refused('circuit_open', breaker.openUntil);
      }
    }
    return { holdsProbe, holdsBackoffCall };
  }

  /** A call ended. Idempotent: only the first settlement of a permit counts. */
  settle(permit: Permit, outcome: CallOutcome, now: number): void {
    if (permit.settled) return;
    permit.settled = true;
    const { target, call } = permit;
    target.inFlight--;
    target.usedAt = now;
    if (permit.holdsBackoffCall) target.channel.backoffCall.release(call);
    const heldProbe = permit.holdsProbe && target.channel.breaker.probe.release(call);
    if (outcome.kind === 'neutral') return;
    const before = this.#tell === null ? null : marksOf(target);
    if (outcome.kind === 'success') applySuccess(permit, heldProbe, now, this.#settings);
    else applyFailure(permit, outcome.failure, heldProbe, this.#lastCall, now, this.#settings);
    if (before !== null) this.#tellChanges(target, before, now);
  }

  /** The half-open circuit's one probe is another replica's (H-4): this call is none, and may go only through it (P-5). */
  yieldProbe(permit: Permit): void {
    if (permit.holdsProbe) permit.target.channel.breaker.probe.release(permit.call);
    permit.holdsProbe = false;
  }

  /** Every known target (H-3). `wall` is the wall clock at `now`. */
  list(now: number, wall: number): TargetReport[] {
    return Array.from(this.#table.all(), (target) => report(target, now, wall));
  }

  /** The circuits by channel key, for metrics. */
  circuits(now: number): { readonly channel: string; readonly state: CircuitState }[] {
    return Array.from(this.#table.channels(), ({ key, breaker }) => ({ channel: key, state: breaker.state(now) }));
  }

  /**
   * Forgets what is held against a target: the rests of its credential and the circuit of its channel, hence also for
   * the targets that share them. A drain stays. False when the id is unknown.
   */
  reset(id: string): boolean {
    const target = this.#table.byId(id);
    if (target === undefined) return false;
    target.credential.reset();
    target.credentialModel.reset();
    target.channel.breaker.reset();
    target.channel.backoffCall.clear();
    target.calls = 0;
    target.failures = 0;
    this.#tellForgotten(target.keys, true);
    return true;
  }

  /**
   * A credential has another secret or address: what the old one was refused or throttled for, or how its own server
   * did, says nothing about the new one (H-1).
   */
  renewCredential(name: string): void {
    for (const target of this.#table.all()) {
      if (target.keys.credential !== name) continue;
      target.credential.reset();
      target.credentialModel.reset();
      if (target.keys.ownAddress) target.channel.breaker.reset();
      this.#tellForgotten(target.keys, target.keys.ownAddress);
    }
  }

  /** Takes a target out of every new plan until `undrain`; running calls finish. False when the id is unknown. */
  drain(id: string, now: number): boolean {
    return this.#setDrained(id, now);
  }

  undrain(id: string): boolean {
    return this.#setDrained(id, null);
  }

  /** `at`: when it was drained; null = no longer. */
  #setDrained(id: string, at: number | null): boolean {
    const target = this.#table.byId(id);
    if (target === undefined) return false;
    markDrained(target, at);
    this.#tell?.({ kind: at === null ? 'undrain' : 'drain', id });
    return true;
  }

  #learn(news: HealthNews, now: number): boolean {
    switch (news.kind) {
      case 'rest':
        return this.#learnRest(news, now);
      case 'circuit': {
        const channel = this.#table.channel(news.channel);
        if (channel === undefined) return false;
        if (news.forMs <= 0) channel.breaker.reset();
        else channel.breaker.openedElsewhere(now + news.forMs, news.level, news.cause, now);
        return true;
      }
      default: {
        const target = this.#table.byId(news.id);
        if (target !== undefined) markDrained(target, news.kind === 'drain' ? now : null);
        return target !== undefined;
      }
    }
  }

  #learnRest({ key, reason, cause, forMs, stated, level }: RestNews, now: number): boolean {
    const rest = this.#table.rest(key);
    if (rest === undefined) return false;
    const until = now + forMs;
    if (forMs <= 0) rest.reset();
    // A guess that ends sooner than what is known says nothing new.
    else if (reason !== 'cooling_backoff' || until > rest.until) {
      rest.rest({ reason, cause, until, stated }, this.#lastCall, now);
      rest.level = Math.max(rest.level, level);
    }
    return true;
  }

  #tellChanges(target: TargetHealth, before: Marks, now: number): void {
    for (const news of changesOf(target, before, now)) this.#tell?.(news);
  }

  #tellForgotten({ credentialKey, credentialModel, channel }: HealthKeys, circuit: boolean): void {
    for (const key of [credentialKey, credentialModel]) this.#tell?.(restOver(key));
    if (circuit) this.#tell?.({ kind: 'circuit', channel, forMs: 0, level: 0, cause: null });
  }

  #grant(target: TargetHealth, { holdsProbe, holdsBackoffCall }: Holds, now: number): Permit {
    const call = ++this.#lastCall;
    if (holdsProbe) target.channel.breaker.probe.take(call, now);
    if (holdsBackoffCall) target.channel.backoffCall.take(call, now);
    target.inFlight++;
    target.usedAt = now;
    return new Permit({ target, call, holdsProbe, holdsBackoffCall });
  }
}

function refused(reason: RefusalReason, availableAt: number | null): Refused {
  return { ok: false, reason, availableAt };
}

function markDrained(target: TargetHealth, at: number | null): void {
  target.drained = at !== null;
  target.drainedAt = at === null ? null : (target.drainedAt ?? at);
}

function report(target: TargetHealth, now: number, wall: number): TargetReport {
  const { keys, channel, credentialModel } = target;
  const { state, until } = standingOf(target, now);
  const { breaker } = channel;
  const toWall = (at: number | null): number | null => (at === null ? null : Math.ceil(wall + at - now));
  const circuit = state === 'open' || state === 'half_open';
  const rest = state === 'cooling' ? rulingRest(target, now) : null;
  return {
    id: keys.id,
    model: keys.model,
    channel: keys.channelId,
    credential: keys.credential,
    state,
    class: circuit ? breaker.cause : (rest?.cause ?? null),
    since: toWall(circuit ? breaker.openSince : (rest?.since ?? target.drainedAt)),
    until: state === 'half_open' ? null : toWall(until),
    probe_at: toWall(breaker.openUntil),
    level: breaker.closed ? credentialModel.level : breaker.level,
    calls: target.calls,
    failures: target.failures,
  };
}
