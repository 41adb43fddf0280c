import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../ports/clock.ts';
import {
  BY_CONFIGURATION,
  type Ledger,
  type LedgerEntry,
  type LedgerReservation,
  type OpenReservation,
} from '../ports/ledger.ts';
import { StateStoreUnavailable } from '../ports/object-store.ts';
import { Accounts, LARGEST_BALANCE, LARGEST_CHARGE } from './accounts.ts';

const CLOCK: Clock = { wall: () => 1000, now: () => 0, after: () => () => undefined };

/** A ledger in memory: what is durable, and answers that are held until `answer` lets them go. */
class MemoryLedger implements Ledger {
  readonly refresh?: NonNullable<Ledger['refresh']>;
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

  async reserve({ attemptId, workspace, amount }: OpenReservation): Promise<LedgerReservation> {
    await this.#turn();
    this.reserved.set(attemptId, { workspace, amount });
    return 'ok';
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

  async add(entry: Omit<LedgerEntry, 'id' | 'attemptId'>, _granted?: bigint): Promise<'added' | 'moved'> {
    await this.#turn();
    this.entriesMade.push(entry);
    return 'added';
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

/** A ledger that other processes use as well: it decides, and tells what all of them have made. */
class SharedLedger extends MemoryLedger {
  #last: Promise<unknown> = Promise.resolve();
  override readonly refresh = async () => {
    const sums = new Map<string, { balance: bigint; granted: bigint; held: bigint }>();
    for (const [workspace, { balance, granted }] of (await this.totals()).entries()) {
      const held = [...this.reserved.values()].reduce(
        (sum, one) => (one.workspace === workspace ? sum + one.amount : sum),
        0n,
      );
      sums.set(workspace, { balance, granted, held });
    }
    return sums;
  };

  async totals() {
    const kept = new Map(this.reserved);
    const { accounts } = await this.open();
    for (const [id, one] of kept) this.reserved.set(id, one);
    return accounts;
  }

  override reserve(asked: OpenReservation): Promise<LedgerReservation> {
    return this.#inTurn(async () => {
      const { balance = 0n, held = 0n } = (await this.refresh()).get(asked.workspace) ?? {};
      return balance - held <= 0n ? 'empty' : await super.reserve(asked);
    });
  }

  override add(entry: Omit<LedgerEntry, 'id' | 'attemptId'>, known?: bigint): Promise<'added' | 'moved'> {
    return this.#inTurn(async () => {
      const granted = (await this.totals()).get(entry.workspace)?.granted ?? 0n;
      return known !== undefined && known !== granted ? 'moved' : await super.add(entry);
    });
  }

  /** One order after the other, as one database carries them out. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

describe('G-4: a ledger that several processes share', () => {
  it('the ledger decides, not what this process remembers: what others hold and spend counts', async () => {
    const ledger = new SharedLedger();
    const [one, two] = [await accountsOver(ledger, { acme: 20n }), await accountsOver(ledger, { acme: 20n })];
    expect(await two.reserve('acme', 'b1', 15n)).toBe('ok');
    expect(await one.reserve('acme', 'a1', 10n)).toBe('ok');
    expect(await one.reserve('acme', 'a2', 1n)).toBe('empty');
    expect([one.held('a2'), one.available('acme')]).toEqual([null, 10n]);
    two.settle('b1', 2n);
    expect(await one.reserve('acme', 'a2', 1n)).toBe('ok');
    await one.refresh();
    expect([one.balance('acme'), one.available('acme')]).toEqual([18n, 7n]);
  });

  it('what others made of it is shown after a look, what this process holds is not counted twice', async () => {
    const ledger = new SharedLedger();
    const [one, two] = [await accountsOver(ledger, { acme: 20n }), await accountsOver(ledger, { acme: 20n })];
    await one.reserve('acme', 'a1', 5n);
    await two.add('acme', { kind: 'topup', amount: 7n, note: null, by: 'admin' });
    await two.reserve('acme', 'b1', 3n);
    await one.refresh();
    expect([one.balance('acme'), one.available('acme')]).toEqual([27n, 19n]);
    one.settle('a1', 1n);
    expect([one.balance('acme'), one.available('acme')]).toEqual([26n, 23n]);
  });

  it('processes that read the same configuration grant once; a change of theirs is worked out from what is there', async () => {
    const ledger = new SharedLedger();
    const [one, two] = [await Accounts.open(ledger, CLOCK), await Accounts.open(ledger, CLOCK)];
    for (const figure of [50n, 80n]) {
      await Promise.all([one, two].map((accounts) => accounts.configure([{ name: 'acme', balance: figure }])));
      expect([one.balance('acme'), two.balance('acme'), ledger.sum('acme')]).toEqual([figure, figure, figure]);
    }
    expect(grantsOf(ledger).map(([kind, amount]) => [kind, amount])).toEqual([
      ['grant', 50n],
      ['adjust', 30n],
    ]);
  });
});
