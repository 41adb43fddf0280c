/** Requests that hold, one by one, every member and every alternative which the clients' libraries declare. */
import { declared, type Shape } from './declarations.ts';
import type { Body } from './left-unsaid.ts';
import { type Given, Sampler } from './samples-of.ts';

/** A whole request, and where in it the sample stands. */
export interface Sample {
  readonly body: Body;
  readonly path: readonly (string | number)[];
}

export interface Samples {
  readonly samples: readonly Sample[];
  /** Words that a member may be, in lists. */
  readonly words: ReadonlyMap<string, ReadonlySet<readonly string[]>>;
}

const SCHEMA = {
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
};
const FILE = 'https://example.com/a.png';

/** Values that can be understood. */
export const GIVEN: Given = {
  always: {
    parameters: SCHEMA,
    schema: SCHEMA,
    input_schema: SCHEMA,
    output_schema: SCHEMA,
    parametersJsonSchema: SCHEMA,
    responseJsonSchema: SCHEMA,
    responseSchema: { type: 'OBJECT' },
    logit_bias: { '1': 5 },
    metadata: { user_id: 'u' },
    mimeType: 'image/png',
  },
  plain: {
    arguments: '{"a":1}',
    url: FILE,
    image_url: FILE,
    file_url: FILE,
    fileUri: FILE,
    data: 'AAAA',
    file_data: 'data:application/pdf;base64,AAAA',
    temperature: 0.5,
    top_p: 0.5,
    topP: 0.5,
    n: 1,
    candidateCount: 1,
    max_tokens: 5000,
    max_completion_tokens: 5000,
    max_output_tokens: 5000,
    maxOutputTokens: 5000,
    budget_tokens: 2048,
    thinkingBudget: 2048,
    top_logprobs: 2,
    logprobs: 2,
  },
  needed: new Set(['name', 'url', 'image_url', 'file_data', 'data', 'text', 'fileUri', 'inlineData']),
};

/** By what they are given, so that choices among them can be made. */
const CHAT_TOOLS = [{ type: 'function', function: { name: 'name', parameters: SCHEMA } }];
const RESPONSES_TOOLS = [{ type: 'function', name: 'name', parameters: SCHEMA, strict: false }];
const MESSAGES_TOOLS = [{ name: 'name', input_schema: SCHEMA }];
const GENERATE_TOOLS = [{ functionDeclarations: [{ name: 'name' }] }];

/** Members of each request, one at a time; lists of turns stand between others. */
function requestSamples(
  sampler: Sampler,
  shape: Shape,
  { base, tools, turns, skip }: { base: Body; tools: Body; turns: string; skip: readonly string[] },
): Sample[] {
  if (shape.kind !== 'object') throw new Error('a request is declared as an object');
  const before = base[turns] as unknown[];
  return [...shape.members].flatMap(([key, member]): Sample[] => {
    if (skip.includes(key)) return [];
    return sampler.all(member.shape, key).flatMap((value): Sample[] => {
      // Declared as lists of anything.
      if (key === 'tool_choice' && JSON.stringify(value).includes('[{}]')) return [];
      if (key !== turns) return [{ body: { ...base, ...(key in tools ? {} : tools), [key]: value }, path: [key] }];
      if (!Array.isArray(value)) return [];
      const list = [...before, ...(value as unknown[]), { role: 'user', content: 'on' }];
      return [{ body: { ...base, ...tools, [turns]: list }, path: [turns, before.length] }];
    });
  });
}

function chatSamples(): Samples {
  const declarations = declared(
    'openai/resources/chat/completions/completions.d.ts',
    'openai/resources/shared.d.ts',
    'openai/resources/responses/responses.d.ts',
  );
  const sampler = new Sampler(declarations, GIVEN);
  const call = { id: 'tool_call_id', type: 'function', function: { name: 'name', arguments: '{}' } };
  const base = {
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', tool_calls: [call] },
    ],
  };
  const samples = requestSamples(sampler, declarations.resolve('ChatCompletionCreateParamsBase'), {
    base,
    tools: { tools: CHAT_TOOLS },
    turns: 'messages',
    skip: ['model', 'stream'],
  });
  return { samples: [...samples, ...routedSamples(base)], words: sampler.words };
}

