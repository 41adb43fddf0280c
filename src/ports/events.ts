/** What others are told of (G-7): events on their way to webhooks. An event leaves through an outbox that is durable. */
import type { NetworkRules } from '../core/net/network-rules.ts';
import type { GatewayEvent, NewEvent } from '../core/signals/event.ts';

export type { GatewayEvent, NewEvent } from '../core/signals/event.ts';

/** Takes events; nobody waits for them. */
export interface Events {
  /** False = the queue (10 000) is full: dropped, counted, and told by one `events.lost` (G-7). */
  emit(event: NewEvent): boolean;
}

/** Events of one hook that are to be told in one message. */
export interface NewDelivery {
  /** `msg_…`, the same in every try: receivers know a message by it. */
  readonly id: string;
  /** Name of the hook. */
  readonly hook: string;
  /** The hook's own; null = the account's. Another hook of that name, of another workspace, gets nothing of it (G-8). */
  readonly workspace: string | null;
  readonly eventIds: readonly string[];
  /** Wall ms. */
  readonly at: number;
  /** Not sent before; wall ms. */
  readonly dueAt: number;
}

/** A delivery that this process has to carry out; others leave it alone for a minute. */
export interface DueDelivery {
  readonly id: string;
  readonly hook: string;
  readonly workspace: string | null;
  /** Tries before this one. */
  readonly tries: number;
  /** Wall ms of the delivery's making. */
  readonly at: number;
  /** 1 to 100, oldest first. Empty = they are not kept any more. */
  readonly events: readonly GatewayEvent[];
}

export const DELIVERY_STATES = ['waiting', 'delivered', 'given_up'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** How one try ended. */
export interface DeliveryResult {
  readonly state: DeliveryState;
  /** The next try, wall ms; null unless it waits. */
  readonly nextAt: number | null;
  /** Of the receiver; null = there was no answer. */
  readonly status: number | null;
  /** What the receiver answered (its beginning), or what kept it from answering; in plain words. */
  readonly answer: string | null;
  readonly tookMs: number;
  /** Wall ms. */
  readonly at: number;
}

/** One line of the delivery log. */
export interface DeliveryRecord {
  readonly id: string;
  readonly hook: string;
  readonly workspace: string | null;
  readonly eventIds: readonly string[];
  /** Of its events, each once. */
  readonly types: readonly string[];
  readonly state: DeliveryState;
  readonly tries: number;
  /** Wall ms; null = no further try. */
  readonly nextAt: number | null;
  /** Of the last try; null = there was none. */
  readonly status: number | null;
  readonly answer: string | null;
  readonly tookMs: number | null;
  readonly at: number;
  /** When it was delivered or given up, wall ms. */
  readonly doneAt: number | null;
}

export interface DeliveryFilter {
  readonly hook: string;
  /** Only those made for this workspace's hook; absent = all. */
  readonly workspace?: string;
  readonly state?: DeliveryState;
  readonly limit: number;
  readonly cursor?: string;
}

export interface DeliveryPage {
  /** Newest first. */
  readonly data: readonly DeliveryRecord[];
  readonly next_cursor: string | null;
}

/** All reject with `StateStoreUnavailable` when the store can't be used now. */
export interface EventOutbox {
  /** All or nothing, durable when it resolves. */
  put(events: readonly GatewayEvent[], deliveries: readonly NewDelivery[]): Promise<void>;
  /**
   * Takes for this process what is due, at most one delivery per hook and `limit` in all; not of `busy` hooks. Deliveries
   * of a hook that were never tried are told as one, up to 100 events. What a process that died had taken is due again
   * after a minute.
   */
  take(wall: number, limit: number, busy: readonly string[]): Promise<readonly DueDelivery[]>;
  /** The earliest instant at which something of other hooks than `busy` is due, wall ms; null = nothing waits. */
  nextDue(busy: readonly string[]): Promise<number | null>;
  /** Messages that wait, by hook. */
  waiting(): Promise<ReadonlyMap<string, number>>;
  /** Without effect on one that was replayed or settled meanwhile by somebody else. */
  settle(id: string, result: DeliveryResult): Promise<void>;
  deliveries(filter: DeliveryFilter): Promise<DeliveryPage>;
  /** Null = no such delivery. */
  delivery(id: string): Promise<DeliveryRecord | null>;
  /** Due at once, its tries counted anew. `gone`: there is no such delivery, or its events are not kept any more. */
  replay(id: string, wall: number): Promise<'due' | 'under_way' | 'gone'>;
  /** Ends what waits for a hook that is gone or disabled; resolves with how many. */
  giveUp(hook: string, why: string, wall: number): Promise<number>;
  /** Deletes events and ended deliveries that are older, in small steps; resolves with how many of each. */
  prune(before: { readonly events: number; readonly deliveries: number }): Promise<{
    readonly events: number;
    readonly deliveries: number;
  }>;
}

/** One message to a receiver. */
export interface WebhookMessage {
  readonly url: string;
  /** One, or two while the receiver changes over. `whsec_…`. */
  readonly secrets: readonly string[];
  /** `msg_…` */
  readonly id: string;
  /** JSON. */
  readonly body: string;
  /** Null = the operator's own address, whatever it is (G-9). */
  readonly guard: NetworkRules | null;
}

export interface WebhookAnswer {
  /** Null = there was none. */
  readonly status: number | null;
  /** The beginning of what was answered, or why nothing was. */
  readonly answer: string | null;
  /** What `Retry-After` asks for; null = nothing. */
  readonly retryAfterMs: number | null;
  readonly tookMs: number;
}

/** Sends one message once: signed, within 15 s, following no redirect. Never rejects. */
export interface WebhookSender {
  send(message: WebhookMessage): Promise<WebhookAnswer>;
}
