/**
 * What a caller wants, said in each dialect a client may speak, and what came back, read into one neutral shape. Written
 * against the dialects' own documentation, not with the gateway's code: the two must not share their mistakes.
 */
import { createParser } from 'eventsource-parser';
import { MESSAGES_HEADERS } from './headers.ts';

export interface AskedTool {
  readonly name: string;
  /** JSON text, so that numbers beyond 2^53 can be said. */
  readonly schema: string;
}

/** A turn that has been: what the model said, and what its calls gave. */
export interface PastTurn {
  /** The assistant's message as the client got it: goes back as it is. */
  readonly said: unknown;
  readonly results: readonly { readonly id: string; readonly name: string; readonly text: string }[];
}

export interface Ask {
  readonly model: string;
  readonly text: string;
  readonly stream?: boolean;
  readonly system?: string;
  readonly tools?: readonly AskedTool[];
  /** A call is demanded. */
  readonly forced?: boolean;
  readonly schema?: string;
  /** Base64 of a PNG. */
  readonly image?: string;
  /** It shall think, and show it. */
  readonly reasoning?: boolean;
  readonly maxTokens?: number;
  /** Something that only nudges, and that most other dialects have no words for. */
  readonly nudged?: boolean;
  /** So many answers at once, where the dialect can ask for them. */
  readonly n?: number;
  readonly stop?: string;
  /** The gateway's own field. */
  readonly redundancy?: object;
  readonly past?: PastTurn;
}

export interface NeutralCall {
  readonly id: string;
  readonly name: string;
  /** JSON text. */
  readonly args: string;
}

export interface Neutral {
  readonly text: string;
  readonly reasoning: string;
  readonly refusal: string;
  readonly calls: readonly NeutralCall[];
  readonly finish: 'stop' | 'length' | 'tool_calls' | 'filtered' | null;
  readonly usage: { readonly input: number; readonly output: number } | null;
  readonly model: string | null;
  /** R-2's. */
  readonly report: Record<string, unknown> | null;
  /** The error's own code, and its message. */
  readonly error: { readonly code: unknown; readonly message: string } | null;
  /** A stream came to its dialect's proper end; whole answers always have. */
  readonly ended: boolean;
  /** Fragments that arguments of calls came in. */
  readonly fragments: number;
  /** The assistant's message for a history. */
  readonly said: unknown;
}

export interface Client {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  path(ask: Ask): string;
  /** JSON text. */
  body(ask: Ask): string;
  readWhole(text: string): Neutral;
  readStream(text: string): Neutral;
  /** An assistant's message of one call; `args` is JSON text. */
  saidCall(id: string, name: string, args: string): unknown;
}

type Json = { [key: string]: unknown };
type List = readonly Json[];

const EMPTY: Neutral = {
  text: '',
  reasoning: '',
  refusal: '',
  calls: [],
  finish: null,
  usage: null,
  model: null,
  report: null,
  error: null,
  ended: true,
  fragments: 0,
  said: null,
};

/** JSON whose schemas are text already. */
class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

function raw(text: string): Raw {
  return new Raw(text);
}

