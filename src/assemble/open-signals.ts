/** What is made of finished requests: metrics of operations, alerts, the throttle, traces (O-3, O-4). */
import type { ProcessLog } from '../adapters/log/process-log.ts';
import type { Metrics } from '../adapters/metrics/metrics.ts';
import { readOtlpSettings } from '../adapters/otlp/settings.ts';
import { SpanExporter } from '../adapters/otlp/span-exporter.ts';
import type { Environment } from '../config/load.ts';
import type { ProviderEntry, Snapshot } from '../config/snapshot.ts';
import type { HealthBoard } from '../core/health/board.ts';
import type { Measurements } from '../core/plan/measurements.ts';
import type { RecordDraft } from '../core/record.ts';
import type { ActiveAlert } from '../core/signals/active-alerts.ts';
import { primaryOf } from '../core/signals/primary.ts';
import type { Alerts } from '../ports/alerts.ts';
import type { Clock } from '../ports/clock.ts';
import type { RequestWatcher } from '../ports/request-watcher.ts';
import type { ChannelCaps } from '../ports/signals.ts';
import type { Store } from '../ports/store.ts';
import type { Transport } from '../ports/transport.ts';
import type { Accounts } from '../runtime/accounts.ts';
import { conditionsOf } from '../runtime/signals/conditions.ts';
import { SignalWatch } from '../runtime/signals/signal-watch.ts';
import type { Closers } from './closers.ts';
import type { Tell } from './tell.ts';

export interface SignalParts {
  readonly store: Pick<Store, 'signals' | 'duties' | 'clock' | 'holder' | 'problem'>;
  /** What replicas share without a promise; null = nothing is configured. */
  readonly shared: { readonly up: boolean } | null;
  readonly env: Environment;
  readonly snapshot: () => Snapshot;
  readonly board: HealthBoard;
  readonly measurements: Measurements;
  readonly accounts: Pick<Accounts, 'available'>;
  readonly alerts: Alerts;
  readonly metrics: Pick<Metrics, 'operations'>;
  /** As it is: no credentials, no guard. */
  readonly transport: Transport;
  readonly clock: Clock;
  readonly log: ProcessLog;
  readonly tell: Tell;
}

export interface Signals {
  readonly watchers: readonly RequestWatcher[];
  readonly caps: ChannelCaps;
  /** Built-in alerts that are on, of all replicas. */
  active(): readonly ActiveAlert[];
}

export function openSignals(parts: SignalParts, closers: Closers): Signals {
  const watch = watchOver(parts);
  const tracer = openTracer(parts);
  watch.start();
  closers.add(() => watch.close());
  if (tracer !== null) closers.add(() => tracer.close());
  const { store, shared } = parts;
  parts.metrics.operations.show({
    storeUp: () => store.problem === null,
    ...(shared === null ? {} : { sharedUp: () => shared.up }),
    replicas: () => store.holder.peers,
    activeAlerts: () => watch.verdict.alerts.map(({ name }) => name),
    slowedChannels: () => [...watch.caps].map(([channel, cap]) => ({ channel, cap })),
    ...(tracer === null ? {} : { tracesDropped: () => tracer.dropped }),
  });
  return {
    watchers: tracer === null ? [watch] : [watch, tracer],
    caps: watch,
    active: () => watch.verdict.alerts,
  };
}

function watchOver({ store, shared, snapshot, board, measurements, accounts, alerts, clock, log }: SignalParts) {
  return new SignalWatch({
    store: store.signals,
    duties: store.duties,
    clock: store.clock,
    alerts,
    settings: () => snapshot().alerts,
    primaryOf: (draft: RecordDraft) => primaryOf(draft, snapshot()),
    peaks: () => measurements.takePeaks(),
    conditions: () =>
      conditionsOf({
        targets: board.list(clock.now(), clock.wall()),
        circuits: board.circuits(clock.now()),
        ownerOf: (name) => snapshot().credentials.find((one) => one.name === name)?.workspace ?? null,
        empty: [...snapshot().workspaces.keys()].filter((name) => (accounts.available(name) ?? 1n) <= 0n),
        isStoreAway: store.problem !== null,
        isSharedAway: shared !== null && !shared.up,
      }),
    reportBug: (error) => log.bug(error, 'signals'),
  });
}

/** Null = no traces are wanted. */
function openTracer({ env, snapshot, transport, clock, log, tell }: SignalParts): SpanExporter | null {
  const settings = readOtlpSettings(env);
  if ('note' in settings) {
    if (settings.note !== null) log.warn(settings.note);
    return null;
  }
  for (const note of settings.notes) log.warn(note);
  return new SpanExporter({
    settings,
    transport,
    clock,
    sources: {
      provider: (name) => providersOf(snapshot()).get(name) ?? null,
      primaryOf: (draft) => primaryOf(draft, snapshot()),
    },
    onProblem: tell('traces.not_sent'),
  });
}

const providers = new WeakMap<Snapshot, ReadonlyMap<string, ProviderEntry>>();

/** By name, gathered once per snapshot. */
function providersOf(snapshot: Snapshot): ReadonlyMap<string, ProviderEntry> {
  const known = providers.get(snapshot);
  if (known !== undefined) return known;
  const made = new Map(snapshot.channels.map(({ provider }) => [provider.name, provider]));
  providers.set(snapshot, made);
  return made;
}
