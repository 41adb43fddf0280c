/** `docs/compatibility.md`, made by asking the code: what becomes of each feature at each upstream, of each field, of each answer. */
import { apiOfDialect } from '../../src/config/apis.ts';
import type { CanonicalAnswer, CanonicalRequest, Finish, Part, Tool } from '../../src/dialects/canonical.ts';
import * as chatFields from '../../src/dialects/chat/request-fields.ts';
import { chatClient, chatUpstream } from '../../src/dialects/chat/translated.ts';
import type { TranslatedClient, TranslatedUpstream, UpstreamWrite } from '../../src/dialects/contract.ts';
import { converseUpstream } from '../../src/dialects/converse/translated.ts';
import * as generateFields from '../../src/dialects/generate/request-fields.ts';
import { generateClient, generateUpstream } from '../../src/dialects/generate/translated.ts';
import * as messagesFields from '../../src/dialects/messages/request-fields.ts';
import { messagesClient, messagesUpstream } from '../../src/dialects/messages/translated.ts';
import * as responsesFields from '../../src/dialects/responses/request-fields.ts';
import { responsesClient, responsesUpstream } from '../../src/dialects/responses/translated.ts';
import { dialectVendor } from '../../src/providers/vendors.ts';
import { requestOf, SPEAKERS } from './crossings.ts';

const CLIENTS: readonly TranslatedClient[] = [chatClient, responsesClient, messagesClient, generateClient];
const UPSTREAMS: readonly TranslatedUpstream[] = [
  chatUpstream,
  responsesUpstream,
  messagesUpstream,
  generateUpstream,
  converseUpstream,
];

const TITLES: Readonly<Record<string, string>> = {
  chat: 'Chat Completions',
  responses: 'Responses',
  messages: 'Messages',
  gemini: 'Gemini',
  converse: 'Converse',
};

const titleOf = ({ dialect }: { readonly dialect: TranslatedUpstream['dialect'] }): string =>
  TITLES[apiOfDialect(dialect)]!;

const TOOL: Tool = { form: 'function', name: 'look', description: null, schema: '{"type":"object"}', strict: null };