/** Like `JSON.stringify`, but for what is JSON text already. */
function json(value: unknown): string {
  if (value instanceof Raw) return value.text;
  if (Array.isArray(value)) return `[${value.map(json).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${json(member)}`).join(',')}}`;
}

interface SseEvent {
  readonly name: string | undefined;
  readonly data: string;
}

function eventsOf(text: string): SseEvent[] {
  const events: SseEvent[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => events.push({ name: event, data }),
    onError: (error) => {
      throw error;
    },
  });
  parser.feed(text);
  return events;
}

function parse(text: string): Json {
  return JSON.parse(text) as Json;
}

function asList(value: unknown): List {
  return Array.isArray(value) ? (value as List) : [];
}

function asJson(value: unknown): Json {
  return (value ?? {}) as Json;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function count(value: unknown): number {
  return typeof value === 'number' ? value : Number.NaN;
}

const CHAT_FINISH: Readonly<Record<string, Neutral['finish']>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool_calls',
  content_filter: 'filtered',
};

/** OpenAI Chat Completions. */
const chat: Client = {
  name: 'chat',
  headers: {},
  path: () => '/v1/chat/completions',
  saidCall: (id, name, args) => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name, arguments: args } }],
  }),
  body: (ask) => {
    const content =
      ask.image === undefined
        ? ask.text
        : [
            { type: 'text', text: ask.text },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${ask.image}` } },
          ];
    const past = ask.past;
    return json({
      model: ask.model,
      messages: [
        ...(ask.system === undefined ? [] : [{ role: 'system', content: ask.system }]),
        { role: 'user', content },
        ...(past === undefined ? [] : [past.said]),
        ...(past?.results ?? []).map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text })),
        ...(past !== undefined && past.results.length === 0 ? [{ role: 'user', content: 'Go on.' }] : []),
      ],
      tools: ask.tools?.map(({ name, schema }) => ({
        type: 'function',
        function: { name, description: 'A tool.', parameters: raw(schema) },
      })),
      tool_choice: ask.forced === true ? 'required' : undefined,
      response_format:
        ask.schema === undefined
          ? undefined
          : { type: 'json_schema', json_schema: { name: 'out', strict: true, schema: raw(ask.schema) } },
      reasoning_effort: ask.reasoning === true ? 'high' : undefined,
      max_completion_tokens: ask.maxTokens,
      logit_bias: ask.nudged === true ? { '50256': -5 } : undefined,
      n: ask.n,
      stop: ask.stop,
      redundancy: ask.redundancy,
      stream: ask.stream,
      stream_options: ask.stream === true ? { include_usage: true } : undefined,
    });
  },
  readWhole: (body) => {
    const answer = parse(body);
    if (answer['error'] !== undefined) return failed(asJson(answer['error']));
    const choice = asList(answer['choices'])[0]!;
    const message = asJson(choice['message']);
    return {
      ...EMPTY,
      text: text(message['content']),
      reasoning: text(message['reasoning_content']),
      refusal: text(message['refusal']),
      calls: asList(message['tool_calls']).map(chatCall),
      finish: CHAT_FINISH[text(choice['finish_reason'])] ?? null,
      usage: chatUsage(answer['usage']),
      model: text(answer['model']),
      report: (answer['understudy'] as Json | undefined) ?? null,
      said: message,
    };
  },
  readStream: (body) => {
    const events = eventsOf(body);
    const calls = new Map<number, { id: string; name: string; args: string }>();
    let neutral = { ...EMPTY, ended: false };
    const details: unknown[] = [];
    for (const { data } of events) {
      if (neutral.ended) throw new Error('something stands behind [DONE]');
      if (data === '[DONE]') {
        neutral = { ...neutral, ended: true };
        continue;
      }
      const chunk = parse(data);
      if (chunk['error'] !== undefined) {
        neutral = { ...neutral, error: errorOf(asJson(chunk['error'])) };
        continue;
      }
      if (chunk['usage'] !== undefined && chunk['usage'] !== null) {
        neutral = { ...neutral, usage: chatUsage(chunk['usage']) };
      }
      if (chunk['understudy'] !== undefined) neutral = { ...neutral, report: asJson(chunk['understudy']) };
      neutral = { ...neutral, model: text(chunk['model']) };
      for (const choice of asList(chunk['choices'])) {
        const delta = asJson(choice['delta']);
        for (const call of asList(delta['tool_calls'])) {
          const index = count(call['index']);
          const fn = asJson(call['function']);
          const known = calls.get(index);
          if (known === undefined) {
            calls.set(index, { id: text(call['id']), name: text(fn['name']), args: text(fn['arguments']) });
          } else known.args += text(fn['arguments']);
          if (text(fn['arguments']) !== '') neutral = { ...neutral, fragments: neutral.fragments + 1 };
        }
        details.push(...asList(delta['reasoning_details']));
        neutral = {
          ...neutral,
          text: neutral.text + text(delta['content']),
          reasoning: neutral.reasoning + text(delta['reasoning_content']),
          refusal: neutral.refusal + text(delta['refusal']),
          finish: CHAT_FINISH[text(choice['finish_reason'])] ?? neutral.finish,
        };
      }
    }
    const all = [...calls.values()];
    const said = {
      role: 'assistant',
      content: neutral.text === '' ? null : neutral.text,
      ...(details.length === 0 ? {} : { reasoning_details: details }),
      ...(all.length === 0
        ? {}
        : {
            tool_calls: all.map(({ id, name, args }) => ({
              id,
              type: 'function',
              function: { name, arguments: args },
            })),
          }),
    };
    return { ...neutral, calls: all, said };
  },
};

