/** The OpenAI client, major 6: what Node 20 gets. In the gateway's own process. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import OpenAI, { APIError } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../sim/index.ts';
import { type RunningGateway, startGateway } from '../../src/assemble.ts';
import { CHAIN, channelsOf, sdkConfig } from './gateway-config.ts';
import { SdkRig } from './sdk-rig.ts';

let simulator: Simulator;
let gateway: RunningGateway;
let dataDir: string;
let rig: SdkRig;
let client: OpenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  dataDir = await mkdtemp(path.join(tmpdir(), 'understudy-sdk-'));
  gateway = await startGateway({ configText: sdkConfig(simulator.url), port: 0, dataDir, env: {}, log: 'silent' });
  rig = new SdkRig({ gatewayUrl: gateway.url, simulatorUrl: simulator.url });
  client = new OpenAI({ baseURL: rig.baseUrl, apiKey: rig.apiKey });
});
afterAll(async () => {
  await gateway.close();
  await simulator.close();
  await rm(dataDir, { recursive: true, force: true });
});
beforeEach(() => rig.forget());

const messages = [{ role: 'user' as const, content: 'How is the weather?' }];
const weather = {
  type: 'function' as const,
  function: {
    name: 'weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const schema = {
  type: 'json_schema' as const,
  json_schema: {
    name: 'mood',
    strict: true,
    schema: {
      type: 'object',
      properties: { mood: { type: 'string' }, certainty: { type: 'number' } },
      required: ['mood', 'certainty'],
      additionalProperties: false,
    },
  },
};

describe.each(['steady/text', 'rescued/text'] as const)('%s', (model) => {
  it('D-1: a chat is answered, failed channels unseen', async () => {
    const { data, response } = await client.chat.completions.create({ model, messages }).withResponse();
    expect(data.choices[0]?.message.content).toMatch(/\w/);
    expect(data.choices[0]?.finish_reason).toBe('stop');
    expect(response.headers.get('x-understudy-attempts')).toBe(String(channelsOf(model)));
    expect(await rig.calls()).toHaveLength(channelsOf(model));
  });

  it('R-3: the answer names the model that was asked for, not the upstream one', async () => {
    const answer = await client.chat.completions.create({ model, messages });
    expect(answer.model).toBe(model);
  });

  it('T-2: a stream is whole, with usage where it was asked for', async () => {
    const stream = await client.chat.completions.create({
      model,
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    let [text, finish, tokens] = ['', '', 0];
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      finish += chunk.choices[0]?.finish_reason ?? '';
      tokens = chunk.usage?.total_tokens ?? tokens;
    }
    expect(text).toMatch(/\w/);
    expect(finish).toBe('stop');
    expect(tokens).toBeGreaterThan(0);
  });

  it('T-2: the stream helper ends with the whole completion', async () => {
    const final = await client.chat.completions.stream({ model, messages }).finalChatCompletion();
    expect(final.choices[0]?.finish_reason).toBe('stop');
    expect(final.choices[0]?.message.content).toMatch(/\w/);
  });

  it('D-1: an answer under a JSON schema is parsed by the client', async () => {
    const answer = await client.chat.completions.parse({ model, messages, response_format: schema });
    expect(answer.choices[0]?.message.parsed).toEqual({ mood: expect.any(String), certainty: expect.any(Number) });
  });
});

describe.each(['steady/tools', 'rescued/tools'] as const)('%s', (model) => {
  it('D-1: a tool call, its result, and the answer in words', async () => {
    const first = await client.chat.completions.create({ model, messages, tools: [weather] });
    const message = first.choices[0]?.message;
    const call = message?.tool_calls?.[0];
    expect(first.choices[0]?.finish_reason).toBe('tool_calls');
    if (message === undefined || call?.type !== 'function') throw new Error('no tool call');
    expect(JSON.parse(call.function.arguments)).toEqual({ city: expect.any(String) });
    const result = { role: 'tool' as const, tool_call_id: call.id, content: 'sunny' };
    const second = await client.chat.completions.create({
      model,
      messages: [...messages, message, result],
      tools: [weather],
    });
    expect(second.choices[0]?.message.content).toMatch(/\w/);
  });

  it('T-8: tool calls of a stream are put together by the helper', async () => {
    const final = await client.chat.completions.stream({ model, messages, tools: [weather] }).finalChatCompletion();
    const call = final.choices[0]?.message.tool_calls?.[0];
    if (call?.type !== 'function') throw new Error('no tool call');
    expect(JSON.parse(call.function.arguments)).toEqual({ city: expect.any(String) });
  });
});

describe('a chain of models', () => {
  const chained = { model: CHAIN[0], messages, models: CHAIN };

  it('R-2: the report stands in the answer and the client still reads it', async () => {
    const answer = await client.chat.completions.create(chained);
    expect(answer.choices[0]?.message.content).toMatch(/\w/);
    expect(answer.model).toBe(CHAIN[2]);
    const { understudy } = answer as unknown as { understudy: unknown };
    expect(understudy).toMatchObject({
      attempts: 3,
      requested_model: CHAIN[0],
      served_model: CHAIN[2],
      degraded: true,
    });
  });

  it('R-2: the report stands in the last chunk with choices and the helper still reads the stream', async () => {
    const reports: unknown[] = [];
    const stream = client.chat.completions.stream(chained);
    stream.on('chunk', (chunk) => {
      if ('understudy' in chunk) reports.push(chunk.understudy);
    });
    const final = await stream.finalChatCompletion();
    expect(final.choices[0]?.finish_reason).toBe('stop');
    expect(reports).toEqual([expect.objectContaining({ served_model: CHAIN[2] })]);
  });
});

describe('when everything fails', () => {
  const request = { model: 'down/all', messages } as const;

  it.each([false, true])(
    'D-7: the defaults repeat nothing, because the answer forbids it (stream %s)',
    async (stream) => {
      const error = await client.chat.completions.create({ ...request, stream }).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(APIError);
      const { status, headers, requestID } = error as APIError;
      expect(status).toBe(503);
      expect(headers?.get('x-should-retry')).toBe('false');
      expect(requestID).toMatch(/^req_/);
      expect(await rig.calls()).toHaveLength(channelsOf('down/all'));
    },
  );

  it('D-7: a repeat that happens all the same is recognised and shown', async () => {
    const insistent = new OpenAI({
      baseURL: rig.baseUrl,
      apiKey: rig.apiKey,
      maxRetries: 1,
      fetch: async (url, init) => {
        const response = await fetch(url, init);
        const headers = new Headers(response.headers);
        headers.set('x-should-retry', 'true');
        headers.set('retry-after-ms', '1');
        return new Response(response.body, { status: response.status, headers });
      },
    });
    await expect(insistent.chat.completions.create(request)).rejects.toBeInstanceOf(APIError);
    expect(await rig.calls()).toHaveLength(2 * channelsOf('down/all'));
    const [, repeat] = await rig.records('down/all', 2);
    expect(repeat?.client_retry).toMatchObject({ count: 1, how: 'header' });
  });

  it('E-2: a chain says what became of each model', async () => {
    const models = ['alone/fail-503', 'alone/fail-500'];
    const error = await client.chat.completions.create({ model: 'alone/fail-503', messages, models } as never).then(
      () => null,
      (thrown: unknown) => thrown as APIError,
    );
    expect(error).toMatchObject({ status: 502, code: 'all_models_failed' });
    expect(error?.message).toContain('All 2 model attempt(s) failed (last: alone/fail-500');
    const attempts = models.map((model) => expect.objectContaining({ model, status: 'failed' }));
    expect(error?.error).toMatchObject({ attempts });
  });
});

describe('an interruption', () => {
  const request = { model: 'cut/after-content', messages, stream: true } as const;

  it('T-4: raises an error while reading, after what had come', async () => {
    const stream = await client.chat.completions.create(request);
    let text = '';
    const reading = (async () => {
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
    })();
    await expect(reading).rejects.toMatchObject({ code: 'stream_interrupted' });
    expect(text).toMatch(/\w/);
    expect(await rig.calls()).toHaveLength(1);
  });

  it('T-4: raises an error in the stream helper', async () => {
    await expect(client.chat.completions.stream(request).finalChatCompletion()).rejects.toBeInstanceOf(APIError);
  });
});

describe('a caller who leaves', () => {
  it('T-6: the upstream call ends with him', async () => {
    const stream = await client.chat.completions.create({ model: 'alone/drip-50', messages, stream: true });
    for await (const _ of stream) break;
    const [record] = await rig.records('alone/drip-50', 1);
    expect(record?.ending).toBe('client_closed');
  });
});
