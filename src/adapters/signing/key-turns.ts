/**
 * How signing keys follow each other: next → current → retired → gone. Verifiers keep what they have fetched for a while,
 * so a key is published before it signs and stays published until the last token it signed is over.
 */
import type { SigningKey } from './stored-key.ts';

const HOUR_MS = 3_600_000;

/** How long a key is published before it signs. */
export const PUBLISHED_BEFORE_MS = HOUR_MS;
/** How long it stays published after its last token has ended: clocks differ, requests hang. */
const PUBLISHED_AFTER_MS = HOUR_MS;

export interface TurnRules {
  readonly ttlMs: number;
  readonly rotateEveryMs: number;
}

/** One step. `make` draws a key for that state. */
export type KeyTurn =
  | { readonly do: 'make'; readonly state: 'current' | 'next' }
  | { readonly do: 'move'; readonly key: SigningKey; readonly to: 'current' | 'retired' }
  | { readonly do: 'remove'; readonly key: SigningKey };

/** What is due; empty = nothing. @param wall wall ms */
export function keyTurns(keys: readonly SigningKey[], { ttlMs, rotateEveryMs }: TurnRules, wall: number): KeyTurn[] {
  const current = keys.findLast(({ state }) => state === 'current');
  const next = keys.findLast(({ state }) => state === 'next');
  const gone = keys.filter(({ state, since }) => state === 'retired' && wall - since > ttlMs + PUBLISHED_AFTER_MS);
  const turns: KeyTurn[] = gone.map((key) => ({ do: 'remove', key }));
  if (current === undefined) {
    turns.push(next === undefined ? { do: 'make', state: 'current' } : { do: 'move', key: next, to: 'current' });
    turns.push({ do: 'make', state: 'next' });
    return turns;
  }
  if (next === undefined) turns.push({ do: 'make', state: 'next' });
  else if (wall - current.since >= rotateEveryMs && wall - next.since >= PUBLISHED_BEFORE_MS)
    turns.push(...turn(current, next));
  return turns;
}

/** What an operator orders, whatever the time. `revoke`: keys that have signed are gone at once. */
export function turnsNow(keys: readonly SigningKey[], revoke: boolean): KeyTurn[] {
  const current = keys.findLast(({ state }) => state === 'current');
  const next = keys.findLast(({ state }) => state === 'next');
  if (next === undefined) return [];
  if (!revoke) return current === undefined ? [] : turn(current, next);
  const gone = keys.filter((key) => key !== next);
  return [
    ...gone.map((key) => ({ do: 'remove', key }) as const),
    { do: 'move', key: next, to: 'current' },
    { do: 'make', state: 'next' },
  ];
}

/** The next key signs from now on. */
function turn(current: SigningKey, next: SigningKey): KeyTurn[] {
  return [
    { do: 'move', key: current, to: 'retired' },
    { do: 'move', key: next, to: 'current' },
    { do: 'make', state: 'next' },
  ];
}
