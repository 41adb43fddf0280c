/** Who calls: the client key in any of the places official SDKs put it (interface: data plane). */
import type { IncomingMessage } from 'node:http';
import { secretHash } from '../config/secret-hash.ts';
import type { KeyEntry, Snapshot } from '../config/snapshot.ts';
import { bad, good, type Read } from '../core/request/read.ts';
import type { Gateway } from './gateway.ts';
import { type Principal, principalOfKey } from './principal.ts';

const HINT = 'send the key as `Authorization: Bearer KEY`';

/** Who calls, and the configuration that knows them. */
export interface Recognised {
  readonly principal: Read<Principal>;
  readonly snapshot: Snapshot;
}

/**
 * Who calls, by what is in force now. A key that is not known may have been made by another process a moment ago: the store
 * is asked before it is refused. A promise only then.
 */
export function recognise(gateway: Gateway, request: IncomingMessage): Recognised | Promise<Recognised> {
  const { elsewhere } = gateway;
  const found = recognisedNow(gateway, request);
  if (elsewhere === null || found.principal.ok || found.principal.error.code !== 'invalid_api_key') return found;
  return elsewhere.ask().then(() => recognisedNow(gateway, request));
}

function recognisedNow(gateway: Gateway, request: IncomingMessage): Recognised {
  const snapshot = gateway.snapshot();
  return { snapshot, principal: authenticate(request, snapshot, gateway.clock.wall()) };
}

/** Of two different keys exactly one known is used; two known → 401. Expired → 401. */
export function authenticate(request: IncomingMessage, snapshot: Snapshot, wall: number): Read<Principal> {
  const sent = keysOf(request);
  if (sent.length === 0) return bad('missing_api_key', `no client key; ${HINT}`);
  let found: KeyEntry | null = null;
  for (const key of sent) {
    // By hash, so the lookup leaks nothing by timing.
    const entry = snapshot.keys.get(secretHash(key));
    if (entry === undefined) continue;
    if (found !== null && found !== entry)
      return bad('invalid_api_key', 'two different client keys were sent; send one');
    found = entry;
  }
  if (found === null) return bad('invalid_api_key', `the client key is not known here; ${HINT}`);
  if (found.expiresAt !== null && found.expiresAt <= wall) {
    return bad('invalid_api_key', 'the client key has expired; ask for a new one');
  }
  return good(principalOfKey(found));
}

function keysOf(request: IncomingMessage): string[] {
  const { headers, url } = request;
  const keys: string[] = [];
  const authorization = headers.authorization;
  if (authorization !== undefined && /^bearer /i.test(authorization)) add(keys, authorization.slice(7));
  add(keys, headers['x-api-key']);
  add(keys, headers['api-key']);
  add(keys, headers['x-goog-api-key']);
  const query = url?.indexOf('?') ?? -1;
  if (query >= 0) add(keys, new URLSearchParams(url!.slice(query + 1)).get('key') ?? undefined);
  return keys;
}

function add(keys: string[], value: string | string[] | undefined): void {
  if (typeof value !== 'string') return;
  const key = value.trim();
  if (key !== '' && !keys.includes(key)) keys.push(key);
}
