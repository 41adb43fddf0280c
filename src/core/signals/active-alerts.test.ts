import { expect, it } from 'vitest';
import { type ActiveAlert, afterLook } from './active-alerts.ts';
import type { Finding } from './evaluate.ts';

const rate = (value: number): Finding => ({ name: 'retry_rate', subject: null, value, threshold: 0.05 });
const circuit = (subject: string): Finding => ({ name: 'circuit_open', subject, value: null, threshold: null });
const QUIET = 600;

function look(active: readonly ActiveAlert[], findings: Finding[], now: number) {
  const change = afterLook(active, findings, now, () => QUIET);
  const short = (alerts: readonly ActiveAlert[]): string[] => alerts.map(({ name, subject }) => `${name} ${subject}`);
  return { active: change.active, raised: short(change.raised), resolved: short(change.resolved) };
}

it('O-4: raised once, kept while it lasts, resolved once after its quiet time', () => {
  const first = look([], [rate(0.1)], 1000);
  expect(first).toMatchObject({ raised: ['retry_rate null'], resolved: [] });
  const second = look(first.active, [rate(0.2)], 1100);
  expect(second).toMatchObject({ raised: [], resolved: [] });
  expect(second.active).toEqual([{ ...rate(0.2), since: 1000, lastSeen: 1100 }]);
  const quiet = look(second.active, [], 1100 + QUIET - 1);
  expect(quiet).toMatchObject({ raised: [], resolved: [] });
  expect(quiet.active).toEqual(second.active);
  const over = look(quiet.active, [], 1100 + QUIET);
  expect(over).toEqual({ active: [], raised: [], resolved: ['retry_rate null'] });
  expect(look(over.active, [rate(0.1)], 2000).raised).toEqual(['retry_rate null']);
});

it('O-4: back within the quiet time it is the same alert', () => {
  const first = look([], [rate(0.1)], 0);
  const back = look(look(first.active, [], 500).active, [rate(0.3)], 550);
  expect(back.raised).toEqual([]);
  expect(look(back.active, [], 550 + QUIET - 1).resolved).toEqual([]);
});

it('O-4: one of each subject', () => {
  const first = look([], [circuit('a#x'), circuit('b#y')], 0);
  expect(first.raised).toEqual(['circuit_open a#x', 'circuit_open b#y']);
  expect(look(first.active, [circuit('b#y')], QUIET).resolved).toEqual(['circuit_open a#x']);
});
