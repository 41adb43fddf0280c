import { describe, expect, it } from 'vitest';
import { loadConfig } from '../config/load.ts';
import type { Snapshot } from '../config/snapshot.ts';
import type { Operation } from '../core/wire-names.ts';
import { chatCodec } from '../dialects/chat/codec.ts';
import type { ClientRequest, DialectCodec } from '../dialects/contract.ts';
import { messagesCodec } from '../dialects/messages/codec.ts';
import { responsesCodec } from '../dialects/responses/codec.ts';
import { preparedFor } from './prepared.ts';
import { upstreamHeaders } from './upstream-headers.ts';
import { type Way, wayFor, wayTo } from './way.ts';

const SECRET = 'sk-test-0123456789';

function snapshotOf(provider: object, channel: object = {}): Snapshot {
  const text = JSON.stringify({
    version: 1,
    providers: { p: provider },
    credentials: { c: { provider: 'p', secret: SECRET } },
    models: { m: { max_output_tokens: 99, channels: [{ provider: 'p', model: 'up', ...channel }] } },
  });
  const loaded = loadConfig({ text, file: 'c.yaml', env: {} });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.snapshot;
}

interface Given {
  readonly codec?: DialectCodec;
  readonly operation?: Operation;
  readonly channel?: object;
}

function way(provider: object, { codec = chatCodec, operation = 'generate', channel = {} }: Given = {}): Way {
  const snapshot = snapshotOf(provider, channel);
  return preparedFor(snapshot).wayTo({ codec, operation }, snapshot.channels[0]!);
}

const OPENAI = { type: 'openai' };
const MESSAGES = { type: 'anthropic' };
const SIM = { type: 'sim', base_url: 'http://127.0.0.1:9/v1' };

describe('the way to a channel', () => {
  it('is the client’s own dialect where the provider speaks it', () => {
    expect(way(OPENAI)).toMatchObject({ dialect: 'openai-chat', native: true, carriesAll: true });
    expect(way(OPENAI, { codec: responsesCodec })).toMatchObject({ dialect: 'openai-responses', native: true });
    expect(way(SIM, { codec: messagesCodec })).toMatchObject({ dialect: 'anthropic', native: true });
  });

  it('else the one the provider prefers', () => {
    expect(way(OPENAI, { codec: messagesCodec })).toMatchObject({
      dialect: 'openai-chat',
      native: false,
      carriesAll: false,
    });
    expect(way(MESSAGES)).toMatchObject({ dialect: 'anthropic', native: false });
  });

  it('but before all the channel’s api', () => {
    const channel = { api: 'responses' };
    expect(way(OPENAI, { channel })).toMatchObject({ dialect: 'openai-responses', native: false });
    const compatible = { type: 'openai-compatible', base_url: 'http://h/v1' };
    const responses = way(compatible, { codec: responsesCodec, channel });
    expect(responses).toMatchObject({ dialect: 'openai-responses', native: true });
    expect(responses.url(null, true)).toBe('http://h/v1/responses');
  });

  it('passes over a dialect that the model is not called in', () => {
    const channel = { model: 'gpt-5-pro' };
    expect(way(OPENAI, { channel })).toMatchObject({ dialect: 'openai-responses', native: false });
    expect(way(OPENAI, { codec: messagesCodec, channel })).toMatchObject({ dialect: 'openai-responses' });
    const audio = { model: 'gpt-4o-audio-preview' };
    expect(way(OPENAI, { codec: responsesCodec, channel: audio })).toMatchObject({ dialect: 'openai-chat' });
  });

  it('at addresses that lend themselves to several makers goes by the model', () => {
    const vertex = { type: 'vertex', project: 'acme' };
    expect(way(vertex, { channel: { model: 'claude-x' } })).toMatchObject({
      dialect: 'anthropic',
      facts: { vendor: 'anthropic' },
    });
    expect(way(vertex, { channel: { model: 'gemini-3' } })).toMatchObject({
      dialect: 'gemini',
      facts: { vendor: 'google' },
    });
  });

  it('P-6: what is never translated goes nowhere but to its own dialect, where it is served', () => {
    const pairOf = (provider: object, operation: Operation, codec: DialectCodec = chatCodec) =>
      way(provider, { operation, codec }).pair;
    expect(pairOf(OPENAI, 'embeddings')).not.toBeNull();
    expect(pairOf(OPENAI, 'rerank')).toBeNull();
    expect(pairOf({ type: 'vllm' }, 'rerank')).not.toBeNull();
    expect(pairOf(MESSAGES, 'embeddings')).toBeNull();
    expect(pairOf(MESSAGES, 'count_tokens', messagesCodec)).not.toBeNull();
    expect(pairOf(OPENAI, 'count_tokens', messagesCodec)).toBeNull();
    expect(way(OPENAI, { operation: 'embeddings', codec: messagesCodec }).pair).toBeNull();
  });

  it('tells the dialect what it must know of the target', () => {
    const { facts } = way(OPENAI, { channel: { model: 'gpt-5.6' } });
    expect({ ...facts, lacks: [...facts.lacks] }).toEqual({
      upstreamModel: 'gpt-5.6',
      vendor: 'openai',
      maxOutputTokens: 99,
      lacks: ['temperature', 'chat_tools_with_reasoning'],
    });
  });

  it('is worked out once per snapshot, and made of the workspace’s own address where there is one', () => {
    const snapshot = snapshotOf(MESSAGES);
    const asking = { codec: messagesCodec, operation: 'generate' } as const;
    const [channel] = snapshot.channels;
    const first = preparedFor(snapshot).wayTo(asking, channel!);
    expect(preparedFor(snapshot).wayTo(asking, channel!)).toBe(first);
    expect(first.url(null, false)).toBe('https://api.anthropic.com/v1/messages');
    expect(first.url('https://own.test/v1', false)).toBe('https://own.test/v1/messages');
  });
});

