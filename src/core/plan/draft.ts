/** One model of the chain while the plan is made: its candidates with how they stand, still without ranks. */
import type { Candidate, PlannedModel, PlannedTarget, SkipReason, Target } from '../failover/plan-types.ts';
import type { HealthKeys } from '../health/keys.ts';
import type { Standing } from '../health/standing.ts';
import type { LimitReached, LimitReader, LimitScope } from '../limits/limits.ts';
import type { ChainEntry } from '../request/chain.ts';
import type { NanoUsd } from '../usage/usage.ts';
import type { CallableChannel, CallableModel, CallableTarget } from './callable.ts';
import { firstInTurn } from './channel-order.ts';
import type { Turns } from './rotation.ts';
import { whySkipped } from './skipped-model.ts';

/** What the plan asks of the health board. */
export interface HealthReader {
  standing(keys: HealthKeys, now: number): Standing;
}

/** A candidate and, if it is to be tried, the planned target: one object, ranked last. */
export interface Row extends Candidate, PlannedTarget {
  rank: number;
  skip: Candidate['skip'];
  throughOpenCircuit: boolean;
  throughBackoff: boolean;
  worstCost?: NanoUsd | null;
}

/** A candidate that rests without a stated wait (P-4). */
export interface BackingOff {
  readonly row: Row;
  /** Monotonic ms. */
  readonly until: number;
  /** The channel's one call is out already. */
  readonly busy: boolean;
}

export interface Draft {
  readonly entry: ChainEntry;
  readonly callable: CallableModel;
  /** All candidates in order of preference, open circuits behind the others (P-5). */
  readonly rows: Row[];
  /** Those to be tried, in the same order; the same array while nothing is left out. */
  targets: Row[];
  /** How many of `targets` stand behind an open circuit. */
  open: number;
  readonly backingOff: BackingOff[];
}

export interface DraftContext {
  readonly now: number;
  readonly wall: number;
  readonly board: HealthReader;
  readonly limits: LimitReader | null;
  /** What the limits said of each credential: many channels share a few of them. */
  readonly credentials: (LimitReached | null)[];
  readonly rotation: Turns;
  /** How private the request is, as the level's number (G-2). */
  readonly privacy: number;
  /** A level beyond what the workspace's requests may have: nothing is called for it. */
  readonly tooPrivate: boolean;
  readonly worstCost: WorstCost | null;
}

/**
 * The worst case of one call of a target (D-4, G-4): null = its price is unknown and it is left out, undefined = nobody
 * asks what this one costs.
 */
export type WorstCost = (target: Target) => NanoUsd | null | undefined;

/** Candidates of one model in the order of `channels`, each asked how it stands. */
export function draftModel(
  entry: ChainEntry,
  callable: CallableModel,
  channels: readonly CallableChannel[],
  at: DraftContext,
): Draft {
  const rows: Row[] = [];
  const draft: Draft = { entry, callable, rows, targets: rows, open: 0, backingOff: [] };
  const behind: Row[] = [];
  const forbidden = callable.denied || at.tooPrivate;
  for (const channel of channels) {
    const bar = forbidden || channel.privacy < at.privacy ? 'guardrail' : null;
    if (bar === null) placeChannel(draft, behind, channel, at);
    else for (const group of channel.groups) for (const one of group) bench(draft, one, bar);
    for (const { callable: one, reason } of channel.barred) bench(draft, one, reason);
  }
  for (const row of behind) keep(draft, row);
  draft.open = behind.length;
  return draft;
}

/**
 * A model of which none is called and no turn comes: the default model of a chain that uses own credentials only (P-3),
 * a member of a virtual model that the key may not call (G-3).
 */
export function draftBarred(
  entry: ChainEntry,
  callable: CallableModel,
  why: 'byok_only' | 'model_not_allowed' = 'byok_only',
): Draft {
  const draft: Draft = { entry, callable, rows: [], targets: [], open: 0, backingOff: [] };
  for (const { groups, barred } of callable.channels) {
    for (const group of groups) for (const one of group) bench(draft, one, why);
    for (const { callable: one, reason } of barred) {
      bench(draft, one, reason === 'channel_not_enabled' ? reason : why);
    }
  }
  return draft;
}

/** Whether some target of the channel could be called right now, were its turn to come. */
export function isChannelReady(channel: CallableChannel, at: DraftContext): boolean {
  if (at.tooPrivate || channel.privacy < at.privacy || reachedOf(channel.limits, at) !== null) return false;
  return channel.groups.some((group) => group.some((callable) => isReady(callable, at)));
}

function isReady(callable: CallableTarget, at: DraftContext): boolean {
  const { state, probeInFlight } = at.board.standing(callable.keys, at.now);
  const isWell = state === 'ok' || (state === 'half_open' && !probeInFlight);
  return isWell && reachedByCredential(callable, at) === null && costOf(callable.target, at) !== null;
}

function costOf(target: Target, { worstCost }: DraftContext): ReturnType<WorstCost> {
  return worstCost === null ? undefined : worstCost(target);
}

