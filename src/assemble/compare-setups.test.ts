import { beforeEach, describe, expect, it } from 'vitest';
import { HandClock } from '../../test/support/hand-clock.ts';
import { LocalNotifier } from '../adapters/store-sql/local-notifier.ts';
import { compareSetups } from './compare-setups.ts';

const MINUTE = 60_000;

describe('H-5: gateways of one store with different configurations', () => {
  let clock: HandClock;
  let notifier: LocalNotifier;
  let files: string[];
  let told: (string | null)[];
  let ends: (() => void)[];

  beforeEach(() => {
    clock = new HandClock();
    notifier = new LocalNotifier();
    files = ['same', 'same'];
    told = [];
    ends = files.map((_, n) =>
      compareSetups({
        clock,
        notifier,
        holder: { id: `proc_${n}` },
        digest: () => files[n]!,
        onProblem: (problem) => void (n === 0 && told.push(problem)),
      }),
    );
  });
  const pass = async (minutes: number): Promise<void> => {
    for (let n = 0; n < minutes; n += 1) await clock.pass(MINUTE);
  };

  it('nothing is told while they are the same, or differ as long as an update takes', async () => {
    await pass(30);
    files[1] = 'new';
    await pass(9);
    files[0] = 'new';
    await pass(30);
    expect(told).toEqual([]);
  });

  it('it is told once after ten minutes, and that it is over', async () => {
    files[1] = 'other';
    await pass(30);
    expect(told).toEqual([expect.stringContaining('another gateway (proc_1)')]);
    files[1] = 'same';
    await pass(3);
    expect(told.slice(1)).toEqual([null]);
  });

  it('one that is gone is none', async () => {
    files[1] = 'other';
    await pass(5);
    ends[1]!();
    await pass(30);
    expect(told).toEqual([]);
  });
});
