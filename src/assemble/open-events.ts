/** Events, webhooks and retention of one process (G-7, O-1). */
import type { ProcessLog } from '../adapters/log/process-log.ts';
import { newId } from '../adapters/system-clock.ts';
import { EventQueue } from '../adapters/webhooks/event-queue.ts';
import { webhookSender } from '../adapters/webhooks/webhook-sender.ts';
import type { Snapshot } from '../config/snapshot.ts';
import { messageOf } from '../core/signals/delivery-plan.ts';
import type { AuditEntry } from '../ports/audit.ts';
import type { Clock, Random } from '../ports/clock.ts';
import type { Events, WebhookSender } from '../ports/events.ts';
import type { OperationMetrics } from '../ports/metrics.ts';
import type { RetainingRecordStore } from '../ports/record-store.ts';
import type { RequestWatcher } from '../ports/request-watcher.ts';
import type { Store } from '../ports/store.ts';
import type { Transport } from '../ports/transport.ts';
import { alertEvents, type ToldAlerts } from '../runtime/events/alert-events.ts';
import { Dispatcher } from '../runtime/events/dispatch.ts';
import { RequestEvents } from '../runtime/events/request-events.ts';
import { Retention } from '../runtime/retention.ts';
import type { WebhookDesk } from '../server/admin/admin-deps.ts';
import type { Closers } from './closers.ts';
import type { Configuration } from './configuration.ts';
import { HooksInForce } from './hooks-in-force.ts';
import type { Tell } from './tell.ts';

export interface EventParts {
  readonly store: Store;
  readonly records: RetainingRecordStore;
  readonly configuration: Configuration;
  readonly alerts: ToldAlerts;
  readonly metrics: { readonly operations: OperationMetrics };
  /** As it is: no credentials, no guard. */
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: ProcessLog;
  readonly tell: Tell;
  readonly mask: (text: string) => string;
}

export interface OpenEvents {
  readonly events: Events;
  readonly watchers: readonly RequestWatcher[];
  readonly webhooks: WebhookDesk;
}

/** Takes up what earlier processes left to tell. */
export function openEvents(parts: EventParts, closers: Closers): OpenEvents {
  const { store, alerts, log, mask } = parts;
  const hooks = new HooksInForce(parts.configuration);
  // Signed with the time that replicas agree on.
  const sender = webhookSender({ transport: parts.transport, clock: store.clock });
  const onBug = (error: unknown): void => log.bug(error, 'webhooks');
  const queue: EventQueue = new EventQueue({
    outbox: store.outbox,
    clock: store.clock,
    newId,
    hooks: () => hooks.inForce(),
    onPut: () => dispatcher.wake(),
    onDropped: (count) => parts.metrics.operations.eventsDropped(count),
    onBug,
  });
  const dispatcher = dispatcherOf(parts, hooks, sender);
  const written = {
    emit: (event: Parameters<Events['emit']>[0]) => queue.emit(event),
    audit: insisting(store, parts.tell('audit.lost')),
  };
  alerts.tellAlso(alertEvents({ ...written, mask, workspaceOf: (key) => workspaceOfKey(hooks.snapshot(), key) }));
  const isByok = (name: string): boolean =>
    hooks.snapshot().credentials.find((one) => one.name === name)?.kind === 'byok';
  const retention = retentionOf(parts);
  closers.add(() => dispatcher.close());
  closers.add(() => queue.close());
  closers.add(() => retention.close());
  dispatcher.start();
  retention.start();
  return {
    events: queue,
    watchers: [new RequestEvents({ ...written, clock: store.clock, isByok })],
    webhooks: deskOf(parts, sender, dispatcher),
  };
}

/** Entries that find no room are told: the store has been away for long. */
function insisting({ audit }: Store, tell: ReturnType<Tell>): (entry: AuditEntry) => void {
  let known = 0;
  return (entry) => {
    audit.append(entry);
    if (audit.dropped === known) return;
    known = audit.dropped;
    tell('entries of the audit log found no room and are lost: the store has not taken any for long');
  };
}

function dispatcherOf(parts: EventParts, hooks: HooksInForce, sender: WebhookSender): Dispatcher {
  const { store, random, mask, metrics, log, alerts } = parts;
  return new Dispatcher({
    outbox: store.outbox,
    sender,
    tell: (what) => alerts.raise({ ...what, requestId: null, at: store.clock.wall() }),
    clock: store.clock,
    random,
    hook: (name) => hooks.find(name),
    hasHooks: () => hooks.snapshot().webhooks.size > 0,
    rules: () => hooks.snapshot().network,
    mask,
    onTried: (how) => metrics.operations.delivery(how),
    switchOff: (hook) => hooks.switchOff(hook),
    onBug: (error) => log.bug(error, 'webhooks'),
  });
}

function deskOf(
  { store, configuration, mask }: EventParts,
  sender: WebhookSender,
  dispatcher: Dispatcher,
): WebhookDesk {
  const { outbox, clock } = store;
  return {
    deliveries: (filter) => outbox.deliveries(filter),
    delivery: (id) => outbox.delivery(id),
    async replay(id) {
      const done = await outbox.replay(id, clock.wall());
      dispatcher.wake();
      return done;
    },
    removed: (name) =>
      outbox.giveUp(name, 'the webhook was removed', clock.wall()).then(
        () => undefined,
        // It is given up when its turn comes.
        () => undefined,
      ),
    async test(hook) {
      const id = newId('msg_');
      const { name, url, secrets, workspace, ofFile } = hook;
      const event = { id: newId('evt_'), type: 'webhook.test', at: clock.wall(), workspace, requestId: null };
      const told = await sender.send({
        url,
        secrets: secrets.map((secret) => secret.reveal()),
        id,
        body: JSON.stringify(messageOf([{ ...event, data: { webhook: name } }])),
        guard: ofFile ? null : configuration.snapshot().network,
      });
      return { ...told, answer: told.answer === null ? null : mask(told.answer), id };
    },
  };
}

function workspaceOfKey({ keys }: Snapshot, name: string): string | null {
  for (const key of keys.values()) if (key.name === name) return key.workspace;
  return null;
}

function retentionOf({ store, records, configuration, metrics, tell }: EventParts): Retention {
  const keep = () => configuration.snapshot().retention;
  const { audit, outbox, signals, sessions, duties, clock } = store;
  const NEVER = 0;
  return new Retention({
    kept: [
      { what: 'requests', keepMs: () => keep().requestsMs, prune: (before) => records.prune(before) },
      {
        what: 'deliveries',
        keepMs: () => keep().deliveriesMs,
        prune: async (before) => (await outbox.prune({ deliveries: before, events: NEVER })).deliveries,
      },
      {
        what: 'events',
        keepMs: () => keep().eventsMs,
        prune: async (before) => (await outbox.prune({ deliveries: NEVER, events: before })).events,
      },
      { what: 'signals', keepMs: () => keep().signalsMs, prune: (before) => signals.prune(before) },
      { what: 'audit', keepMs: () => keep().auditMs, prune: (before) => audit.prune(before) },
      // Each carries its own end.
      { what: 'sessions', keepMs: () => 0, prune: (wall) => sessions.prune(wall) },
    ],
    clock,
    isMine: () => duties.hold('retention'),
    onDeleted: (what, count) => metrics.operations.retentionDeleted(what, count),
    onFailing: (what, why) => tell('retention.failed')(`old ${what} could not be deleted for a day: ${why}`),
  });
}
