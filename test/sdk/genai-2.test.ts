/** The generateContent client library, major 2: what Node 20 gets. In the gateway's own process, at both API versions. */
import {
  ApiError,
  type Content,
  type FunctionCall,
  FunctionCallingConfigMode,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
  Type,
} from '@google/genai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CHAIN, channelsOf, type GenerateStage, openStage } from './genai-rig.ts';

let stage: GenerateStage;

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());
beforeEach(() => stage.rig.forget());

const clientOf = (apiVersion = 'v1beta', headers: Record<string, string> = {}): GoogleGenAI =>
  new GoogleGenAI({ apiKey: stage.rig.apiKey, httpOptions: { baseUrl: stage.gateway.url, apiVersion, headers } });

const hello = 'How is the weather?';
const weather = {
  functionDeclarations: [
    {
      name: 'weather',
      description: 'Tells the weather of a city.',
      parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ['city'] },
    },
  ],
};
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

async function all(stream: AsyncIterable<GenerateContentResponse>): Promise<GenerateContentResponse[]> {
  const chunks: GenerateContentResponse[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

const textIn = (chunks: readonly GenerateContentResponse[]): string => chunks.map((one) => one.text ?? '').join('');
const partsIn = (chunks: readonly GenerateContentResponse[]): Part[] =>
  chunks.flatMap((one) => one.candidates?.[0]?.content?.parts ?? []);

async function thrown(work: PromiseLike<unknown>): Promise<Error & { status?: number }> {
  try {
    await work;
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}

/** What the gateway says inside the message of an error. */
const toldIn = (error: Error): { code: number; status: string; details: { reason?: string }[] } =>
  (JSON.parse(error.message.slice(error.message.indexOf('{'))) as { error: never }).error;

describe.each(['v1beta', 'v1'])('at /%s (dialects §14.19)', (version) => {
  describe.each(['steady/text', 'rescued/text'])('%s', (model) => {
    it('D-1, R-1, R-3: content is generated, failed channels unseen, under the name that was asked for', async () => {
      const answer = await clientOf(version).models.generateContent({ model, contents: hello });
      expect(answer.text).toMatch(/\w/);
      expect([answer.modelVersion, answer.candidates?.[0]?.finishReason]).toEqual([model, 'STOP']);
      expect(answer.usageMetadata?.totalTokenCount).toBeGreaterThan(0);
      expect(answer.sdkHttpResponse?.headers?.['x-understudy-attempts']).toBe(String(channelsOf(model)));
      expect(await stage.rig.calls()).toHaveLength(channelsOf(model));
    });

    it('T-2, T-8: a stream is whole, with usage and the finish reason at its end', async () => {
      const chunks = await all(await clientOf(version).models.generateContentStream({ model, contents: hello }));
      const last = chunks.at(-1);
      expect(textIn(chunks)).toMatch(/\w/);
      expect(chunks.length).toBeGreaterThan(2);
      expect([last?.candidates?.[0]?.finishReason, last?.modelVersion]).toEqual(['STOP', model]);
      expect(last?.usageMetadata?.totalTokenCount).toBeGreaterThan(0);
    });
  });
});

it('T-5: a model that finishes with every chunk is told to its end', async () => {
  const chunks = await all(await clientOf().models.generateContentStream({ model: 'every/finish', contents: hello }));
  // The simulator's sentences end in a full stop.
  expect(textIn(chunks)).toMatch(/^\w[^.]*\.$/);
  expect(chunks.length).toBeGreaterThan(2);
});

it('T-2: an error and a cut within the stream, before any content, are not seen', async () => {
  const stream = await clientOf().models.generateContentStream({ model: 'rescued/stream', contents: hello });
  expect(textIn(await all(stream))).toMatch(/\w/);
  expect(await stage.rig.calls()).toHaveLength(3);
});

describe.each(['steady/tools', 'steady/old-tools', 'rescued/tools'])('%s', (model) => {
  const resultsOf = (calls: readonly FunctionCall[]): Content => ({
    role: 'user',
    parts: calls.map(({ id, name }) => ({
      functionResponse: { ...(id === undefined ? {} : { id }), name: name!, response: { output: 'sunny' } },
    })),
  });

  it('D-1, R-5, dialects §14.6: a call with its signature, its result, and the answer in words', async () => {
    const config = { tools: [weather] };
    const first = await clientOf().models.generateContent({ model, contents: hello, config });
    const calls = first.functionCalls ?? [];
    expect(calls[0]).toMatchObject({ name: 'weather', args: { city: expect.any(String) } });
    const contents = [{ role: 'user', parts: [{ text: hello }] }, first.candidates![0]!.content!, resultsOf(calls)];
    // The simulator's strict models refuse a signature that is not exactly their own.
    const second = await clientOf().models.generateContent({ model, contents, config });
    expect(second.text).toMatch(/\w/);
  });

  it('T-8: a chat that streams brings its history back chunk by chunk', async () => {
    const chat = clientOf().chats.create({ model, config: { tools: [weather] } });
    const chunks = await all(await chat.sendMessageStream({ message: hello }));
    const calls = chunks.flatMap((one) => one.functionCalls ?? []);
    expect(calls[0]).toMatchObject({ name: 'weather', args: { city: expect.any(String) } });
    const answer = await all(await chat.sendMessageStream({ message: resultsOf(calls).parts! }));
    expect(textIn(answer)).toMatch(/\w/);
  });
});

it('D-1: parallel calls, forced ones, and which may be called', async () => {
  const config = {
    tools: [{ functionDeclarations: ['a', 'b'].map((name) => ({ name, parametersJsonSchema: { type: 'object' } })) }],
    toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ['b'] } },
  };
  const answer = await clientOf().models.generateContent({ model: 'steady/text', contents: hello, config });
  expect(answer.functionCalls?.map((call) => call.name)).toEqual(['b']);
});

describe('thoughts', () => {
  const config = { thinkingConfig: { includeThoughts: true, thinkingBudget: 512 } };

  it('R-5: thoughts are shown, signed, and go back', async () => {
    const chat = clientOf().chats.create({ model: 'steady/thinking', config });
    const parts = partsIn(await all(await chat.sendMessageStream({ message: hello })));
    expect(parts.some((part) => part.thought === true && part.text !== '')).toBe(true);
    expect(parts.some((part) => part.thoughtSignature !== undefined)).toBe(true);
    expect((await chat.sendMessage({ message: 'And tomorrow?' })).text).toMatch(/\w/);
  });

  it('R-5: state that its maker refuses is left out, and the request asked once more', async () => {
    const spoilt = Buffer.from('sim-thought\nspoilt').toString('base64');
    const history = [
      { role: 'user', parts: [{ text: hello }] },
      { role: 'model', parts: [{ text: 'Sunny.', thoughtSignature: spoilt }] },
      { role: 'user', parts: [{ text: 'And tomorrow?' }] },
    ];
    const answer = await clientOf().models.generateContent({ model: 'steady/thinking', contents: history });
    expect(answer.text).toMatch(/\w/);
    const [first, second] = await stage.rig.bodies();
    expect([first?.includes(spoilt), second?.includes(spoilt)]).toEqual([true, false]);
    expect(answer.sdkHttpResponse?.headers?.['x-understudy-degraded']).toBe('true');
  });

  it('dialects §14.11: what was thought is counted', async () => {
    const answer = await clientOf().models.generateContent({ model: 'steady/thinking', contents: hello, config });
    expect(answer.usageMetadata?.thoughtsTokenCount).toBeGreaterThan(0);
  });
});

it('D-1: an image is looked at, a schema is kept to', async () => {
  const contents = [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data: PIXEL } }, { text: hello }] }];
  const schema = {
    type: 'object',
    properties: { mood: { type: 'string' }, certainty: { type: 'number' } },
    required: ['mood', 'certainty'],
  };
  const config = { responseMimeType: 'application/json', responseJsonSchema: schema };
  const answer = await clientOf().models.generateContent({ model: 'steady/text', contents, config });
  expect(JSON.parse(answer.text!)).toEqual({ mood: expect.any(String), certainty: expect.any(Number) });
});

