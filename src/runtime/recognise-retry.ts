/** D-7: a client's own retry is recognised, counted and shown; it is answered like any other request. */
import type { IncomingMessage } from 'node:http';
import { type ClientRetry, requestFingerprint, statedRetryCount } from '../core/client-retry.ts';
import type { Gateway } from './gateway.ts';
import type { Principal } from './principal.ts';

export interface RetryWatch {
  readonly retry: ClientRetry;
  /** To be called with the request's end: a failure makes the next equal request a retry, a success forgets it. */
  ended(failed: boolean): void;
}

export function watchRetries(
  gateway: Gateway,
  http: IncomingMessage,
  { key }: Principal,
  endpoint: string,
  body: Uint8Array,
): RetryWatch {
  const { retryWatch, clock } = gateway;
  const print = (): number => requestFingerprint(endpoint, body);
  const stated = statedRetryCount(http.headers['x-stainless-retry-count']);
  const retry = retryWatch.recognise(key.name, stated, print, clock.now());
  return {
    retry,
    ended(failed) {
      if (failed) retryWatch.note(key.name, print(), clock.now());
      else if (retry.count > 0) retryWatch.forget(key.name, print());
    },
  };
}
