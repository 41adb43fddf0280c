/**
 * Who has used how much: credentials, channels, keys and workspaces against their limits (P-4, G-4, G-11). A call takes
 * room in all its scopes or in none before it starts, by what it is expected to use, and settles by what it used. Time
 * is handed in; nothing here waits.
 */
import type { NanoUsd } from '../usage/usage.ts';
import type { Expected, LimitReached, LimitReader, LimitScope } from './limits.ts';
import type { PeriodCounter, PeriodRow } from './period-counter.ts';
import type { Elsewhere, OwnUse } from './room.ts';
import { type Ask, isLonger, type LimitUsage, limitReached, type PeriodUsage, ScopeUsage } from './scope-usage.ts';
import { type Segment, SlidingWindow } from './sliding-window.ts';
import { type LimitCrossed, newlyCrossed } from './threshold.ts';

/** `priority: low` may use so much of concurrency and minute limits: it is shed first (C-4). */
export const LOW_PRIORITY_SHARE = 0.8;

/** Room taken by one call, to be settled once on every way out. */
export interface LimitLease {
  readonly parts: readonly LeasePart[];
  readonly expected: Expected;
  settled: boolean;
}

interface LeasePart {
  readonly scope: LimitScope;
  readonly usage: ScopeUsage;
  readonly segment: Segment | null;
}

/** A lease that must be settled once, or the limit in the way. */
export type LimitAdmission =
  | { readonly ok: true; readonly lease: LimitLease }
  | { readonly ok: false; readonly scope: LimitScope; readonly reached: LimitReached };

/** What a call has used; null = nobody knows, the expectation stands. */
export interface Actual {
  readonly tokens: number | null;
  readonly cost: NanoUsd | null;
}

/** Of one scope, this process alone. */
export interface OwnFigures extends Omit<OwnUse, 'slots' | 'idleRequests' | 'idleTokens'> {
  readonly inFlight: number;
  /** Requests of the day that others are known to have made. */
  readonly dayElsewhere: number;
}

/** What was counted so many ms ago. */
export interface Recent {
  readonly age: number;
  readonly requests: number;
  readonly tokens: number;
}

/** Scopes remembered before idle ones are forgotten: bounds memory over reloads and renamed keys. */
const SCOPES_BEFORE_SWEEP = 20_000;
const KINDS = ['credential', 'channel', 'key', 'workspace'] as const satisfies readonly LimitScope['kind'][];
const NOTHING_CROSSED: readonly LimitCrossed[] = [];

/**
 * Counts every scope’s use in memory and grants calls within its limits (P-4, G-11). Instants: monotonic and wall ms as
 * named.
 */
