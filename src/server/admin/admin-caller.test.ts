import { describe, expect, it } from 'vitest';
import { secretHash } from '../../config/secret-hash.ts';
import { adminCaller, type Doors } from './admin-caller.ts';

const member = (name: string, token: string) => ({
  name,
  role: 'workspace_admin' as const,
  workspace: 'acme',
  hash: secretHash(token),
  managedBy: 'store' as const,
});

/** Doors that count how often each table is looked into. */
function countingDoors(): { doors: Doors; looks: () => readonly number[] } {
  const looks = [0, 0];
  class Counting<T> extends Map<string, T> {
    readonly #place: number;
    constructor(place: number, entries: [string, T][]) {
      super(entries);
      this.#place = place;
    }
    override get(key: string): T | undefined {
      looks[this.#place]! += 1;
      return super.get(key);
    }
  }
  const known = member('ann', 'member-token');
  const key = { name: 'app', expiresAt: null } as never;
  return {
    doors: {
      adminTokenHash: secretHash('admin-token'),
      members: new Counting(0, [[known.hash, known]]),
      keys: new Counting(1, [[secretHash('client-key'), key]]),
    },
    looks: () => looks.splice(0, 2, 0, 0),
  };
}

describe('who calls the admin plane', () => {
  it('G-8, G-9: every token takes the same steps, whether it is known, another’s or nobody’s', () => {
    const { doors, looks } = countingDoors();
    const outcome = (token: string): string => {
      try {
        return adminCaller(doors, `Bearer ${token}`, 0).role;
      } catch (error) {
        return (error as { error: { code: string } }).error.code;
      }
    };
    for (const [token, expected] of [
      ['admin-token', 'account_admin'],
      ['member-token', 'workspace_admin'],
      ['client-key', 'permission_denied'],
      ['admin-toke', 'invalid_api_key'],
      ['', 'missing_api_key'],
      ['x'.repeat(10_000), 'invalid_api_key'],
    ] as const) {
      expect(outcome(token), token).toBe(expected);
      expect(looks(), token).toEqual(token === '' ? [0, 0] : [1, 1]);
    }
  });

  it('G-8: the admin token is the account’s, a member’s is the member’s', () => {
    const { doors } = countingDoors();
    expect(adminCaller(doors, 'Bearer admin-token', 0)).toEqual({
      name: 'admin',
      role: 'account_admin',
      workspace: null,
    });
    expect(adminCaller(doors, 'bearer member-token', 0)).toEqual({
      name: 'ann',
      role: 'workspace_admin',
      workspace: 'acme',
    });
  });
});