function chatCall(call: Json): NeutralCall {
  const fn = asJson(call['function']);
  return { id: text(call['id']), name: text(fn['name']), args: text(fn['arguments']) };
}

function chatUsage(value: unknown): Neutral['usage'] {
  const usage = asJson(value);
  return value === undefined || value === null
    ? null
    : { input: count(usage['prompt_tokens']), output: count(usage['completion_tokens']) };
}

function errorOf(error: Json): Neutral['error'] {
  return { code: error['code'], message: text(error['message']) };
}

function failed(error: Json): Neutral {
  return { ...EMPTY, ended: false, error: errorOf(error) };
}

/** OpenAI Responses. */
const responses: Client = {
  name: 'responses',
  headers: {},
  path: () => '/v1/responses',
  saidCall: (id, name, args) => [{ type: 'function_call', call_id: id, name, arguments: args }],
  body: (ask) => {
    const content = [
      { type: 'input_text', text: ask.text },
      ...(ask.image === undefined
        ? []
        : [{ type: 'input_image', image_url: `data:image/png;base64,${ask.image}`, detail: 'auto' }]),
    ];
    const past = ask.past;
    return json({
      model: ask.model,
      instructions: ask.system,
      input: [
        { role: 'user', content },
        ...((past?.said as unknown[] | undefined) ?? []),
        ...(past?.results ?? []).map(({ id, text }) => ({ type: 'function_call_output', call_id: id, output: text })),
        ...(past !== undefined && past.results.length === 0 ? [{ role: 'user', content: 'Go on.' }] : []),
      ],
      tools: ask.tools?.map(({ name, schema }) => ({
        type: 'function',
        name,
        description: 'A tool.',
        parameters: raw(schema),
        strict: false,
      })),
      tool_choice: ask.forced === true ? 'required' : undefined,
      text:
        ask.schema === undefined
          ? undefined
          : { format: { type: 'json_schema', name: 'out', strict: true, schema: raw(ask.schema) } },
      reasoning: ask.reasoning === true ? { effort: 'high', summary: 'auto' } : undefined,
      include: ask.reasoning === true ? ['reasoning.encrypted_content'] : undefined,
      max_output_tokens: ask.maxTokens,
      prompt_cache_retention: ask.nudged === true ? '24h' : undefined,
      redundancy: ask.redundancy,
      store: false,
      stream: ask.stream,
    });
  },
  readWhole: (body) => {
    const answer = parse(body);
    if (answer['error'] !== undefined && answer['error'] !== null) return failed(asJson(answer['error']));
    return readResponse(answer);
  },
  readStream: (body) => {
    let neutral: Neutral = { ...EMPTY, ended: false };
    let fragments = 0;
    let sequence = -1;
    let textSoFar = '';
    const ids = new Set<unknown>();
    for (const { name, data } of eventsOf(body)) {
      const event = parse(data);
      if (name !== event['type']) throw new Error(`event ${name} holds ${String(event['type'])}`);
      if (neutral.ended || neutral.error !== null) throw new Error('something stands behind the terminal event');
      if (count(event['sequence_number']) <= sequence) throw new Error('sequence numbers do not rise');
      sequence = count(event['sequence_number']);
      const response = event['response'] === undefined ? null : asJson(event['response']);
      if (response !== null) ids.add(response['id']);
      switch (event['type']) {
        case 'response.output_text.delta':
          textSoFar += text(event['delta']);
          break;
        case 'response.function_call_arguments.delta':
          fragments++;
          break;
        case 'response.completed':
        case 'response.incomplete':
          neutral = readResponse(response!);
          break;
        case 'response.failed':
          neutral = { ...neutral, error: errorOf(asJson(response!['error'])) };
          break;
        case 'error':
          neutral = { ...neutral, error: errorOf(event) };
      }
    }
    if (ids.size > 1) throw new Error('one stream names several responses');
    if (neutral.ended && textSoFar !== neutral.text) throw new Error('deltas and the whole differ');
    return { ...neutral, fragments, text: neutral.ended ? neutral.text : textSoFar };
  },
};

