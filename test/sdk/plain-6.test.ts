/** The OpenAI client, major 6, at the endpoints beside the conversation. In the gateway's own process. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import OpenAI, { APIError, toFile } from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../sim/index.ts';
import { type RunningGateway, startGateway } from '../../src/assemble.ts';
import { plainConfig, STRANGER_KEY } from './plain-config.ts';
import { SdkRig } from './sdk-rig.ts';

let simulator: Simulator;
let gateway: RunningGateway;
let dataDir: string;
let rig: SdkRig;
let client: OpenAI;

function start(): Promise<RunningGateway> {
  return startGateway({ configText: plainConfig(simulator.url), port: 0, dataDir, env: {}, log: 'silent' });
}

function connect(): void {
  rig = new SdkRig({ gatewayUrl: gateway.url, simulatorUrl: simulator.url });
  client = new OpenAI({ baseURL: rig.baseUrl, apiKey: rig.apiKey, maxRetries: 0 });
}

beforeAll(async () => {
  simulator = await startSimulator();
  dataDir = await mkdtemp(path.join(tmpdir(), 'understudy-plain-'));
  gateway = await start();
  connect();
});
afterAll(async () => {
  await gateway.close();
  await simulator.close();
  await rm(dataDir, { recursive: true, force: true });
});
beforeEach(() => rig.forget());

const picture = () => toFile(Buffer.alloc(20_000, 7), 'cat.png', { type: 'image/png' });
const recording = () => toFile(Buffer.alloc(20_000, 9), 'talk.mp3', { type: 'audio/mpeg' });

/** Every endpoint once: what it asks, and whether what came is the thing itself. */
const ENDPOINTS: Readonly<Record<string, (model: string, options?: OpenAI.RequestOptions) => Promise<string>>> = {
  embeddings: async (model, options) => {
    const input = ['one', 'two'];
    const { data, usage, model: served } = await client.embeddings.create({ model, input, dimensions: 4 }, options);
    expect([data.length, data[0]?.embedding.length, served]).toEqual([2, 4, model]);
    expect(usage.prompt_tokens).toBeGreaterThan(0);
    return JSON.stringify(data);
  },
  moderations: async (model, options) => {
    const { results, model: served } = await client.moderations.create({ model, input: 'all is peaceful' }, options);
    expect([results[0]?.flagged, served]).toEqual([false, model]);
    return JSON.stringify(results);
  },
  rerank: async (model, options) => {
    const body = { model, query: 'red fish', documents: ['a blue bird', 'a red fish'] };
    const { results } = await client.post<{ results: { index: number }[] }>('/rerank', { body, ...options });
    expect(results.map(({ index }) => index)).toEqual([1, 0]);
    return JSON.stringify(results);
  },
  'images generated': async (model, options) => {
    const { data } = await client.images.generate({ model, prompt: 'a cat', n: 2 }, options);
    expect(data?.map(({ b64_json }) => (b64_json ?? '').length > 10)).toEqual([true, true]);
    return JSON.stringify(data);
  },
  'images streamed': async (model, options) => {
    const body = { model, prompt: 'a cat', stream: true, partial_images: 1 } as const;
    const types: string[] = [];
    for await (const event of await client.images.generate(body, options)) types.push(event.type);
    expect(types).toEqual(['image_generation.partial_image', 'image_generation.completed']);
    return types.join();
  },
  'images edited': async (model, options) => {
    const { data } = await client.images.edit({ model, image: await picture(), prompt: 'a hat' }, options);
    expect(data?.[0]?.b64_json).toMatch(/^\w/);
    return JSON.stringify(data);
  },
  speech: async (model, options) => {
    const answer = await client.audio.speech.create({ model, input: 'hello', voice: 'alloy' }, options);
    expect(answer.headers.get('content-type')).toBe('audio/mpeg');
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect([bytes.subarray(0, 3).toString(), bytes.length > 4096]).toEqual(['ID3', true]);
    return bytes.toString('base64');
  },
  transcriptions: async (model, options) => {
    const { text } = await client.audio.transcriptions.create({ model, file: await recording() }, options);
    expect(text).toMatch(/\w/);
    return text;
  },
  'transcriptions as text': async (model, options) => {
    const body = { model, file: await recording(), response_format: 'text' } as const;
    const text: unknown = await client.audio.transcriptions.create(body, options);
    expect(text).toMatch(/^\w.*\n$/);
    return String(text);
  },
  'transcriptions streamed': async (model, options) => {
    const body = { model, file: await recording(), stream: true } as const;
    let text = '';
    for await (const event of await client.audio.transcriptions.create(body, options)) {
      if (event.type === 'transcript.text.delta') text += event.delta;
      if (event.type === 'transcript.text.done') expect(text).toBe(event.text);
    }
    expect(text).toMatch(/\w/);
    return text;
  },
  translations: async (model, options) => {
    const { text } = await client.audio.translations.create({ model, file: await recording() }, options);
    expect(text).toMatch(/\w/);
    return text;
  },
  videos: async (model, options) => {
    const video = await client.videos.create({ model, prompt: 'a cat' } as never, options);
    expect([video.status, video.model]).toEqual(['queued', model]);
    return video.id;
  },
  completions: async (model, options) => {
    const body = { model, prompt: 'Once', max_tokens: 5 };
    const { choices, model: served, usage } = await client.completions.create(body, options);
    expect([choices[0]?.finish_reason, served, usage?.completion_tokens]).toEqual(['length', model, 5]);
    return choices[0]?.text ?? '';
  },
  'completions streamed': async (model, options) => {
    const body = { model, prompt: ['Once', 'Twice'], stream: true, stream_options: { include_usage: true } } as const;
    const texts = ['', ''];
    let usage: unknown = null;
    for await (const chunk of await client.completions.create({ ...body, prompt: [...body.prompt] }, options)) {
      for (const { index, text } of chunk.choices) texts[index] += text;
      usage = chunk.usage ?? usage;
      expect(chunk.model).toBe(model);
    }
    expect(texts.every((text) => /\w/.test(text))).toBe(true);
    expect(usage).toMatchObject({ completion_tokens: expect.any(Number) });
    return texts.join('|');
  },
};
const NAMES = Object.keys(ENDPOINTS);
/** Those whose calls make something new (D-11). */
const MAKING = ['images generated', 'images edited', 'speech', 'videos'];
/** Text for text: another model may go on. */
const CROSSING = ['completions', 'completions streamed'];

