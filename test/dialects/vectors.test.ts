import { describe, expect, it } from 'vitest';
import { cross, native, SPEAKERS, speakerOf, VECTORS, verdictOf } from './crossings.ts';

describe.each(VECTORS.map((vector) => ({ ...vector, title: vector.file })))('$title', ({ dialect, bytes }) => {
  const own = native(speakerOf(dialect), [bytes]);

  it.each(SPEAKERS.map((speaker) => ({ speaker, name: speaker.client.name })))(
    'T-1, T-5: a client of $name gets the verdict of the stream’s own dialect, and reads the same from its bytes',
    ({ speaker }) => {
      const whole = cross(speaker, dialect, [bytes]);
      expect(verdictOf(whole.tap)).toBe(verdictOf(own.tap));
      expect(whole.tap.usage).toEqual(own.tap.usage);
      const again = native(speaker, [whole.told]);
      if (whole.tap.complete) {
        expect(verdictOf(again.tap).split(', ')[1]).toBe('whole');
        // Not every dialect has words for a refusal: there it is text, or a filter's doing.
        if (whole.tap.ready !== 'refusal') expect(again.tap.ready).toBe(whole.tap.ready);
        const neutral = speaker.client.readStream(whole.told.toString());
        expect([neutral.ended, neutral.error]).toEqual([true, null]);
      } else {
        expect([again.tap.complete, again.tap.fault?.kind]).toEqual([false, 'error_event']);
        // T-5: nothing of what was shown looks like an end.
        expect(native(speaker, [whole.shown]).tap.complete).toBe(false);
      }
    },
  );

  it.each(SPEAKERS.map((speaker) => ({ speaker, name: speaker.client.name })))(
    'T-10: it does not matter to a client of $name how the bytes come',
    ({ speaker }) => {
      const whole = cross(speaker, dialect, [bytes]);
      for (let at = 0; at <= bytes.length; at += 3) {
        const cut = cross(speaker, dialect, [bytes.subarray(0, at), bytes.subarray(at)]);
        expect([verdictOf(cut.tap), cut.told.toString()]).toEqual([verdictOf(whole.tap), whole.told.toString()]);
      }
    },
  );

  it.each(SPEAKERS.map((speaker) => ({ speaker, name: speaker.client.name })))(
    'T-5: cut anywhere it never looks whole to a client of $name unless it is in its own dialect',
    ({ speaker }) => {
      for (let at = 0; at < bytes.length; at += 2) {
        const mine = native(speakerOf(dialect), [bytes.subarray(0, at)]);
        const theirs = cross(speaker, dialect, [bytes.subarray(0, at)]);
        expect([at, theirs.tap.complete && !mine.tap.complete]).toEqual([at, false]);
      }
    },
  );
});
