import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CanonicalRequest, Part, Sampling, Tool, ToolNames, Turn } from '../../src/dialects/canonical.ts';
import { chatClient, chatUpstream } from '../../src/dialects/chat/translated.ts';
import type { TranslatedClient, TranslatedUpstream, UpstreamWrite } from '../../src/dialects/contract.ts';
import { generateClient, generateUpstream } from '../../src/dialects/generate/translated.ts';
import { messagesClient, messagesUpstream } from '../../src/dialects/messages/translated.ts';
import { responsesClient, responsesUpstream } from '../../src/dialects/responses/translated.ts';
import { dialectVendor } from '../../src/providers/vendors.ts';

/** Dialects that clients and upstreams speak, with both halves. */
const DIALECTS: readonly {
  readonly name: string;
  readonly client: TranslatedClient;
  readonly upstream: TranslatedUpstream;
}[] = [
  { name: 'chat', client: chatClient, upstream: chatUpstream },
  { name: 'responses', client: responsesClient, upstream: responsesUpstream },
  { name: 'messages', client: messagesClient, upstream: messagesUpstream },
  { name: 'generate', client: generateClient, upstream: generateUpstream },
];

const words = fc
  .string({ minLength: 1, maxLength: 12, unit: 'grapheme' })
  .filter((text) => text.trim() === text && text !== '');
const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,12}$/);
const strangeName = fc.oneof({ weight: 4, arbitrary: name }, { weight: 1, arbitrary: words });
const args = fc.constantFrom('{}', '{"a":9007199254740993}', '{"b":[1,{"c":null}],"a":"x\\u00e9"}', '{"n":1e400}');
const schema = fc.constantFrom(
  '{"type":"object","properties":{},"additionalProperties":false}',
  '{"type":"object","properties":{"z":{"type":"integer","maximum":9007199254740993},"a":{"type":"string"}},"required":["z","a"],"additionalProperties":false}',
);
const text = words.map((said): Part => ({ type: 'text', text: said }));
const image = fc.constantFrom('AAAA', 'iVBORw0KGgo=').map(
  (data): Part => ({
    type: 'media',
    media: 'image',
    mime: 'image/png',
    source: { by: 'base64', data },
    name: null,
    detail: null,
  }),
);

/** An exchange: what the user says, and what the assistant answers, with calls and their results. */
const exchange = (names: readonly string[]): fc.Arbitrary<readonly Turn[]> =>
  fc
    .tuple(
      fc.array(fc.oneof({ weight: 3, arbitrary: text }, { weight: 1, arbitrary: image }), {
        minLength: 1,
        maxLength: 3,
      }),
      fc.option(text, { nil: null }),
      names.length === 0
        ? fc.constant([])
        : fc.array(fc.tuple(fc.constantFrom(...names), args, words, fc.boolean()), { maxLength: 3 }),
      fc.uuid(),
    )
    .map(([asked, said, calls, id]) => {
      const turns: Turn[] = [{ role: 'user', parts: asked }];
      const parts: Part[] = said === null && calls.length > 0 ? [] : [said ?? { type: 'text', text: 'Yes.' }];
      for (const [at, [called, input]] of calls.entries()) {
        parts.push({ type: 'call', id: `call_${id.slice(0, 8)}_${at}`, name: called, form: 'function', input });
      }
      turns.push({ role: 'assistant', parts });
      const results = calls.map(
        ([called, , gave, failed], at): Part => ({
          type: 'result',
          callId: `call_${id.slice(0, 8)}_${at}`,
          name: called,
          parts: [{ type: 'text', text: gave }],
          json: null,
          failed,
        }),
      );
      if (results.length > 0) turns.push({ role: 'user', parts: results });
      return turns;
    });

