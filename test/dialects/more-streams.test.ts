import { describe, expect, it } from 'vitest';
import type { StreamTap } from '../../src/dialects/contract.ts';
import { type Crossed, cross, native, OPTIONS, SPEAKERS, type Speaker } from './crossings.ts';
import type { Sample, Verdict } from './samples/sample.ts';
import { bytesOf, commitOf, SAMPLES } from './samples/samples.ts';

function verdictOf(tap: StreamTap): Verdict | 'open' {
  if (tap.fault !== null) {
    if (tap.ready === null) return 'failover';
    return tap.fault.kind === 'error_event' || tap.fault.kind === 'bad_finish'
      ? 'error_after_commit'
      : 'truncated_after_commit';
  }
  if (!tap.complete) return 'open';
  if (tap.suspicious) return 'ok_unterminated';
  const kinds = { content: 'ok', refusal: 'ok_refusal', filtered: 'ok_content_filter', empty: 'ok_empty' } as const;
  return tap.ready === null ? 'open' : kinds[tap.ready];
}

function through(speaker: Speaker, sample: Sample, pieces: readonly Uint8Array[]): Crossed {
  const options = { ...OPTIONS, n: sample.n ?? 1 };
  return speaker.codec.dialect === sample.dialect
    ? native(speaker, pieces, options)
    : cross(speaker, sample.dialect, pieces, options);
}

const single = (bytes: Buffer): Buffer[] => Array.from(bytes, (byte) => Buffer.of(byte));

describe.each(SAMPLES.map((sample) => ({ sample, title: sample.name })))('$title', ({ sample }) => {
  const bytes = bytesOf(sample);

  it.each(SPEAKERS.map((speaker) => ({ speaker, name: speaker.client.name })))(
    'T-1, T-5, T-10: a client of $name gets its verdict, whole or byte by byte, and never what looks whole and is not',
    ({ speaker }) => {
      const isOwn = speaker.codec.dialect === sample.dialect;
      const whole = through(speaker, sample, [bytes]);
      expect(verdictOf(whole.tap)).toBe((isOwn ? null : sample.crossed) ?? sample.verdict);
      const slow = through(speaker, sample, single(bytes));
      expect([verdictOf(slow.tap), slow.told.toString()]).toEqual([verdictOf(whole.tap), whole.told.toString()]);
      const options = { ...OPTIONS, n: sample.n ?? 1 };
      const again = native(speaker, [whole.told], options);
      expect(again.tap.complete).toBe(whole.tap.complete);
      if (!whole.tap.complete) {
        expect(again.tap.fault?.kind).toBe('error_event');
        expect(native(speaker, [whole.shown], options).tap.complete).toBe(false);
      } else if (sample.usage !== undefined) {
        const { usage } = whole.tap;
        const told = usage === null ? null : [usage.input, usage.output, usage.cacheRead];
        expect(told).toEqual(sample.usage);
      }
    },
  );

  it('T-1: it commits with the event that has the first content, and not a byte before it', () => {
    const end = commitOf(sample);
    if (end === null) return;
    for (const speaker of SPEAKERS) {
      const isOwn = speaker.codec.dialect === sample.dialect;
      if (isOwn) expect(through(speaker, sample, [bytes.subarray(0, end)]).tap.ready).not.toBeNull();
      // What ends there is spoiled: a tail that is whole would be an event.
      const before = through(speaker, sample, [bytes.subarray(0, end - 3), Buffer.from('!')]);
      expect(before.tap.ready).toBeNull();
    }
  });
});