describe('dialects §14.4: tools and reasoning that Chat can not have together', () => {
  const asking = { codec: chatCodec, operation: 'generate' } as const;
  const TOOLS = [{ type: 'function', function: { name: 'f', parameters: {} } }];

  function request(fields: object): ClientRequest {
    const body = { model: 'm', messages: [{ role: 'user', content: 'hi' }], ...fields };
    const read = chatCodec.readRequest(Buffer.from(JSON.stringify(body)));
    if (!read.ok) throw new Error(read.error.message);
    return read.value;
  }

  const taken = (model: string, fields: object, channel: object = {}, provider: object = OPENAI): string => {
    const snapshot = snapshotOf(provider, { model, ...channel });
    const found = wayTo(asking, snapshot.channels[0]!, null);
    return wayFor(found, asking, request(fields), null).dialect;
  };

  it('go by Responses, where the model thinks unless told otherwise', () => {
    expect(taken('gpt-5.6', { tools: TOOLS })).toBe('openai-responses');
    expect(taken('gpt-5.6', { tools: TOOLS, reasoning_effort: 'high' })).toBe('openai-responses');
    expect(taken('gpt-5.6', { tools: TOOLS, reasoning_effort: 'none' })).toBe('openai-chat');
    expect(taken('gpt-5.6', {})).toBe('openai-chat');
    expect(taken('gpt-4.1', { tools: TOOLS })).toBe('openai-chat');
  });

  it('stay where the channel says so, and where nothing else is spoken', () => {
    expect(taken('gpt-5.6', { tools: TOOLS }, { api: 'chat' })).toBe('openai-chat');
    expect(taken('gpt-5.6', { tools: TOOLS }, {}, { type: 'openrouter' })).toBe('openai-chat');
  });
});

