import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Usage } from '../../src/core/usage/usage.ts';
import { ByteWriter } from '../../src/dialects/bytes/byte-writer.ts';
import type { AnswerIdentity, CanonicalAnswer, CanonicalEvent, Finish, Part } from '../../src/dialects/canonical.ts';
import { chatClient, chatUpstream } from '../../src/dialects/chat/translated.ts';
import type { TranslatedClient, TranslatedUpstream } from '../../src/dialects/contract.ts';
import { generateClient, generateUpstream } from '../../src/dialects/generate/translated.ts';
import { messagesClient, messagesUpstream } from '../../src/dialects/messages/translated.ts';
import { responsesClient, responsesUpstream } from '../../src/dialects/responses/translated.ts';
import { cross, OPTIONS, requestOf, SPEAKERS, type Speaker } from './crossings.ts';

interface Side {
  readonly speaker: Speaker;
  readonly client: TranslatedClient;
  readonly upstream: TranslatedUpstream;
}

const HALVES: readonly (readonly [TranslatedClient, TranslatedUpstream])[] = [
  [chatClient, chatUpstream],
  [responsesClient, responsesUpstream],
  [messagesClient, messagesUpstream],
  [generateClient, generateUpstream],
];
const SIDES: readonly Side[] = HALVES.map(([client, upstream]) => ({
  speaker: SPEAKERS.find(({ codec }) => codec === client.codec)!,
  client,
  upstream,
}));

const IDENTITY: AnswerIdentity = { id: 'a1', createdAt: 1_760_000_000_000, servedModel: 'm', vendor: 'maker' };
const words = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' });
const args = fc.constantFrom('{}', '{"a":9007199254740993}', '{"b":[1,{"c":null}],"a":"x\\u00e9"}', '{"t":"\\"}{"}');

const count = fc.nat({ max: 5000 });
const usages: fc.Arbitrary<Usage> = fc
  .record({ fresh: count, cacheRead: count, output: count, reasoning: count })
  .map((drawn) => ({
    input: drawn.fresh + drawn.cacheRead,
    output: drawn.output + drawn.reasoning,
    cacheRead: drawn.cacheRead,
    cacheWrite: 0,
    reasoning: drawn.reasoning,
    audioInput: null,
    audioOutput: null,
    total: drawn.fresh + drawn.cacheRead + drawn.output + drawn.reasoning,
    estimated: false,
  }));

const answers: fc.Arbitrary<CanonicalAnswer> = fc
  .record({
    thought: fc.option(words, { nil: null }),
    text: fc.option(words, { nil: null }),
    calls: fc.array(fc.tuple(fc.stringMatching(/^[a-z]{1,8}$/), args), { maxLength: 3 }),
    cut: fc.boolean(),
    usage: usages,
  })
  .map(({ thought, text, calls, cut, usage }) => {
    const parts: Part[] = [];
    if (thought !== null) parts.push({ type: 'reasoning', text: thought, summary: false, opaque: null });
    if (text !== null || calls.length === 0) parts.push({ type: 'text', text: text ?? 'Yes.' });
    for (const [at, [name, input]] of calls.entries()) {
      parts.push({ type: 'call', id: `call_${at}`, name, form: 'function', input });
    }
    const finish: Finish = calls.length > 0 ? 'tool_calls' : cut ? 'length' : 'stop';
    const choice = { parts, finish, finishRaw: finish, stopSequence: null, logprobs: null };
    return { choices: [choice], usage };
  });

/** The same as a stream; texts in two pieces. */
function eventsOf({ choices, usage }: CanonicalAnswer): CanonicalEvent[] {
  const events: CanonicalEvent[] = [];
  const [choice] = choices;
  for (const [block, part] of choice!.parts.entries()) {
    if (part.type !== 'text' && part.type !== 'reasoning' && part.type !== 'call') continue;
    const what =
      part.type === 'call'
        ? ({ type: 'call', id: part.id, name: part.name, form: part.form } as const)
        : part.type === 'text'
          ? ({ type: 'text' } as const)
          : ({ type: 'reasoning', summary: false } as const);
    events.push({ type: 'block-start', block, choice: 0, what });
    const said = part.type === 'call' ? part.input : part.text;
    const middle = Math.ceil([...said].length / 2);
    for (const text of [[...said].slice(0, middle).join(''), [...said].slice(middle).join('')]) {
      if (text !== '') events.push({ type: 'delta', block, text });
    }
    events.push({ type: 'block-end', block });
  }
  events.push({ type: 'finish', choice: 0, finish: choice!.finish, raw: choice!.finish, stopSequence: null });
  if (usage !== null) events.push({ type: 'usage', usage });
  return events;
}

