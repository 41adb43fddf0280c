import { describe, expect, it, test } from 'vitest';
import { chunk, event } from '../../../test/support/generate-tap-feed.ts';
import { textOf } from '../bytes/text.ts';
import type { CanonicalEvent, CanonicalRequest, Opaque, Part } from '../canonical.ts';
import type { UpstreamWrite } from '../contract.ts';
import { generateUpstream } from './translated.ts';

const { misses, writeRequest, readAnswer, streamReader, failedFinish } = generateUpstream.canonical;

const target = { upstreamModel: 'up', vendor: 'google', maxOutputTokens: null, lacks: new Set<string>() };
const text = (said: string): Part => ({ type: 'text', text: said });
const PLAIN: CanonicalRequest = {
  system: [],
  turns: [{ role: 'user', parts: [text('hi')] }],
  tools: [],
  toolChoice: null,
  parallelCalls: null,
  format: null,
  reasoning: { effort: null, budget: null, shown: null },
  maxOutputTokens: null,
  stop: [],
  sampling: {},
  n: 1,
  logprobs: null,
  modalities: [],
  bound: [],
  hints: new Map(),
  stream: false,
  prefill: false,
};
const tool = { form: 'function', name: 'f', description: null, schema: null, strict: null } as const;

function written(request: Partial<CanonicalRequest>, write: Partial<UpstreamWrite> & { lacks?: string[] } = {}) {
  const { lacks = [], ...rest } = write;
  const to = { ...target, lacks: new Set(lacks) };
  const body = writeRequest({ ...PLAIN, ...request }, { target: to, degrade: null, injectUsage: true, ...rest });
  return { ...body, json: JSON.parse(textOf(body.bytes)) };
}

describe('what has no words here', () => {
  it.each<[string, Partial<CanonicalRequest>, string[], string | null]>([
    ['nothing', {}, [], null],
    ['state', { bound: ['state'] }, [], 'state'],
    ['more answers than are given', { n: 9 }, [], 'n'],
    ['six stops', { stop: ['1', '2', '3', '4', '5', '6'] }, [], 'stop'],
    ['more alternatives than are told', { logprobs: 21 }, [], 'logprobs'],
    ['sound', { modalities: ['audio'] }, [], 'audio_output'],
    ['pictures', { modalities: ['image'] }, [], null],
    ['a grammar', { tools: [{ ...tool, form: 'custom', schema: '{}' }] }, [], 'tools_custom_grammar'],
    ['a custom tool without', { tools: [{ ...tool, form: 'custom' }] }, [], null],
    [
      'a schema beside tools where only one can be',
      { tools: [tool], format: { type: 'json' } },
      ['tools_with_format'],
      'json_schema',
    ],
    ['an answer to be gone on with', { prefill: true }, [], 'prefill'],
    ['forced tools where none can be', { toolChoice: { mode: 'any' } }, ['tools_forced'], 'tools_forced'],
    [
      'no thinking where it always is',
      { reasoning: { effort: 'none', budget: null, shown: null } },
      ['reasoning_off'],
      'reasoning_off',
    ],
  ])('P-6: %s', (_name, request, lacks, name) => {
    const found = misses({ ...PLAIN, ...request }, { ...target, lacks: new Set(lacks) });
    expect(found?.name ?? null).toBe(name);
  });
});

