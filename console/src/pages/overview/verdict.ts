/** What is wrong now, what covers for it, and whether anything is lost: the overview in one value. Pure. */
import { type Covering, type Failing, lostOf, type Overview } from './shape.ts';

/** `quiet`: no traffic. `well`: nothing to say. `mended`: failures that hurt nobody. `covered`: others answer. `losing`: requests fail. */
export type Verdict =
  | { readonly kind: 'quiet' }
  | { readonly kind: 'well' }
  | { readonly kind: 'mended'; readonly failed: number; readonly troubles: readonly Trouble[] }
  | { readonly kind: 'covered'; readonly troubles: readonly Trouble[] }
  | { readonly kind: 'losing'; readonly lost: number; readonly troubles: readonly Trouble[] };

/** One model in trouble. */
export interface Trouble {
  readonly model: string;
  /** Why, the most frequent first: classes of failures, else reasons for which it was left out. */
  readonly why: readonly { readonly kind: 'class' | 'skip'; readonly code: string }[];
  /** It was seen within the last minutes; else last at `lastAt`. */
  readonly isOn: boolean;
  readonly lastAt: string;
  /** Who answers in its place; empty = its own other channels and credentials, or nobody. */
  readonly by: readonly string[];
  readonly lastRequestId: string;
  /** The provider's own words. */
  readonly message: string | null;
}

/** What failed last longer ago than this is told in the past tense: it may be well again. */
const ON_MS = 5 * 60_000;
/** Below this share of failed calls, with nothing lost and nobody covering, it is the weather. */
const WEATHER = 0.01;
/** More reasons than these make no sentence. */
const MOST_REASONS = 2;

/** Faults of the request, not of the target: no reason to wake anybody. */
const OF_THE_REQUEST = new Set([
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

/** Whether a class of failure says that the request was at fault. */
export const isOfTheRequest = (failure: string): boolean => OF_THE_REQUEST.has(failure);

export function verdictOf({ totals, covering, failing, to }: Overview): Verdict {
  if (totals.requests === 0) return { kind: 'quiet' };
  const faults = failing.filter((one) => !isOfTheRequest(one.class));
  const troubles = troublesOf(covering, faults, Date.parse(to));
  const lost = lostOf(totals);
  if (lost > 0) return { kind: 'losing', lost, troubles };
  if (troubles.length === 0) return { kind: 'well' };
  const failed = faults.reduce((sum, { attempts }) => sum + attempts, 0);
  if (covering.length === 0 && failed <= totals.upstream_calls * WEATHER) return { kind: 'mended', failed, troubles };
  return { kind: 'covered', troubles };
}

/** The models that fail or are stood in for: those that nobody covers first, then by how often. */
function troublesOf(covering: readonly Covering[], faults: readonly Failing[], now: number): Trouble[] {
  const sums = new Map<string, number>();
  const add = (model: string, count: number) => sums.set(model, (sums.get(model) ?? 0) + count);
  for (const { model, attempts } of faults) add(model, attempts);
  for (const { requested_model: model, requests } of covering) add(model, requests);
  return [...sums]
    .sort(([, a], [, b]) => b - a)
    .map(([model]) =>
      troubleOf(
        model,
        covering.filter((one) => one.requested_model === model),
        faults.filter((one) => one.model === model),
        now,
      ),
    )
    .sort((a, b) => Number(b.isOn) - Number(a.isOn));
}

function troubleOf(model: string, covered: readonly Covering[], failed: readonly Failing[], now: number): Trouble {
  const latest = [...failed, ...covered].reduce((a, b) => (Date.parse(b.last_at) > Date.parse(a.last_at) ? b : a));
  return {
    model,
    why: whyOf(failed, covered),
    isOn: now - Date.parse(latest.last_at) < ON_MS,
    lastAt: latest.last_at,
    by: [...new Set(covered.map(({ served_model: served }) => served))],
    lastRequestId: latest.last_request_id,
    message: failed.find(({ provider_message: message }) => message !== null)?.provider_message ?? null,
  };
}

function whyOf(failed: readonly Failing[], covered: readonly Covering[]): Trouble['why'] {
  const classes = new Map<string, number>();
  for (const one of failed) classes.set(one.class, (classes.get(one.class) ?? 0) + one.attempts);
  if (classes.size > 0) return mostOf(classes).map((code) => ({ kind: 'class' as const, code }));
  const reasons = { class: new Map<string, number>(), skip: new Map<string, number>() };
  for (const { classes: failures, skipped } of covered) {
    for (const [code, count] of Object.entries(failures))
      reasons.class.set(code, (reasons.class.get(code) ?? 0) + count);
    for (const [code, count] of Object.entries(skipped)) reasons.skip.set(code, (reasons.skip.get(code) ?? 0) + count);
  }
  if (reasons.class.size > 0) return mostOf(reasons.class).map((code) => ({ kind: 'class' as const, code }));
  return mostOf(reasons.skip).map((code) => ({ kind: 'skip' as const, code }));
}

/** The most frequent codes, first. */
export function mostOf(counts: ReadonlyMap<string, number>, limit = MOST_REASONS): string[] {
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, limit)
    .map(([code]) => code);
}