export class LimitBoard implements LimitReader {
  readonly #scopes: Record<LimitScope['kind'], Map<string, ScopeUsage>> = {
    credential: new Map(),
    channel: new Map(),
    key: new Map(),
    workspace: new Map(),
  };
  #changed: ScopeUsage[] = [];
  #count = 0;
  #sweepAt: number;

  constructor(scopesBeforeSweep: number = SCOPES_BEFORE_SWEEP) {
    this.#sweepAt = scopesBeforeSweep;
  }

  /** Scopes remembered right now. */
  get size(): number {
    return this.#count;
  }

  reached(scope: LimitScope, now: number, wall: number): LimitReached | null {
    const usage = this.#scopes[scope.kind].get(scope.id);
    if (usage === undefined) return null;
    usage.advance(now, wall);
    return limitReached(usage, scope.limits, { tokens: 0, share: 1, now, wall });
  }

  /**
   * Takes room in all scopes or in none. Refused: the scope and limit that stand in the way the longest. `share`: the part
   * of concurrency and minute limits this call may use, 1 = all (`LOW_PRIORITY_SHARE`).
   */
  admit(
    scopes: readonly LimitScope[],
    expected: Expected,
    now: number,
    wall: number,
    share: number = 1,
  ): LimitAdmission {
    const refused = this.refusal(scopes, expected, now, wall, share);
    if (refused !== null) return { ok: false, ...refused };
    const parts = scopes.map((scope) => this.#take(scope, expected, now, wall));
    return { ok: true, lease: { parts, expected, settled: false } };
  }

  /** What `admit` would refuse the call with; null = nothing. Takes nothing. */
  refusal(
    scopes: readonly LimitScope[],
    expected: Expected,
    now: number,
    wall: number,
    share: number = 1,
  ): { readonly scope: LimitScope; readonly reached: LimitReached } | null {
    const ask: Ask = { tokens: expected.certain ?? expected.tokens, share, now, wall };
    let refused: { scope: LimitScope; reached: LimitReached } | null = null;
    for (const scope of scopes) {
      const usage = this.#scopes[scope.kind].get(scope.id) ?? new ScopeUsage(scope.kind, scope.id);
      usage.advance(now, wall);
      const reached = limitReached(usage, scope.limits, ask);
      if (reached === null) continue;
      if (refused === null || isLonger(reached.availableAt, refused.reached.availableAt)) refused = { scope, reached };
    }
    return refused;
  }

  /**
   * The call is over: room for one more, and its expectation replaced by what it used. Idempotent. Returns the limits
   * that its use has crossed, each once per period.
   */
  settle(lease: LimitLease, actual: Actual, now: number, wall: number): readonly LimitCrossed[] {
    if (lease.settled) return NOTHING_CROSSED;
    lease.settled = true;
    const { expected } = lease;
    const tokens = actual.tokens ?? expected.tokens;
    const cost = actual.cost ?? expected.cost ?? 0n;
    let crossed = NOTHING_CROSSED;
    for (const { scope, usage, segment } of lease.parts) {
      usage.advance(now, wall);
      usage.inFlight -= 1;
      usage.heldTokens -= expected.tokens;
      usage.heldSpend -= expected.cost ?? 0n;
      if (segment !== null) usage.minute?.correct(segment, tokens - expected.tokens, now);
      this.#note(usage, 0, tokens, cost);
      const told = newlyCrossed(scope, usage);
      if (told.length > 0) crossed = [...crossed, ...told];
    }
    return crossed;
  }

  /** The scope's figures at this moment. */
  usage(scope: Pick<LimitScope, 'kind' | 'id'>, now: number, wall: number): LimitUsage {
    const usage = this.#scopes[scope.kind].get(scope.id) ?? new ScopeUsage(scope.kind, scope.id);
    usage.advance(now, wall);
    const { minute } = usage;
    const wallOf = (at: number | null | undefined): number | null => (at == null ? null : wall + (at - now));
    return {
      inFlight: usage.inFlight,
      heldTokens: usage.heldTokens,
      heldSpend: usage.heldSpend,
      minute: {
        requests: minute?.requests ?? 0,
        tokens: minute?.tokens ?? 0,
        requestsResetAt: wallOf(minute?.emptyAt('requests')),
        tokensResetAt: wallOf(minute?.emptyAt('tokens')),
      },
      day: periodUsage(usage.day),
      month: periodUsage(usage.month),
    };
  }

  /**
   * A scope of this name begins anew: another owner's use is none of the new one's business, nor its burden. What still
   * runs under the old one settles there and is counted no more.
   */
  forget({ kind, id }: Pick<LimitScope, 'kind' | 'id'>, now: number, wall: number): void {
    const known = this.#scopes[kind].get(id);
    if (known === undefined) return;
    this.#changed = this.#changed.filter((usage) => usage !== known);
    // As if it waited to be written: never noted again.
    known.changed = true;
    this.#count -= 1;
    const fresh = this.#remember({ kind, id });
    fresh.advance(now, wall);
    // Written down as empty, or the next start would find what was.
    this.#note(fresh, 0, 0, 0n);
  }

  /** Takes up the periods' counters where an earlier process left them. Called before the first request. */
  restore(rows: readonly PeriodRow[]): void {
    for (const row of rows) {
      const kind = KINDS.find((known) => known === row.kind);
      if (kind === undefined || (row.period !== 'day' && row.period !== 'month')) continue;
      const usage = this.#scopes[kind].get(row.id) ?? this.#remember({ kind, id: row.id });
      usage[row.period].restore(row);
    }
  }

  /** Calls that run in it. */
  inFlight({ kind, id }: Pick<LimitScope, 'kind' | 'id'>): number {
    return this.#scopes[kind].get(id)?.inFlight ?? 0;
  }

  /** What this process has of a scope, as other replicas are told it (H-4). */
  own(scope: Pick<LimitScope, 'kind' | 'id'>, now: number, wall: number): OwnFigures {
    const usage = this.#scopes[scope.kind].get(scope.id) ?? new ScopeUsage(scope.kind, scope.id);
    usage.advance(now, wall);
    const { inFlight, heldTokens, heldSpend, day, month } = usage;
    return { inFlight, heldTokens, heldSpend, day: day.own(), month: month.own(), dayElsewhere: day.requestsElsewhere };
  }

  /** What other replicas have of it (H-4): counts against the limits of its periods. */
  learn(scope: Pick<LimitScope, 'kind' | 'id'>, others: Elsewhere, now: number, wall: number): void {
    const usage = this.#usageOf(scope, now, wall);
    usage.advance(now, wall);
    usage.heldTokensElsewhere = others.heldTokens;
    usage.heldSpendElsewhere = others.heldSpend;
    usage.day.learn(others.day);
    usage.month.learn(others.month);
  }

  /** Of each scope and period, what this process has not counted itself since its start, as a store of several knows it. */
  foreign(rows: readonly PeriodRow[]): void {
    for (const row of rows) {
      const kind = KINDS.find((known) => known === row.kind);
      if (kind !== undefined) this.#scopes[kind].get(row.id)?.[row.period].learn(row);
    }
  }

  /** Requests and tokens of the last minute that were counted at `since` or later, by their age: ms. */
  recent(scope: Pick<LimitScope, 'kind' | 'id'>, since: number, now: number): readonly Recent[] {
    const minute = this.#scopes[scope.kind].get(scope.id)?.minute ?? null;
    minute?.advance(now);
    return minute === null ? [] : minute.since(since).map(({ at, ...amounts }) => ({ age: now - at, ...amounts }));
  }

  /** Counters that have changed since the last call, at what this process knows of by itself. */
  changed(): PeriodRow[] {
    const scopes = this.#changed;
    this.#changed = [];
    return scopes.flatMap((usage) => {
      usage.changed = false;
      return [rowOf(usage, usage.day), rowOf(usage, usage.month)];
    });
  }

  #take(scope: LimitScope, expected: Expected, now: number, wall: number): LeasePart {
    const usage = this.#usageOf(scope, now, wall);
    const { requestsPerMinute, tokensPerMinute } = scope.limits;
    usage.inFlight += 1;
    usage.heldTokens += expected.tokens;
    usage.heldSpend += expected.cost ?? 0n;
    this.#note(usage, 1, 0, 0n);
    if (requestsPerMinute === null && tokensPerMinute === null) return { scope, usage, segment: null };
    usage.minute ??= new SlidingWindow();
    return { scope, usage, segment: usage.minute.add(now, 1, expected.tokens) };
  }

  #note(usage: ScopeUsage, requests: number, tokens: number, cost: NanoUsd): void {
    usage.day.add(requests, tokens, cost);
    usage.month.add(requests, tokens, cost);
    if (usage.changed) return;
    usage.changed = true;
    this.#changed.push(usage);
  }

  #usageOf(scope: Pick<LimitScope, 'kind' | 'id'>, now: number, wall: number): ScopeUsage {
    const known = this.#scopes[scope.kind].get(scope.id);
    if (known !== undefined) return known;
    if (this.#count >= this.#sweepAt) this.#sweep(now, wall);
    const made = this.#remember(scope);
    made.advance(now, wall);
    return made;
  }

  #remember({ kind, id }: Pick<LimitScope, 'kind' | 'id'>): ScopeUsage {
    const made = new ScopeUsage(kind, id);
    this.#scopes[kind].set(id, made);
    this.#count += 1;
    return made;
  }

  /** Idle scopes go; what is left is in use, so the next look comes when as many again have joined. */
  #sweep(now: number, wall: number): void {
    for (const known of Object.values(this.#scopes)) {
      for (const [id, usage] of known) {
        if (usage.changed || !usage.isIdle(now, wall)) continue;
        known.delete(id);
        this.#count -= 1;
      }
    }
    this.#sweepAt = Math.max(this.#sweepAt, this.#count * 2);
  }
}

function periodUsage({ start, end, requests, tokens, spend }: PeriodCounter): PeriodUsage {
  return { start, end, requests, tokens, spend };
}

function rowOf({ kind, id }: ScopeUsage, counter: PeriodCounter): PeriodRow {
  const { period, told } = counter;
  return { kind, id, period, told, ...counter.kept() };
}
