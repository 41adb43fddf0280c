import { describe, expect, it } from 'vitest';
import { conditionsOf, type ReplicaState } from './conditions.ts';

const WELL: ReplicaState = {
  targets: [],
  circuits: [],
  empty: [],
  ownerOf: (credential) => (credential === 'two' ? 'acme' : null),
  isStoreAway: false,
  isSharedAway: false,
};
const shown = (change: Partial<ReplicaState>): string[] =>
  conditionsOf({ ...WELL, ...change }).map(({ kind, subject, workspace = '' }) =>
    `${kind} ${subject} ${workspace}`.trim(),
  );

describe('O-4: what is wrong at a replica', () => {
  it('nothing, where all is well', () => {
    expect(shown({ circuits: [{ channel: 'm#c', state: 'closed' }] })).toEqual([]);
  });

  it('credentials that are refused or out of credit, each once; not those that only have to wait', () => {
    const targets = [
      { state: 'cooling', class: 'auth', credential: 'one' },
      { state: 'cooling', class: 'permission', credential: 'one' },
      { state: 'cooling', class: 'quota_exhausted', credential: 'two' },
      { state: 'cooling', class: 'rate_limit', credential: 'busy' },
      { state: 'ok', class: null, credential: 'well' },
      { state: 'open', class: 'server_error', credential: 'down' },
      { state: 'cooling', class: 'auth', credential: null },
    ] as const;
    expect(shown({ targets })).toEqual(['credential_unhealthy one', 'credential_unhealthy two acme']);
  });

  it('circuits that are not closed, empty balances, what is away', () => {
    const circuits = [
      { channel: 'm#a', state: 'open' },
      { channel: 'm#b', state: 'half_open' },
    ] as const;
    expect(shown({ circuits, empty: ['acme'], isStoreAway: true, isSharedAway: true })).toEqual([
      'balance_empty acme acme',
      'circuit_open m#a',
      'circuit_open m#b',
      'store_lost',
      'shared_lost',
    ]);
  });
});