describe('writing a request', () => {
  it('R-4: what only nudges is dropped with a record', () => {
    const { changes, dropped, json } = written({
      sampling: { seed: 2 ** 40, logitBias: '{"1":2}', topK: 5000, temperature: 0.5 },
      parallelCalls: false,
      tools: [tool],
      hints: new Map([
        ['user', '"u"'],
        ['service_tier', '"scale"'],
        ['store', 'false'],
      ]),
    });
    expect(new Set(changes)).toEqual(
      new Set(
        ['logit_bias', 'top_k', 'seed', 'parallel_tool_calls', 'user', 'service_tier'].map((one) => `dropped ${one}`),
      ),
    );
    expect([dropped, json.generationConfig]).toEqual([true, { temperature: 0.5 }]);
  });

  it('dialects §11: system turns go to the top, turns of one role are one, results come first', () => {
    const { json, changes } = written({
      system: [text('a')],
      turns: [
        { role: 'user', parts: [text('x')] },
        { role: 'system', parts: [text('b')] },
        { role: 'user', parts: [text('y'), { type: 'text', text: '' }] },
        { role: 'assistant', parts: [{ type: 'call', id: 'c1', name: 'f', form: 'function', input: '' }] },
        { role: 'user', parts: [text('z')] },
        {
          role: 'user',
          parts: [
            { type: 'result', callId: 'c1', name: null, parts: [text('1'), text('2')], json: null, failed: true },
          ],
        },
      ],
    });
    expect(changes).toEqual(['system turns moved to the top']);
    expect(json.systemInstruction).toEqual({ parts: [{ text: 'a' }, { text: 'b' }] });
    expect(json.contents).toEqual([
      { role: 'user', parts: [{ text: 'x' }, { text: 'y' }] },
      { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'f', args: {} } }] },
      {
        role: 'user',
        parts: [{ functionResponse: { id: 'c1', name: 'f', response: { error: '1\n2' } } }, { text: 'z' }],
      },
    ]);
    const alone = written({ system: [text('a')], turns: [] });
    expect([alone.json, alone.changes]).toEqual([
      { contents: [{ role: 'user', parts: [{ text: 'a' }] }] },
      ['system words as what the user says'],
    ]);
  });

  it('dialects §11: names that are refused are spelt anew, and come back', () => {
    const { json, names, changes } = written({
      tools: [{ ...tool, name: '1 ö' }],
      toolChoice: { mode: 'one', name: '1 ö' },
    });
    const [declared] = json.tools[0].functionDeclarations;
    expect(declared.name).toMatch(/^[A-Za-z_][A-Za-z0-9_.:-]*$/);
    expect(json.toolConfig.functionCallingConfig).toEqual({ mode: 'ANY', allowedFunctionNames: [declared.name] });
    expect([names.get(declared.name), changes]).toEqual(['1 ö', ['tools renamed']]);
  });

  it('dialects §11: tools: strict, custom, a subset, schemas that say they are objects', () => {
    expect(written({ tools: [{ ...tool, strict: true }] }).json.toolConfig.functionCallingConfig.mode).toBe(
      'VALIDATED',
    );
    const custom = written({ tools: [{ ...tool, form: 'custom' }] });
    expect(custom.json.tools[0].functionDeclarations[0].parametersJsonSchema.required).toEqual(['input']);
    expect(custom.changes).toEqual(['custom tools as functions']);
    const some = written({
      tools: [tool, { ...tool, name: 'g' }],
      toolChoice: { mode: 'some', names: ['g'], must: false },
    });
    expect(some.json.tools[0].functionDeclarations).toEqual([{ name: 'g' }]);
    expect(some.changes).toEqual(['tools filtered']);
    const loose = written({ tools: [{ ...tool, schema: '{"maximum":9007199254740993}' }] });
    expect(textOf(loose.bytes)).toContain('"parametersJsonSchema":{"maximum":9007199254740993,"type":"object"}');
  });

  it.each<[CanonicalRequest['reasoning'], string[], object, string[]]>([
    [{ effort: 'max', budget: null, shown: null }, [], { thinkingLevel: 'XHIGH' }, ['effort max → xhigh']],
    [{ effort: 'low', budget: null, shown: true }, [], { includeThoughts: true, thinkingLevel: 'LOW' }, []],
    [
      { effort: 'low', budget: null, shown: null },
      ['thinking_level'],
      { thinkingBudget: 6400 },
      ['effort low → thinking budget 6400'],
    ],
    [{ effort: null, budget: 700, shown: null }, [], { thinkingBudget: 700 }, []],
    [
      { effort: null, budget: 700, shown: null },
      ['thinking_budget'],
      { thinkingLevel: 'MINIMAL' },
      ['thinking budget 700 → minimal'],
    ],
    [{ effort: 'none', budget: null, shown: null }, [], { thinkingBudget: 0 }, []],
    [{ effort: 'wild', budget: null, shown: false }, [], { includeThoughts: false }, ['dropped reasoning_effort']],
  ])('dialects §11: thinking %j, lacking %j', (reasoning, lacks, config, changes) => {
    const found = written({ reasoning }, { lacks });
    expect([found.json.generationConfig.thinkingConfig, found.changes]).toEqual([config, changes]);
  });

  it('dialects §11: media: data, fetched files, texts, what nobody fetched', () => {
    const media = (
      source: Extract<Part, { type: 'media' }>['source'],
      mime: string | null = null,
      detail: string | null = null,
    ): Part => ({
      type: 'media',
      media: 'image',
      mime,
      source,
      name: null,
      detail,
    });
    const fetched = new Map([['https://a.test/x', { mime: 'image/webp', base64: 'BB' }]]);
    const parts = [
      media({ by: 'base64', data: 'AA' }, 'image/png', 'low'),
      media({ by: 'url', url: 'https://a.test/x' }),
      media({ by: 'url', url: 'https://b.test/y' }),
      media({ by: 'text', text: 'ä' }),
    ];
    const { json, changes } = written({ turns: [{ role: 'user', parts }] }, { fetched });
    expect(json.contents[0].parts).toEqual([
      { inlineData: { mimeType: 'image/png', data: 'AA' } },
      { inlineData: { mimeType: 'image/webp', data: 'BB' } },
      { fileData: { fileUri: 'https://b.test/y' } },
      { inlineData: { mimeType: 'text/plain', data: 'w6Q=' } },
    ]);
    expect(changes).toEqual(['dropped detail']);
  });

  it('D-5, dialects §11: limits, stops, counts, format', () => {
    const { json, changes } = written(
      { maxOutputTokens: 5, stop: ['a'], n: 2, logprobs: 0, format: { type: 'json' }, modalities: ['image'] },
      { outputTokens: 10 },
    );
    expect([json.generationConfig, changes]).toEqual([
      {
        candidateCount: 2,
        maxOutputTokens: 10,
        stopSequences: ['a'],
        responseLogprobs: true,
        responseMimeType: 'application/json',
        responseModalities: ['TEXT', 'IMAGE'],
      },
      [],
    ]);
  });
});