function readResponse(answer: Json): Neutral {
  const output = asList(answer['output']);
  const parts = output.flatMap((item) => (item['type'] === 'message' ? [...asList(item['content'])] : []));
  const joined = (type: string, key: string): string =>
    parts
      .filter((part) => part['type'] === type)
      .map((part) => text(part[key]))
      .join('');
  const calls = output
    .filter((item) => item['type'] === 'function_call')
    .map((item) => ({ id: text(item['call_id']), name: text(item['name']), args: text(item['arguments']) }));
  const reasoning = output
    .filter((item) => item['type'] === 'reasoning')
    .flatMap((item) => [...asList(item['summary']), ...asList(item['content'])].map((part) => text(part['text'])));
  const cut = asJson(answer['incomplete_details'])['reason'];
  const usage = answer['usage'] === null || answer['usage'] === undefined ? null : asJson(answer['usage']);
  return {
    ...EMPTY,
    text: joined('output_text', 'text'),
    refusal: joined('refusal', 'refusal'),
    reasoning: reasoning.join(''),
    calls,
    finish:
      answer['status'] === 'incomplete'
        ? cut === 'content_filter'
          ? 'filtered'
          : 'length'
        : answer['status'] !== 'completed'
          ? null
          : calls.length > 0
            ? 'tool_calls'
            : 'stop',
    usage: usage === null ? null : { input: count(usage['input_tokens']), output: count(usage['output_tokens']) },
    model: text(answer['model']),
    report: (answer['understudy'] as Json | undefined) ?? null,
    said: output,
  };
}

/** Anthropic Messages. */
const messages: Client = {
  name: 'messages',
  headers: MESSAGES_HEADERS,
  path: () => '/v1/messages',
  saidCall: (id, name, args) => [{ type: 'tool_use', id, name, input: raw(args) }],
  body: (ask) => {
    const past = ask.past;
    const maxTokens = ask.maxTokens ?? 4096;
    return json({
      model: ask.model,
      max_tokens: maxTokens,
      system: ask.system,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: ask.text },
            ...(ask.image === undefined
              ? []
              : [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: ask.image } }]),
          ],
        },
        ...(past === undefined ? [] : [{ role: 'assistant', content: past.said }]),
        ...(past === undefined
          ? []
          : [
              {
                role: 'user',
                content:
                  past.results.length === 0
                    ? 'Go on.'
                    : past.results.map(({ id, text }) => ({ type: 'tool_result', tool_use_id: id, content: text })),
              },
            ]),
      ],
      tools: ask.tools?.map(({ name, schema }) => ({ name, description: 'A tool.', input_schema: raw(schema) })),
      tool_choice: ask.forced === true ? { type: 'any' } : undefined,
      output_config:
        ask.schema === undefined ? undefined : { format: { type: 'json_schema', schema: raw(ask.schema) } },
      thinking: ask.reasoning === true ? { type: 'enabled', budget_tokens: 2048 } : undefined,
      top_k: ask.nudged === true ? 5 : undefined,
      stop_sequences: ask.stop === undefined ? undefined : [ask.stop],
      redundancy: ask.redundancy,
      stream: ask.stream,
    });
  },
  readWhole: (body) => {
    const answer = parse(body);
    return answer['type'] === 'error' ? failedMessage(answer) : readMessage(answer, answer['usage']);
  },
  readStream: (body) => {
    const blocks: Json[] = [];
    const partial: string[] = [];
    let message: Json | null = null;
    let delta: Json = {};
    let usage: Json = {};
    let report: Json | null = null;
    let error: Neutral['error'] = null;
    let ended = false;
    let fragments = 0;
    for (const { name, data } of eventsOf(body)) {
      const event = parse(data);
      if (name !== event['type']) throw new Error(`event ${name} holds ${String(event['type'])}`);
      if (ended || error !== null) throw new Error('something stands behind the last event');
      const index = count(event['index']);
      switch (event['type']) {
        case 'message_start':
          if (message !== null) throw new Error('two message_start');
          message = asJson(event['message']);
          usage = { ...asJson(message['usage']) };
          break;
        case 'content_block_start':
          if (index !== blocks.length) throw new Error('indexes are not contiguous');
          blocks.push({ ...asJson(event['content_block']) });
          partial.push('');
          break;
        case 'content_block_delta': {
          const block = blocks[index]!;
          const piece = asJson(event['delta']);
          if (piece['type'] === 'text_delta') block['text'] = text(block['text']) + text(piece['text']);
          if (piece['type'] === 'thinking_delta') block['thinking'] = text(block['thinking']) + text(piece['thinking']);
          if (piece['type'] === 'signature_delta') block['signature'] = piece['signature'];
          if (piece['type'] === 'input_json_delta') {
            partial[index] += text(piece['partial_json']);
            if (piece['partial_json'] !== '') fragments++;
          }
          break;
        }
        case 'message_delta':
          delta = { ...delta, ...asJson(event['delta']) };
          if (event['usage'] === undefined) throw new Error('message_delta without usage');
          for (const [key, value] of Object.entries(asJson(event['usage']))) if (value !== null) usage[key] = value;
          if (event['understudy'] !== undefined) report = asJson(event['understudy']);
          break;
        case 'message_stop':
          ended = true;
          break;
        case 'error':
          error = errorOf({ code: asJson(event['error'])['code'], ...asJson(event['error']) });
      }
    }
    const args = new Map<Json, string>();
    for (const [at, block] of blocks.entries()) {
      if (block['type'] !== 'tool_use') continue;
      args.set(block, partial[at] === '' ? '{}' : partial[at]!);
      if (ended) block['input'] = raw(args.get(block)!);
    }
    const read = readMessage(
      { ...(message ?? {}), content: blocks, ...delta },
      message === null ? undefined : usage,
      args,
    );
    return { ...read, error, ended, fragments, report };
  },
};

