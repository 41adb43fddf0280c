import { describe, expect, it } from 'vitest';
import { classifyAnswer } from '../../dialects/chat/failure.ts';
import { vocabularyFor } from '../../providers/vocabularies.ts';
import { makeMasker } from './mask.ts';

const N = 1500;
/** Pieces that patterns repeat over; a pattern that tries all splits of such a text needs minutes or years. */
const PIECES = [
  ' ',
  '\u3000',
  '\ufeff',
  '\t',
  '\n',
  '1',
  '0.',
  '1 ',
  '1s ',
  '1分钟',
  '1小时 ',
  '请 ',
  '等待 ',
  '约 ',
  'wait ',
  'try again in ',
];
const mask = makeMasker(['sk-live-0123456789abcdef']);

describe('texts made to keep a pattern busy', () => {
  // Milliseconds each; a pattern that tries all splits takes longer than the runner waits.
  it.each(PIECES.map((piece) => [JSON.stringify(piece), piece]))(
    'F-3: %s without end is classified at once',
    (_name, piece) => {
      const long = piece.repeat(Math.ceil(N / piece.length));
      for (const text of [`a${long}b`, `try again in 1 ${long}b`, `请在 ${long}再`]) {
        for (const body of [JSON.stringify({ error: { message: text } }), text, `{"error":{"message":"${text}`]) {
          const failure = classifyAnswer({
            status: 429,
            headers: { 'retry-after': text.slice(0, 4000), 'x-ratelimit-reset': text.slice(0, 4000) },
            body: new TextEncoder().encode(body),
            inStream: false,
            vocabulary: vocabularyFor('generic'),
            wall: 0,
            phase: 'body',
            mask,
          });
          expect(failure.class).toBe('rate_limit');
        }
      }
    },
  );
});