describe('R-5: opaque state', () => {
  const opaque = (vendor: string): Opaque => ({ vendor, kind: 'signature', data: `of ${vendor}`, id: null });
  const history = (vendor: string): CanonicalRequest['turns'] => [
    { role: 'user', parts: [text('x')] },
    {
      role: 'assistant',
      parts: [
        { type: 'reasoning', text: 'hm', summary: false, opaque: opaque(vendor) },
        { type: 'call', id: 'c', name: 'f', form: 'function', input: '{"a":1}', opaque: opaque(vendor) },
        { type: 'call', id: 'd', name: 'g', form: 'function', input: '{}' },
      ],
    },
    {
      role: 'user',
      parts: ['c', 'd'].map((callId) => ({
        type: 'result',
        callId,
        name: null,
        parts: [],
        json: '{"ok":true}',
        failed: false,
      })),
    },
  ];

  test('goes to its maker, on its own part', () => {
    const { json, opaque: told, changes } = written({ turns: history('google') }, { lacks: ['unsigned_calls'] });
    expect(json.contents[1].parts).toEqual([
      { text: 'hm', thought: true, thoughtSignature: 'of google' },
      { functionCall: { id: 'c', name: 'f', args: { a: 1 } }, thoughtSignature: 'of google' },
      { functionCall: { id: 'd', name: 'g', args: {} } },
    ]);
    expect([told, changes]).toEqual([true, []]);
  });

  test('is left out for everybody else, thought and all, and recorded', () => {
    const { json, opaque: told, changes } = written({ turns: history('anthropic') });
    expect(json.contents[1].parts).toEqual([
      { functionCall: { id: 'c', name: 'f', args: { a: 1 } } },
      { functionCall: { id: 'd', name: 'g', args: {} } },
    ]);
    expect([told, changes]).toEqual([undefined, ['dropped opaque reasoning']]);
    expect(written({ turns: history('google') }, { bare: true }).changes).toEqual(['dropped opaque reasoning']);
  });

  test('dialects §5: a model that insists on signed calls gets those since the user last spoke as text', () => {
    const strict = { lacks: ['unsigned_calls'] };
    const { json, changes } = written({ turns: history('anthropic') }, strict);
    expect(json.contents.slice(1)).toEqual([
      { role: 'model', parts: [{ text: '[called f with {"a":1}]' }, { text: '[called g with {}]' }] },
      { role: 'user', parts: [{ text: '[f answered {"ok":true}]' }, { text: '[g answered {"ok":true}]' }] },
    ]);
    expect(changes).toEqual(['unsigned calls as text', 'dropped opaque reasoning']);
    const later = [
      ...history('anthropic'),
      { role: 'assistant', parts: [text('done')] } as const,
      { role: 'user', parts: [text('y')] } as const,
    ];
    expect(written({ turns: later }, strict).changes).toEqual(['dropped opaque reasoning']);
  });
});

describe('reading an answer', () => {
  const read = (body: object) => readAnswer(Buffer.from(JSON.stringify(body)), new Map([['f_1', 'f.1']]));

  it('dialects §11: calls end with STOP and have ids of the answer’s own; arguments stay as they were written', () => {
    const body =
      '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f_1","args":{"n": 9007199254740993}},"thoughtSignature":"AA"},{"functionCall":{"name":"g"}}]},"finishReason":"STOP"}],"responseId":"r/1"}';
    const [choice] = readAnswer(Buffer.from(body), new Map([['f_1', 'f.1']]))!.choices;
    expect(choice).toMatchObject({
      finish: 'tool_calls',
      parts: [
        { id: 'call_r_1_0', name: 'f.1', input: '{"n": 9007199254740993}', opaque: { vendor: null, data: 'AA' } },
        { id: 'call_r_1_1', name: 'g', input: '{}' },
      ],
    });
  });

  it.each<[string, object, string, string]>([
    ['a blocked prompt', { promptFeedback: { blockReason: 'SAFETY' } }, 'content_filter', 'SAFETY'],
    ['a continuation', { candidates: [{ finishReason: 'CONTINUATION' }] }, 'pause', 'CONTINUATION'],
    ['a word nobody knows', { candidates: [{ finishReason: 'NEW' }] }, 'length', 'NEW'],
    ['a filter', { candidates: [{ finishReason: 'RECITATION' }] }, 'content_filter', 'RECITATION'],
  ])('dialects §11: %s', (_name, body, finish, finishRaw) => {
    expect(read(body)?.choices).toMatchObject([{ finish, finishRaw }]);
  });

  it('F-6: a failed finish is no answer, nor is an error, nor nothing', () => {
    expect(failedFinish('MALFORMED_FUNCTION_CALL')).toBe('server_error');
    for (const body of [{ candidates: [{ finishReason: 'OTHER' }] }, { error: { code: 1 } }, { candidates: [] }]) {
      expect(read(body)).toBeNull();
    }
  });
});