function failedMessage(answer: Json): Neutral {
  return failed(asJson(answer['error']));
}

const STOP_REASONS: Readonly<Record<string, Neutral['finish']>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  tool_use: 'tool_calls',
  refusal: 'filtered',
};

function readMessage(answer: Json, told: unknown, args?: ReadonlyMap<Json, string>): Neutral {
  const content = asList(answer['content']);
  const joined = (type: string, key: string): string =>
    content
      .filter((block) => block['type'] === type)
      .map((block) => text(block[key]))
      .join('');
  const usage = told === undefined ? null : asJson(told);
  const cached =
    usage === null ? 0 : zero(usage['cache_read_input_tokens']) + zero(usage['cache_creation_input_tokens']);
  const reason = answer['stop_reason'];
  if (typeof reason === 'string' && STOP_REASONS[reason] === undefined) throw new Error(`stop_reason ${reason}`);
  return {
    ...EMPTY,
    text: joined('text', 'text'),
    reasoning: joined('thinking', 'thinking'),
    calls: content
      .filter((block) => block['type'] === 'tool_use')
      .map((block) => ({
        id: text(block['id']),
        name: text(block['name']),
        args: args?.get(block) ?? json(block['input']),
      })),
    finish: typeof reason === 'string' ? STOP_REASONS[reason]! : null,
    usage:
      usage === null ? null : { input: count(usage['input_tokens']) + cached, output: count(usage['output_tokens']) },
    model: text(answer['model']),
    report: (answer['understudy'] as Json | undefined) ?? null,
    said: content,
  };
}

