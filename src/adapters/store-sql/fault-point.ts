/**
 * Named points at which a crash test kills this process, as a power cut would: `UNDERSTUDY_FAULT=NAME` or `NAME:N` for
 * its Nth passing; of several, parted by commas, the first that is reached. Its name goes to standard output before.
 * Without `UNDERSTUDY_TEST_FAULTS=1` there are none.
 */
import { writeSync } from 'node:fs';

const asked = process.env['UNDERSTUDY_TEST_FAULTS'] === '1' ? (process.env['UNDERSTUDY_FAULT'] ?? '') : '';
/** Passings left, by name. */
const armed = new Map<string, number>();
for (const point of asked.split(',')) {
  const [name = '', nth = '1'] = point.split(/:(?=\d+$)/);
  if (name !== '') armed.set(name, Number(nth));
}

/** Names are `before:STEP` and `after:STEP`, with the steps of the ledger: claim, start, end, succeed, fail, … */
export function faultPoint(when: 'before' | 'after', steps: readonly { readonly name: string }[]): void {
  if (armed.size === 0) return;
  for (const step of new Set(steps.map(({ name }) => name))) {
    const point = `${when}:${step}`;
    const left = armed.get(point);
    if (left === undefined) continue;
    armed.set(point, left - 1);
    if (left > 1) continue;
    writeSync(1, `fault ${point}\n`);
    process.kill(process.pid, 'SIGKILL');
  }
}
