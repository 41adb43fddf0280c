import { describe, expect, it } from 'vitest';
import { plainDraft, sampleDraft } from '../../../test/support/sample-draft.ts';
import { csvCell, EXPORT_FORMS } from './export-form.ts';

/** Fields of one CSV text, as RFC 4180 reads it. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let [row, field, quoted, at]: [string[], string, boolean, number] = [[], '', false, 0];
  while (at < text.length) {
    const char = text[at]!;
    if (quoted && char === '"' && text[at + 1] === '"') {
      field += '"';
      at += 1;
    } else if (char === '"') quoted = !quoted;
    else if (!quoted && char === ',') {
      row.push(field);
      field = '';
    } else if (!quoted && text.startsWith('\r\n', at)) {
      rows.push([...row, field]);
      [row, field] = [[], ''];
      at += 1;
    } else field += char;
    at += 1;
  }
  expect([row, field, quoted]).toEqual([[], '', false]);
  return rows;
}

describe('CSV', () => {
  it('O-5: what RFC 4180 gives a meaning is quoted, and read back as it was', () => {
    const names = ['plain', 'a,b', 'say "hi"', 'two\r\nlines', 'one\nfeed', '模型', ' spaced ', '","', ''];
    const rows = names.map((requested_model, n) => plainDraft(n, { requested_model }));
    const { head, line } = EXPORT_FORMS.csv;
    const [columns, ...read] = parseCsv(head + rows.map(line).join(''));
    const at = columns!.indexOf('requested_model');
    expect(read.map((row) => row[at])).toEqual(names);
    expect(new Set(read.map((row) => row.length))).toEqual(new Set([columns!.length]));
  });

  it.each(['=1+2', '+1', '-1', '@SUM(A1)', '\tx', '\rx', '\n=1', '＝1', '＋1', '－1', '＠A', '=cmd|" /C calc"!A1'])(
    'O-5: no spreadsheet takes %j for a formula',
    (text) => {
      const cell = csvCell(text);
      expect(cell.replace(/^"/, '')[0]).toBe("'");
      expect(parseCsv(`${cell}\r\n`)).toEqual([[`'${text}`]]);
    },
  );

  it('O-5: figures are figures, and what is not there is empty', () => {
    const [columns = [], row = []] = parseCsv(EXPORT_FORMS.csv.head + EXPORT_FORMS.csv.line(sampleDraft(1)));
    const cells = Object.fromEntries(columns.map((name, at) => [name, row[at]]));
    expect(cells).toMatchObject({
      id: 'req_00000001',
      client_request_id: '',
      chain: 'openai/gpt-5-nano anthropic/claude-sonnet',
      status: '200',
      degraded: 'true',
      idempotency_key_hash: 'cafe01',
      latency_ms: '853.1',
      input_tokens: '10',
      cost_nano_usd: '1200',
      job_id: '',
    });
  });
});

describe('lines of JSON', () => {
  it('O-5: one object each, whatever a client has called its model', () => {
    const rows = [plainDraft(1, { requested_model: 'a\nb"' }), plainDraft(2)];
    const lines = rows.map(EXPORT_FORMS.ndjson.line).join('').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).requested_model)).toEqual(['a\nb"', rows[1]!.requested_model]);
  });
});
