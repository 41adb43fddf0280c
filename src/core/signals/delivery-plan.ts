/** Webhook messages: what one holds, and when a failed one is sent again (G-7). */
import type { Json, JsonObject } from '../failover/json-form.ts';
import type { GatewayEvent } from './event.ts';

/** Events in one message at most. */
export const MOST_EVENTS = 100;
/** Events of one hook so close together go as one message. */
export const GATHER_MS = 1000;
export const TRY_TIMEOUT_MS = 15_000;

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const WAITS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
] as const;
const SPREAD = 0.2;
/** A receiver that asks for more is asked again all the same. */
const LONGEST_ASKED_MS = 24 * HOUR_MS;

/** Tries of one message at most. */
export const MOST_TRIES = WAITS_MS.length + 1;

/**
 * How long after the `tries`th failed try the next one comes, ± 20 %; null = it is given up. `random` in [0, 1).
 * `askedMs`: what the receiver's `Retry-After` asks for; null = nothing.
 */
export function nextWait(tries: number, random: number, askedMs: number | null): number | null {
  const wait = WAITS_MS[tries - 1];
  if (wait === undefined) return null;
  const spread = Math.round(wait * (1 - SPREAD + 2 * SPREAD * random));
  return Math.max(spread, Math.min(askedMs ?? 0, LONGEST_ASKED_MS));
}

/** What is sent: one event as itself, several as `{type: "batch", data: [event…]}`; oldest first. */
export function messageOf(events: readonly GatewayEvent[]): JsonObject {
  const [only, ...more] = events;
  if (only !== undefined && more.length === 0) return shown(only);
  const last = events.at(-1);
  return { type: 'batch', timestamp: instant(last?.at ?? 0), data: events.map(shown) };
}

function shown({ id, type, at, workspace, requestId, data }: GatewayEvent): JsonObject {
  return { id, type, timestamp: instant(at), workspace, request_id: requestId, data: data as Json };
}

function instant(wall: number): string {
  return new Date(wall).toISOString();
}