function reachedOf(scope: LimitScope | null, { limits, now, wall }: DraftContext): LimitReached | null {
  return scope === null || limits === null ? null : limits.reached(scope, now, wall);
}

/** Asked once per plan. */
function reachedByCredential({ limits, target }: CallableTarget, at: DraftContext): LimitReached | null {
  if (limits === null || target.credential === null || at.limits === null) return null;
  let reached = at.credentials[target.credential];
  if (reached === undefined) {
    reached = at.limits.reached(limits, at.now, at.wall);
    at.credentials[target.credential] = reached;
  }
  return reached;
}

function placeChannel(draft: Draft, behind: Row[], channel: CallableChannel, at: DraftContext): void {
  const reached = reachedOf(channel.limits, at);
  const turn = channel.rotates ? at.rotation.ofChannel(channel.channel) : 0;
  for (const group of channel.groups) {
    const first = group.length === 1 ? 0 : firstInTurn(group, turn, (one) => isReady(one, at));
    for (let i = 0; i < group.length; i++) {
      place(draft, behind, group[(first + i) % group.length]!, reached, at);
    }
  }
}

/** `held`: the channel's own limit, where it is reached. */
function place(draft: Draft, behind: Row[], callable: CallableTarget, held: LimitReached | null, at: DraftContext) {
  const row = rowOf(callable);
  const cost = costOf(callable.target, at);
  if (cost === null) {
    leaveOut(draft, row, 'price_unknown', null);
    return;
  }
  if (cost !== undefined) row.worstCost = cost;
  const standing = at.board.standing(callable.keys, at.now);
  if (standing.state === 'drained') {
    leaveOut(draft, row, standing.reason!, null);
    return;
  }
  const reached = later(held, reachedByCredential(callable, at));
  if (reached !== null) {
    leaveOut(draft, row, 'limit', returnFrom(reached, standing, at));
    return;
  }
  switch (standing.state) {
    case 'ok':
      break;
    case 'half_open':
      // The probe's chance: it keeps its place. While one is out, others go elsewhere first.
      if (!standing.probeInFlight) break;
      row.throughOpenCircuit = true;
      behind.push(row);
      return;
    case 'open':
      row.throughOpenCircuit = true;
      behind.push(row);
      return;
    case 'cooling':
      rest(draft, row, standing, at);
      return;
  }
  keep(draft, row);
}

function rowOf({ target, contextWindow, ownAddress }: CallableTarget): Row {
  const row = { rank: 0, target, skip: null, contextWindow, throughOpenCircuit: false, throughBackoff: false };
  return ownAddress ? { ...row, ownAddress } : row;
}

function keep({ rows, targets }: Draft, row: Row): void {
  rows.push(row);
  if (targets !== rows) targets.push(row);
}

function bench(draft: Draft, callable: CallableTarget, reason: SkipReason): void {
  leaveOut(draft, rowOf(callable), reason, null);
}

function leaveOut(draft: Draft, row: Row, reason: SkipReason, availableAt: number | null): void {
  row.skip = { reason, availableAt };
  if (draft.targets === draft.rows) draft.targets = draft.rows.slice();
  draft.rows.push(row);
}

function rest(draft: Draft, row: Row, { reason, until, backoffCallInFlight }: Standing, at: DraftContext): void {
  leaveOut(draft, row, reason!, until === null ? null : wallOf(until, at));
  if (reason === 'cooling_backoff' && until !== null) {
    draft.backingOff.push({ row, until, busy: backoffCallInFlight });
  }
}

function wallOf(monotonic: number, { wall, now }: DraftContext): number {
  return Math.ceil(wall + monotonic - now);
}

/** Of two limits the one that stands in the way for longer; one that nobody knows the end of for longest. */
function later(a: LimitReached | null, b: LimitReached | null): LimitReached | null {
  if (a === null || b === null) return a ?? b;
  if (a.availableAt === null || b.availableAt === null) return a.availableAt === null ? a : b;
  return a.availableAt >= b.availableAt ? a : b;
}

/** A target that cools down as well is back when both are over. */
function returnFrom({ availableAt }: LimitReached, { state, until }: Standing, at: DraftContext): number | null {
  if (availableAt === null) return null;
  const back = Math.ceil(availableAt);
  return state === 'cooling' && until !== null ? Math.max(back, wallOf(until, at)) : back;
}

/** The model as planned, once its rows have ranks. */
export function plannedModel({ entry, callable, rows, targets }: Draft): PlannedModel {
  let contextWindow: number | null = null;
  for (const { contextWindow: window } of targets) {
    if (window !== null && (contextWindow === null || window > contextWindow)) contextWindow = window;
  }
  return {
    model: entry.model,
    name: entry.name,
    targets,
    timeoutMs: entry.timeoutMs,
    firstTokenTimeoutMs: entry.firstTokenTimeoutMs,
    reasons: callable.reasons,
    contextWindow,
    skipped: targets.length > 0 ? null : whySkipped(rows),
    origin: entry.origin,
  };
}
