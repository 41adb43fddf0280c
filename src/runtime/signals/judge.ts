/** From what all replicas saw to what is wrong, and what is told of it (O-4). */
import { type ActiveAlert, type AlertChange, afterLook, keyOf } from '../../core/signals/active-alerts.ts';
import { raisedWords, resolvedWords } from '../../core/signals/alert-words.ts';
import { evaluate, type Finding, type References, type SignalThresholds } from '../../core/signals/evaluate.ts';
import { sumTallies } from '../../core/signals/tallies.ts';
import { capOfSlowdown, nextSlowdowns, type Slowdown } from '../../core/signals/throttle.ts';
import type { Alerts } from '../../ports/alerts.ts';
import type { Condition, SignalVerdict, SignalWindow } from '../../ports/signals.ts';

/** `alerts` of the configuration. */
export interface SignalSettings extends SignalThresholds {
  readonly windowMs: number;
  readonly throttle: boolean;
}

export interface Judged {
  readonly verdict: SignalVerdict;
  readonly change: AlertChange;
}

/** A state is over once it has been well for so long: a circuit that flaps is one alert. */
const STATE_QUIET_MS = 60_000;
/** A verdict that nobody renewed says nothing about channels any more. */
const SLOWDOWNS_LAST_MS = 120_000;

/** @param windows of all replicas that told theirs of late */
export function judge(
  before: SignalVerdict,
  windows: readonly SignalWindow[],
  references: References,
  settings: SignalSettings,
  at: number,
): Judged {
  const window = sumTallies(windows.map(({ tallies }) => tallies));
  const recent = sumTallies(windows.map(({ recent: last }) => last));
  const slowdowns = settings.throttle ? nextSlowdowns(freshSlowdowns(before, at), window, recent, settings, at) : [];
  const findings = [...evaluate(window, references, settings), ...slowed(slowdowns), ...states(windows)];
  const change = afterLook(before.alerts, findings, at, (alert) => quietMs(alert, settings));
  return { verdict: { at, alerts: change.active, slowdowns }, change };
}

/** Those that still hold. */
export function freshSlowdowns(verdict: SignalVerdict, at: number): readonly Slowdown[] {
  return at - verdict.at > SLOWDOWNS_LAST_MS ? [] : verdict.slowdowns;
}

function slowed(slowdowns: readonly Slowdown[]): Finding[] {
  return slowdowns.map((slowdown) => ({
    name: 'channel_slowed',
    subject: slowdown.channel,
    value: capOfSlowdown(slowdown),
    threshold: slowdown.peak,
  }));
}

function states(windows: readonly SignalWindow[]): Finding[] {
  const found = windows.flatMap(({ conditions }) => conditions).map(findingOf);
  return [...new Map(found.map((finding) => [keyOf(finding), finding])).values()];
}

function findingOf({ kind, subject, workspace }: Condition): Finding {
  const finding = { name: kind, subject: subject === '' ? null : subject, value: null, threshold: null };
  return workspace === undefined ? finding : { ...finding, workspace };
}

/** Rates are over after two windows that raised nothing. */
function quietMs({ name, threshold }: ActiveAlert, { windowMs }: SignalSettings): number {
  if (name === 'channel_slowed') return 0;
  return threshold === null ? STATE_QUIET_MS : 2 * windowMs;
}

/** `at`: wall ms. */
export function tellChange(
  { raised, resolved }: Pick<AlertChange, 'raised' | 'resolved'>,
  alerts: Alerts,
  at: number,
): void {
  for (const alert of raised) tell(alert, 'raised', alerts, at);
  for (const alert of resolved) tell(alert, 'resolved', alerts, at);
}

function tell(alert: ActiveAlert, state: 'raised' | 'resolved', alerts: Alerts, at: number): void {
  const { name, subject, workspace = null, value, threshold, since } = alert;
  const message = state === 'raised' ? raisedWords(alert) : resolvedWords(alert);
  const signal = { state, subject, value, threshold, since };
  alerts.raise({ kind: `alert.${name}`, message, requestId: null, at, workspace, signal });
}