const sampling = fc.record(
  {
    temperature: fc.constantFrom(0, 0.5, 1, 1.5),
    topP: fc.constantFrom(0.1, 0.9),
    topK: fc.constantFrom(1, 40),
    seed: fc.constantFrom(7),
    presencePenalty: fc.constantFrom(0.5),
    frequencyPenalty: fc.constantFrom(-0.5),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Sampling>;

const requests: fc.Arbitrary<CanonicalRequest> = fc.uniqueArray(strangeName, { maxLength: 3 }).chain((names) =>
  fc
    .record({
      system: fc.array(text, { maxLength: 2 }),
      exchanges: fc.array(exchange(names), { maxLength: 2 }),
      last: fc.array(text, { minLength: 1, maxLength: 2 }),
      tools: fc.tuple(
        ...names.map((tool) =>
          fc.record({
            schema,
            description: fc.option(words, { nil: null }),
            strict: fc.constantFrom(null, true, false),
            name: fc.constant(tool),
          }),
        ),
      ),
      choice: fc.constantFrom('auto', 'none', 'any', 'one', 'some', null),
      parallelCalls: fc.constantFrom(null, true, false),
      format: fc.constantFrom(null, 'json', 'schema'),
      effort: fc.constantFrom(null, 'low', 'high'),
      maxOutputTokens: fc.constantFrom(1, 4000, 20_000),
      stop: fc.uniqueArray(words, { maxLength: 4 }),
      sampling,
      n: fc.constantFrom(1, 1, 1, 2),
      logprobs: fc.constantFrom(null, null, 0, 3),
      stream: fc.boolean(),
      schema,
    })
    .map(
      (drawn): CanonicalRequest => ({
        system: drawn.system,
        turns: [...drawn.exchanges.flat(), { role: 'user', parts: drawn.last }],
        tools: (drawn.tools as readonly Omit<Tool, 'form'>[]).map((tool) => ({ form: 'function', ...tool })),
        toolChoice:
          names.length === 0 || drawn.choice === null
            ? null
            : drawn.choice === 'one'
              ? { mode: 'one', name: names[0]! }
              : drawn.choice === 'some'
                ? { mode: 'some', names: [names[0]!], must: true }
                : { mode: drawn.choice },
        parallelCalls: names.length === 0 ? null : drawn.parallelCalls,
        format:
          drawn.format === null
            ? null
            : drawn.format === 'json'
              ? { type: 'json' }
              : { type: 'schema', name: 'out', description: null, schema: drawn.schema, strict: true },
        reasoning: { effort: drawn.effort, budget: null, shown: drawn.effort === null ? null : true },
        maxOutputTokens: drawn.maxOutputTokens,
        stop: drawn.stop,
        sampling: drawn.sampling,
        n: drawn.n,
        logprobs: drawn.logprobs,
        modalities: [],
        bound: [],
        hints: new Map(),
        stream: drawn.stream,
        prefill: false,
      }),
    ),
);

/** JSON text without what may differ: space. Numbers stay as they are spelt. */
function compact(json: string): string {
  return json.replaceAll(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
}

type Gist = Record<string, unknown>;

/** What a caller relies on: equal roles merged, calls by their place instead of their id, tools by the client's names. */
function gist(request: CanonicalRequest, names: ToolNames): Gist {
  const own = (tool: string): string => names.get(tool) ?? tool;
  const places = new Map<string, number>();
  const turns: { role: string; parts: unknown[] }[] = [];
  const partGist = (part: Part): unknown => {
    switch (part.type) {
      case 'text':
        return part.text;
      case 'media':
        return [part.media, part.mime, part.source];
      case 'call':
        places.set(part.id, places.size);
        return ['call', places.get(part.id), own(part.name), compact(part.input)];
      case 'result':
        return ['result', places.get(part.callId), part.parts.map((one) => (one.type === 'text' ? one.text : one))];
      default:
        return part;
    }
  };
  for (const { role, parts } of request.turns) {
    const last = turns.at(-1);
    const told = parts.map(partGist);
    if (last?.role === role) last.parts.push(...told);
    else turns.push({ role, parts: told });
  }
  const { toolChoice } = request;
  return {
    system: request.system.map(partGist),
    turns,
    tools: request.tools.map(({ name: tool, description, schema: shape }) => [
      own(tool),
      description,
      compact(shape ?? '{}'),
    ]),
    // Nothing said, or `auto`: the model's choice.
    toolChoice:
      toolChoice === null || toolChoice.mode === 'auto'
        ? null
        : // Any of one.
          toolChoice.mode === 'any' && request.tools.length === 1
          ? { mode: 'one', name: own(request.tools[0]!.name) }
          : toolChoice.mode === 'one'
            ? { mode: 'one', name: own(toolChoice.name) }
            : // One of a list of one.
              toolChoice.mode === 'some' && toolChoice.must && toolChoice.names.length === 1
              ? { mode: 'one', name: own(toolChoice.names[0]!) }
              : toolChoice,
    oneCallAtMost: request.parallelCalls === false && toolChoice?.mode !== 'none',
    format:
      request.format?.type === 'schema' ? ['schema', compact(request.format.schema)] : (request.format?.type ?? null),
    effort: request.reasoning.effort,
    maxOutputTokens: request.maxOutputTokens,
    stop: request.stop,
    ...request.sampling,
    // What everybody does who is told nothing.
    temperature: request.sampling.temperature === 1 ? undefined : request.sampling.temperature,
    n: request.n,
    logprobs: request.logprobs,
    stream: request.stream,
  };
}

/** What a recorded change may touch. */
const TOUCHED: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^dropped temperature|^temperature /, ['temperature']],
  [/^dropped top_p/, ['topP']],
  [/^dropped top_k/, ['topK']],
  [/^dropped seed/, ['seed']],
  [/^dropped presence_penalty/, ['presencePenalty']],
  [/^dropped frequency_penalty/, ['frequencyPenalty']],
  [/^dropped parallel_tool_calls/, ['oneCallAtMost']],
  [/^tools filtered/, ['tools', 'toolChoice']],
  [/^schema narrowed/, ['tools', 'format']],
  [/^json_object as an instruction/, ['format', 'system']],
  [/reasoning|thinking|effort|budget/, ['effort']],
  [/max_(output_)?tokens/, ['maxOutputTokens']],
];

/** Where two requests differ though no change says so. */
function unrecorded(back: Gist, wanted: Gist, changes: readonly string[]): unknown[] {
  const touched = new Set(
    changes.flatMap((change) => TOUCHED.flatMap(([word, keys]) => (word.test(change) ? keys : []))),
  );
  const keys = new Set([...Object.keys(back), ...Object.keys(wanted)]);
  return [...keys]
    .filter((key) => !touched.has(key) && JSON.stringify(back[key]) !== JSON.stringify(wanted[key]))
    .map((key) => [key, back[key], wanted[key], changes]);
}

function readBack(client: TranslatedClient, bytes: Uint8Array, stream: boolean): CanonicalRequest {
  const read = client.codec.readRequest(bytes, { model: 'm', stream, version: '2023-06-01' });
  if (!read.ok) throw new Error(`${read.error.message}\n${Buffer.from(bytes).toString()}`);
  const canonical = client.canonical.readRequest(read.value);
  if (!canonical.ok) throw new Error(`${canonical.error.message}\n${Buffer.from(bytes).toString()}`);
  return canonical.value;
}

describe.each(DIALECTS)('requests in the words of $name', ({ client, upstream }) => {
  const target = {
    upstreamModel: 'm',
    vendor: dialectVendor(upstream.dialect),
    maxOutputTokens: null,
    lacks: new Set<string>(),
  };
  const write: UpstreamWrite = { target, degrade: null, injectUsage: true };

  it('R-4: what is neither refused nor recorded as changed comes back the same', () => {
    fc.assert(
      fc.property(requests, (request) => {
        if (upstream.canonical.misses(request, target) !== null) return;
        const { bytes, changes, names, dropped } = upstream.canonical.writeRequest(request, write);
        expect(dropped).toBe(changes.some((change) => !change.endsWith(' left out')));
        const back = gist(readBack(client, bytes, request.stream), names);
        expect(unrecorded(back, gist(request, new Map()), changes)).toEqual([]);
      }),
      { seed: 11, numRuns: 400 },
    );
  });
});

const crossings = DIALECTS.flatMap((from) =>
  DIALECTS.filter((to) => to !== from).map((to) => ({ from, to, title: `${from.name} → ${to.name}` })),
);

describe.each(crossings)('$title', ({ from, to }) => {
  const facts = (upstream: TranslatedUpstream) => ({
    upstreamModel: 'm',
    vendor: dialectVendor(upstream.dialect),
    maxOutputTokens: null,
    lacks: new Set<string>(),
  });

  it('R-4: a client’s request means the same there, but for what is recorded', () => {
    fc.assert(
      fc.property(requests, (drawn) => {
        if (from.upstream.canonical.misses(drawn, facts(from.upstream)) !== null) return;
        // What this client can say of it, in its own words.
        const own = from.upstream.canonical.writeRequest(drawn, {
          target: facts(from.upstream),
          degrade: null,
          injectUsage: true,
        });
        const asked = readBack(from.client, own.bytes, drawn.stream);
        const target = facts(to.upstream);
        if (to.upstream.canonical.misses(asked, target) !== null) return;
        const sent = to.upstream.canonical.writeRequest(asked, { target, degrade: null, injectUsage: true });
        const back = gist(readBack(to.client, sent.bytes, asked.stream), sent.names);
        expect(unrecorded(back, gist(asked, new Map()), sent.changes)).toEqual([]);
      }),
      { seed: 12, numRuns: 150 },
    );
  });
});
