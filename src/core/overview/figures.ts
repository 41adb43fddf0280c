/** What is counted of finished requests for the overview: sums of one stretch of time that add up over time and replicas. Pure. */
import { OUTCOMES } from '../outcome.ts';
import type { AttemptRecord, Outcome, RecordDraft } from '../record.ts';
import { isRepeat } from '../signals/tallies.ts';
import { addToBucket, type Buckets, bucketOf } from './latency-buckets.ts';

/** Requests for one model that another one answered. Instants are wall ms. */
export interface Covering {
  readonly requested: string;
  readonly served: string;
  requests: number;
  firstAt: number;
  lastAt: number;
  lastId: string;
  /** Requests by the class that a call of theirs failed with; each class once per request. */
  readonly classes: Map<string, number>;
  /** Where no call failed: requests by the reason for which targets of the requested model were left out. */
  readonly skipped: Map<string, number>;
}

/** Attempts that failed alike. */
export interface Failing {
  readonly model: string;
  readonly channel: string;
  readonly credential: string | null;
  readonly class: string;
  attempts: number;
  lastAt: number;
  lastId: string;
  /** Of the last one that came with words, masked and cut. */
  message: string | null;
}

/** Sums over the requests that began in one stretch of time. */
export interface Figures {
  requests: number;
  readonly outcomes: Record<Outcome, number>;
  /** Requests with an attempt that repeated a failed one at its own target. */
  retried: number;
  /** Answered by another model than the one that was asked for. */
  fallback: number;
  degraded: number;
  interrupted: number;
  upstreamCalls: number;
  costNanoUsd: number;
  wasteNanoUsd: number;
  /** Whole times of served requests: of those the requested model served, and of those another one did. */
  readonly primary: Buckets;
  readonly other: Buckets;
  readonly covering: Map<string, Covering>;
  readonly failing: Map<string, Failing>;
}

/** Pairs and kinds of failure kept per stretch of time: a client that invents model names must not fill memory and store. */
export const KEPT = 40;
/** Longest message kept: the whole one stands in the request's trace. */
const MESSAGE_CHARS = 200;
/** Longest name kept, as the log cuts it: what a client wrote where a model's name belongs may be megabytes. */
const NAME_CHARS = 256;

/** With nothing counted. */
export function noFigures(): Figures {
  return {
    requests: 0,
    outcomes: Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>,
    retried: 0,
    fallback: 0,
    degraded: 0,
    interrupted: 0,
    upstreamCalls: 0,
    costNanoUsd: 0,
    wasteNanoUsd: 0,
    primary: [],
    other: [],
    covering: new Map(),
    failing: new Map(),
  };
}

/** Names a skip reason by its index in a candidate's codes. */
export type ReasonName = (index: number) => string;

/** What one finished request adds to every sum it belongs to. */
export interface Seen {
  readonly draft: RecordDraft;
  /** Wall ms at which it began. */
  readonly at: number;
  readonly isRehearsed: boolean;
  readonly isRetried: boolean;
  readonly isCovered: boolean;
  readonly hasFailures: boolean;
  /** Of its whole time; null = it was not served. */
  readonly bucket: number | null;
  readonly reasonName: ReasonName;
}

/**
 * Looks at a request once, for all sums it belongs to. One that failed on purpose is a request with its outcome and nothing
 * else: what a rehearsal shows is no trouble.
 */
export function seenOf(draft: RecordDraft, at: number, reasonName: ReasonName): Seen {
  const { attempts, served_model: served, requested_model: requested } = draft;
  let [isRehearsed, isRetried, hasFailures] = [false, false, false];
  for (const [index, attempt] of attempts.entries()) {
    if (attempt.rehearsed === true) isRehearsed = true;
    if (attempt.class !== null) hasFailures = true;
    if (index > 0 && isRepeat(attempts, index)) isRetried = true;
  }
  const isCovered = served !== null && requested !== null && served !== requested;
  const isTimed = served !== null && attempts.length > 0 && draft.ending === 'served';
  const bucket = isTimed ? bucketOf(draft.latency_ms) : null;
  return { draft, at, isRehearsed, isRetried, isCovered, hasFailures, bucket, reasonName };
}

