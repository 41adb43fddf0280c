/** Events on their way to the outbox (G-7): those that some hook wants, gathered, bounded. Nobody waits for them. */
import type { WebhookEntry } from '../../config/snapshot.ts';
import { modelMatcher } from '../../core/request/allowed-models.ts';
import { GATHER_MS, MOST_EVENTS } from '../../core/signals/delivery-plan.ts';
import { concerns, type Subscription } from '../../core/signals/event.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EventOutbox, Events, GatewayEvent, NewDelivery, NewEvent } from '../../ports/events.ts';
import { GATHERED_MS, InsistentQueue } from '../insistent-queue.ts';

export interface EventQueueParts {
  readonly outbox: Pick<EventOutbox, 'put' | 'waiting'>;
  readonly clock: Clock;
  readonly newId: (prefix: 'evt_' | 'msg_') => string;
  /** Those in force. */
  readonly hooks: () => Iterable<WebhookEntry>;
  /** Something is in the outbox that was not there before. */
  readonly onPut: () => void;
  /** So many found no room. */
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
/** Messages that may wait for one hook; what comes beyond is lost for it. A receiver away for long must not fill the disk. */
const MOST_WAITING = 10_000;
/** How long a look at what waits holds. */
const LOOK_MS = 10_000;
const TELL_LOST_MS = 60_000;

export class EventQueue implements Events {
  readonly #parts: EventQueueParts;
  readonly #queue: InsistentQueue<Queued>;
  readonly #subscriptions = new WeakMap<WebhookEntry, Subscription>();
  /** Since the last `events.lost`. */
  #lost = 0;
  /** Hooks for which too much waits. */
  #full: ReadonlySet<string> = new Set();
  #lookedAt = Number.NEGATIVE_INFINITY;
  #toldLostAt = Number.NEGATIVE_INFINITY;

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
    this.#lose(1);
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
    await this.#look();
    const kept = this.#withRoom(items);
    const at = this.#parts.clock.wall();
    // Those of the next turns may still go along.
    const dueAt = at + GATHER_MS - GATHERED_MS;
    const deliveries = [...byHook(kept)].map(([, { hook, eventIds }]): NewDelivery => {
      const { name, workspace } = hook;
      return { id: this.#parts.newId('msg_'), hook: name, workspace, eventIds, at, dueAt };
    });
    await this.#parts.outbox.put(
      kept.map(({ event }) => event),
      deliveries,
    );
    this.#parts.onPut();
  }

  /** Looks now and then how much waits for each hook. */
  async #look(): Promise<void> {
    const { outbox, clock } = this.#parts;
    if (clock.now() - this.#lookedAt < LOOK_MS) return;
    const waiting = await outbox.waiting();
    this.#lookedAt = clock.now();
    this.#full = new Set([...waiting].filter(([, count]) => count >= MOST_WAITING).map(([hook]) => hook));
  }

  #withRoom(items: readonly Queued[]): readonly Queued[] {
    if (this.#full.size === 0) return items;
    const open = items.map(({ event, hooks }) => ({ event, hooks: hooks.filter(({ name }) => !this.#full.has(name)) }));
    const count = (all: readonly Queued[]): number => all.reduce((sum, { hooks }) => sum + hooks.length, 0);
    this.#lose(count(items) - count(open));
    return open.filter(({ hooks }) => hooks.length > 0);
  }

  #lose(count: number): void {
    if (count === 0) return;
    this.#lost += count;
    this.#parts.onDropped(count);
  }

  /** There is room again: one event for all that found none, at most one a minute. */
  #tellLost(): void {
    const count = this.#lost;
    const now = this.#parts.clock.now();
    if (count === 0 || now - this.#toldLostAt < TELL_LOST_MS) return;
    this.#lost = 0;
    this.#toldLostAt = now;
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
