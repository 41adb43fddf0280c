import { describe, expect, it } from 'vitest';
import type { CanonicalRequest, Part } from '../canonical.ts';
import { chatUpstream } from '../chat/translated.ts';
import type { TranslatedUpstream } from '../contract.ts';
import { converseUpstream } from '../converse/translated.ts';
import { generateUpstream } from '../generate/translated.ts';
import { messagesUpstream } from '../messages/translated.ts';
import { responsesUpstream } from '../responses/translated.ts';

const UPSTREAMS = {
  chat: chatUpstream,
  responses: responsesUpstream,
  messages: messagesUpstream,
  generate: generateUpstream,
  converse: converseUpstream,
} as const;
type Name = keyof typeof UPSTREAMS;

const text = (words: string): Part => ({ type: 'text', text: words });
const look = { form: 'function', name: 'look', description: null, schema: '{"type":"object"}', strict: null } as const;

/** A user's words, what stands between, and more words. */
function requestOf(between: CanonicalRequest['turns'], more: Partial<CanonicalRequest> = {}): CanonicalRequest {
  return {
    system: [],
    turns: [{ role: 'user', parts: [text('hi')] }, ...between, { role: 'user', parts: [text('on')] }],
    tools: [look],
    toolChoice: null,
    parallelCalls: null,
    format: null,
    reasoning: { effort: null, budget: null, shown: null },
    maxOutputTokens: 100,
    stop: [],
    sampling: {},
    n: 1,
    logprobs: null,
    modalities: [],
    bound: [],
    hints: new Map(),
    stream: false,
    prefill: false,
    ...more,
  };
}

function written(upstream: TranslatedUpstream, request: CanonicalRequest) {
  const target = { upstreamModel: 'm', vendor: 'maker', maxOutputTokens: null, lacks: new Set<string>() };
  expect(upstream.canonical.misses(request, target)).toBeNull();
  const body = upstream.canonical.writeRequest(request, { target, degrade: null, injectUsage: true });
  return { changes: body.changes, dropped: body.dropped, text: Buffer.from(body.bytes).toString() };
}

const said = (...parts: Part[]): CanonicalRequest => requestOf([{ role: 'assistant', parts }]);
const cited = (url: string | null): CanonicalRequest =>
  said({ type: 'text', text: 'so', citations: [{ url, title: 't', quote: 'q', start: 0, end: 2 }] });
const called = (input: string): CanonicalRequest =>
  requestOf([
    { role: 'assistant', parts: [{ type: 'call', id: 'c1', name: 'look', form: 'function', input }] },
    {
      role: 'user',
      parts: [{ type: 'result', callId: 'c1', name: 'look', parts: [text('r')], json: null, failed: false }],
    },
  ]);
const shown = (part: Omit<Extract<Part, { type: 'media' }>, 'type'>): CanonicalRequest =>
  requestOf([{ role: 'user', parts: [{ type: 'media', ...part }, text('see')] }]);

const CASES: readonly [what: string, request: CanonicalRequest, word: string, unsaid: readonly Name[]][] = [
  [
    'how closely a picture is looked at',
    shown({ media: 'image', mime: 'image/png', source: { by: 'base64', data: 'AAAA' }, name: null, detail: 'high' }),
    'dropped detail',
    ['messages', 'generate', 'converse'],
  ],
  [
    'pages that words rest on',
    cited('https://example.com'),
    'dropped citations',
    ['chat', 'messages', 'generate', 'converse'],
  ],
  [
    'documents that words rest on',
    cited(null),
    'dropped citations',
    ['chat', 'responses', 'messages', 'generate', 'converse'],
  ],
  [
    'arguments that are no JSON',
    called('{"a":'),
    'arguments that are no object wrapped',
    ['messages', 'generate', 'converse'],
  ],
  [
    'a refusal that was',
    said({ type: 'refusal', text: 'No.' }),
    'refusals as words',
    ['messages', 'generate', 'converse'],
  ],
  [
    'a text that is a file',
    shown({ media: 'document', mime: 'text/plain', source: { by: 'text', text: 'ho' }, name: 'a.txt', detail: null }),
    'text files as words',
    ['chat', 'responses'],
  ],
  [
    'what a file is called',
    shown({
      media: 'document',
      mime: 'application/pdf',
      source: { by: 'base64', data: 'AA' },
      name: 'a.pdf',
      detail: null,
    }),
    'dropped file name',
    ['generate'],
  ],
  [
    'what a schema is for',
    requestOf([], {
      tools: [],
      format: { type: 'schema', name: 'out', description: 'why', schema: '{"type":"object"}', strict: null },
    }),
    'dropped description of the schema',
    ['messages', 'generate'],
  ],
];

describe.each(CASES)('R-4, dialects §11: %s', (_what, request, word, unsaid) => {
  it.each(Object.keys(UPSTREAMS) as Name[])('is said to %s, or its record says that it is not', (name) => {
    const { changes, dropped } = written(UPSTREAMS[name], request);
    expect(changes.includes(word)).toBe(unsaid.includes(name));
    if (unsaid.includes(name)) expect(dropped).toBe(true);
  });
});

it.each(Object.keys(UPSTREAMS) as Name[])('R-4: whole arguments and plain words are no change for %s', (name) => {
  for (const request of [called(' {"a": 1} '), called(''), called('{ }'), said(text('so'))]) {
    expect(written(UPSTREAMS[name], request).changes).toEqual([]);
  }
});

it('dialects §11: a text file keeps its name where it goes as words', () => {
  const [, request] = CASES.find(([what]) => what === 'a text that is a file')!;
  for (const name of ['chat', 'responses'] as const) {
    expect(written(UPSTREAMS[name], request).text).toContain(String.raw`a.txt:\nho`);
  }
});

it('dialects §11: who asks is told once, whatever the metadata say', () => {
  const asked = (metadata: string) =>
    requestOf([], {
      tools: [],
      hints: new Map([
        ['metadata', metadata],
        ['user', '"u"'],
      ]),
    });
  const same = written(converseUpstream, asked('{"user_id":"u"}'));
  expect([same.text.split('"user_id"').length, same.changes]).toEqual([2, []]);
  const other = written(converseUpstream, asked('{"user_id":"v"}'));
  expect([other.text.split('"user_id"').length, other.changes]).toEqual([2, ['dropped user']]);
});
