/** The end of a gateway's work (T-4): requests under way finish, or are ended honestly. */
import type { Gateway } from '../runtime/gateway.ts';

// How often a drain looks whether all requests have ended: off the request path, precise enough for people.
const DRAIN_LOOK_MS = 50;
/** So long a client may take to hear how its request ended. */
const LAST_WORDS_MS = 1000;

/** How long each part of the end may take, ms. */
export interface DrainTimes {
  /** Requests are still served, so that whoever sends them can hear of it first. */
  readonly leadMs: number;
  readonly timeoutMs: number;
}

/**
 * From "send no more" to the last byte: for the lead everything is served as before, on connections that close after their
 * answer; then new requests are refused and running ones finish.
 */
export async function drain(
  gateway: Pick<Gateway, 'clock' | 'live' | 'leaving' | 'draining'>,
  { leadMs, timeoutMs }: DrainTimes,
): Promise<void> {
  gateway.leaving = true;
  if (leadMs > 0) await new Promise<void>((over) => void gateway.clock.after(leadMs, over));
  gateway.draining = true;
  await settleRequests(gateway, timeoutMs);
}

/** Waits for requests until their clients have everything; past the time (ms) each is ended by T-4's event. */
async function settleRequests({ clock, live }: Pick<Gateway, 'clock' | 'live'>, timeoutMs: number): Promise<void> {
  const until = clock.now() + timeoutMs;
  const pause = (): Promise<void> => new Promise((done) => void clock.after(DRAIN_LOOK_MS, done));
  while (live.size > 0 && clock.now() < until) await pause();
  for (const request of [...live]) request.terminate();
  if (timeoutMs < 0) return;
  const lastUntil = clock.now() + LAST_WORDS_MS;
  while (live.size > 0 && clock.now() < lastUntil) await pause();
  // Their last bytes leave before the sockets are closed.
  await pause();
}
