import { describe, expect, it } from 'vitest';
import { chatCodec } from '../../src/dialects/chat/codec.ts';
import { NativeLane } from '../../src/dialects/lanes.ts';
import { vocabularyFor } from '../../src/providers/vocabularies.ts';
import { AnswerReader } from '../../src/runtime/answer-reader.ts';

const MIB = 1024 * 1024;

/** A reader whose codec notes how much it was given to classify. */
function reader(stream: boolean): { reader: AnswerReader; classified: number[] } {
  const classified: number[] = [];
  const lane = new NativeLane({
    ...chatCodec,
    classify(source) {
      classified.push(source.body.length);
      return chatCodec.classify(source);
    },
  });
  const tap = {
    servedModel: 'm',
    includeUsage: false,
    n: 1,
    maxEventBytes: 16 * MIB,
    maxPreludeBytes: MIB,
    holdAll: false,
    maxHeldBytes: MIB,
  };
  const vocabulary = vocabularyFor('generic');
  const spec = { lane, vocabulary, mask: (text: string) => text, stream, tap, maxAnswerBytes: 32 * MIB };
  return { reader: new AnswerReader(spec), classified };
}

describe('megabytes that are no answer', () => {
  it.each([
    ['objects without end', '{},'.repeat(2 * MIB)],
    [
      'a number of choices no API gives, then an error',
      `{"choices":[${'{},'.repeat(MIB)}{}],"error":{"message":"late"}}`,
    ],
    ['brackets without end', '['.repeat(4 * MIB)],
    ['line ends without end', `data: x${'\r\n'.repeat(2 * MIB)}`],
  ])('F-3: a success of %s is classified by its beginning', (_name, text) => {
    const { reader: read, classified } = reader(false);
    read.head(200, { 'content-type': 'application/json' });
    read.push(Buffer.from(text));
    expect(read.readWhole()).toBeNull();
    expect(read.failure(0).class).toBe('malformed');
    expect(classified).toEqual([256 * 1024]);
  });

  it('F-3: an error event too; its words are read', () => {
    const { reader: read, classified } = reader(true);
    read.head(200, { 'content-type': 'text/event-stream' });
    read.push(Buffer.from(`data: {"error":{"message":"too many requests","x":"${'x'.repeat(4 * MIB)}"}}\n\n`));
    expect(read.failure(0)).toMatchObject({ class: 'rate_limit', message: 'too many requests' });
    expect(classified).toEqual([256 * 1024]);
  });
});