/** What a client makes of it: thoughts and texts joined, calls with their arguments read. */
function gist(answer: CanonicalAnswer | null): unknown {
  if (answer === null) return null;
  const [choice] = answer.choices;
  const joined = (type: 'text' | 'reasoning'): string =>
    choice!.parts.map((part) => (part.type === type ? part.text : '')).join('');
  return {
    text: joined('text'),
    thought: joined('reasoning'),
    calls: choice!.parts.flatMap((part) => (part.type === 'call' ? [[part.name, part.input]] : [])),
    finish: choice!.finish,
  };
}

const crossings = SIDES.flatMap((from) =>
  SIDES.map((to) => ({ from, to, title: `${from.speaker.client.name} → ${to.speaker.client.name}` })),
);

describe.each(crossings)('answers $title', ({ from, to }) => {
  it('R-4: a whole answer is the same to its client, counts and all', () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const told = from.client.canonical.writeAnswer(answer, IDENTITY, requestOf(from.speaker, { stream: false }));
        const read = from.upstream.canonical.readAnswer(told.bytes, new Map());
        expect(gist(read)).toEqual(gist(answer));
        const again = to.client.canonical.writeAnswer(read!, IDENTITY, requestOf(to.speaker, { stream: false }));
        const back = to.upstream.canonical.readAnswer(again.bytes, new Map());
        expect(gist(back)).toEqual(gist(answer));
        expect(back!.usage).toMatchObject({ input: answer.usage!.input, output: answer.usage!.output });
      }),
      { seed: 21, numRuns: 100 },
    );
  });

  it('R-4, T-5: a stream is the same to its client, and ends well', () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const out = new ByteWriter();
        const writer = from.client.canonical.streamWriter(out, IDENTITY, requestOf(from.speaker));
        for (const event of eventsOf(answer)) writer.write(event);
        writer.end(null, false);
        const { tap, told } = cross(to.speaker, from.upstream.dialect, [out.take()]);
        expect([tap.complete, tap.suspicious, tap.fault]).toEqual([true, false, null]);
        expect(tap.usage).toMatchObject({ input: answer.usage!.input, output: answer.usage!.output });
        expect(gist(readStream(to.upstream, told))).toEqual(gist(answer));
      }),
      { seed: 22, numRuns: 100 },
    );
  });
});

/** Puts a stream's events together again. */
function readStream(upstream: TranslatedUpstream, bytes: Uint8Array): CanonicalAnswer | null {
  const parts: Part[] = [];
  let finish: Finish | null = null;
  const reader = upstream.canonical.streamReader({
    maxEventBytes: OPTIONS.maxEventBytes,
    names: new Map(),
    vendor: 'maker',
    emit: (event) => {
      if (event.type === 'block-start') {
        const { what } = event;
        if (what.type === 'call') parts.push({ ...what, input: '' });
        else if (what.type === 'reasoning') parts.push({ ...what, text: '', opaque: null });
        else if (what.type !== 'media') parts.push({ type: what.type, text: '' });
      } else if (event.type === 'delta') {
        const part = parts[event.block]!;
        if (part.type === 'call') parts[event.block] = { ...part, input: part.input + event.text };
        else if ('text' in part) parts[event.block] = { ...part, text: part.text + event.text };
      } else if (event.type === 'finish') finish = event.finish;
    },
  });
  reader.push(bytes);
  reader.end();
  if (reader.fault !== null || finish === null) return null;
  return { choices: [{ parts, finish, finishRaw: finish, stopSequence: null, logprobs: null }], usage: null };
}
