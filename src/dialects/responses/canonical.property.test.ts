import fc from 'fast-check';
import { accumulateResponse } from 'openai/lib/responses/ResponseAccumulator';
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { describe, expect, test } from 'vitest';
import { feedEvents, namedEvents } from '../../../test/support/event-tap-feed.ts';
import { gatewayError } from '../../core/errors/catalogue.ts';
import type { Usage } from '../../core/usage/usage.ts';
import { ByteWriter } from '../bytes/byte-writer.ts';
import type {
  AnswerIdentity,
  Call,
  CanonicalAnswer,
  CanonicalEvent,
  CanonicalRequest,
  Citation,
  Opaque,
  Part,
  ToolResult,
} from '../canonical.ts';
import type { ClientRequest, TargetFacts } from '../contract.ts';
import { responsesCodec } from './codec.ts';
import { responsesClient, responsesUpstream } from './translated.ts';

const target: TargetFacts = { upstreamModel: 'up', vendor: 'openai', maxOutputTokens: null, lacks: new Set() };
const identity: AnswerIdentity = { id: 'req_1', createdAt: 5000, servedModel: 'served/m', vendor: 'openai' };
const request = (body: object): ClientRequest => {
  const read = responsesCodec.readRequest(Buffer.from(JSON.stringify({ model: 'm', input: 'x', ...body })));
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
};

const text = fc.oneof(fc.string({ minLength: 1 }), fc.string({ unit: 'grapheme', minLength: 1, maxLength: 5 }));
const word = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/);
const object = fc.constantFrom('{}', '{"a":9007199254740993}', '{"b":[1,{"c":null}],"a":"\\u00e9"}');
const citation: fc.Arbitrary<Citation> = fc.record({
  url: fc.webUrl(),
  title: fc.option(text, { nil: null }),
  quote: fc.constant(null),
  start: fc.nat(100),
  end: fc.nat(100),
});
const plainText = text.map((said): Part => ({ type: 'text', text: said }));
const cited = fc
  .tuple(text, fc.array(citation, { minLength: 1, maxLength: 2 }))
  .map(([said, citations]): Part => ({ type: 'text', text: said, citations }));
const refusal = text.map((said): Part => ({ type: 'refusal', text: said }));
const image = fc.constantFrom<Part>(
  {
    type: 'media',
    media: 'image',
    mime: 'image/png',
    source: { by: 'base64', data: 'iVBORw0KGgo=' },
    name: null,
    detail: null,
  },
  {
    type: 'media',
    media: 'image',
    mime: null,
    source: { by: 'url', url: 'https://x.test/a.png' },
    name: null,
    detail: 'low',
  },
  {
    type: 'media',
    media: 'document',
    mime: 'application/pdf',
    source: { by: 'base64', data: 'JVBERi0=' },
    name: 'a.pdf',
    detail: null,
  },
);
const call = fc
  .record({
    id: word,
    name: word,
    form: fc.constantFrom('function', 'custom'),
    input: fc.oneof(object, fc.constant('{"cut":')),
  })
  .map((one): Call => ({ type: 'call', ...one }));
const sealed = word.map((data): Opaque => ({ vendor: 'openai', kind: 'sealed', data, id: `rs_${data}` }));

