import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../ports/clock.ts';
import { BY_CONFIGURATION, type Ledger, type LedgerEntry } from '../ports/ledger.ts';
import { StateStoreUnavailable } from '../ports/object-store.ts';
import { Accounts, LARGEST_BALANCE, LARGEST_CHARGE } from './accounts.ts';

const CLOCK: Clock = { wall: () => 1000, now: () => 0, after: () => () => undefined };

/** A ledger in memory: what is durable, and answers that are held until `answer` lets them go. */
class MemoryLedger implements Ledger {
  readonly entriesMade: Omit<LedgerEntry, 'id' | 'attemptId'>[] = [];
  readonly reserved = new Map<string, { workspace: string; amount: bigint }>();
  down = false;
  held: (() => void)[] | null = null;

  open() {
    const accounts = new Map<string, { balance: bigint; granted: bigint }>();
    for (const { workspace, amount, by } of this.entriesMade) {
      const sums = accounts.get(workspace) ?? { balance: 0n, granted: 0n };
      accounts.set(workspace, {
        balance: sums.balance + amount,
        granted: sums.granted + (by === BY_CONFIGURATION ? amount : 0n),
      });
    }
    const released = this.reserved.size;
    this.reserved.clear();
    return Promise.resolve({ accounts, released });
  }

  async reserve({ attemptId, workspace, amount }: { attemptId: string; workspace: string; amount: bigint }) {
    await this.#turn();
    this.reserved.set(attemptId, { workspace, amount });
    return 'ok' as const;
  }

  settle(attemptId: string, charge: bigint, at: number): void {
    const hold = this.reserved.get(attemptId);
    if (hold === undefined) return;
    this.reserved.delete(attemptId);
    if (charge === 0n) return;
    this.entriesMade.push({
      workspace: hold.workspace,
      kind: 'charge',
      amount: -charge,
      at,
      note: null,
      by: 'gateway',
    });
  }

  async add(entry: Omit<LedgerEntry, 'id' | 'attemptId'>) {
    await this.#turn();
    this.entriesMade.push(entry);
    return 'added' as const;
  }

  async release() {
    return 0;
  }

  entries() {
    return Promise.resolve({ data: [], next_cursor: null });
  }

  close() {
    return Promise.resolve();
  }

  sum(workspace: string): bigint {
    return this.entriesMade.reduce((sum, entry) => sum + (entry.workspace === workspace ? entry.amount : 0n), 0n);
  }

  async #turn(): Promise<void> {
    if (this.held !== null) await new Promise<void>((go) => this.held?.push(go));
    if (this.down) throw new StateStoreUnavailable('no disk');
  }
}

async function accountsOver(ledger: MemoryLedger, grants: Record<string, bigint | null> = {}): Promise<Accounts> {
  const accounts = await Accounts.open(ledger, CLOCK);
  await accounts.configure(Object.entries(grants).map(([name, balance]) => ({ name, balance })));
  return accounts;
}

const grantsOf = (ledger: MemoryLedger) => ledger.entriesMade.map(({ kind, amount, by }) => [kind, amount, by]);

describe("G-4: what the configuration's balance_usd grants", () => {
  it('is granted when it is first seen, once, whatever restarts follow', async () => {
    const ledger = new MemoryLedger();
    for (let start = 0; start < 3; start++) {
      const accounts = await accountsOver(ledger, { acme: 50n, free: null });
      expect([accounts.balance('acme'), accounts.isPrepaid('acme')]).toEqual([50n, true]);
      expect([accounts.balance('free'), accounts.available('free'), accounts.isPrepaid('free')]).toEqual([
        null,
        null,
        false,
      ]);
    }
    expect(grantsOf(ledger)).toEqual([['grant', 50n, BY_CONFIGURATION]]);
  });

  it('changed, it moves the balance by the difference; what was spent and topped up stays', async () => {
    const ledger = new MemoryLedger();
    const accounts = await accountsOver(ledger, { acme: 50n });
    await accounts.reserve('acme', 'a1', 5n);
    accounts.settle('a1', 5n);
    expect(await accounts.add('acme', { kind: 'topup', amount: 7n, note: null, by: 'admin' })).toBe(52n);
    await accounts.configure([{ name: 'acme', balance: 80n }]);
    expect(accounts.balance('acme')).toBe(82n);
    await accounts.configure([{ name: 'acme', balance: 20n }]);
    expect(accounts.balance('acme')).toBe(22n);
    expect((await accountsOver(ledger, { acme: 20n })).balance('acme')).toBe(22n);
    expect(grantsOf(ledger).filter(([, , by]) => by === BY_CONFIGURATION)).toEqual([
      ['grant', 50n, BY_CONFIGURATION],
      ['adjust', 30n, BY_CONFIGURATION],
      ['adjust', -60n, BY_CONFIGURATION],
    ]);
  });

  it('removed, the workspace is not prepaid any more; the ledger stays, and comes back as it was', async () => {
    const ledger = new MemoryLedger();
    const accounts = await accountsOver(ledger, { acme: 50n });
    await accounts.reserve('acme', 'a1', 5n);
    await accounts.configure([]);
    accounts.settle('a1', 5n);
    expect([accounts.isPrepaid('acme'), accounts.balance('acme')]).toEqual([false, null]);
    await accounts.configure([{ name: 'acme', balance: 50n }]);
    expect(accounts.balance('acme')).toBe(45n);
  });

  it('a grant of nothing is prepaid and empty', async () => {
    const ledger = new MemoryLedger();
    const accounts = await accountsOver(ledger, { acme: 0n });
    expect(accounts.isPrepaid('acme')).toBe(true);
    expect(await accounts.reserve('acme', 'a1', 1n)).toBe('empty');
    expect(grantsOf(ledger)).toEqual([]);
  });

  it('H-5: while the ledger can not be written, the workspace waits; then the grant is there, once', async () => {
    const ledger = new MemoryLedger();
    ledger.down = true;
    const accounts = await accountsOver(ledger, { acme: 50n });
    expect(await accounts.reserve('acme', 'a1', 1n)).toBe('unavailable');
    ledger.down = false;
    expect(await Promise.all(['a2', 'a3', 'a4'].map((id) => accounts.reserve('acme', id, 1n)))).toEqual([
      'ok',
      'ok',
      'ok',
    ]);
    expect(grantsOf(ledger)).toEqual([['grant', 50n, BY_CONFIGURATION]]);
  });

  it('two reloads at once grant the last one’s figure', async () => {
    const ledger = new MemoryLedger();
    const accounts = await accountsOver(ledger);
    ledger.held = [];
    const first = accounts.configure([{ name: 'acme', balance: 50n }]);
    const second = accounts.configure([{ name: 'acme', balance: 70n }]);
    const held = ledger.held;
    ledger.held = null;
    for (const go of held) go();
    await Promise.all([first, second]);
    expect([accounts.balance('acme'), ledger.sum('acme')]).toEqual([70n, 70n]);
  });
});

