import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readConverseRequest } from '../../../sim/dialects/converse/request.ts';
import { signatureOf } from '../../../sim/dialects/converse/thoughts.ts';
import type { CanonicalRequest, Part, Tool, ToolChoice, Turn } from '../canonical.ts';
import type { TargetFacts } from '../contract.ts';
import { converseUpstream } from './translated.ts';

const { misses, writeRequest } = converseUpstream.canonical;
const PLACE = { operation: 'generate', model: 'ok', stream: false, form: null } as const;

const name = fc.oneof(
  fc.constantFrom('f', 'g_1', 'a.b', 'über', 'x'.repeat(80)),
  fc.string({ minLength: 1, maxLength: 8 }),
);
const words = fc.oneof(fc.string(), fc.constantFrom('', ' ', 'hello'));
const text = words.map((said): Part => ({ type: 'text', text: said }));
const picture = fc.constantFrom('image/png', 'image/jpeg', 'image/webp').map(
  (mime): Part => ({
    type: 'media',
    media: 'image',
    mime,
    source: { by: 'base64', data: 'AAAA' },
    name: null,
    detail: null,
  }),
);
const document = fc.tuple(fc.option(words), fc.constantFrom('application/pdf', 'text/csv')).map(
  ([called, mime]): Part => ({
    type: 'media',
    media: 'document',
    mime,
    source: { by: 'base64', data: 'AAAA' },
    name: called,
    detail: null,
  }),
);
const thought = fc.tuple(words, fc.constantFrom('bedrock', 'other', null)).map(
  ([said, vendor]): Part => ({
    type: 'reasoning',
    text: said,
    summary: false,
    opaque: { vendor, kind: 'signature', data: signatureOf(said), id: null },
  }),
);
const input = fc.oneof(fc.json(), fc.string());
const call = fc
  .tuple(fc.string({ minLength: 1 }), name, input, fc.constantFrom('function', 'custom'))
  .map(
    ([id, called, args, form]) => ({ type: 'call', id, name: called, form: form as 'function', input: args }) as const,
  );

/** A question, or a round of calls with their results. */
const round: fc.Arbitrary<readonly Turn[]> = fc.oneof(
  fc
    .tuple(fc.array(fc.oneof(text, picture, document), { maxLength: 3 }), fc.array(text, { maxLength: 2 }))
    .map(([asked, said]): readonly Turn[] => [
      { role: 'user', parts: asked },
      { role: 'assistant', parts: said },
    ]),
  fc
    .tuple(
      fc.uniqueArray(call, { minLength: 1, maxLength: 3, selector: ({ id }) => id }),
      fc.option(thought),
      fc.array(fc.oneof(text, picture), { maxLength: 2 }),
      fc.boolean(),
    )
    .map(([calls, before, parts, failed]): readonly Turn[] => [
      { role: 'user', parts: [{ type: 'text', text: 'go on' }] },
      { role: 'assistant', parts: [...(before === null ? [] : [before]), ...calls] },
      {
        role: 'user',
        parts: calls.map(({ id }) => ({ type: 'result', callId: id, name: null, parts, json: null, failed })),
      },
    ]),
  fc.constant<readonly Turn[]>([{ role: 'system', parts: [{ type: 'text', text: 'be brief' }] }]),
);

const tool = fc.tuple(name, fc.option(words), fc.boolean()).map(
  ([called, description, strict]): Tool => ({
    form: 'function',
    name: called,
    description,
    schema: '{"type":"object"}',
    strict,
  }),
);
const choice = fc.constantFrom<ToolChoice['mode'] | null>('auto', 'none', 'any', 'one', 'some', null);

const request: fc.Arbitrary<CanonicalRequest> = fc
  .record({
    rounds: fc.array(round, { maxLength: 4 }),
    system: fc.array(text, { maxLength: 2 }),
    tools: fc.uniqueArray(tool, { maxLength: 3, selector: (one) => one.name }),
    choice,
    effort: fc.constantFrom(null, 'none', 'minimal', 'low', 'max', 'odd'),
    budget: fc.option(fc.nat(40_000)),
    most: fc.option(fc.integer({ min: 1, max: 50_000 })),
    temperature: fc.option(fc.double({ min: 0, max: 2, noNaN: true })),
    schema: fc.boolean(),
    parallel: fc.constantFrom(null, true, false),
    metadata: fc.option(fc.dictionary(words, words)),
  })
  .map(
    (made): CanonicalRequest => ({
      system: made.system,
      turns: [
        { role: 'user', parts: [{ type: 'text', text: 'hi' }] },
        ...made.rounds.flat(),
        { role: 'user', parts: [{ type: 'text', text: 'well?' }] },
      ],
      tools: made.tools,
      toolChoice: chosen(made.choice, made.tools),
      parallelCalls: made.parallel,
      format: made.schema
        ? { type: 'schema', name: 'n', description: null, schema: '{"type":"object"}', strict: true }
        : null,
      reasoning: { effort: made.effort, budget: made.budget, shown: null },
      maxOutputTokens: made.most,
      stop: [],
      sampling: made.temperature === null ? {} : { temperature: made.temperature },
      n: 1,
      logprobs: null,
      modalities: [],
      bound: [],
      hints: made.metadata === null ? new Map() : new Map([['metadata', JSON.stringify(made.metadata)]]),
      stream: false,
      prefill: false,
    }),
  );

function chosen(mode: ToolChoice['mode'] | null, tools: readonly Tool[]): ToolChoice | null {
  const [first] = tools;
  if (mode === null || first === undefined) return null;
  if (mode === 'one') return { mode, name: first.name };
  return mode === 'some' ? { mode, names: [first.name], must: true } : { mode };
}

describe('Converse requests', () => {
  it.each(['bedrock', 'anthropic'])('X-1: a strict reader takes whatever is written for %s', (vendor) => {
    const target: TargetFacts = { upstreamModel: 'ok', vendor, maxOutputTokens: null, lacks: new Set() };
    fc.assert(
      fc.property(request, (asked) => {
        if (misses(asked, target) !== null) return;
        // Nobody but its maker takes a thought: what other vendors signed is not part of this.
        const { bytes, dropped, changes } = writeRequest(asked, { target, degrade: null, injectUsage: true });
        const body: unknown = JSON.parse(Buffer.from(bytes).toString());
        const read = readConverseRequest(body, PLACE);
        const problem = 'model' in read ? null : read.message;
        // A budget without room for it is the client's own to have asked for.
        if (problem?.includes('max_tokens') === true) return;
        expect(problem).toBeNull();
        expect(dropped).toBe(changes.some((change) => !change.endsWith(' left out')));
      }),
      { numRuns: 400 },
    );
  });
});