describe('read(write(c)) = c for requests this dialect can say', () => {
  const thought = fc
    .tuple(fc.oneof(fc.constant(''), text), sealed)
    .map(([said, opaque]): Part => ({ type: 'reasoning', text: said, summary: true, opaque }));
  const spoken = fc
    .tuple(fc.option(thought, { nil: null }), fc.array(fc.oneof(plainText, cited, refusal, call), { minLength: 1 }))
    .map(([first, rest]) => (first === null ? rest : [first, ...rest]));
  const results = (parts: readonly Part[], outputs: readonly (readonly Part[])[]): ToolResult[] =>
    parts
      .filter((part) => part.type === 'call')
      .map((one, at) => ({
        type: 'result',
        callId: one.id,
        name: one.name,
        parts: outputs[at % Math.max(1, outputs.length)] ?? [],
        json: null,
        failed: false,
      }));
  const output = fc.array(fc.oneof(plainText, image), { maxLength: 2 });
  const exchange = fc
    .tuple(fc.array(fc.oneof(plainText, image), { minLength: 1, maxLength: 3 }), spoken, fc.array(output))
    .map(([asked, said, outputs]): CanonicalRequest['turns'] => {
      const answers = results(said, outputs);
      return [
        { role: 'user', parts: asked },
        { role: 'assistant', parts: said },
        ...(answers.length > 0 ? [{ role: 'user' as const, parts: answers }] : []),
      ];
    });
  // Calls of one conversation have ids of their own.
  const distinct = (turns: CanonicalRequest['turns']): CanonicalRequest['turns'] => {
    let calls = 0;
    return turns.map(({ role, parts }) => {
      let results = calls - parts.filter(({ type }) => type === 'result').length;
      const told = parts.map((part): Part => {
        if (part.type === 'call') return { ...part, id: `c${calls++}` };
        return part.type === 'result' ? { ...part, callId: `c${results++}` } : part;
      });
      return { role, parts: told };
    });
  };
  const canonical: fc.Arbitrary<CanonicalRequest> = fc
    .record({
      system: fc.oneof(fc.constant([]), fc.array(plainText, { minLength: 1, maxLength: 2 })),
      turns: fc
        .tuple(fc.array(exchange, { maxLength: 2 }), fc.option(plainText, { nil: null }))
        .map(([all, last]) =>
          distinct([...all.flat(), { role: 'user', parts: [last ?? { type: 'text', text: 'x' }] }]),
        ),
      tools: fc.uniqueArray(
        fc.oneof(
          fc.record({
            form: fc.constant('function' as const),
            name: word,
            description: fc.option(text, { nil: null }),
            schema: object,
            strict: fc.boolean(),
          }),
          fc.record({
            form: fc.constant('custom' as const),
            name: word,
            description: fc.option(text, { nil: null }),
            schema: fc.constantFrom(null, '{"type":"grammar","grammar":{"definition":"x","syntax":"lark"}}'),
            strict: fc.constant(null),
          }),
        ),
        { selector: (tool) => tool.name, maxLength: 3 },
      ),
      choice: fc.constantFrom('auto', 'none', 'any', 'one', 'some', null),
      parallelCalls: fc.option(fc.boolean(), { nil: null }),
      format: fc.option(
        fc.oneof(
          fc.constant({ type: 'json' as const }),
          fc.record({
            type: fc.constant('schema' as const),
            name: word,
            description: fc.option(text, { nil: null }),
            schema: object,
            strict: fc.boolean(),
          }),
        ),
        { nil: null },
      ),
      reasoning: fc.record({
        effort: fc.constantFrom('low', 'high', null),
        budget: fc.constant(null),
        shown: fc.constantFrom(true, null),
      }),
      maxOutputTokens: fc.option(fc.integer({ min: 16, max: 9000 }), { nil: null }),
      sampling: fc.constantFrom({}, { temperature: 0.5 }, { temperature: 1, topP: 0.1 }),
      logprobs: fc.constantFrom(null, 0, 5),
      hints: fc.constantFrom(
        new Map(),
        new Map([
          ['user', '"u"'],
          ['metadata', '{"big":12345678901234567890}'],
          ['verbosity', '"low"'],
        ]),
      ),
      stream: fc.boolean(),
    })
    .map(({ choice, ...rest }): CanonicalRequest => {
      const names = rest.tools.map((tool) => tool.name);
      const [first] = names;
      const chosen =
        choice === 'one'
          ? { mode: choice, name: first ?? '' }
          : choice === 'some'
            ? { mode: choice, names, must: true }
            : choice === null
              ? null
              : { mode: choice };
      return {
        ...rest,
        toolChoice: first === undefined ? null : chosen,
        parallelCalls: first === undefined ? null : rest.parallelCalls,
        stop: [],
        n: 1,
        modalities: [],
        bound: [],
        prefill: false,
      };
    });

  test('R-4, dialects §14.4: nothing is lost, nothing recorded', () => {
    fc.assert(
      fc.property(canonical, (c) => {
        expect(responsesUpstream.canonical.misses(c, target)).toBeNull();
        const written = responsesUpstream.canonical.writeRequest(c, { target, degrade: null, injectUsage: true });
        const body = JSON.parse(Buffer.from(written.bytes).toString());
        expect(body.store).toBe(false);
        for (const tool of body.tools ?? []) if (tool.type === 'function') expect(tool.strict).toBeTypeOf('boolean');
        const bytes = responsesCodec.readRequest(written.bytes);
        if (!bytes.ok) throw new Error(bytes.error.message);
        const read = responsesClient.canonical.readRequest(bytes.value);
        if (!read.ok) throw new Error(read.error.message);
        const { hints, ...rest } = read.value;
        const { hints: given, ...expected } = c;
        expect(rest).toEqual(expected);
        expect(new Map([...hints].filter(([name]) => name !== 'store'))).toEqual(given);
        expect(written.changes).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });
});

const usage = fc.option(
  fc.record({ input: fc.nat(), output: fc.nat(), cacheRead: fc.nat(), reasoning: fc.nat() }).map(
    (counts): Usage => ({
      ...counts,
      cacheWrite: 3,
      audioInput: null,
      audioOutput: null,
      total: counts.input + counts.output,
      estimated: false,
    }),
  ),
  { nil: null },
);
const finishes = fc.constantFrom('stop', 'length', 'content_filter', 'tool_calls');
const madeImage: Part = {
  type: 'media',
  media: 'image',
  mime: 'image/webp',
  source: { by: 'base64', data: 'UklGRg==' },
  name: null,
  detail: null,
};
const ownState = word.map((data): Opaque => ({ vendor: null, kind: 'sealed', data, id: null }));
const answerThought = fc
  .tuple(fc.oneof(fc.constant(''), text), fc.boolean(), fc.option(ownState, { nil: null }))
  .filter(([said, , opaque]) => said !== '' || opaque !== null)
  .map(
    ([said, summary, opaque]): Part => ({
      type: 'reasoning',
      text: said,
      summary: said === '' ? true : summary,
      opaque,
    }),
  );
const answerParts = fc.array(fc.oneof(plainText, cited, refusal, call, answerThought, fc.constant(madeImage)), {
  maxLength: 6,
});

/** Ids of items are the writer's own; the state keeps the vendor's. */
function withoutIds(parts: readonly Part[]): Part[] {
  return parts.map((part) =>
    part.type === 'reasoning' && part.opaque !== null ? { ...part, opaque: { ...part.opaque, id: null } } : part,
  );
}

function finishFor(parts: readonly Part[], finish: string): 'stop' | 'length' | 'content_filter' | 'tool_calls' {
  if (finish === 'length' || finish === 'content_filter') return finish;
  return parts.some(({ type }) => type === 'call') ? 'tool_calls' : 'stop';
}

const answers = fc.tuple(answerParts, finishes, usage).map(
  ([parts, finish, counts]): CanonicalAnswer => ({
    choices: [{ parts, finish: finishFor(parts, finish), finishRaw: 'x', stopSequence: null, logprobs: null }],
    usage: counts,
  }),
);

/** An answer as the events of its stream, its texts in pieces. */
function eventsOf({ choices, usage: counts }: CanonicalAnswer, size: number): CanonicalEvent[] {
  const { parts, finish } = choices[0]!;
  const events: CanonicalEvent[] = [];
  parts.forEach((part, block) => {
    const what =
      part.type === 'call'
        ? ({ type: 'call', id: part.id, name: part.name, form: part.form } as const)
        : part.type === 'media'
          ? ({ type: 'media', part } as const)
          : part.type === 'reasoning'
            ? ({ type: 'reasoning', summary: part.summary } as const)
            : ({ type: part.type as 'text' | 'refusal' } as const);
    events.push({ type: 'block-start', block, choice: 0, what });
    const said = [...(part.type === 'call' ? part.input : 'text' in part ? part.text : '')];
    for (let at = 0; at < said.length; at += size) {
      events.push({ type: 'delta', block, text: said.slice(at, at + size).join('') });
    }
    if (part.type === 'text') {
      for (const one of part.citations ?? []) events.push({ type: 'citation', block, citation: one });
    }
    if (part.type === 'reasoning' && part.opaque !== null) {
      events.push({ type: 'opaque', block, opaque: part.opaque });
    }
    events.push({ type: 'block-end', block });
  });
  if (counts !== null) events.push({ type: 'usage', usage: counts });
  events.push({ type: 'finish', choice: 0, finish, raw: 'x', stopSequence: null });
  return events;
}

function streamed(events: readonly CanonicalEvent[], report: Uint8Array | null = null): string {
  const out = new ByteWriter();
  const writer = responsesClient.canonical.streamWriter(
    out,
    identity,
    request({ tools: [], instructions: 'Be kind.' }),
  );
  for (const event of events) writer.write(event);
  writer.end(report, false);
  return Buffer.from(out.take()).toString();
}

function readEvents(pieces: readonly Uint8Array[]): { events: CanonicalEvent[]; ending: string; fault: unknown } {
  const events: CanonicalEvent[] = [];
  const reader = responsesUpstream.canonical.streamReader({
    maxEventBytes: 1 << 20,
    names: new Map(),
    vendor: 'openai',
    emit: (event) => events.push(event),
  });
  for (const piece of pieces) reader.push(piece);
  reader.end();
  return { events, ending: reader.ending, fault: reader.fault };
}

/** Neighbouring deltas of a block in one, words of the finish and ids of items left out. */
function condensed(events: readonly CanonicalEvent[]): unknown[] {
  const told: CanonicalEvent[] = [];
  for (const event of events) {
    const last = told.at(-1);
    if (event.type === 'delta' && last?.type === 'delta' && last.block === event.block) {
      told[told.length - 1] = { ...last, text: last.text + event.text };
    } else if (event.type === 'finish') told.push({ ...event, raw: '' });
    else if (event.type === 'opaque') told.push({ ...event, opaque: { ...event.opaque, id: null } });
    else told.push(event);
  }
  return told;
}

function answerOf(parts: readonly Part[]): CanonicalAnswer {
  return {
    choices: [{ parts, finish: 'stop', finishRaw: 'stop', stopSequence: null, logprobs: null }],
    usage: null,
  };
}

/** dialects §8: it says that its calls are whole, and one is not. */
function isBroken({ choices }: CanonicalAnswer): boolean {
  return choices.some(
    ({ finish, parts }) =>
      (finish === 'tool_calls' || finish === 'stop') &&
      parts.some((part) => part.type === 'call' && part.form === 'function' && part.input === '{"cut":'),
  );
}

describe('read(write(c)) = c for answers', () => {
  test('R-4: whole ones', () => {
    fc.assert(
      fc.property(answers, (c) => {
        const { bytes, dropped } = responsesClient.canonical.writeAnswer(c, identity, request({}));
        expect(dropped).toEqual([]);
        const read = responsesUpstream.canonical.readAnswer(bytes, new Map());
        if (isBroken(c)) {
          expect([read, responsesCodec.readAnswer(bytes)]).toEqual([null, null]);
          return;
        }
        const choice = read?.choices[0];
        expect([choice?.finish, read?.usage]).toEqual([c.choices[0]?.finish, c.usage]);
        expect(withoutIds(choice?.parts ?? [])).toEqual(c.choices[0]?.parts);
        const answer = responsesCodec.readAnswer(bytes);
        expect([answer?.usage, answer?.stateIds]).toEqual([c.usage, []]);
      }),
      { numRuns: 400 },
    );
  });

  test('R-4, T-8: streams, cut into any pieces; our own tap passes them on unchanged', () => {
    fc.assert(
      fc.property(answers, fc.integer({ min: 1, max: 4 }), fc.array(fc.nat(), { maxLength: 6 }), (c, size, cuts) => {
        const events = eventsOf(c, size);
        const report = Buffer.from('{"request_id":"req_1"}');
        const bytes = Buffer.from(streamed(events, report));
        const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
        const read = readEvents([0, ...at].map((from, i) => bytes.subarray(from, at[i] ?? bytes.length)));
        expect([read.ending, read.fault]).toEqual(['proper', null]);
        expect(condensed(read.events)).toEqual(condensed(events));
        const { whole, tap } = feedEvents(responsesCodec, [bytes], { report: report.toString() });
        expect([tap.complete, whole]).toEqual([true, bytes.toString()]);
      }),
      { numRuns: 300 },
    );
  });

  test('dialects §14.10: clients put a stream together, numbers in a row, to what the end says', () => {
    fc.assert(
      fc.property(answers, fc.integer({ min: 1, max: 4 }), (c, size) => {
        const events = namedEvents(streamed(eventsOf(c, size)));
        expect(events.map(({ data }) => data['sequence_number'])).toEqual(events.map((_, at) => at));
        expect(events.every(({ name, data }) => name === data['type'])).toBe(true);
        let snapshot: Response | undefined;
        for (const { data } of events.slice(0, -1)) {
          snapshot = accumulateResponse(data as unknown as ResponseStreamEvent, snapshot);
        }
        const last = events.at(-1)!.data['response'] as Response;
        expect(JSON.parse(JSON.stringify(snapshot?.output))).toEqual(last.output);
        expect(last.id).toBe(snapshot?.id);
        const whole = responsesClient.canonical.writeAnswer(
          c,
          identity,
          request({ tools: [], instructions: 'Be kind.' }),
        );
        expect(JSON.parse(Buffer.from(whole.bytes).toString())).toEqual(last);
      }),
      { numRuns: 200 },
    );
  });

  test('dialects §11: who asked for summaries finds thoughts there, streamed and whole', () => {
    const c = answerOf([{ type: 'reasoning', text: 'hm', summary: false, opaque: null }]);
    const asked = request({ reasoning: { summary: 'auto' } });
    const whole = JSON.parse(Buffer.from(responsesClient.canonical.writeAnswer(c, identity, asked).bytes).toString());
    expect(whole.output[0].summary).toEqual([{ type: 'summary_text', text: 'hm' }]);
    const out = new ByteWriter();
    const writer = responsesClient.canonical.streamWriter(out, identity, asked);
    for (const event of eventsOf(c, 2)) writer.write(event);
    const names = namedEvents(Buffer.from(out.take()).toString()).map(({ name }) => name);
    expect(names).toContain('response.reasoning_summary_text.delta');
  });

  test('T-4: an interruption has the stream’s id, the next number and the code', () => {
    const out = new ByteWriter();
    const writer = responsesClient.canonical.streamWriter(out, identity, request({}));
    const text = { type: 'block-start', block: 0, choice: 0, what: { type: 'text' } } as const;
    for (const event of [text, { type: 'delta', block: 0, text: 'hi' } as const]) writer.write(event);
    const told = namedEvents(Buffer.from(out.take()).toString());
    const error = gatewayError('stream_interrupted', 'broke off', {});
    const [failed] = namedEvents(Buffer.from(writer.interrupt(error, 'req_1') as Uint8Array).toString());
    expect(failed).toMatchObject({
      name: 'response.failed',
      data: {
        sequence_number: told.length,
        response: { id: 'resp_req_1', status: 'failed', error: { code: 'stream_interrupted' } },
      },
    });
  });
});

describe('fuzz', () => {
  const change = fc.tuple(
    fc.nat(),
    fc.constantFrom('set', 'drop', 'insert'),
    fc.oneof(fc.nat(255), fc.constantFrom(10, 13, 34, 44, 92, 123, 125)),
  );
  const mutate = (bytes: Buffer, changes: readonly [number, string, number][]): Buffer => {
    let mutated = bytes;
    for (const [place, how, byte] of changes) {
      const at = place % mutated.length;
      const rest = mutated.subarray(how === 'insert' ? at : at + 1);
      const middle = how === 'drop' ? [] : [Buffer.from([byte])];
      mutated = Buffer.concat([mutated.subarray(0, at), ...middle, rest]);
    }
    return mutated;
  };
  const mutated = fc
    .tuple(answers, fc.array(change, { minLength: 1, maxLength: 6 }))
    .map(([c, changes]) => mutate(Buffer.from(streamed(eventsOf(c, 3))), changes));
  const shuffled = fc.tuple(answers, answers, fc.array(fc.nat(), { maxLength: 30 })).map(([a, b, order]) => {
    const blocks = [streamed(eventsOf(a, 2)), streamed(eventsOf(b, 2))].flatMap((one) => one.split(/(?<=\n\n)/));
    return Buffer.from(order.map((at) => blocks[at % blocks.length]).join(''));
  });
  const terminal = /"type":"response\.(?:completed|incomplete)"/;

  test('dialects §14.1, T-10: tap and reader never throw, and complete only with a last event', () => {
    fc.assert(
      fc.property(fc.oneof(mutated, shuffled, fc.uint8Array({ maxLength: 300 })), (bytes) => {
        const text = Buffer.from(bytes).toString();
        const { tap, whole, relayed } = feedEvents(responsesCodec, [bytes]);
        const read = readEvents([bytes]);
        if (tap.complete || read.ending === 'proper') expect(text).toMatch(terminal);
        expect(tap.complete !== (tap.fault !== null)).toBe(true);
        expect((read.ending === 'proper') !== (read.fault !== null)).toBe(true);
        for (const { data } of namedEvents(whole ?? relayed)) expect(data).toBeTypeOf('object');
        const starts = read.events.filter(({ type }) => type === 'block-start').length;
        const ends = read.events.filter(({ type }) => type === 'block-end').length;
        if (read.ending === 'proper') expect(ends).toBe(starts);
      }),
      { numRuns: 1500 },
    );
  });

  test('dialects §14.1: cut before its last event a stream is a cut', () => {
    fc.assert(
      fc.property(answers, fc.nat(), (c, cut) => {
        const bytes = Buffer.from(streamed(eventsOf(c, 3)));
        const last = bytes.lastIndexOf('event: response.');
        const read = readEvents([bytes.subarray(0, cut % (last + 1))]);
        expect([read.ending, read.fault]).toEqual(['open', { kind: 'cut' }]);
      }),
      { numRuns: 200 },
    );
  });
});