const BASE: CanonicalRequest = {
  system: [],
  turns: [{ role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
  tools: [],
  toolChoice: null,
  parallelCalls: null,
  format: null,
  reasoning: { effort: null, budget: null, shown: null },
  maxOutputTokens: 4000,
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

const media = (kind: 'image' | 'audio' | 'video' | 'document', mime: string, by: 'base64' | 'url'): Part => ({
  type: 'media',
  media: kind,
  mime: by === 'url' ? null : mime,
  source: by === 'url' ? { by, url: 'https://example.com/file' } : { by, data: 'AAAA' },
  name: kind === 'document' ? 'file' : null,
  detail: null,
});

const said = (...parts: Part[]): Partial<CanonicalRequest> => ({ turns: [{ role: 'user', parts }] });
const saidBefore = (...parts: Part[]): Partial<CanonicalRequest> => ({
  turns: [...BASE.turns, { role: 'assistant', parts }, ...BASE.turns],
});
const TEXT = { by: 'text', text: 'ho' };
const CITED = { url: 'https://example.com', title: 'x', quote: null, start: 0, end: 3 };
const called = (input: string, ...after: Part[]): Partial<CanonicalRequest> => ({
  tools: [TOOL],
  turns: [
    ...BASE.turns,
    { role: 'assistant', parts: [{ type: 'call', id: 'call_1', name: 'look', form: 'function', input }] },
    { role: 'user', parts: after },
  ],
});
const result = (more: object = {}): Part => ({
  type: 'result',
  callId: 'call_1',
  name: 'look',
  parts: [{ type: 'text', text: 'a cat' }],
  json: null,
  failed: false,
  ...more,
});
const thought = (vendor: string): Partial<CanonicalRequest> => ({
  turns: [
    ...BASE.turns,
    {
      role: 'assistant',
      parts: [
        {
          type: 'reasoning',
          text: 'Hm.',
          summary: false,
          opaque: { vendor, kind: 'signature', data: 'c2ln', id: null },
        },
        { type: 'text', text: 'Yes.' },
      ],
    },
    ...BASE.turns,
  ],
});
const SPOKEN: Part = { type: 'text', text: 'Yes.' };
const hint = (name: string, value: string): Partial<CanonicalRequest> => ({ hints: new Map([[name, value]]) });

/** What a request may ask, in the order of the page. A function gets the upstream's vendor. */
const FEATURES: readonly (readonly [
  string,
  Partial<CanonicalRequest> | ((vendor: string) => Partial<CanonicalRequest>),
])[] = [
  ['system prompt', { system: [{ type: 'text', text: 'Be brief.' }] }],
  [
    'system message between turns',
    { turns: [...BASE.turns, { role: 'system', parts: [{ type: 'text', text: 'x' }] }, ...BASE.turns] },
  ],
  [
    'last turn to be continued (prefill)',
    { turns: [...BASE.turns, { role: 'assistant', parts: [{ type: 'text', text: 'Yes' }] }], prefill: true },
  ],
  ['image, base64', said(media('image', 'image/png', 'base64'))],
  ['image, URL', said(media('image', 'image/png', 'url'))],
  ['name of an image', said({ ...media('image', 'image/png', 'base64'), name: 'file' } as Part)],
  ['detail of an image', said({ ...media('image', 'image/png', 'base64'), detail: 'high' } as Part)],
  ['document, base64', said(media('document', 'application/pdf', 'base64'))],
  ['document, URL', said(media('document', 'application/pdf', 'url'))],
  ['document, plain text', said({ ...media('document', 'text/plain', 'base64'), source: TEXT } as Part)],
  ['audio, base64', said(media('audio', 'audio/wav', 'base64'))],
  ['video, base64', said(media('video', 'video/mp4', 'base64'))],
  ['tools', { tools: [TOOL] }],
  ['tool names of any letters', { tools: [{ ...TOOL, name: 'näme.of/tool' }] }],
  ['strict tools', { tools: [{ ...TOOL, strict: true }] }],
  ['custom (plain text) tool', { tools: [{ ...TOOL, form: 'custom', schema: null }] }],
  [
    'custom tool with a grammar',
    {
      tools: [
        {
          ...TOOL,
          form: 'custom',
          schema: '{"type":"grammar","grammar":{"syntax":"lark","definition":"start: WORD"}}',
        },
      ],
    },
  ],
  ['tool choice: none', { tools: [TOOL], toolChoice: { mode: 'none' } }],
  ['tool choice: any', { tools: [TOOL], toolChoice: { mode: 'any' } }],
  ['tool choice: one', { tools: [TOOL], toolChoice: { mode: 'one', name: 'look' } }],
  [
    'tool choice: some',
    { tools: [TOOL, { ...TOOL, name: 'other' }], toolChoice: { mode: 'some', names: ['look'], must: false } },
  ],
  ['no parallel calls', { tools: [TOOL], parallelCalls: false }],
  ['call and result', called('{"a":1}', result())],
  ['call whose arguments are no JSON', called('{"a":', result())],
  ['earlier answer with citations of URLs', saidBefore({ type: 'text', text: 'Yes.', citations: [CITED] })],
  ['earlier refusal', saidBefore({ type: 'refusal', text: 'No.' })],
  ['failed result', called('{}', result({ failed: true }))],
  ['result with an image', called('{}', result({ parts: [media('image', 'image/png', 'base64')] }))],
  [
    'JSON schema',
    { format: { type: 'schema', name: 'out', description: null, schema: '{"type":"object"}', strict: true } },
  ],
  [
    'description of a JSON schema',
    { format: { type: 'schema', name: 'out', description: 'why', schema: '{"type":"object"}', strict: true } },
  ],
  ['any JSON', { format: { type: 'json' } }],
  ['reasoning effort', { reasoning: { effort: 'high', budget: null, shown: true } }],
  ['reasoning budget', { reasoning: { effort: null, budget: 2000, shown: true } }],
  ['reasoning off', { reasoning: { effort: 'none', budget: null, shown: null } }],
  ['opaque reasoning of its own vendor', thought],
  ['opaque reasoning of another vendor', thought('another')],
  [
    'earlier thoughts without state',
    saidBefore({ type: 'reasoning', text: 'Hm.', summary: false, opaque: null }, SPOKEN),
  ],
  ['stop sequences', { stop: ['END'] }],
  ['temperature, top_p', { sampling: { temperature: 0.5, topP: 0.9 } }],
  ['temperature above 1', { sampling: { temperature: 1.5 } }],
  ['top_k', { sampling: { topK: 5 } }],
  ['seed', { sampling: { seed: 7 } }],
  ['penalties', { sampling: { presencePenalty: 0.5, frequencyPenalty: 0.5 } }],
  ['logit_bias', { sampling: { logitBias: '{"1":5}' } }],
  ['several answers (n)', { n: 2 }],
  ['logprobs', { logprobs: 2 }],
  ['audio as output', { modalities: ['audio'] }],
  ['image as output', { modalities: ['image'] }],
  ['web search', { bound: ['web_search'] }],
  ['other built-in tools', { bound: ['builtin_tool'] }],
  ['state at the upstream', { bound: ['state'] }],
  ['user', hint('user', '"u"')],
  ['metadata', hint('metadata', '{"a":"b"}')],
  ['service_tier', hint('service_tier', '"flex"')],
  ['service_tier `default`, `standard_only`', hint('service_tier', '"default"')],
  ['verbosity', hint('verbosity', '"low"')],
  ['prompt_cache_key', hint('prompt_cache_key', '"k"')],
  ['cache marks', hint('cache_control', '{"type":"ephemeral"}')],
];

function outcome(upstream: TranslatedUpstream, feature: (typeof FEATURES)[number][1]): string {
  const vendor = dialectVendor(upstream.dialect);
  const target = { upstreamModel: 'model', vendor, maxOutputTokens: 8000, lacks: new Set<string>() };
  const write: UpstreamWrite = { target, degrade: null, injectUsage: true };
  const request = { ...BASE, ...(typeof feature === 'function' ? feature(vendor) : feature) };
  const miss = upstream.canonical.misses(request, target);
  if (miss !== null) return `**refused** (${miss.name})`;
  const { changes } = upstream.canonical.writeRequest(request, write);
  const plain = upstream.canonical.writeRequest(BASE, write).changes;
  const own = changes.filter((change) => !plain.includes(change));
  return own.length === 0 ? 'direct' : own.join('; ');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

const FIELDS: readonly [
  string,
  {
    readonly MODELLED: readonly string[];
    readonly HINTS: Iterable<unknown>;
    readonly BOUND: ReadonlyMap<string, string>;
  },
][] = [
  ['Chat Completions', chatFields],
  ['Responses', responsesFields],
  ['Messages', messagesFields],
  ['Gemini', generateFields],
];

function words(names: Iterable<unknown>): string {
  return [...names].map((name) => `\`${String(Array.isArray(name) ? name[0] : name)}\``).join(' ');
}

const FINISHES: readonly Finish[] = ['stop', 'length', 'tool_calls', 'content_filter', 'refusal', 'pause'];

/** An answer with one more part, which only some dialects can tell. */
const ANSWERS: readonly (readonly [string, Part])[] = [
  ['text', { type: 'text', text: 'Yes.' }],
  ['refusal', { type: 'refusal', text: 'No.' }],
  ['call', { type: 'call', id: 'call_1', name: 'look', form: 'function', input: '{}' }],
  ['reasoning', { type: 'reasoning', text: 'Hm.', summary: false, opaque: null }],
  [
    'opaque state of reasoning',
    {
      type: 'reasoning',
      text: '',
      summary: false,
      opaque: { vendor: 'maker', kind: 'sealed', data: 'AA', id: null },
    },
  ],
  [
    'citation of a URL',
    {
      type: 'text',
      text: 'Yes.',
      citations: [{ url: 'https://example.com', title: 'x', quote: null, start: 0, end: 3 }],
    },
  ],
  [
    'citation of a document',
    { type: 'text', text: 'Yes.', citations: [{ url: null, title: 'x', quote: 'y', start: null, end: null }] },
  ],
  ['image', media('image', 'image/png', 'base64')],
  ['audio', media('audio', 'audio/wav', 'base64')],
];

function answerOf(parts: readonly Part[], finish: Finish): CanonicalAnswer {
  return { choices: [{ parts, finish, finishRaw: finish, stopSequence: null, logprobs: null }], usage: null };
}

function write(
  client: TranslatedClient,
  answer: CanonicalAnswer,
): { dropped: readonly string[]; leftOut: readonly string[]; reasons: readonly string[] } {
  const echo = requestOf(SPEAKERS.find(({ codec }) => codec === client.codec)!, { stream: false });
  const identity = { id: 'x', createdAt: 0, servedModel: 'm', vendor: 'maker' };
  const { bytes, dropped, leftOut } = client.canonical.writeAnswer(answer, identity, echo);
  const read = client.codec.readAnswer(bytes);
  return { dropped, leftOut, reasons: read?.finishReasons ?? [] };
}

/** The whole page. */
export function compatibilityText(): string {
  const features = FEATURES.map(([name, feature]) => [
    name,
    ...UPSTREAMS.map((upstream) => outcome(upstream, feature)),
  ]);
  const answers = ANSWERS.map(([name, part]) => [
    name,
    ...CLIENTS.map((client) => {
      const { dropped, leftOut } = write(client, answerOf([part], part.type === 'call' ? 'tool_calls' : 'stop'));
      if (dropped.length > 0) return `dropped (${dropped.join(', ')})`;
      return leftOut.length === 0 ? 'told' : `left out (${leftOut.join(', ')})`;
    }),
  ]);
  const finishes = FINISHES.map((finish) => [
    `\`${finish}\``,
    ...CLIENTS.map((client) => {
      const parts: Part[] =
        finish === 'tool_calls'
          ? [{ type: 'call', id: 'c', name: 'f', form: 'function', input: '{}' }]
          : [{ type: 'text', text: 'x' }];
      return `\`${write(client, answerOf(parts, finish)).reasons.join(' ')}\``;
    }),
  ]);
  const clients = CLIENTS.map(({ codec }) => titleOf(codec));
  return `<!-- Generated from the code: node scripts/compatibility.mjs -->

# Compatibility

Any client may reach any upstream. Where both speak the same dialect, requests and answers pass byte for byte, and nothing of
this page applies but [the rules](rules.md) T-8, R-2 and R-3. Where they don't, everything goes through one model, and what
becomes of it is one of four:

- **direct**: said in the upstream's own words;
- **emulated**: said otherwise; the attempt's \`changes\` name it, and the answer is \`degraded\` (R-4);
- **dropped**: left out, because it only nudges style, cost or bookkeeping; named in \`changes\` as well, and \`degraded\`;
- **refused**: the caller relies on it and the upstream has no such thing: P-6's 400, another channel of the model, or, with
  \`skip_incapable\`, the next model. An entry's \`degrade\` can drop it on purpose.

## Requests, by upstream

Columns are what the channel speaks (\`api\` of a channel, else the first dialect of its provider that fits). What single models
lack beside that (\`tools_forced\`, sampling, prefill) is known by their names and told the same way. URLs are fetched by the
gateway, guarded and bounded, for upstreams that fetch none: \`files fetched\` in \`changes\`, nothing degraded.

What ends in \`left out\` is in \`changes\` alone, and degrades nothing, for it takes nothing away: a thought without state is the
client's own copy of what it was shown, and no upstream could go on from it; \`default\` asks for what comes without asking.
Thoughts with state are another matter: whoever is not their maker goes on without them, and that degrades (R-5).

${table(['feature', ...UPSTREAMS.map(titleOf)], features)}

## Fields of requests, by client

A field in no list is a hint of a name nobody knows: dropped with a record. So is a member that nobody knows inside of messages,
parts, tools and whatever else is translated (\`dropped messages.content.zap\`).

${table(
  ['client', 'carried', 'hints: written where they fit, else dropped', 'bound to the dialect: refused elsewhere, as'],
  FIELDS.map(([name, { MODELLED, HINTS, BOUND }]) => [
    name,
    words(MODELLED),
    words(HINTS),
    [...BOUND].map(([field, feature]) => `\`${field}\` (${feature})`).join(', '),
  ]),
)}

## Answers, by client

${table(['part', ...clients], answers)}

What takes nothing away is in \`changes\` as \`answer: … left out\`, and degrades nothing: thoughts and opaque state that the
client has not asked to see, state behind the last words of an answer to a Messages client, where in its source a quote stands,
the sequence that stopped an answer, members that nobody reads. Grounding metadata, sources without a place and what an
upstream's own tools did are dropped, and degrade. Names, times, tiers and fingerprints of the upstream go without a word.

Reasoning reaches Chat clients as \`reasoning_content\` and \`reasoning_details\`, if the request asked for reasoning. Opaque
state of another vendor is wrapped on its way to a client and unwrapped on its way back to its maker (R-5). What an answer
loses is told in the report and the record.

How an answer ended:

${table(['in the model', ...clients], finishes)}

A finish reason that nobody knows is told as \`length\`, never as a proper stop. No stream gets an ending that its upstream has
not given: one that breaks off ends in the error event of the client's dialect (T-4, T-5).
`;
}