describe('G-4: reservations', () => {
  it('hold back at once, before they are durable: no two attempts get the same money', async () => {
    const ledger = new MemoryLedger();
    const accounts = await accountsOver(ledger, { acme: 10n });
    ledger.held = [];
    const first = accounts.reserve('acme', 'a1', 10n);
    expect(accounts.available('acme')).toBe(0n);
    expect(await accounts.reserve('acme', 'a2', 10n)).toBe('empty');
    expect(ledger.reserved.size).toBe(0);
    for (const go of ledger.held) go();
    expect(await first).toBe('ok');
    expect(ledger.reserved.size).toBe(1);
  });

  it('H-5: one that can not be made durable holds nothing, here or there', async () => {
    const ledger = new MemoryLedger();
    const accounts = await accountsOver(ledger, { acme: 10n });
    ledger.down = true;
    expect(await accounts.reserve('acme', 'a1', 4n)).toBe('unavailable');
    expect([accounts.available('acme'), accounts.held('a1')]).toEqual([10n, null]);
  });

  it('the sums stay within what 64 bits hold: balances are refused, charges cut', async () => {
    const ledger = new MemoryLedger();
    const accounts = await accountsOver(ledger, { acme: 10n });
    const change = { kind: 'topup', amount: LARGEST_BALANCE, note: null, by: 'admin' } as const;
    await expect(accounts.add('acme', change)).rejects.toBeInstanceOf(RangeError);
    await accounts.reserve('acme', 'a1', 1n);
    accounts.settle('a1', LARGEST_CHARGE * 1000n);
    expect(accounts.balance('acme')).toBe(10n - LARGEST_CHARGE);
    const huge = await accountsOver(new MemoryLedger(), { acme: LARGEST_BALANCE + 1n });
    expect(await huge.reserve('acme', 'a1', 1n)).toBe('unavailable');
  });

  it('nobody can pass for the configuration', async () => {
    const ledger = new MemoryLedger();
    const accounts = await accountsOver(ledger, { acme: 10n });
    await accounts.add('acme', { kind: 'topup', amount: 5n, note: null, by: BY_CONFIGURATION });
    expect((await accountsOver(ledger, { acme: 10n })).balance('acme')).toBe(15n);
  });

  it('in any order of reserving, settling, failing disks and restarts, the balance is the sum of the entries', async () => {
    const step = fc.record({
      what: fc.constantFrom('reserve', 'settle', 'topup', 'down', 'up', 'restart'),
      id: fc.nat(8),
      amount: fc.bigInt({ min: 1n, max: 40n }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const ledger = new MemoryLedger();
        let accounts = await accountsOver(ledger, { acme: 100n });
        const open = new Map<string, bigint>();
        let naive = 100n;
        let life = 0;
        for (const { what, id, amount } of steps) {
          const name = `a${life}_${id}`;
          if (what === 'down' || what === 'up') ledger.down = what === 'down';
          if (what === 'topup') {
            const added = accounts.add('acme', { kind: 'topup', amount, note: null, by: 'admin' });
            await added.then(
              () => {
                naive += amount;
              },
              () => undefined,
            );
          }
          if (what === 'reserve' && !open.has(name)) {
            const held = [...open.values()].reduce((sum, one) => sum + one, 0n);
            const answer = await accounts.reserve('acme', name, amount);
            expect(answer).toBe(naive - held <= 0n ? 'empty' : ledger.down ? 'unavailable' : 'ok');
            if (answer === 'ok') open.set(name, amount);
          }
          if (what === 'settle') {
            const charge = (open.get(name) ?? 0n) / 2n;
            accounts.settle(name, charge);
            naive -= charge;
            open.delete(name);
          }
          if (what === 'restart') {
            // Killed: what was open is released, nothing else changes.
            expect(ledger.reserved.size).toBe(open.size);
            life += 1;
            open.clear();
            accounts = await accountsOver(ledger, { acme: 100n });
          }
          expect(accounts.balance('acme')).toBe(naive);
          expect(ledger.sum('acme')).toBe(naive);
        }
      }),
    );
  });
});
