import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../index.ts';

let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator();
});
afterAll(() => simulator.close());

type Json = Record<string, unknown>;

function post(path: string, body: Json | FormData, key = 'k'): Promise<Response> {
  const isForm = body instanceof FormData;
  return fetch(`${simulator.url}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...(isForm ? {} : { 'content-type': 'application/json' }) },
    body: isForm ? body : JSON.stringify(body),
  });
}

async function json(answer: Promise<Response>): Promise<Json> {
  return (await (await answer).json()) as Json;
}

function form(fields: Record<string, string | Blob>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') data.append(name, value);
    else data.append(name, value, 'file.bin');
  }
  return data;
}

const sound = new Blob([Buffer.from('\r\n--x\r\nsound')], { type: 'audio/wav' });

describe('endpoints beside the conversation', () => {
  it('X-1: embeddings are the same for the same text, in either encoding', async () => {
    const floats = await json(post('/embeddings', { model: 'ok', input: ['a', 'b', 'a'], dimensions: 3 }));
    const data = floats['data'] as { embedding: number[] }[];
    expect([data.length, data[0]?.embedding, data[0]?.embedding.length]).toEqual([3, data[2]?.embedding, 3]);
    const packed = await json(
      post('/embeddings', { model: 'ok', input: 'a', dimensions: 3, encoding_format: 'base64' }),
    );
    const bytes = Buffer.from((packed['data'] as { embedding: string }[])[0]!.embedding, 'base64');
    expect([...new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + 12))]).toEqual(
      data[0]?.embedding,
    );
  });

  it('X-1: forms are read, whatever bytes a file holds', async () => {
    const answer = await post('/audio/transcriptions', form({ model: 'ok', file: sound, temperature: '0.5' }));
    expect([answer.status, await answer.json()]).toMatchObject([
      200,
      { text: expect.any(String), usage: { type: 'tokens' } },
    ]);
    const plain = await post('/audio/transcriptions', form({ model: 'ok', file: sound, response_format: 'srt' }));
    expect([plain.headers.get('content-type'), await plain.text()]).toEqual([
      'text/plain; charset=utf-8',
      expect.stringMatching(/^1\n00:00:00,000 --> /),
    ]);
  });

  it.each([
    ['/embeddings', { model: 'ok', input: 'a', dimension: 3 }, 'dimension'],
    ['/embeddings', { model: 'ok' }, 'input'],
    ['/embeddings', { input: 'a' }, 'model'],
    ['/rerank', { model: 'ok', query: 'a', documents: [] }, 'documents'],
    ['/images/generations', { prompt: 'a', n: 'two' }, 'n'],
    ['/audio/speech', { model: 'ok', input: 'a' }, 'voice'],
    ['/completions', { model: 'ok', prompt: 'a', redundancy: {} }, 'redundancy'],
    ['/videos', { model: 'ok', prompt: 'a', length: 4 }, 'length'],
  ])('X-1: %s refuses what the vendor refuses: %j', async (path, body, param) => {
    const answer = await post(path, body);
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { param } }]);
  });

  it.each([
    form({ model: 'ok', file: 'no file' }),
    form({ model: 'ok', prompt: 'no file at all' }),
    form({ model: 'ok', file: sound, models: 'a' }),
  ])('X-1: so do forms', async (data) => {
    expect((await post('/audio/transcriptions', data)).status).toBe(400);
  });

  it('X-1: a body that only says it is a form', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    for (const body of ['', '--x', '--x\r\n\r\n', '--x\r\nContent-Disposition: form-data\r\n\r\n\r\n--x--', '{}']) {
      const answer = await fetch(`${simulator.url}/v1/images/edits`, { method: 'POST', headers, body });
      expect([body, answer.status]).toEqual([body, 400]);
    }
  });

  it.each([
    ['fail-503', 503],
    ['fail-429', 429],
    ['ok', 200],
    ['error', 200],
    ['garbage', 200],
  ])('X-1: %s answers %d everywhere', async (model, status) => {
    const answers = await Promise.all([
      post('/embeddings', { model, input: 'a' }),
      post('/images/generations', { model, prompt: 'a' }),
      post('/audio/speech', { model, input: 'a', voice: 'v' }),
      post('/videos', form({ model, prompt: 'a' })),
      post('/moderations', { model, input: 'a' }),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([status, status, status, status, status]);
  });

  it('X-1: what is to be empty or refused is an answer without the thing', async () => {
    expect(await json(post('/images/generations', { model: 'empty', prompt: 'a' }))).toMatchObject({ data: [] });
    expect(await json(post('/images/generations', { model: 'filter', prompt: 'a' }))).toMatchObject({
      data: [{ b64_json: '', finish_reason: 'content_filter' }],
    });
    expect(await json(post('/embeddings', { model: 'empty', input: 'a' }))).toMatchObject({ data: [] });
    expect(await json(post('/videos', { model: 'filter', prompt: 'a' }))).toMatchObject({ status: 'failed' });
    const silence = await post('/audio/speech', { model: 'empty', input: 'a', voice: 'v' });
    expect([silence.status, (await silence.arrayBuffer()).byteLength]).toEqual([200, 0]);
  });

  it('X-1: sound that is cut announces more than it sends', async () => {
    const answer = await post('/audio/speech', { model: 'cut-3', input: 'a', voice: 'v' });
    expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(4096);
    await expect(answer.arrayBuffer()).rejects.toThrow();
  });

  it('X-1, P-8: a video is its account’s own', async () => {
    const { id } = await json(post('/videos', { model: 'ok', prompt: 'a cat', seconds: '4' }, 'mine'));
    const ask = (key: string, path = '', method = 'GET') =>
      fetch(`${simulator.url}/v1/videos/${String(id)}${path}`, { method, headers: { authorization: `Bearer ${key}` } });
    expect(await json(ask('mine'))).toMatchObject({ id, status: 'completed', seconds: '4' });
    expect((await ask('yours')).status).toBe(404);
    const content = await ask('mine', '/content');
    expect([content.headers.get('content-type'), (await content.arrayBuffer()).byteLength >= 300_000]).toEqual([
      'video/mp4',
      true,
    ]);
    expect(await json(ask('mine', '', 'DELETE'))).toMatchObject({ deleted: true });
    expect((await ask('mine')).status).toBe(404);
  });
});
