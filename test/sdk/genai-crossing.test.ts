/** The generateContent client, major 2, before upstreams of every wire format. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiError, type GenerateContentResponse, GoogleGenAI, type Part, Type } from '@google/genai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../sim/index.ts';
import { type RunningGateway, startGateway } from '../../src/assemble.ts';
import { APIS, crossingConfig, FAILURES, modelOf, rescuedModel } from './crossing-config.ts';
import { SdkRig } from './sdk-rig.ts';

let simulator: Simulator;
let gateway: RunningGateway;
let dataDir: string;
let rig: SdkRig;
let client: GoogleGenAI;

beforeAll(async () => {
  simulator = await startSimulator();
  dataDir = await mkdtemp(path.join(tmpdir(), 'understudy-crossing-'));
  gateway = await startGateway({ configText: crossingConfig(simulator.url), port: 0, dataDir, env: {}, log: 'silent' });
  rig = new SdkRig({ gatewayUrl: gateway.url, simulatorUrl: simulator.url });
  client = new GoogleGenAI({ apiKey: rig.apiKey, httpOptions: { baseUrl: gateway.url } });
});
afterAll(async () => {
  await gateway.close();
  await simulator.close();
  await rm(dataDir, { recursive: true, force: true });
});
beforeEach(() => rig.forget());

const contents = 'How is the weather?';
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const schema = {
  type: Type.OBJECT,
  properties: { city: { type: Type.STRING }, days: { type: Type.INTEGER } },
  required: ['city', 'days'],
};
const tools = [
  {
    functionDeclarations: ['weather', 'time'].map((name) => ({
      name,
      description: 'Tells it.',
      parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ['city'] },
    })),
  },
];

/** What the state of a thought is called where it lives; null = nowhere. */
const STATE: Readonly<Record<(typeof APIS)[number], RegExp | null>> = {
  chat: null,
  responses: /"encrypted_content":"[^"]+/,
  messages: /"signature":"[^"]+/,
  gemini: /"thoughtSignature":"[^"]+/,
  converse: /"signature":"[^"]+/,
};

async function all(stream: AsyncIterable<GenerateContentResponse>): Promise<GenerateContentResponse[]> {
  const chunks: GenerateContentResponse[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}
const textIn = (chunks: readonly GenerateContentResponse[]): string => chunks.map((one) => one.text ?? '').join('');
const partsIn = (chunks: readonly GenerateContentResponse[]): Part[] =>
  chunks.flatMap((one) => one.candidates?.[0]?.content?.parts ?? []);

describe.each(APIS)('over %s', (api) => {
  const model = (behaviour: Parameters<typeof modelOf>[1]): string => modelOf(api, behaviour);

  it('R-3, dialects §11: text, whole and streamed, with counts and a finish reason', async () => {
    const answer = await client.models.generateContent({ model: model('echo'), contents });
    expect([answer.text, answer.modelVersion]).toEqual([contents, model('echo')]);
    expect(answer.usageMetadata?.totalTokenCount).toBeGreaterThan(0);
    const chunks = await all(await client.models.generateContentStream({ model: model('echo'), contents }));
    const last = chunks.at(-1);
    expect([textIn(chunks), last?.candidates?.[0]?.finishReason]).toEqual([contents, 'STOP']);
    expect(last?.usageMetadata?.totalTokenCount).toBe(answer.usageMetadata?.totalTokenCount);
  });

  it('dialects §11: parallel calls through a streamed chat, and the answer to their results', async () => {
    const chat = client.chats.create({ model: model('tools'), config: { tools } });
    const calls = (await all(await chat.sendMessageStream({ message: contents }))).flatMap(
      (one) => one.functionCalls ?? [],
    );
    expect(calls.length).toBeGreaterThan(0);
    for (const call of calls)
      expect(call).toMatchObject({ id: expect.any(String), args: { city: expect.any(String) } });
    const message = calls.map(({ id, name }) => ({
      functionResponse: { id: id!, name: name!, response: { sunny: true, degrees: 21 } },
    }));
    // The simulator refuses orphan results, wrong orders and state it never made.
    expect(textIn(await all(await chat.sendMessageStream({ message })))).toMatch(/\w/);
    expect((await rig.bodies()).at(-1)).toMatch(/sunny/);
  });

  it('R-5: thoughts are shown and go back to whoever thought them', async () => {
    const config = { thinkingConfig: { includeThoughts: true, thinkingBudget: 1024 }, maxOutputTokens: 4096 };
    const chat = client.chats.create({ model: model('thinks'), config });
    const parts = partsIn(await all(await chat.sendMessageStream({ message: contents })));
    expect(parts.some((part) => part.thought === true)).toBe(true);
    expect((await chat.sendMessage({ message: 'And tomorrow?' })).text).toMatch(/\w/);
    const state = STATE[api];
    if (state !== null) expect((await rig.bodies()).at(-1)).toMatch(state);
  });

  it('dialects §11: an image and a schema', async () => {
    const answer = await client.models.generateContent({
      model: model('plain'),
      contents: [{ role: 'user', parts: [{ text: contents }, { inlineData: { mimeType: 'image/png', data: PIXEL } }] }],
      config: { responseMimeType: 'application/json', responseSchema: schema },
    });
    expect(JSON.parse(answer.text!)).toEqual({ city: expect.any(String), days: expect.any(Number) });
    expect((await rig.bodies())[0]).toContain(PIXEL);
  });

  it('E-1: errors are told by number and by name', async () => {
    for (const [behaviour, status, name] of [
      ['refused', 400, 'INVALID_ARGUMENT'],
      ['down', 503, 'UNAVAILABLE'],
    ] as const) {
      const failed = client.models.generateContentStream({ model: model(behaviour), contents });
      const error: unknown = await failed.then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(ApiError);
      expect([(error as ApiError).status, (error as ApiError).message]).toEqual([
        status,
        expect.stringContaining(name),
      ]);
    }
  });

  it.each(['cut', 'broken'] as const)(
    'T-4, dialects §14.1: a stream that is %s ends in an error',
    async (behaviour) => {
      const stream = await client.models.generateContentStream({ model: model(behaviour), contents });
      await expect(all(stream)).rejects.toThrow('stream_interrupted');
    },
  );

  it('T-8, T-4: the array form, whole and broken', async () => {
    const post = (behaviour: Parameters<typeof modelOf>[1]): Promise<Response> =>
      fetch(`${gateway.url}/v1beta/models/${model(behaviour)}:streamGenerateContent`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-goog-api-key': rig.apiKey },
        body: JSON.stringify({ contents: [{ parts: [{ text: contents }] }] }),
      });
    const answer = await post('echo');
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    const chunks = (await answer.json()) as GenerateContentResponse[];
    const said = chunks.flatMap((one) => one.candidates?.[0]?.content?.parts ?? []).map((part) => part.text);
    expect(said.join('')).toBe(contents);
    await expect(post('cut').then((broken) => broken.text())).rejects.toThrow();
  });

  it.each(APIS.filter((other) => other !== api))('D-1, T-2: from %s to here, whatever fails there', async (other) => {
    for (const fails of FAILURES) {
      const chunks = await all(
        await client.models.generateContentStream({ model: rescuedModel(other, api, fails), contents }),
      );
      expect(textIn(chunks)).toBe(contents);
    }
  });
});
