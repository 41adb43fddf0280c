/** What others are told of (G-7): events on their way to webhooks. An event leaves through an outbox that is durable. */
import type { JsonObject } from '../core/failover/json-form.ts';

export interface GatewayEvent {
  /** `evt_…`, unique. */
  readonly id: string;
  /** As in `api:model_failover`, `key.banned`, `alert.p99`. */
  readonly type: string;
  /** Wall ms. */
  readonly at: number;
  /** Whose it is; null = the account's alone: no workspace's hook is told (G-8). */
  readonly workspace: string | null;
  readonly requestId: string | null;
  /** Never a secret, never what a client or an upstream said in a body (E-5). */
  readonly data: JsonObject;
}

export type NewEvent = Omit<GatewayEvent, 'id'>;

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
  /** The earliest instant at which something is due, wall ms; null = nothing waits. */
  nextDue(): Promise<number | null>;
  /** Without effect on one that was replayed or settled meanwhile by somebody else. */
  settle(id: string, result: DeliveryResult): Promise<void>;
  deliveries(filter: DeliveryFilter): Promise<DeliveryPage>;
  /** Null = no such delivery. */
  delivery(id: string): Promise<DeliveryRecord | null>;
  /** Due again at once, its tries counted anew; false = no such delivery, it waits anyway, or its events are gone. */
  replay(id: string, wall: number): Promise<boolean>;
  /** Ends what waits for a hook that is gone or disabled; resolves with how many. */
  giveUp(hook: string, why: string, wall: number): Promise<number>;
  /** Deletes events and ended deliveries that are older, in small steps; resolves with how many of each. */
  prune(before: { readonly events: number; readonly deliveries: number }): Promise<{
    readonly events: number;
    readonly deliveries: number;
  }>;
}
