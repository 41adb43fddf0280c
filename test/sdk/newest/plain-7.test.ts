/** The OpenAI client, major 7, at the endpoints beside the conversation. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import OpenAI, { APIError, toFile } from 'openai';
import { plainConfig } from '../plain-config.ts';
import { type Host, startHost } from './host.ts';

let host: Host;
let client: OpenAI;

before(async () => {
  host = await startHost(plainConfig('SIMULATOR_URL'));
  client = new OpenAI({ baseURL: host.rig.baseUrl, apiKey: host.rig.apiKey, maxRetries: 0 });
});
after(() => host.stop());
beforeEach(() => host.rig.forget());

const sound = () => toFile(Buffer.alloc(20_000, 9), 'talk.mp3', { type: 'audio/mpeg' });
const picture = () => toFile(Buffer.alloc(20_000, 7), 'cat.png', { type: 'image/png' });

/** Every endpoint once; what came is told as text, the same for the same answer. */
const ENDPOINTS: Readonly<Record<string, (model: string, options?: OpenAI.RequestOptions) => Promise<string>>> = {
  embeddings: async (model, options) => {
    const { data } = await client.embeddings.create({ model, input: ['one', 'two'], dimensions: 4 }, options);
    assert.deepEqual(
      data.map(({ embedding }) => embedding.length),
      [4, 4],
    );
    return JSON.stringify(data);
  },
  moderations: async (model, options) => {
    const { results } = await client.moderations.create({ model, input: 'all is peaceful' }, options);
    assert.equal(results[0]?.flagged, false);
    return JSON.stringify(results);
  },
  'images generated': async (model, options) => {
    const { data } = await client.images.generate({ model, prompt: 'a cat' }, options);
    assert.match(data?.[0]?.b64_json ?? '', /^\w/);
    return JSON.stringify(data);
  },
  'images streamed': async (model, options) => {
    const types: string[] = [];
    const stream = await client.images.generate({ model, prompt: 'a cat', stream: true, partial_images: 1 }, options);
    for await (const event of stream) types.push(event.type);
    assert.deepEqual(types, ['image_generation.partial_image', 'image_generation.completed']);
    return types.join();
  },
  'images edited': async (model, options) => {
    const { data } = await client.images.edit({ model, image: await picture(), prompt: 'a hat' }, options);
    assert.match(data?.[0]?.b64_json ?? '', /^\w/);
    return JSON.stringify(data);
  },
  speech: async (model, options) => {
    const answer = await client.audio.speech.create({ model, input: 'hello', voice: 'alloy' }, options);
    const bytes = Buffer.from(await answer.arrayBuffer());
    assert.deepEqual([answer.headers.get('content-type'), bytes.subarray(0, 3).toString()], ['audio/mpeg', 'ID3']);
    return bytes.toString('base64');
  },
  transcriptions: async (model, options) => {
    const { text } = await client.audio.transcriptions.create({ model, file: await sound() }, options);
    assert.match(text, /\w/);
    return text;
  },
  'transcriptions streamed': async (model, options) => {
    let text = '';
    const body = { model, file: await sound(), stream: true } as const;
    for await (const event of await client.audio.transcriptions.create(body, options)) {
      if (event.type === 'transcript.text.delta') text += event.delta;
      if (event.type === 'transcript.text.done') assert.equal(text, event.text);
    }
    assert.match(text, /\w/);
    return text;
  },
  videos: async (model, options) => {
    const { id, status } = await client.post<{ id: string; status: string }>('/videos', {
      body: { model, prompt: 'a cat' },
      ...options,
    });
    assert.equal(status, 'queued');
    const job = await client.get<{ id: string; status: string }>(`/videos/${id}`);
    assert.deepEqual([job.id, job.status], [id, 'completed']);
    return id;
  },
  'completions streamed': async (model, options) => {
    let [text, finish] = ['', ''];
    for await (const chunk of await client.completions.create({ model, prompt: 'Once', stream: true }, options)) {
      text += chunk.choices[0]?.text ?? '';
      finish += chunk.choices[0]?.finish_reason ?? '';
    }
    assert.equal(finish, 'stop');
    return text;
  },
};

for (const [name, ask] of Object.entries(ENDPOINTS)) {
  describe(name, () => {
    it('S0, T-2: the next channel of the same model answers, failures unseen', async () => {
      await ask('rescued/one');
      assert.deepEqual((await host.rig.calls()).slice(0, 3), ['fail-503:one', 'error:one', 'ok:one']);
    });

    it('I-4: the same key gets the same answer again, and no second call', async () => {
      const options = { headers: { 'Idempotency-Key': `again-${name.replaceAll(' ', '-')}` } };
      const first = await ask('steady/one', options);
      assert.equal(await ask('steady/one', options), first);
      assert.equal((await host.rig.calls()).filter((model) => model === 'ok:steady').length, 1);
    });

    // Text may be gone on with by the default model.
    if (name.startsWith('completions')) return;
    it('E-1: a failure of all is an error with its status', async () => {
      await assert.rejects(ask('down/all'), (error: unknown) => error instanceof APIError && error.status === 500);
    });
  });
}

it('T-4, T-5: sound that is cut ends in an error, not in silence', async () => {
  const answer = await client.audio.speech.create({ model: 'cut/sound', input: 'hello', voice: 'alloy' });
  await assert.rejects(answer.arrayBuffer());
});