describe('reading a stream', () => {
  function events(...pieces: string[]): { events: CanonicalEvent[]; fault: string | null } {
    const list: CanonicalEvent[] = [];
    const reader = streamReader({
      maxEventBytes: 9999,
      names: new Map(),
      vendor: 'google',
      emit: (one) => list.push(one),
    });
    for (const piece of pieces) reader.push(Buffer.from(piece));
    reader.end();
    return { events: list, fault: reader.fault?.kind ?? null };
  }

  it('T-5: the finish is told at the end, when it is known to be the last', () => {
    const every = ['a', 'b'].map((said) => chunk([{ text: said }], 'STOP'));
    expect(events(...every).events).toEqual([
      { type: 'block-start', block: 0, choice: 0, what: { type: 'text' } },
      { type: 'delta', block: 0, text: 'a' },
      { type: 'delta', block: 0, text: 'b' },
      { type: 'block-end', block: 0 },
      { type: 'finish', choice: 0, finish: 'stop', raw: 'STOP', stopSequence: null },
    ]);
  });

  it('R-5: a signature closes what it signs, and alone is a thought nobody can read', () => {
    const found = events(
      chunk([{ text: 'hm', thought: true }]),
      chunk([{ text: '', thoughtSignature: 'AA' }]),
      chunk([{ text: 'so' }]),
      chunk([{ text: '', thoughtSignature: 'BB' }], 'STOP'),
    ).events;
    expect(found.filter((one) => one.type === 'opaque')).toMatchObject([
      { block: 0, opaque: { vendor: 'google', kind: 'signature', data: 'AA' } },
      { block: 2, opaque: { kind: 'sealed', data: 'BB' } },
    ]);
  });

  it('R-5: a text that goes on behind its signature is another one', () => {
    const found = events(chunk([{ text: 'a', thoughtSignature: 'AA' }]), chunk([{ text: 'b' }], 'STOP')).events;
    expect(found.map((one) => ('block' in one ? `${one.type} ${one.block}` : one.type))).toEqual([
      'block-start 0',
      'delta 0',
      'opaque 0',
      'block-end 0',
      'block-start 1',
      'delta 1',
      'block-end 1',
      'finish',
    ]);
  });

  it('G-4: a stream that breaks has told what was counted last', () => {
    const counted = (tokens: number) => ({ usageMetadata: { promptTokenCount: 3, candidatesTokenCount: tokens } });
    const broken = events(chunk([{ text: 'a' }], undefined, counted(1)), chunk([{ text: 'b' }], undefined, counted(9)));
    expect(broken.fault).toBe('cut');
    expect(broken.events.findLast((one) => one.type === 'usage')).toMatchObject({ usage: { input: 3, output: 9 } });
  });

  it('F-5: a blocked prompt finishes by the filter', () => {
    expect(events(event({ promptFeedback: { blockReason: 'JAILBREAK' } })).events).toEqual([
      { type: 'finish', choice: 0, finish: 'content_filter', raw: 'JAILBREAK', stopSequence: null },
    ]);
  });

  it.each<[string, string[], string]>([
    ['no finish', [chunk([{ text: 'x' }])], 'cut'],
    ['a failed finish', [chunk([{ text: 'x' }], 'NO_IMAGE')], 'bad_finish'],
    ['an error', [event({ error: { code: 503 } })], 'error_event'],
    ['no JSON', ['data: {"a"\n\n'], 'malformed'],
    ['a call without a name', [chunk([{ functionCall: { args: {} } }], 'STOP')], 'malformed'],
    [
      'arguments too deep to be read',
      [
        `data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{"a":${'['.repeat(300)}${']'.repeat(300)}}}}]}}]}\n\n`,
      ],
      'malformed',
    ],
    ['too large an event', [chunk([{ text: 'x'.repeat(20_000) }], 'STOP')], 'malformed'],
  ])('T-10: %s', (_name, pieces, fault) => {
    expect(events(...pieces).fault).toBe(fault);
  });
});
