import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Balances } from './balances.ts';

describe('G-4: prepaid balances', () => {
  it('what is held back is not available, and is no charge', () => {
    const balances = new Balances();
    balances.add('acme', 100n);
    expect(balances.reserve('acme', 'a1', 60n)).toBe(true);
    expect([balances.balance('acme'), balances.available('acme')]).toEqual([100n, 40n]);
    expect(balances.settle('a1', 25n)).toBe('acme');
    expect([balances.balance('acme'), balances.available('acme')]).toEqual([75n, 75n]);
  });

  it('the last attempt may hold more than there is, the next one is refused', () => {
    const balances = new Balances();
    balances.add('acme', 1n);
    expect(balances.reserve('acme', 'a1', 1000n)).toBe(true);
    expect(balances.reserve('acme', 'a2', 1n)).toBe(false);
    balances.settle('a1', 0n);
    expect(balances.reserve('acme', 'a2', 1n)).toBe(true);
  });

  it('nobody holds anything of an empty or unknown account', () => {
    const balances = new Balances();
    expect(balances.reserve('nobody', 'a1', 0n)).toBe(false);
    balances.add('acme', 5n);
    balances.add('acme', -5n);
    expect(balances.reserve('acme', 'a1', 1n)).toBe(false);
    expect(balances.open).toBe(0);
  });

  it('settles once', () => {
    const balances = new Balances();
    balances.add('acme', 100n);
    balances.reserve('acme', 'a1', 10n);
    expect([balances.settle('a1', 10n), balances.settle('a1', 10n), balances.settle('a2', 10n)]).toEqual([
      'acme',
      null,
      null,
    ]);
    expect(balances.balance('acme')).toBe(90n);
  });

  it('whatever happens in whatever order: what came in less the charges, and below 0 by less than the last reservation', () => {
    const step = fc.record({
      what: fc.constantFrom('add', 'reserve', 'settle', 'again'),
      workspace: fc.constantFrom('a', 'b'),
      id: fc.nat(12),
      amount: fc.bigInt({ min: 0n, max: 50n }),
      share: fc.integer({ min: 0, max: 100 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const balances = new Balances();
        const naive = { a: 0n, b: 0n };
        const holds = new Map<string, { workspace: 'a' | 'b'; amount: bigint }>();
        for (const { what, workspace, id, amount, share } of steps) {
          const name = `att_${id}`;
          const owner = workspace as 'a' | 'b';
          const held = [...holds.values()].reduce(
            (sum, hold) => sum + (hold.workspace === owner ? hold.amount : 0n),
            0n,
          );
          if (what === 'add') naive[owner] += amount;
          if (what === 'add') balances.add(owner, amount);
          else if (what === 'reserve' && !holds.has(name)) {
            const granted = balances.reserve(owner, name, amount);
            expect(granted).toBe(naive[owner] - held > 0n);
            if (granted) holds.set(name, { workspace: owner, amount });
          } else if (what !== 'reserve') {
            const hold = holds.get(name);
            const charge = ((hold?.amount ?? 0n) * BigInt(share)) / 100n;
            expect(balances.settle(name, charge)).toBe(hold?.workspace ?? null);
            if (hold !== undefined) naive[hold.workspace] -= charge;
            holds.delete(name);
          }
          for (const one of ['a', 'b'] as const) {
            const open = [...holds.values()].reduce(
              (sum, hold) => sum + (hold.workspace === one ? hold.amount : 0n),
              0n,
            );
            expect(balances.balance(one)).toBe(naive[one]);
            expect(balances.available(one)).toBe(naive[one] - open);
            // Granted while something was left, so short by less than the largest amount; charges stay within it.
            expect(balances.available(one)).toBeGreaterThan(-50n);
          }
        }
      }),
    );
  });
});
