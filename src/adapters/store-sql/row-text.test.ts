import { describe, expect, it } from 'vitest';
import { batchText, rowText } from './row-text.ts';

/** As the SQL thread takes it apart. */
function apart(text: string): (string | null)[][] {
  return text.split('\u001e').map((row) => row.split('\u001f').map((field) => (field === '\u001d' ? null : field)));
}

describe('rows as text', () => {
  it('O-2: rows come apart as they went in; numbers as digits', () => {
    const rows = [
      ['req_1', 1_796_000_000_000, null, '{"a":"\\u001f"}', ''],
      ['req_2', 0, 'dev', 'é 日本 🙂', '\n\t'],
    ];
    expect(apart(batchText(rows.map(rowText)))).toEqual([
      ['req_1', '1796000000000', null, '{"a":"\\u001f"}', ''],
      ['req_2', '0', 'dev', 'é 日本 🙂', '\n\t'],
    ]);
  });

  it('E-5: a name that holds a separator can not forge another field or row', () => {
    const forged = ['req_1', 'a\u001fb\u001ec\u0000', '\u001d'];
    expect(apart(rowText(forged))).toEqual([['req_1', 'a\ufffdb\ufffdc\ufffd', '\ufffd']]);
  });
});
