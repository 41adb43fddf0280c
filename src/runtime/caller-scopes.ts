/** Under which scopes a caller is counted: its key and its workspace (G-11). Worked out once per snapshot and key. */
import type { KeyEntry, Snapshot } from '../config/snapshot.ts';
import type { LimitScope, Limits } from '../core/limits/limits.ts';
import { UNLIMITED } from '../core/limits/unlimited.ts';

/** A caller’s scopes, as admission and the limit headers need them. */
export interface CallerScopes {
  /** Key, then workspace; both are counted, limited or not: people ask what they have used. */
  readonly all: readonly LimitScope[];
  /** Those with limits of their own. */
  readonly limited: readonly LimitScope[];
  /** A limit on tokens or spend is set: what a request may use has to be guessed beforehand. */
  readonly measured: boolean;
}

const known = new WeakMap<Snapshot, Map<KeyEntry, CallerScopes>>();

/** The same object for the same snapshot and key. */
export function callerScopes(snapshot: Snapshot, key: KeyEntry): CallerScopes {
  let byKey = known.get(snapshot);
  if (byKey === undefined) {
    byKey = new Map();
    known.set(snapshot, byKey);
  }
  let scopes = byKey.get(key);
  if (scopes === undefined) {
    scopes = scopesOf(key, snapshot.workspaces.get(key.workspace)?.limits ?? null);
    byKey.set(key, scopes);
  }
  return scopes;
}

function scopesOf(key: KeyEntry, ofWorkspace: Limits | null): CallerScopes {
  const all: readonly LimitScope[] = [
    { kind: 'key', id: key.name, limits: key.limits ?? UNLIMITED },
    { kind: 'workspace', id: key.workspace, limits: ofWorkspace ?? UNLIMITED },
  ];
  const limited = all.filter(({ limits }) => limits !== UNLIMITED);
  return { all, limited, measured: limited.some(({ limits }) => countsUse(limits)) };
}

function countsUse(limits: Limits): boolean {
  const { tokensPerMinute, tokensPerDay, tokensPerMonth, spendPerDay, spendPerMonth } = limits;
  return [tokensPerMinute, tokensPerDay, tokensPerMonth, spendPerDay, spendPerMonth].some((limit) => limit !== null);
}
