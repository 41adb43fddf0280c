import { describe, expect, it } from 'vitest';
import { LocalNotifier } from '../adapters/store-sql/local-notifier.ts';
import type { Accounts } from '../runtime/accounts.ts';
import { keepBalances } from './keep-balances.ts';

function rig(isShared: boolean) {
  let looks = 0;
  let fails = false;
  let added: (workspace: string) => void = () => undefined;
  let timers: { ms: number; ring: () => void }[] = [];
  const accounts = {
    isShared,
    async refresh() {
      looks += 1;
      if (fails) throw new Error('away');
    },
    onAdded: (hear: (workspace: string) => void) => {
      added = hear;
    },
  } as unknown as Accounts;
  const notifier = new LocalNotifier();
  const clock = {
    wall: () => 0,
    now: () => 0,
    after(ms: number, ring: () => void) {
      const timer = { ms, ring };
      timers.push(timer);
      return () => {
        timers = timers.filter((one) => one !== timer);
      };
    },
  };
  const stop = keepBalances(accounts, { clock, notifier });
  const settle = async (): Promise<void> => {
    for (let n = 0; n < 20; n += 1) await Promise.resolve();
  };
  return {
    stop,
    settle,
    looks: () => looks,
    waits: () => timers.map(({ ms }) => ms),
    ring: () => timers.shift()?.ring(),
    add: () => added('acme'),
    fail: () => {
      fails = true;
    },
  };
}

describe('balances that others change, too', () => {
  it('G-4: are looked at every five seconds, whatever becomes of a look, and no more once it ends', async () => {
    const { stop, settle, looks, waits, ring, fail } = rig(true);
    await settle();
    expect([looks(), waits()]).toEqual([1, [5000]]);
    fail();
    ring();
    await settle();
    expect([looks(), waits()]).toEqual([2, [5000]]);
    stop();
    expect(waits()).toEqual([]);
  });

  it('G-4: are looked at when somebody has added to one, with one look under way', async () => {
    const { settle, looks, waits, add } = rig(true);
    await settle();
    add();
    add();
    await settle();
    expect([looks(), waits()]).toEqual([2, [5000]]);
  });

  it('G-4: of a store of one process nobody looks', async () => {
    const { settle, looks, waits } = rig(false);
    await settle();
    expect([looks(), waits()]).toEqual([0, []]);
  });
});