/** Counts one finished request. */
export function countSeen(figures: Figures, seen: Seen): void {
  const { draft } = seen;
  figures.requests += 1;
  figures.outcomes[draft.outcome] += 1;
  figures.upstreamCalls += draft.upstream_calls;
  figures.costNanoUsd += draft.cost_nano_usd ?? 0;
  figures.wasteNanoUsd += draft.waste_nano_usd ?? 0;
  if (seen.isRehearsed) return;
  if (draft.degraded) figures.degraded += 1;
  if (draft.ending === 'interrupted') figures.interrupted += 1;
  if (seen.isRetried) figures.retried += 1;
  if (seen.bucket !== null) addToBucket(seen.isCovered ? figures.other : figures.primary, seen.bucket);
  if (seen.isCovered) {
    figures.fallback += 1;
    cover(figures, seen);
  }
  if (!seen.hasFailures) return;
  for (const attempt of draft.attempts) if (attempt.class !== null) fail(figures, seen, attempt, attempt.class);
}

function cover(figures: Figures, { draft, at, reasonName }: Seen): void {
  const { requested_model: requested, served_model: served } = draft;
  const covering = coveringIn(figures, cut(requested ?? '', NAME_CHARS), served ?? '', at);
  if (covering === null) return;
  covering.requests += 1;
  covering.firstAt = Math.min(covering.firstAt, at);
  if (at >= covering.lastAt) {
    covering.lastAt = at;
    covering.lastId = draft.id;
  }
  const classes = new Set(draft.attempts.flatMap((attempt) => (attempt.class === null ? [] : [attempt.class])));
  for (const name of classes) addTo(covering.classes, name, 1);
  if (classes.size > 0) return;
  for (const name of skippedFirst(draft, reasonName)) addTo(covering.skipped, name, 1);
}

/** The reasons for which targets of the model that ranked first were left out. */
function skippedFirst({ candidates }: RecordDraft, reasonName: ReasonName): ReadonlySet<string> {
  const first = candidates[0]?.[1];
  return new Set(
    candidates.flatMap(([, model, , , , reason]) => (model === first && reason >= 0 ? [reasonName(reason)] : [])),
  );
}

function fail(figures: Figures, { draft: { id }, at }: Seen, attempt: AttemptRecord, failure: string): void {
  const { model, channel, credential, provider_message: message } = attempt;
  const failing = failingIn(figures, { model, channel, credential, class: failure }, at);
  if (failing === null) return;
  failing.attempts += 1;
  if (at < failing.lastAt) return;
  failing.lastAt = at;
  failing.lastId = id;
  if (message !== null) failing.message = cut(message, MESSAGE_CHARS);
}

function cut(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars)}…`;
}

/** Adds one to, or makes, what is counted under a name. */
export function addTo(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}

/** That of the two models, made where there is none; null where `kept` are there already. `at`: of the first request. */
export function coveringIn(
  { covering }: Pick<Figures, 'covering'>,
  requested: string,
  served: string,
  at: number,
  kept = KEPT,
): Covering | null {
  const name = JSON.stringify([requested, served]);
  const known = covering.get(name);
  if (known !== undefined || covering.size >= kept) return known ?? null;
  const [classes, skipped] = [new Map<string, number>(), new Map<string, number>()];
  const made = { requested, served, requests: 0, firstAt: at, lastAt: at, lastId: '', classes, skipped };
  covering.set(name, made);
  return made;
}

/** That of the target and class, made where there is none; null where `kept` are there already. */
export function failingIn(
  { failing }: Pick<Figures, 'failing'>,
  of: Pick<Failing, 'model' | 'channel' | 'credential' | 'class'>,
  at: number,
  kept = KEPT,
): Failing | null {
  const { model, channel, credential } = of;
  const name = JSON.stringify([model, channel, credential, of.class]);
  const known = failing.get(name);
  if (known !== undefined || failing.size >= kept) return known ?? null;
  const made = { model, channel, credential, class: of.class, attempts: 0, lastAt: at, lastId: '', message: null };
  failing.set(name, made);
  return made;
}
