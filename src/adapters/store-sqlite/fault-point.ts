/**
 * Named points at which a crash test kills this process, as a power cut would: `UNDERSTUDY_FAULT=NAME` or `NAME:N` for
 * its Nth passing. Without `UNDERSTUDY_TEST_FAULTS=1` there are none.
 */
const [armed = '', nth = '1'] =
  process.env['UNDERSTUDY_TEST_FAULTS'] === '1' ? (process.env['UNDERSTUDY_FAULT'] ?? '').split(/:(?=\d+$)/) : [];
let left = Number(nth);

/** Names are `before:STEP` and `after:STEP`, with the steps of the ledger: claim, start, end, succeed, fail, … */
export function faultPoint(when: 'before' | 'after', steps: readonly { readonly name: string }[]): void {
  if (armed === '' || !steps.some(({ name }) => `${when}:${name}` === armed)) return;
  left -= 1;
  if (left <= 0) process.kill(process.pid, 'SIGKILL');
}
