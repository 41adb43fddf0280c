/** D-7: a client's own retry is recognised, counted and shown; it is answered like any other request. */
import type { IncomingMessage } from 'node:http';
import { type ClientRetry, requestFingerprint, statedRetryCount } from '../core/client-retry.ts';
import { placeMark } from '../core/idempotency/fingerprint.ts';
import type { RequestPlace } from '../dialects/contract.ts';
import type { Gateway } from './gateway.ts';
import type { Principal } from './principal.ts';

/** One request’s place in the memory of recent failures (D-7). */
export interface RetryWatch {
  readonly retry: ClientRetry;
  /**
   * To be called with the request's end and the upstream calls it made: a failure makes the next equal request a retry, a
   * success forgets it; of a client that left only the calls are remembered.
   */
  ended(how: 'served' | 'failed' | 'left', calls: number): void;
}

/** Counts by what the client states, else by an equal request of the same key that failed a moment ago (D-7). */
export function watchRetries(
  gateway: Gateway,
  http: IncomingMessage,
  { key }: Principal,
  { endpoint, place, body }: { readonly endpoint: string; readonly place: RequestPlace; readonly body: Uint8Array },
): RetryWatch {
  const { retryWatch, clock, peers } = gateway;
  const print = (): number => requestFingerprint(endpoint + placeMark(place), body);
  const stated = statedRetryCount(http.headers['x-stainless-retry-count']);
  const retry = retryWatch.recognise(key.name, stated, print, clock.now());
  return {
    retry,
    ended(how, calls) {
      const failed = how === 'failed';
      if (failed || (how === 'left' && calls > 0)) {
        const fingerprint = print();
        retryWatch.note(key.name, fingerprint, clock.now(), calls, failed);
        peers?.tell({ kind: 'unanswered', key: key.name, fingerprint, calls, failed });
      } else if (how === 'served' && retry.count > 0) {
        const fingerprint = print();
        retryWatch.forget(key.name, fingerprint);
        peers?.tell({ kind: 'answered', key: key.name, fingerprint });
      }
    },
  };
}