async function failureOf(answer: Promise<unknown>): Promise<APIError> {
  const failed = await answer.catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(APIError);
  return failed as APIError;
}

describe.each(NAMES)('%s', (name) => {
  const ask = ENDPOINTS[name]!;

  it('C-7: one channel answers', async () => {
    await ask('steady/one');
    expect(await rig.calls()).toEqual(['ok:steady']);
  });

  it('S0, T-2: the next channel of the same model answers, failures unseen', async () => {
    await ask('rescued/one');
    expect(await rig.calls()).toEqual(['fail-503:one', 'error:one', 'ok:one']);
  });

  it('I-4: the same key gets the same answer again, and no second call', async () => {
    const options = { headers: { 'Idempotency-Key': `again-${name.replaceAll(' ', '-')}` } };
    const first = await ask('steady/one', options);
    expect(await ask('steady/one', options)).toBe(first);
    expect(await rig.calls()).toHaveLength(1);
  });
});

describe.each(NAMES.filter((name) => !CROSSING.includes(name)))('%s', (name) => {
  it('C-7, E-1: no other model answers, not the default one either', async () => {
    expect((await failureOf(ENDPOINTS[name]!('down/all'))).status).toBe(500);
    expect(await rig.calls()).toEqual(['fail-503:first', 'fail-500:second']);
  });

  it('C-7: a chain of several models is refused', async () => {
    const body = { model: 'steady/one', models: ['steady/one', 'down/all'] };
    const options = { body: { ...body, input: 'a', prompt: 'a', query: 'a', documents: ['a'], file: 'a' } };
    const paths: Record<string, string> = { embeddings: '/embeddings', speech: '/audio/speech', videos: '/videos' };
    const path = paths[name] ?? '/images/generations';
    expect(await failureOf(client.post(path, options))).toMatchObject({ status: 400, code: 'invalid_chain' });
  });
});