it('S0: tokens are counted by the upstream', async () => {
  const counted = await clientOf().models.countTokens({ model: 'steady/text', contents: hello });
  expect(counted.totalTokens).toBeGreaterThan(0);
  expect(await stage.rig.calls()).toHaveLength(1);
});

describe('failures', () => {
  it('E-1, D-7: when all channels fail the last one is told, by number and by name', async () => {
    const error = await thrown(clientOf().models.generateContent({ model: 'down/all', contents: hello }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error.status).toBe(503);
    expect(toldIn(error)).toMatchObject({ code: 503, status: 'UNAVAILABLE' });
    expect(await stage.rig.calls()).toHaveLength(3);
  });

  it('E-1: a refused request is an invalid argument, told before a stream begins', async () => {
    const error = await thrown(clientOf().models.generateContentStream({ model: 'refused/bad', contents: hello }));
    expect([error.status, toldIn(error).status]).toEqual([400, 'INVALID_ARGUMENT']);
  });

  it('E-5: codes of the gateway stand among the details', async () => {
    const unknown = await thrown(clientOf().models.generateContent({ model: 'nobody/here', contents: hello }));
    expect([unknown.status, toldIn(unknown).details[0]?.reason]).toEqual([404, 'model_not_found']);
    const wrong = new GoogleGenAI({ apiKey: 'usk-wrong', httpOptions: { baseUrl: stage.gateway.url } });
    const denied = await thrown(wrong.models.generateContent({ model: 'steady/text', contents: hello }));
    expect([denied.status, toldIn(denied).status]).toEqual([401, 'UNAUTHENTICATED']);
  });

  it('F-5: a blocked prompt without any answer is an error of the policy', async () => {
    const error = await thrown(clientOf().models.generateContent({ model: 'blocked/prompt', contents: hello }));
    expect(error.status).toBe(400);
  });

  it('D-5: a cut answer says so', async () => {
    const answer = await clientOf().models.generateContent({ model: 'cut/length', contents: hello });
    expect(answer.candidates?.[0]?.finishReason).toBe('MAX_TOKENS');
  });

  it.each(['cut/after-content', 'broken/after-content'])(
    'T-4, dialects §14.1: %s breaks the stream with an error that carries a number',
    async (model) => {
      const stream = await clientOf().models.generateContentStream({ model, contents: hello });
      let text = '';
      const error = await thrown(
        (async () => {
          for await (const chunk of stream) text += chunk.text ?? '';
        })(),
      );
      expect(text).toMatch(/\w/);
      expect(error).toBeInstanceOf(ApiError);
      expect(toldIn(error).details[0]?.reason).toBe('stream_interrupted');
    },
  );

  it('T-11: keep-alives are not seen', async () => {
    const stream = await clientOf().models.generateContentStream({ model: 'slow/first', contents: hello });
    expect(textIn(await all(stream))).toMatch(/\w/);
  });
});

describe('the gateway’s own', () => {
  it('C-1: a chain by header', async () => {
    const client = clientOf('v1beta', { 'X-Understudy-Models': CHAIN.join(',') });
    const answer = await client.models.generateContent({ model: CHAIN[0], contents: hello });
    expect(answer.modelVersion).toBe('alone/ok');
    const chunks = await all(await client.models.generateContentStream({ model: CHAIN[0], contents: hello }));
    expect([chunks.at(-1)?.modelVersion, /\w/.test(textIn(chunks))]).toEqual(['alone/ok', true]);
  });

  it('I-4: an answer and a stream are told again under the same key', async () => {
    for (const key of ['k-1', 'k-2']) {
      const client = clientOf('v1beta', { 'Idempotency-Key': `genai-${key}` });
      const ask = async (): Promise<string> =>
        key === 'k-1'
          ? (await client.models.generateContent({ model: 'steady/text', contents: hello })).text!
          : textIn(await all(await client.models.generateContentStream({ model: 'steady/text', contents: hello })));
      await stage.rig.forget();
      const first = await ask();
      expect(await ask()).toBe(first);
      expect(await stage.rig.calls()).toHaveLength(1);
    }
  });
});

describe('without the library', () => {
  const contents = [{ role: 'user', parts: [{ text: hello }] }];
  const post = (verb: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${stage.gateway.url}/v1beta/models/${verb}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-goog-api-key': stage.rig.apiKey, ...headers },
      body: JSON.stringify(body),
    });

  it('R-2: the report stands in the answer, and in the chunk with the last finish reason', async () => {
    const whole = await (await post('alone/fail-503:generateContent', { contents, models: CHAIN })).json();
    expect(whole).toMatchObject({ understudy: { served_model: 'alone/ok', attempts: 3 } });
    const text = await (await post('alone%2Fok:streamGenerateContent?%24alt=sse', { contents, models: CHAIN })).text();
    const chunks = text.split('\n\n').filter((block) => block.startsWith('data: '));
    const told = chunks.filter((chunk) => chunk.includes('"understudy"'));
    expect([told.length, chunks.at(-1)]).toEqual([1, told[0]]);
    expect(JSON.parse(told[0]!.slice(6))).toMatchObject({
      candidates: [{ finishReason: 'STOP' }],
      understudy: { requested_model: 'alone/fail-503' },
    });
  });

  it('T-8, T-11: without `alt=sse` a stream is one JSON array, keep-alives and all', async () => {
    const answer = await post('slow/first:streamGenerateContent', { contents });
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
    const text = await answer.text();
    expect(text).toMatch(/^ +\[\{/);
    const chunks = JSON.parse(text) as GenerateContentResponse[];
    expect(chunks.at(-1)?.candidates?.[0]?.finishReason).toBe('STOP');
    const quick = await post('steady/text:streamGenerateContent', { contents });
    expect(quick.headers.get('content-type')).toMatch(/^application\/json/);
    expect((await quick.text()).startsWith('[{')).toBe(true);
  });

  it('T-4: in an array that has begun a break is a reset, before it the array is the error', async () => {
    await expect(
      post('cut/after-content:streamGenerateContent', { contents }).then((one) => one.text()),
    ).rejects.toThrow();
    const early = await post('down/all:streamGenerateContent', { contents });
    expect([early.status, (await early.json()) as unknown]).toMatchObject([503, { error: { code: 503 } }]);
  });

  it('I-4: an array is told again as an array', async () => {
    const key = { 'idempotency-key': 'genai-array' };
    const ask = async (): Promise<string> =>
      await (await post('steady/text:streamGenerateContent', { contents }, key)).text();
    const first = await ask();
    expect(await ask()).toBe(first);
    expect(Array.isArray(JSON.parse(first))).toBe(true);
    expect(await stage.rig.calls()).toHaveLength(1);
  });

  it('D-1: a coding agent’s request passes as it came', async () => {
    const body = {
      contents: [
        { role: 'user', parts: [{ text: 'This is the CLI. We are setting up the context for our chat.' }] },
        { role: 'model', parts: [{ text: 'Got it. Thanks for the context!' }] },
        { role: 'user', parts: [{ text: 'List the files.' }] },
      ],
      systemInstruction: { role: 'user', parts: [{ text: 'You are an interactive CLI agent.' }] },
      tools: [
        {
          functionDeclarations: [
            {
              name: 'list_directory',
              description: 'Lists a folder.',
              parametersJsonSchema: {
                $schema: 'http://json-schema.org/draft-07/schema#',
                type: 'object',
                properties: { path: { type: 'string' }, ignore: { type: 'array', items: { type: 'string' } } },
                required: ['path'],
              },
            },
          ],
        },
      ],
      generationConfig: { temperature: 0, topP: 1, thinkingConfig: { includeThoughts: true, thinkingBudget: -1 } },
    };
    const headers = { 'user-agent': 'CLI/0.61.0 (linux; x64)', 'x-goog-api-client': 'gl-node/20' };
    const answer = await post('steady/tools:streamGenerateContent?alt=sse', body, headers);
    expect(await answer.text()).toContain('"functionCall"');
    const [sent] = await stage.rig.bodies();
    expect(JSON.parse(sent!)).toEqual(body);
  });
});