describe('G-10: the headers of an upstream call', () => {
  const CLIENT = {
    authorization: 'Bearer us-client',
    'x-api-key': 'us-client',
    cookie: 'a=b',
    'x-stainless-lang': 'js',
    'idempotency-key': 'k',
    'anthropic-version': '2026-10-21',
    'anthropic-beta': 'one,two',
    'openai-beta': 'assistants=v2',
    'x-sim': 'status=503',
  };

  function headers(provider: object, given: Given & { client?: Record<string, string>; stream?: boolean } = {}) {
    const { codec = chatCodec, operation = 'generate', channel = {} } = given;
    const snapshot = snapshotOf(provider, channel);
    const found = preparedFor(snapshot).wayTo({ codec, operation }, snapshot.channels[0]!);
    const { headers: list, order } = upstreamHeaders({
      way: found,
      provider: snapshot.channels[0]!.provider,
      credential: snapshot.credentials[0]!,
      stream: given.stream ?? false,
      clientHeaders: given.client ?? CLIENT,
    });
    expect(order).toBeNull();
    const pairs = list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1]] as const] : []));
    expect(new Set(pairs.map(([name]) => name)).size).toBe(pairs.length);
    return Object.fromEntries(pairs);
  }
  const COMMON = { 'content-type': 'application/json', accept: 'application/json', 'user-agent': 'understudy/0.1' };
  const BEARER = { authorization: `Bearer ${SECRET}` };

  it('are the row’s own, and in the same dialect what its clients ask for beside the body', () => {
    expect(headers(OPENAI)).toEqual({ ...COMMON, ...BEARER, 'openai-beta': 'assistants=v2' });
    expect(headers(OPENAI, { codec: messagesCodec })).toEqual({ ...COMMON, ...BEARER });
    expect(headers({ type: 'openai', organization: 'org-1' }, { client: {} })).toEqual({
      ...COMMON,
      ...BEARER,
      'openai-organization': 'org-1',
    });
  });

  it('dialects §14.5: version and betas pass untouched in Messages; a new version shows its key as a bearer token', () => {
    const beta = { 'anthropic-beta': 'one,two' };
    expect(headers(MESSAGES, { codec: messagesCodec })).toEqual({
      ...COMMON,
      ...BEARER,
      ...beta,
      'anthropic-version': '2026-10-21',
    });
    const old = { 'anthropic-version': '2023-06-01' };
    expect(headers(MESSAGES, { codec: messagesCodec, client: { ...old, ...beta } })).toEqual({
      ...COMMON,
      ...old,
      ...beta,
      'x-api-key': SECRET,
    });
    expect(headers(MESSAGES, { codec: messagesCodec, client: {} })).toEqual({ ...COMMON, ...old, 'x-api-key': SECRET });
  });

  it('translated calls have the version that everybody knows, whatever the client says', () => {
    expect(headers(MESSAGES)).toEqual({ ...COMMON, 'x-api-key': SECRET, 'anthropic-version': '2023-06-01' });
  });

  it('an operator’s own version stands for all', () => {
    const pinned = { type: 'anthropic', headers: { 'anthropic-version': '2026-10-21' } };
    expect(headers(pinned, { codec: messagesCodec, client: { 'anthropic-version': '2023-06-01' } })).toEqual({
      ...COMMON,
      ...BEARER,
      'anthropic-version': '2026-10-21',
    });
  });

  it('so do an operator’s own betas', () => {
    const pinned = { type: 'anthropic', headers: { 'Anthropic-Beta': 'theirs' } };
    expect(headers(pinned, { codec: messagesCodec })).toMatchObject({ 'anthropic-beta': 'theirs' });
  });

  it('X-1: the simulator gets its orders in every dialect', () => {
    expect(headers(SIM, { codec: messagesCodec })).toMatchObject({ 'x-sim': 'status=503', ...BEARER });
    expect(headers(SIM)).toMatchObject({ 'x-sim': 'status=503', ...BEARER });
  });

  it('say what is accepted', () => {
    expect(headers(OPENAI, { stream: true })).toMatchObject({ accept: 'text/event-stream' });
    expect(headers(OPENAI, { operation: 'speech' })).toMatchObject({ accept: '*/*' });
    expect(headers({ type: 'bedrock', region: 'eu-west-1' }, { stream: true })).toMatchObject({
      accept: 'application/vnd.amazon.eventstream',
    });
  });
});
