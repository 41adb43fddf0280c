import { describe, expect, it } from 'vitest';
import type { CanonicalEvent } from '../canonical.ts';
import { BlockRow } from './block-row.ts';

const call = (id: string) => ({ type: 'call', id, name: 'f', form: 'function' }) as const;

describe('blocks in a row', () => {
  it('dialects §11: a second call waits until the first is over, and nothing is lost', () => {
    const events: CanonicalEvent[] = [];
    const row = new BlockRow((event) => events.push(event));
    const one = row.start(0, call('1'));
    const two = row.start(0, call('2'));
    row.delta(two, 'b');
    row.delta(one, 'a');
    row.end(two);
    row.delta(one, 'c');
    row.end(one);
    expect(events).toEqual([
      { type: 'block-start', block: 0, choice: 0, what: call('1') },
      { type: 'delta', block: 0, text: 'a' },
      { type: 'delta', block: 0, text: 'c' },
      { type: 'block-end', block: 0 },
      { type: 'block-start', block: 1, choice: 0, what: call('2') },
      { type: 'delta', block: 1, text: 'b' },
      { type: 'block-end', block: 1 },
    ]);
  });

  it('dialects §11: choices do not wait for one another', () => {
    const events: CanonicalEvent[] = [];
    const row = new BlockRow((event) => events.push(event));
    row.start(0, { type: 'text' });
    row.start(1, { type: 'text' });
    row.endAll(0);
    row.endAll(1);
    expect(events.map((event) => event.type)).toEqual(['block-start', 'block-start', 'block-end', 'block-end']);
  });

  it('T-7: what waits is bounded', () => {
    const row = new BlockRow(() => undefined);
    row.start(0, call('1'));
    const two = row.start(0, call('2'));
    for (let i = 0; i < 9; i++) row.delta(two, 'x'.repeat(1 << 17));
    expect(row.overfull).toBe(true);
  });
});
