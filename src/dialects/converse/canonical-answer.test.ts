import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  callBlock,
  converseStream,
  ending,
  OPENING,
  type Told,
  textBlock,
  thoughtBlock,
} from '../../../test/support/converse-frames.ts';
import type { CanonicalAnswer, CanonicalEvent, Part } from '../canonical.ts';
import { isFrames } from './is-frames.ts';
import { converseUpstream } from './translated.ts';

const { readAnswer, streamReader } = converseUpstream.canonical;

function answer(content: readonly unknown[], stopReason: unknown = 'end_turn', usage: unknown = undefined): string {
  return JSON.stringify({ output: { message: { role: 'assistant', content } }, stopReason, usage });
}

const read = (body: string, names = new Map<string, string>()): CanonicalAnswer | null =>
  readAnswer(Buffer.from(body), names);
const parts = (content: readonly unknown[]): readonly Part[] => read(answer(content))!.choices[0]!.parts;

describe('whole Converse answers', () => {
  it('dialects §6, §11: blocks, reason and usage', () => {
    const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3, cacheReadInputTokens: 4 };
    const found = read(answer([{ text: 'a' }, { text: '' }], 'max_tokens', usage));
    expect(found).toEqual({
      choices: [
        {
          parts: [{ type: 'text', text: 'a' }],
          finish: 'length',
          finishRaw: 'max_tokens',
          stopSequence: null,
          logprobs: null,
        },
      ],
      usage: {
        input: 5,
        output: 2,
        cacheRead: 4,
        cacheWrite: null,
        reasoning: null,
        audioInput: null,
        audioOutput: null,
        total: 7,
        estimated: false,
      },
    });
  });

  it('dialects §11: arguments stay as they were written', () => {
    const body = `{"output":{"message":{"content":[{"toolUse":{"toolUseId":"t","name":"a_b","input":{"b": 9007199254740993, "a":1.0}}}]}},"stopReason":"tool_use"}`;
    expect(read(body, new Map([['a_b', 'a.b']]))!.choices[0]!.parts).toEqual([
      { type: 'call', id: 't', name: 'a.b', form: 'function', input: '{"b": 9007199254740993, "a":1.0}' },
    ]);
  });

  it('R-5: thoughts with what only their maker can read', () => {
    expect(
      parts([
        { reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } },
        { reasoningContent: { reasoningText: { text: 'plain' } } },
        { reasoningContent: { redactedContent: 'AAA=' } },
      ]),
    ).toEqual([
      {
        type: 'reasoning',
        text: 'hm',
        summary: false,
        opaque: { vendor: null, kind: 'signature', data: 's', id: null },
      },
      { type: 'reasoning', text: 'plain', summary: false, opaque: null },
      { type: 'reasoning', text: '', summary: false, opaque: { vendor: null, kind: 'sealed', data: 'AAA=', id: null } },
    ]);
  });

  it('dialects §11: texts with their sources, pictures; what is the upstream’s own is left out', () => {
    const citation = { title: 'T', source: 'https://s', sourceContent: [{ text: 'q' }, { text: 'r' }] };
    expect(
      parts([
        { citationsContent: { content: [{ text: 'so' }], citations: [citation] } },
        { image: { format: 'jpeg', source: { bytes: 'AAAA' } } },
        { toolUse: { toolUseId: 's', name: 'search', type: 'server_tool_use', input: {} } },
        { guardContent: {} },
      ]),
    ).toEqual([
      {
        type: 'text',
        text: 'so',
        citations: [{ url: 'https://s', title: 'T', quote: 'qr', start: null, end: null }],
      },
      {
        type: 'media',
        media: 'image',
        mime: 'image/jpeg',
        source: { by: 'base64', data: 'AAAA' },
        name: null,
        detail: null,
      },
    ]);
  });

  it.each([
    ['no JSON', '<html>'],
    ['no message', '{"stopReason":"end_turn"}'],
    ['an error', '{"message":"Too many requests"}'],
    ['no reason', answer([{ text: 'a' }], null)],
    ['a failed reason', answer([{ text: 'a' }], 'malformed_model_output')],
  ])('F-6: %s is no answer', (_name, body) => {
    expect(read(body)).toBeNull();
  });
});

/** What a block is in a whole answer, and how a stream tells it. */
interface Block {
  readonly whole: unknown;
  readonly streamed: (index: number) => Told;
}

