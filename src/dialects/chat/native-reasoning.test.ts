import { describe, expect, it } from 'vitest';
import { textOf, utf8 } from '../bytes/text.ts';
import { wrapOpaque } from '../cross/opaque-marks.ts';
import { readRequest, writeUpstream } from './request.ts';

const foreign = wrapOpaque({ vendor: 'other', kind: 'signature', data: 'sig', id: null }, 'other');

function sent(body: string): { text: string; changes: readonly string[]; dropped: boolean } {
  const read = readRequest(utf8(body));
  if (!read.ok) throw new Error(read.error.message);
  const target = { upstreamModel: 'm', vendor: 'own', maxOutputTokens: null, lacks: new Set<string>() };
  const { bytes, changes, dropped } = writeUpstream(read.value, { target, degrade: null, injectUsage: false });
  return { text: textOf(bytes), changes, dropped };
}

describe('thoughts in Chat histories', () => {
  it('R-5: what another vendor made stays behind; all else passes byte for byte', () => {
    const own = '{ "type":"reasoning.encrypted", "data":"mine" }';
    const body = `{"model":"m","messages":[ {"role":"user","content":"x", "n":9007199254740993},{"role":"assistant","reasoning_details":[{"signature":"${foreign}"}],"content":"y"},{"role":"assistant","content":"z","reasoning_details":[${own},{"data":"${foreign}"}]}]}`;
    expect(sent(body)).toEqual({
      text: `{"model":"m","messages":[{"role":"user","content":"x", "n":9007199254740993},{"role":"assistant","content":"y"},{"role":"assistant","content":"z","reasoning_details":[${own}]}]}`,
      changes: ['dropped opaque reasoning'],
      dropped: true,
    });
  });

  it('R-5: the same letters in a text are a text', () => {
    const body = `{"model":"m","messages":[{"role":"user","content":"what is ${foreign}?"}]}`;
    expect(sent(body)).toEqual({ text: body, changes: [], dropped: false });
  });
});
