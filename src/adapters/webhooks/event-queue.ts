/** Events on their way to the outbox (G-7): those that some hook wants, gathered, bounded. Nobody waits for them. */
import type { WebhookEntry } from '../../config/snapshot.ts';
import { modelMatcher } from '../../core/request/allowed-models.ts';
import { GATHER_MS, MOST_EVENTS } from '../../core/signals/delivery-plan.ts';
import { concerns, type Subscription } from '../../core/signals/event.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EventOutbox, Events, GatewayEvent, NewDelivery, NewEvent } from '../../ports/events.ts';
import { GATHERED_MS, InsistentQueue } from '../insistent-queue.ts';

export interface EventQueueParts {
  readonly outbox: Pick<EventOutbox, 'put'>;
  readonly clock: Clock;
  readonly newId: (prefix: 'evt_' | 'msg_') => string;
  /** Those in force. */
  readonly hooks: () => Iterable<WebhookEntry>;
  /** Something is in the outbox that was not there before. */
  readonly onPut: () => void;
  /** The queue had no room. */
  readonly onDropped: (count: number) => void;
  readonly onBug: (error: unknown) => void;
}

/** Who is told. */
type Addressee = Pick<WebhookEntry, 'name' | 'workspace'>;

interface Queued {
  readonly event: GatewayEvent;
  readonly hooks: readonly Addressee[];
}

const LIMIT = 10_000;

export class EventQueue implements Events {
  readonly #parts: EventQueueParts;
  readonly #queue: InsistentQueue<Queued>;
  readonly #subscriptions = new WeakMap<WebhookEntry, Subscription>();
  /** Since the last `events.lost`. */
  #lost = 0;

  constructor(parts: EventQueueParts) {
    this.#parts = parts;
    this.#queue = new InsistentQueue({
      clock: parts.clock,
      limit: LIMIT,
      batch: MOST_EVENTS,
      write: (items) => this.#put(items),
      onRoom: () => this.#tellLost(),
      onBug: parts.onBug,
    });
  }

  emit(event: NewEvent): boolean {
    const hooks = this.#wanting(event);
    if (hooks.length === 0) return true;
    if (this.#queue.push({ event: { id: this.#parts.newId('evt_'), ...event }, hooks })) return true;
    this.#lost += 1;
    this.#parts.onDropped(1);
    return false;
  }

  /** Writes what waits. Never rejects. */
  close(): Promise<void> {
    return this.#queue.close();
  }

  #wanting(event: NewEvent): readonly Addressee[] {
    const wanting: Addressee[] = [];
    for (const hook of this.#parts.hooks()) {
      if (concerns(this.#subscriptionOf(hook), event) && !isAbout(event, hook)) wanting.push(hook);
    }
    return wanting;
  }

  #subscriptionOf(hook: WebhookEntry): Subscription {
    const known = this.#subscriptions.get(hook);
    if (known !== undefined) return known;
    const made = { workspace: hook.workspace, wants: modelMatcher(hook.events) };
    this.#subscriptions.set(hook, made);
    return made;
  }

  async #put(items: readonly Queued[]): Promise<void> {
    const at = this.#parts.clock.wall();
    // Those of the next turns may still go along.
    const dueAt = at + GATHER_MS - GATHERED_MS;
    const deliveries = [...byHook(items)].map(([, { hook, eventIds }]): NewDelivery => {
      const { name, workspace } = hook;
      return { id: this.#parts.newId('msg_'), hook: name, workspace, eventIds, at, dueAt };
    });
    await this.#parts.outbox.put(
      items.map(({ event }) => event),
      deliveries,
    );
    this.#parts.onPut();
  }

  /** There is room again: one event for all that found none. */
  #tellLost(): void {
    const count = this.#lost;
    if (count === 0) return;
    this.#lost = 0;
    const at = this.#parts.clock.wall();
    this.emit({ type: 'events.lost', at, workspace: null, requestId: null, data: { count } });
  }
}

/** A hook's own troubles are told to others. */
function isAbout(event: NewEvent, hook: WebhookEntry): boolean {
  return event.type.startsWith('webhook.') && event.data['webhook'] === hook.name;
}

function byHook(items: readonly Queued[]): Map<string, { readonly hook: Addressee; readonly eventIds: string[] }> {
  const all = new Map<string, { readonly hook: Addressee; readonly eventIds: string[] }>();
  for (const { event, hooks } of items) {
    for (const hook of hooks) {
      const name = `${hook.workspace ?? ''} ${hook.name}`;
      const known = all.get(name) ?? { hook, eventIds: [] };
      all.set(name, known);
      known.eventIds.push(event.id);
    }
  }
  return all;
}