describe.each(CROSSING)('%s', (name) => {
  it('C-7: text may be gone on with by the default model', async () => {
    const failed = await ENDPOINTS[name]!('down/all').catch((error: unknown) => error);
    // The answer names the model that gave it.
    expect(String(failed)).toContain('steady/one');
    expect(await rig.calls()).toEqual(['fail-503:first', 'fail-500:second', 'ok:steady']);
  });
});

describe('S0: a generation that came to nothing is final', () => {
  it.each(MAKING)('%s: no other channel makes it again', async (name) => {
    expect(await failureOf(ENDPOINTS[name]!('nothing/made'))).toMatchObject({
      status: 502,
      code: 'upstream_no_artifact',
    });
    expect(await rig.calls()).toEqual(['empty:first']);
  });

  it.each(['images generated', 'images edited', 'videos'])('%s: nor what was refused', async (name) => {
    expect(await failureOf(ENDPOINTS[name]!('refused/made'))).toMatchObject({ status: 502, code: 'upstream_rejected' });
    expect(await rig.calls()).toEqual(['filter:first']);
  });

  it.each(['embeddings', 'moderations', 'rerank'])('F-1: %s without results are asked for elsewhere', async (name) => {
    await ENDPOINTS[name]!('nothing/made');
    expect(await rig.calls()).toEqual(['empty:first', 'ok:second']);
  });
});

it('T-4, T-5: sound that is cut ends in an error, not in silence', async () => {
  const answer = await client.audio.speech.create({ model: 'cut/sound', input: 'hello', voice: 'alloy' });
  await expect(answer.arrayBuffer()).rejects.toThrow();
  expect(await rig.records('cut/sound', 1)).toMatchObject([{ ending: 'interrupted' }]);
});

it('T-4, I-9: under a key sound that was cut is no success: it is made again', async () => {
  const options = { headers: { 'Idempotency-Key': 'cut-sound' } };
  for (const calls of [1, 2]) {
    const answer = await client.audio.speech.create({ model: 'cut/sound', input: 'hello', voice: 'alloy' }, options);
    await expect(answer.arrayBuffer()).rejects.toThrow();
    expect(await rig.calls()).toHaveLength(calls);
  }
});

it('D-7: no client library repeats what the gateway has given up', async () => {
  const patient = new OpenAI({ baseURL: rig.baseUrl, apiKey: rig.apiKey, maxRetries: 2 });
  await failureOf(patient.embeddings.create({ model: 'down/all', input: 'a' }));
  expect(await rig.calls()).toHaveLength(2);
});