const words = fc.string({ minLength: 1, maxLength: 12 });
const pieces = fc.array(words, { minLength: 1, maxLength: 4 });
const block: fc.Arbitrary<Block> = fc.oneof(
  pieces.map((list) => ({ whole: { text: list.join('') }, streamed: (index: number) => textBlock(index, ...list) })),
  fc.tuple(words, words, fc.jsonValue(), fc.nat(9)).map(([id, name, value, at]) => {
    const input = JSON.stringify({ value });
    return {
      whole: { toolUse: { toolUseId: id, name, input: { value } } },
      streamed: (index: number) => callBlock(index, id, name, input.slice(0, at), input.slice(at)),
    };
  }),
  fc.tuple(pieces, fc.option(words)).map(([list, signature]) => ({
    whole: {
      reasoningContent: { reasoningText: { text: list.join(''), ...(signature === null ? {} : { signature }) } },
    },
    streamed: (index: number) =>
      thoughtBlock(index, ...list.map((text) => ({ text })), ...(signature === null ? [] : [{ signature }])),
  })),
  fc.uint8Array({ minLength: 1, maxLength: 9 }).map((bytes) => {
    const redactedContent = Buffer.from(bytes).toString('base64');
    return {
      whole: { reasoningContent: { redactedContent } },
      streamed: (index: number) => thoughtBlock(index, { redactedContent }),
    };
  }),
);

/** The parts that a stream's events add up to. */
function folded(events: readonly CanonicalEvent[]): Part[] {
  const found: Part[] = [];
  for (const event of events) {
    const at = 'block' in event ? event.block : -1;
    const part = found[at];
    if (event.type === 'block-start') {
      const { what } = event;
      if (what.type === 'call') found.push({ ...what, input: '' });
      else if (what.type === 'reasoning') found.push({ ...what, text: '', opaque: null });
      else if (what.type === 'text') found.push({ type: 'text', text: '' });
    } else if (event.type === 'delta' && part?.type === 'call') {
      found[at] = { ...part, input: part.input + event.text };
    } else if (event.type === 'delta' && (part?.type === 'text' || part?.type === 'reasoning')) {
      found[at] = { ...part, text: part.text + event.text };
    } else if (event.type === 'opaque' && part?.type === 'reasoning') {
      found[at] = { ...part, opaque: { ...event.opaque, vendor: null } };
    }
  }
  return found;
}

describe('whole and streamed', () => {
  it('dialects §6: a stream says what the whole answer says', () => {
    fc.assert(
      fc.property(
        fc.array(block, { maxLength: 5 }),
        fc.constantFrom('end_turn', 'max_tokens', 'new'),
        (list, reason) => {
          const usage = { inputTokens: 3, outputTokens: 4, totalTokens: 7 };
          const whole = read(
            answer(
              list.map((one) => one.whole),
              reason,
              usage,
            ),
          )!;
          const events: CanonicalEvent[] = [];
          const emit = (event: CanonicalEvent): void => void events.push(event);
          const reader = streamReader({ maxEventBytes: 1 << 20, names: new Map(), vendor: 'v', emit });
          const told = [OPENING, ...list.map((one, index) => one.streamed(index)), ending(reason, usage)].flat();
          reader.push(converseStream(told));
          expect([reader.fault, reader.ending]).toEqual([null, 'proper']);
          const choice = whole.choices[0]!;
          expect(folded(events)).toEqual(choice.parts);
          expect(events.find((event) => event.type === 'finish')).toMatchObject({ finish: choice.finish, raw: reason });
          expect(events.find((event) => event.type === 'usage')).toEqual({ type: 'usage', usage: whole.usage });
        },
      ),
    );
  });
});

describe('isFrames', () => {
  it.each<[string, number, boolean]>([
    ['application/vnd.amazon.eventstream', 0, true],
    ['application/vnd.amazon.eventstream', 0x7b, false],
    ['application/json', 0, false],
    ['text/html', 0x3c, false],
    ['text/event-stream', 0x64, false],
    ['', 0, true],
    ['', 0x7b, false],
    ['application/octet-stream', 0, true],
    ['application/octet-stream', 0x64, false],
  ])('F-5: %s beginning with %i: %s', (type, first, expected) => {
    expect(isFrames(type, first)).toBe(expected);
  });
});
