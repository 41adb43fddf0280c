/** The hashes by which the ledger knows keys: of the header, or of a derived key (I-1, I-10). */
import { hash } from 'node:crypto';
import type { KeyRef } from './key-row.ts';

/** SHA-256 of the Idempotency-Key, hex. */
export function keyHashOf(idempotencyKey: string): string {
  return hash('sha256', idempotencyKey, 'hex');
}

export interface KeyScope {
  /** `idempotency_scope` (I-1). */
  readonly by: 'key' | 'workspace';
  /** The client key. `hash`: SHA-256 of its secret, hex. */
  readonly key: { readonly name: string; readonly hash: string };
  readonly workspace: string;
  readonly endpoint: string;
}

/** A name may be given to another client key once it is free: what the first one left is not the second one's. */
export function scopeOf({ by, key, workspace, endpoint }: KeyScope): string {
  return by === 'key' ? `key:${key.name}#${key.hash.slice(0, 16)} ${endpoint}` : `workspace:${workspace} ${endpoint}`;
}

/** Whether a scope may be that of a request of which the log has kept names alone. */
export function mayBeScopeOf(
  scope: string,
  { key, workspace, endpoint }: { readonly key: string | null; readonly workspace: string; readonly endpoint: string },
): boolean {
  if (!scope.endsWith(` ${endpoint}`)) return false;
  return scope === `workspace:${workspace} ${endpoint}` || scope.startsWith(`key:${key ?? ''}#`);
}

export function keyRef(scope: KeyScope, keyHash: string): KeyRef {
  return { scope: scopeOf(scope), keyHash };
}

export interface DerivedFrom {
  /** The header `X-Business-Key`; null or empty = absent. */
  readonly businessKey: string | null;
  /** Name of the client key. */
  readonly clientKey: string;
  /** Body `user`, `safety_identifier` or `metadata.user_id`, the first that is there; null = none. */
  readonly user: string | null;
  /** `fingerprintOf` the request. */
  readonly fingerprint: string;
}

/** The key hash of a request without the header. Line breaks keep it apart from any header, which can't hold one. */
export function derivedKeyHash({ businessKey, clientKey, user, fingerprint }: DerivedFrom): string {
  const parts =
    businessKey !== null && businessKey !== '' ? ['business', businessKey] : ['request', clientKey, user, fingerprint];
  return keyHashOf(`derived\n${JSON.stringify(parts)}`);
}