describe('P-8: videos', () => {
  it('live with the account that made them, also after a restart of the gateway', async () => {
    const { id } = await client.videos.create({ model: 'rescued/one', prompt: 'a cat', seconds: '8' } as never);
    await gateway.close();
    gateway = await start();
    connect();
    const { data: video, response } = await client.videos.retrieve(id).withResponse();
    expect(video).toMatchObject({ id, status: 'completed', model: 'rescued/one', seconds: '8' });
    expect(response.headers.get('x-understudy-attempts')).toBe('1');
    const content = await client.videos.downloadContent(id);
    expect(content.headers.get('content-type')).toBe('video/mp4');
    const bytes = Buffer.from(await content.arrayBuffer());
    expect([bytes.length >= 300_000, bytes.subarray(0, 3).toString()]).toEqual([true, 'mp4']);
    const thumbnail = await client.videos.downloadContent(id, { variant: 'thumbnail' });
    expect([thumbnail.headers.get('content-type'), await thumbnail.text()]).toEqual([
      'image/webp',
      `webp ${id} thumbnail`,
    ]);
    expect(await client.videos.delete(id)).toMatchObject({ id, deleted: true });
    expect(await failureOf(client.videos.retrieve(id))).toMatchObject({ status: 404, code: 'not_found' });
  });

  it('are nobody else’s, whatever id is guessed', async () => {
    const { id } = await client.videos.create({ model: 'steady/one', prompt: 'a cat' } as never);
    await rig.forget();
    const stranger = new OpenAI({ baseURL: rig.baseUrl, apiKey: STRANGER_KEY, maxRetries: 0 });
    for (const call of [() => stranger.videos.retrieve(id), () => stranger.videos.delete(id)]) {
      expect(await failureOf(call())).toMatchObject({ status: 404, code: 'not_found' });
    }
    expect(await failureOf(client.videos.retrieve('video_guessed'))).toMatchObject({ status: 404 });
    expect(await simulator.calls).toEqual([]);
  });

  it('what the upstream has lost is told as it tells it, and nobody rests for it', async () => {
    const { id } = await client.videos.create({ model: 'steady/one', prompt: 'a cat' } as never);
    await rig.forget();
    expect(await failureOf(client.videos.retrieve(id))).toMatchObject({ status: 404, code: 'not_found' });
    await ENDPOINTS['embeddings']!('steady/one');
  });

  it('are not listed: an account is shared', async () => {
    expect(await failureOf(client.videos.list() as never)).toMatchObject({ status: 400, code: 'not_available' });
  });
});

describe('P-8: stored answers', () => {
  it('are read, gone on from and deleted where they live', async () => {
    const first = await client.responses.create({ model: 'kept/answers', input: 'hi', store: true });
    expect(await client.responses.retrieve(first.id)).toMatchObject({ id: first.id, model: 'kept/answers' });
    const body = { model: 'kept/answers', input: 'more', store: true };
    // The failing first channel is not asked any more.
    const next = await client.responses.create({ ...body, previous_response_id: first.id });
    expect(next.previous_response_id).toBe(first.id);
    expect(await rig.calls()).toEqual(['fail-503:kept', 'ok:kept', null, 'ok:kept']);
  });

  it('R-4: a translated answer is kept nowhere: its id names nothing', async () => {
    const translated = await client.responses.create({ model: 'steady/one', input: 'hi', store: true });
    expect(await failureOf(client.responses.retrieve(translated.id))).toMatchObject({ status: 404, code: 'not_found' });
    const body = { model: 'kept/answers', input: 'more', previous_response_id: translated.id };
    expect(await failureOf(client.responses.create(body))).toMatchObject({ status: 400, code: 'unsupported_state' });
  });

  it('unknown ids are named', async () => {
    const body = { model: 'kept/answers', input: 'more', previous_response_id: 'resp_unknown' };
    const failed = await failureOf(client.responses.create(body));
    expect(failed).toMatchObject({ status: 400, code: 'unsupported_state', param: 'previous_response_id' });
    expect(failed.message).toContain('resp_unknown');
    expect(await rig.calls()).toEqual([]);
  });

  it('go on in a stream, are cancelled and deleted', async () => {
    const stream = await client.responses.create({ model: 'kept/answers', input: 'hi', store: true, stream: true });
    let id = '';
    for await (const event of stream) if (event.type === 'response.completed') id = event.response.id;
    expect(await client.responses.retrieve(id)).toMatchObject({ id });
    expect(await failureOf(client.responses.cancel(id))).toMatchObject({ status: 400 });
    await client.responses.delete(id);
    expect(await failureOf(client.responses.retrieve(id))).toMatchObject({ status: 404, code: 'not_found' });
  });
});
