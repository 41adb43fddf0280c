import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { feed } from '../../../test/support/generate-tap-feed.ts';
import { gatewayError } from '../../core/errors/catalogue.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import { textOf } from '../bytes/text.ts';
import type {
  AnswerIdentity,
  Call,
  CanonicalAnswer,
  CanonicalChoice,
  CanonicalEvent,
  CanonicalRequest,
  Finish,
  Opaque,
  Part,
  Tool,
  ToolChoice,
  ToolResult,
} from '../canonical.ts';
import type { ClientRequest, RequestPlace, TargetFacts } from '../contract.ts';
import { generateCodec } from './codec.ts';
import { generateClient, generateUpstream } from './translated.ts';

const target: TargetFacts = { upstreamModel: 'up', vendor: 'google', maxOutputTokens: null, lacks: new Set() };
const identity: AnswerIdentity = { id: 'req_1', createdAt: 5000, servedModel: 'served/m', vendor: 'google' };
const write = { target, degrade: null, injectUsage: true };

function request(body: object, place: RequestPlace = {}): ClientRequest {
  const contents = [{ parts: [{ text: 'x' }] }];
  const read = generateCodec.readRequest(Buffer.from(JSON.stringify({ contents, ...body })), { model: 'm', ...place });
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
}

const SHOWN = { generationConfig: { thinkingConfig: { includeThoughts: true } } };