/** What routers and upstreams that speak the dialect added to it. */
function routedSamples(base: { readonly messages: readonly unknown[] }): Sample[] {
  const allowed = (mode: string): object => ({
    type: 'allowed_tools',
    allowed_tools: { mode, tools: [{ type: 'function', function: { name: 'name' } }] },
  });
  const members: [string, unknown][] = [
    ['reasoning', { effort: 'high', max_tokens: 2048, exclude: false, enabled: true, summary: 'auto' }],
    ['include_reasoning', true],
    ['top_k', 5],
    ['tool_choice', allowed('auto')],
    ['tool_choice', allowed('required')],
  ];
  const mark = { cache_control: { type: 'ephemeral' } };
  const said: object[] = [
    { role: 'assistant', content: 'so', reasoning_content: 'hm' },
    { role: 'assistant', content: 'so', reasoning: 'hm' },
    { role: 'assistant', content: 'so', images: [{ type: 'image_url', image_url: { url: FILE } }] },
    { role: 'user', content: [{ type: 'text', text: 'so', ...mark }] },
    { role: 'user', content: [{ type: 'image_url', image_url: { url: FILE, detail: 'high' }, ...mark }] },
    ...[
      { type: 'reasoning.text', text: 'hm' },
      { type: 'reasoning.text', text: 'hm', signature: 'c2ln' },
      { type: 'reasoning.summary', summary: 'hm' },
      { type: 'reasoning.encrypted', data: 'AAAA' },
    ].map((detail) => ({ role: 'assistant', content: 'so', reasoning_details: [detail] })),
  ];
  const tools = { tools: CHAT_TOOLS };
  return [
    ...members.map(([key, value]) => ({ body: { ...base, ...tools, [key]: value }, path: [key] })),
    ...said.map((message) => ({
      body: { ...tools, messages: [...base.messages, message, { role: 'user', content: 'on' }] },
      path: ['messages', base.messages.length],
    })),
  ];
}

function responsesSamples(): Samples {
  const declarations = declared('openai/resources/responses/responses.d.ts', 'openai/resources/shared.d.ts');
  const sampler = new Sampler(declarations, GIVEN);
  const base = { input: [{ role: 'user', content: 'hi' }], store: false };
  const samples = requestSamples(sampler, declarations.resolve('ResponseCreateParamsBase'), {
    base,
    tools: { tools: RESPONSES_TOOLS },
    turns: 'input',
    skip: ['model', 'stream'],
  });
  const choices = ['auto', 'required'].map((mode) => ({
    body: {
      ...base,
      tools: RESPONSES_TOOLS,
      tool_choice: { type: 'allowed_tools', mode, tools: [{ type: 'function', name: 'name' }] },
    },
    path: ['tool_choice'],
  }));
  return { samples: [...samples, ...choices], words: sampler.words };
}

function messagesSamples(): Samples {
  const declarations = declared('@anthropic-ai/sdk/resources/beta/messages/messages.d.ts');
  const sampler = new Sampler(declarations, GIVEN);
  const samples = requestSamples(sampler, declarations.resolve('MessageCreateParamsBase'), {
    base: { max_tokens: 4000, messages: [{ role: 'user', content: 'hi' }] },
    tools: { tools: MESSAGES_TOOLS },
    turns: 'messages',
    // Headers, by which nobody translates.
    skip: ['model', 'stream', 'betas', 'user_profile_id', 'workspace_id'],
  });
  return { samples, words: sampler.words };
}

/** What the library takes as options of a call stands in several places of the request. */
const BESIDE_CONFIG = [
  'safetySettings',
  'serviceTier',
  'toolConfig',
  'tools',
  'labels',
  'cachedContent',
  'store',
  'continuationToken',
  'modelArmorConfig',
  'automaticContinuation',
  'generationOutputConfig',
];
/** A part is one of these, and may hold all its other members beside it. */
const PART_KINDS = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
  'audioTranscription',
];

function generateSamples(): Samples {
  const declarations = declared('@google/genai/dist/genai.d.ts');
  const sampler = new Sampler(declarations, GIVEN);
  const membersOf = (name: string): [string, unknown[]][] => {
    const shape = declarations.resolve(name);
    return shape.kind === 'object' ? [...shape.members].map(([key, { shape: of }]) => [key, sampler.all(of, key)]) : [];
  };
  const base = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }], tools: GENERATE_TOOLS };
  const [first] = base.contents;
  const last = { role: 'user', parts: [{ text: 'on' }] };
  const configured = membersOf('GenerationConfig').flatMap(([key, values]) =>
    values.map((value) => ({ body: { ...base, generationConfig: { [key]: value } }, path: ['generationConfig', key] })),
  );
  const beside = membersOf('GenerateContentConfig').flatMap(([key, values]) =>
    BESIDE_CONFIG.includes(key) ? values.map((value) => ({ body: { ...base, [key]: value }, path: [key] })) : [],
  );
  const members = membersOf('Part');
  const more = Object.fromEntries(
    members.flatMap(([key, [value]]) => (PART_KINDS.includes(key) ? [] : [[key, value] as const])),
  );
  const parts = members.flatMap(([key, values]) =>
    PART_KINDS.includes(key)
      ? values.flatMap((value) => [
          { [key]: value, thoughtSignature: 'c2ln' },
          { [key]: value, ...more },
        ])
      : [],
  );
  const said = parts.flatMap((part) =>
    ['user', 'model'].map((role) => ({
      body: { ...base, contents: [first, { role, parts: [part] }, last] },
      path: ['contents', 1],
    })),
  );
  const system = { body: { ...base, systemInstruction: { role: 'user', parts: [{ text: 'so', ...more }] } } };
  return {
    samples: [...configured, ...beside, ...said, { ...system, path: ['systemInstruction'] }],
    words: sampler.words,
  };
}

/** By the client's name. */
export const SAMPLES: Readonly<Record<string, () => Samples>> = {
  chat: chatSamples,
  responses: responsesSamples,
  messages: messagesSamples,
  generate: generateSamples,
};
