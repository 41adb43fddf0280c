import { expect, it } from 'vitest';
import { TableDigest } from './table-digest.ts';

type Rows = Parameters<TableDigest['add']>[0][];

function digestOf(rows: Rows): string {
  const digest = new TableDigest();
  for (const row of rows) digest.add(row);
  return `${digest.rows} ${digest.sum}`;
}

const ROWS: Rows = [
  [1, 'a', null],
  [2, 'b', Buffer.from([0, 255])],
  [3, '', new Uint8Array(0)],
];

it('the order of the rows does not matter, what is in them does', () => {
  const whole = digestOf(ROWS);
  expect(digestOf([...ROWS].reverse())).toBe(whole);
  expect(digestOf([...ROWS.slice(0, 1), [2, 'b', new Uint8Array([0, 255])], ...ROWS.slice(2)])).toBe(whole);
  const others: Rows[] = [
    ROWS.slice(1),
    [...ROWS, [3, '', new Uint8Array(0)]],
    [[1, 'a', ''], ...ROWS.slice(1)],
    [[1, 'a', 0], ...ROWS.slice(1)],
    [['1', 'a', null], ...ROWS.slice(1)],
    [ROWS[0]!, [2, 'b', Buffer.from([0, 254])], ROWS[2]!],
    [ROWS[0]!, ROWS[1]!, [3, '', null]],
  ];
  for (const other of others) expect(digestOf(other)).not.toBe(whole);
});

it('two rows that are the same do not cancel each other', () => {
  expect(digestOf([ROWS[0]!, ROWS[0]!])).not.toBe(digestOf([ROWS[1]!, ROWS[1]!]));
});