const text = fc.oneof(fc.string({ minLength: 1 }), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 5 }));
const word = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_.:-]{0,12}$/);
const base64 = fc.uint8Array({ minLength: 1, maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString('base64'));
const object = fc.constantFrom('{}', '{"a":9007199254740993}', '{"b":[1,{"c":null}],"a":"\\u00e9"}', '{"output":1}');
const said = text.map((one): Part => ({ type: 'text', text: one }));
const media = fc.constantFrom<Part>(
  ...(['image/png', 'audio/wav', 'video/mp4', 'application/pdf'] as const).map((mime): Part => {
    const media = mime.startsWith('app') ? 'document' : (mime.slice(0, 5) as 'image' | 'audio' | 'video');
    return { type: 'media', media, mime, source: { by: 'base64', data: 'iVBORw0KGgo=' }, name: null, detail: null };
  }),
);
const opaqueOf = (vendor: string | null) => (kind: Opaque['kind']) =>
  base64.map((data): Opaque => ({ vendor, kind, data, id: null }));
const callOf = (opaque: (kind: Opaque['kind']) => fc.Arbitrary<Opaque>): fc.Arbitrary<Call> =>
  fc
    .record({ name: word, input: fc.oneof(object, fc.constant('{"cut":')), opaque: fc.option(opaque('signature')) })
    .map(({ opaque: state, ...one }) => ({
      type: 'call',
      id: '',
      form: 'function',
      ...one,
      ...(state === null ? {} : { opaque: state }),
    }));

describe('read(write(c)) = c for requests this dialect can say', () => {
  const own = opaqueOf('google');
  const thought = fc
    .tuple(text, own('signature'))
    .map(([one, opaque]): Part => ({ type: 'reasoning', text: one, summary: true, opaque }));
  const sealed = own('sealed').map((opaque): Part => ({ type: 'reasoning', text: '', summary: true, opaque }));
  const spoken = fc
    .tuple(
      fc.array(fc.oneof(thought, sealed), { maxLength: 2 }),
      fc.option(fc.tuple(text, fc.option(own('signature')))),
      fc.array(callOf(own), { maxLength: 3 }),
    )
    .map(([thoughts, one, calls]): Part[] => {
      const [words, opaque] = one ?? ['', null];
      const texts: Part[] = words === '' ? [] : [{ type: 'text', text: words, ...(opaque === null ? {} : { opaque }) }];
      const all = [...thoughts, ...texts, ...calls];
      return all.length === 0 ? [{ type: 'text', text: 'y' }] : all;
    });
  const output: fc.Arbitrary<Pick<ToolResult, 'parts' | 'json' | 'failed'>> = fc.oneof(
    object.map((json) => ({ parts: [], json, failed: false })),
    fc.tuple(said, fc.boolean()).map(([one, failed]) => ({ parts: [one], json: null, failed })),
    fc.tuple(said, media).map(([one, two]) => ({ parts: [one, two], json: null, failed: false })),
    fc.constant({ parts: [], json: null, failed: false }),
  );
  const exchange = fc.tuple(fc.array(fc.oneof(said, media), { minLength: 1, maxLength: 3 }), spoken, fc.array(output));

  /** Results and what the user says next are one turn; calls of one conversation have ids of their own. */
  const turns = fc.array(exchange, { maxLength: 3 }).map((all): CanonicalRequest['turns'] => {
    const list: { role: 'user' | 'assistant'; parts: readonly Part[] }[] = [];
    let waiting: Part[] = [];
    let calls = 0;
    for (const [asked, answered, outputs] of all) {
      list.push({ role: 'user', parts: [...waiting, ...asked] });
      const named = answered.map((part): Part => (part.type === 'call' ? { ...part, id: `c${calls++}` } : part));
      list.push({ role: 'assistant', parts: named });
      waiting = named
        .filter((part) => part.type === 'call')
        .map((call, at) => ({
          type: 'result',
          callId: call.id,
          name: call.name,
          ...(outputs[at % Math.max(1, outputs.length)] ?? { parts: [], json: '{}', failed: false }),
        }));
    }
    return [...list, { role: 'user', parts: [...waiting, { type: 'text', text: 'x' }] }];
  });

  const tools = fc.uniqueArray(
    fc.record({
      form: fc.constant('function' as const),
      name: word,
      description: fc.option(text),
      schema: fc.constantFrom(
        null,
        '{"type":"object"}',
        '{"properties":{"n":{"maximum":9007199254740993}},"type":"object"}',
      ),
      strict: fc.constant(null),
    }),
    { selector: (tool: Tool) => tool.name, maxLength: 3 },
  );
  const choiceFor = (list: readonly Tool[]): fc.Arbitrary<ToolChoice | null> => {
    const names = list.map((tool) => tool.name);
    if (names.length === 0) return fc.constant(null);
    const some: ToolChoice[] = names.length < 2 ? [] : [{ mode: 'some', names: names.slice(0, 2), must: true }];
    return fc.constantFrom<ToolChoice | null>(
      null,
      { mode: 'auto' },
      { mode: 'none' },
      { mode: 'any' },
      { mode: 'one', name: names[0]! },
      ...some,
    );
  };
  const fraction = fc.integer({ min: 0, max: 200 }).map((n) => n / 100);
  const canonical: fc.Arbitrary<CanonicalRequest> = tools.chain((list) =>
    fc.record({
      system: fc.array(said, { maxLength: 2 }),
      turns,
      tools: fc.constant(list),
      toolChoice: choiceFor(list),
      parallelCalls: fc.constant(null),
      format: fc.constantFrom<CanonicalRequest['format']>(
        null,
        { type: 'json' },
        { type: 'schema', name: null, description: null, schema: '{"enum":[1,9007199254740993]}', strict: null },
      ),
      reasoning: fc.oneof(
        fc.record({
          effort: fc.constantFrom(null, 'none', 'minimal', 'low', 'medium', 'high', 'xhigh'),
          budget: fc.constant(null),
          shown: fc.option(fc.boolean()),
        }),
        fc.record({ effort: fc.constant(null), budget: fc.integer({ min: 1 }), shown: fc.option(fc.boolean()) }),
      ),
      maxOutputTokens: fc.option(fc.integer({ min: 1 })),
      stop: fc.array(text, { maxLength: 5 }),
      sampling: fc.record(
        {
          temperature: fraction,
          topP: fraction,
          topK: fc.integer({ min: 1, max: 1000 }),
          seed: fc.integer(),
          presencePenalty: fraction,
          frequencyPenalty: fraction,
        },
        { requiredKeys: [] },
      ),
      n: fc.integer({ min: 1, max: 8 }),
      logprobs: fc.option(fc.integer({ min: 0, max: 20 })),
      modalities: fc.constantFrom([], ['image']),
      bound: fc.constant([]),
      hints: fc.constantFrom(new Map(), new Map([['service_tier', '"flex"']])),
      stream: fc.boolean(),
      prefill: fc.constant(false),
    }),
  );

  test('R-4: nothing is lost, changed or recorded', () => {
    fc.assert(
      fc.property(canonical, (one) => {
        expect(generateUpstream.canonical.misses(one, target)).toBeNull();
        const written = generateUpstream.canonical.writeRequest(one, write);
        // Arguments that broke off are kept, and said to be wrapped.
        expect(written.changes.filter((words) => !words.startsWith('arguments '))).toEqual([]);
        const read = generateCodec.readRequest(written.bytes, { model: 'm', stream: one.stream });
        if (!read.ok) throw new Error(read.error.message);
        const back = generateClient.canonical.readRequest(read.value);
        expect(back).toEqual({ ok: true, value: one });
      }),
      { numRuns: 300 },
    );
  });
});

const FINISHES: readonly (readonly [Finish, string])[] = [
  ['stop', 'STOP'],
  ['length', 'MAX_TOKENS'],
  ['content_filter', 'SAFETY'],
];

describe('read(write(c)) = c for answers this dialect can say', () => {
  const own = opaqueOf(null);
  const thought = fc
    .tuple(text, fc.option(own('signature')))
    .map(([one, opaque]): Part => ({ type: 'reasoning', text: one, summary: true, opaque }));
  const sealed = own('sealed').map((opaque): Part => ({ type: 'reasoning', text: '', summary: true, opaque }));
  const token = fc.record({ token: text, logprob: fc.integer({ min: -50, max: 0 }) }).map((one) => ({
    ...one,
    bytes: [...Buffer.from(one.token)],
  }));
  const logprobs = fc
    .array(fc.tuple(token, fc.array(token, { maxLength: 2 })), { minLength: 1, maxLength: 3 })
    .map((list) => JSON.stringify(list.map(([one, top]) => ({ ...one, top_logprobs: top }))));
  const count = fc.nat(1000);
  const usage = fc
    .record({ input: count, output: count, reasoning: fc.option(count), cacheRead: fc.option(count) })
    .map(({ input, output, reasoning, cacheRead }) => ({
      input,
      output: output + (reasoning ?? 0),
      cacheRead,
      cacheWrite: null,
      reasoning,
      audioInput: null,
      audioOutput: null,
      total: input + output + (reasoning ?? 0),
      estimated: false,
    }));

  const choiceOf = (parts: readonly Part[], [finish, raw]: readonly [Finish, string]): CanonicalChoice => {
    const called = finish === 'stop' && parts.some(({ type }) => type === 'call');
    const named = parts.map((part, at): Part => (part.type === 'call' ? { ...part, id: `c${at}` } : part));
    return {
      parts: named,
      finish: called ? 'tool_calls' : finish,
      finishRaw: raw,
      stopSequence: null,
      logprobs: null,
    };
  };
  const signed = fc
    .tuple(text, fc.option(own('signature')))
    .map(([one, opaque]): Part => ({ type: 'text', text: one, ...(opaque === null ? {} : { opaque }) }));
  const image: fc.Arbitrary<Part> = fc.constant({
    type: 'media',
    media: 'image',
    mime: 'image/png',
    source: { by: 'base64', data: 'AAAA' },
    name: null,
    detail: null,
  });

  test('dialects §11: whole answers', () => {
    const choice = fc
      .tuple(
        fc.array(fc.oneof(thought, sealed, signed, callOf(own), image), { maxLength: 5 }),
        fc.constantFrom(...FINISHES),
        fc.option(logprobs),
      )
      .map(([parts, finish, likely]): CanonicalChoice => ({ ...choiceOf(parts, finish), logprobs: likely }));
    const answer: fc.Arbitrary<CanonicalAnswer> = fc.record({
      choices: fc.array(choice, { minLength: 1, maxLength: 3 }),
      usage: fc.option(usage),
    });
    fc.assert(
      fc.property(answer, (one) => {
        const { bytes, dropped } = generateClient.canonical.writeAnswer(one, identity, request(SHOWN));
        expect(dropped).toEqual([]);
        expect(generateUpstream.canonical.readAnswer(bytes, new Map())).toEqual(one);
        expect(generateCodec.readAnswer(bytes)?.usage ?? null).toEqual(one.usage);
      }),
      { numRuns: 300 },
    );
  });

  /** Parts that follow each other are of different kinds: of one kind they are one. */
  const mixed = fc.array(fc.oneof(thought, sealed, said, callOf(own), image), { maxLength: 6 }).map((parts) =>
    parts.filter((part, at) => {
      const before = parts[at - 1];
      return part.type !== before?.type || part.type === 'call';
    }),
  );

  /** The events of an answer whose texts come in two pieces. */
  function eventsOf(answer: CanonicalAnswer): CanonicalEvent[] {
    const events: CanonicalEvent[] = [];
    let block = 0;
    answer.choices.forEach(({ parts, finish, finishRaw: raw }, choice) => {
      for (const part of parts) {
        const start = (what: Extract<CanonicalEvent, { type: 'block-start' }>['what']): void => {
          events.push({ type: 'block-start', block, choice, what });
        };
        const pieces = (whole: string): void => {
          const half = Math.ceil(whole.length / 2);
          for (const piece of [whole.slice(0, half), whole.slice(half)]) {
            if (piece !== '') events.push({ type: 'delta', block, text: piece });
          }
        };
        if (part.type === 'call') {
          start({ type: 'call', id: part.id, name: part.name, form: part.form });
          pieces(part.input);
        } else if (part.type === 'media') {
          start({ type: 'media', part });
        } else if (part.type === 'reasoning') {
          start({ type: 'reasoning', summary: part.summary });
          pieces(part.text);
        } else if (part.type === 'text') {
          start({ type: 'text' });
          pieces(part.text);
        }
        const opaque = 'opaque' in part ? part.opaque : null;
        if (opaque != null) events.push({ type: 'opaque', block, opaque });
        events.push({ type: 'block-end', block: block++ });
      }
      events.push({ type: 'finish', choice, finish, raw, stopSequence: null });
    });
    if (answer.usage !== null) events.push({ type: 'usage', usage: answer.usage });
    return events;
  }

  function answerOf(events: readonly CanonicalEvent[]): CanonicalAnswer {
    const parts: Part[][] = [];
    const places = new Map<number, [number, number]>();
    const choices: CanonicalChoice[] = [];
    let counted: CanonicalAnswer['usage'] = null;
    for (const event of events) {
      const place = 'block' in event ? places.get(event.block) : undefined;
      const part = place === undefined ? undefined : parts[place[0]]![place[1]]!;
      const put = (next: Part): void => {
        parts[place![0]]![place![1]] = next;
      };
      if (event.type === 'block-start') {
        const list = parts[event.choice] ?? [];
        parts[event.choice] = list;
        places.set(event.block, [event.choice, list.length]);
        const { what } = event;
        if (what.type === 'call') list.push({ ...what, input: '' });
        else if (what.type === 'media') list.push(what.part);
        else if (what.type === 'reasoning') list.push({ ...what, text: '', opaque: null });
        else list.push({ type: 'text', text: '' });
      } else if (event.type === 'delta' && part !== undefined) {
        if (part.type === 'call') put({ ...part, input: part.input + event.text });
        else if (part.type === 'text' || part.type === 'reasoning') put({ ...part, text: part.text + event.text });
      } else if (event.type === 'opaque' && (part?.type === 'call' || part?.type === 'reasoning')) {
        put({ ...part, opaque: { ...event.opaque, vendor: null } });
      } else if (event.type === 'finish') {
        const { choice, finish, raw } = event;
        choices[choice] = {
          parts: parts[choice] ?? [],
          finish,
          finishRaw: raw,
          stopSequence: null,
          logprobs: null,
        };
      } else if (event.type === 'usage') {
        counted = event.usage;
      }
    }
    return { choices, usage: counted };
  }

  test('dialects §11, T-8: streams in either form, in any pieces; and the native tap takes what the writer wrote', () => {
    const answer = fc.record({
      choices: fc.array(
        fc.tuple(mixed, fc.constantFrom(...FINISHES)).map(([parts, finish]) => choiceOf(parts, finish)),
        { minLength: 1, maxLength: 2 },
      ),
      usage: fc.option(usage),
    });
    fc.assert(
      fc.property(answer, fc.constantFrom('events', 'array'), fc.integer({ min: 1, max: 90 }), (one, form, step) => {
        const out = new ByteWriter();
        const writer = generateClient.canonical.streamWriter(out, identity, request(SHOWN, { stream: true, form }));
        for (const event of eventsOf(one)) writer.write(event);
        writer.end(Buffer.from('{"r":1}'), false);
        const bytes = Buffer.from(out.take());
        expect(bytes.toString()).not.toMatch(/^event:|DONE/m);
        const pieces: Buffer[] = [];
        for (let at = 0; at < bytes.length; at += step) pieces.push(bytes.subarray(at, at + step));

        const events: CanonicalEvent[] = [];
        const options = { maxEventBytes: 1 << 20, names: new Map(), vendor: 'v' };
        const reader = generateUpstream.canonical.streamReader({
          ...options,
          emit: (event) => void events.push(event),
        });
        for (const piece of pieces) reader.push(piece);
        expect(reader.ending).toBe('open');
        reader.end();
        expect([reader.fault, reader.ending]).toEqual([null, 'proper']);
        expect(answerOf(events)).toEqual(one);

        const { tap, whole } = feed(pieces, { n: one.choices.length, form, servedModel: identity.servedModel });
        expect([tap.fault, tap.complete, tap.usage]).toEqual([null, true, one.usage]);
        expect(whole).toBe(bytes.toString());
      }),
      { numRuns: 300 },
    );
  });

  test('T-4: a writer breaks off with an error that has a number, in an array with a reset', () => {
    const error = gatewayError('stream_interrupted', 'broken');
    const frame = (form: 'events' | 'array') =>
      generateClient.canonical
        .streamWriter(new ByteWriter(), identity, request({}, { stream: true, form }))
        .interrupt(error, 'r');
    expect(frame('array')).toBe('destroy');
    expect(textOf(frame('events') as Uint8Array)).toContain('"code":502');
  });
});