function zero(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

/** Google generateContent. */
const generate: Client = {
  name: 'generate',
  headers: {},
  saidCall: (id, name, args) => ({ role: 'model', parts: [{ functionCall: { id, name, args: raw(args) } }] }),
  path: ({ model, stream }) =>
    `/v1beta/models/${model}:${stream === true ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  body: (ask) => {
    const past = ask.past;
    return json({
      systemInstruction: ask.system === undefined ? undefined : { parts: [{ text: ask.system }] },
      contents: [
        {
          role: 'user',
          parts: [
            { text: ask.text },
            ...(ask.image === undefined ? [] : [{ inlineData: { mimeType: 'image/png', data: ask.image } }]),
          ],
        },
        ...(past === undefined ? [] : [past.said]),
        ...(past === undefined
          ? []
          : [
              {
                role: 'user',
                parts:
                  past.results.length === 0
                    ? [{ text: 'Go on.' }]
                    : past.results.map(({ id, name, text }) => ({
                        functionResponse: { ...(id === '' ? {} : { id }), name, response: { output: text } },
                      })),
              },
            ]),
      ],
      tools:
        ask.tools === undefined
          ? undefined
          : [
              {
                functionDeclarations: ask.tools.map(({ name, schema }) => ({
                  name,
                  description: 'A tool.',
                  parametersJsonSchema: raw(schema),
                })),
              },
            ],
      toolConfig: ask.forced === true ? { functionCallingConfig: { mode: 'ANY' } } : undefined,
      safetySettings:
        ask.nudged === true ? [{ category: 'HARM_CATEGORY_HATE_SPEECH', threshold: 'BLOCK_ONLY_HIGH' }] : undefined,
      redundancy: ask.redundancy,
      generationConfig: {
        maxOutputTokens: ask.maxTokens,
        candidateCount: ask.n,
        stopSequences: ask.stop === undefined ? undefined : [ask.stop],
        ...(ask.schema === undefined
          ? {}
          : { responseMimeType: 'application/json', responseJsonSchema: raw(ask.schema) }),
        ...(ask.reasoning === true ? { thinkingConfig: { includeThoughts: true, thinkingLevel: 'HIGH' } } : {}),
      },
    });
  },
  readWhole: (body) => {
    const answer = parse(body);
    return answer['error'] === undefined ? readCandidates([answer]) : failed(asJson(answer['error']));
  },
  readStream: (body) => {
    const chunks: Json[] = [];
    let error: Neutral['error'] = null;
    for (const { name, data } of eventsOf(body)) {
      if (name !== undefined) throw new Error('this dialect names no events');
      if (error !== null) throw new Error('something stands behind the error');
      const chunk = parse(data);
      if (chunk['error'] === undefined) chunks.push(chunk);
      else error = errorOf(asJson(chunk['error']));
    }
    const read = readCandidates(chunks);
    return { ...read, error, ended: error === null && read.finish !== null, fragments: read.calls.length };
  },
};

function readCandidates(chunks: readonly Json[]): Neutral {
  const parts = chunks.flatMap((chunk) => [
    ...asList(asJson(asJson(asList(chunk['candidates'])[0])['content'])['parts']),
  ]);
  const thought = (wanted: boolean): string =>
    parts
      .filter((part) => (part['thought'] === true) === wanted)
      .map((part) => text(part['text']))
      .join('');
  const calls = parts
    .filter((part) => part['functionCall'] !== undefined)
    .map((part) => asJson(part['functionCall']))
    .map((call) => ({ id: text(call['id']), name: text(call['name']), args: json(call['args'] ?? {}) }));
  const last = chunks.at(-1) ?? {};
  const reason = chunks
    .map((chunk) => text(asList(chunk['candidates'])[0]?.['finishReason']))
    .findLast((one) => one !== '');
  const blocked = chunks.some((chunk) => asJson(chunk['promptFeedback'])['blockReason'] !== undefined);
  const usage = chunks.map((chunk) => chunk['usageMetadata']).findLast((one) => one !== undefined);
  const counts = asJson(usage);
  return {
    ...EMPTY,
    text: thought(false),
    reasoning: thought(true),
    calls,
    finish:
      blocked || (reason !== undefined && !['STOP', 'MAX_TOKENS'].includes(reason))
        ? 'filtered'
        : reason === undefined
          ? null
          : reason === 'MAX_TOKENS'
            ? 'length'
            : calls.length > 0
              ? 'tool_calls'
              : 'stop',
    usage:
      usage === undefined
        ? null
        : {
            input: zero(counts['promptTokenCount']) + zero(counts['toolUsePromptTokenCount']),
            output: zero(counts['candidatesTokenCount']) + zero(counts['thoughtsTokenCount']),
          },
    model: text(last['modelVersion']),
    report: (last['understudy'] as Json | undefined) ?? null,
    said: { role: 'model', parts },
  };
}

/** A stream of generateContent as one JSON array. */
export const generateArray: Client = {
  ...generate,
  name: 'generate array',
  path: (ask) => generate.path(ask).replace('?alt=sse', ''),
  readStream: (body) => {
    const chunks = JSON.parse(body) as Json[];
    const error = chunks.find((chunk) => chunk['error'] !== undefined)?.['error'];
    if (error !== undefined) return { ...failed(asJson(error)), fragments: 0 };
    const read = readCandidates(chunks);
    return { ...read, ended: read.finish !== null };
  },
};

export const CLIENTS: readonly Client[] = [chat, responses, messages, generate];
