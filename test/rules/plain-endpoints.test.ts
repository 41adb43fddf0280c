/** The house rules at endpoints that are never translated: budgets, money, records, keep-alives, the ladder. */
import { describe, expect, it } from 'vitest';
import { jsonOf, type RulesRig, withRules } from './rules-rig.ts';

const IMAGE = { status: 200, body: { created: 1, data: [{ b64_json: 'QUJD' }] } };
const VECTOR = {
  status: 200,
  body: { object: 'list', data: [{ embedding: [1] }], model: 'm', usage: { prompt_tokens: 1000, total_tokens: 1000 } },
};
const OVERLOADED = { status: 503, body: { error: { code: 'overloaded' } } };
/** Sent, and lost with its connection: it may have been carried out. */
const LOST = { status: 200, chunks: [], end: 'rst' } as const;

const ROUTES = {
  'first/lost': { channels: ['A', 'B'], up: { A: [LOST], B: [IMAGE] } },
  'first/busy': { channels: ['A', 'B'], up: { A: [OVERLOADED], B: [VECTOR] } },
  'only/busy': { channels: ['A'], up: { A: [OVERLOADED] } },
  'then/busy': { channels: ['A'], up: { A: [VECTOR, OVERLOADED] } },
};

const image = (rig: RulesRig, model: string, fields = {}) =>
  rig.post({ model, prompt: 'a cat', ...fields }, { path: '/v1/images/generations' });
const embed = (rig: RulesRig, model: string, fields = {}) =>
  rig.post({ model, input: 'a', ...fields }, { path: '/v1/embeddings' });

describe('calls that make something new', () => {
  it('D-11, F-2: an image that may have been made is not made again elsewhere; a vector is', () =>
    withRules(ROUTES, async (rig) => {
      const made = await image(rig, 'first/lost');
      expect([made.status, jsonOf(made)['error']]).toMatchObject([504, { maybe_executed: true }]);
      const vector = await embed(rig, 'first/lost');
      expect(vector.status).toBe(502);
      expect(rig.called()).toEqual(['A:first/lost', 'A:first/lost', 'B:first/lost']);
    }));

  it('D-11: under a key of its own it is', () =>
    withRules(ROUTES, async (rig) => {
      const headers = { 'idempotency-key': 'one' };
      const made = await rig.post(
        { model: 'first/lost', prompt: 'a cat' },
        { path: '/v1/images/generations', headers },
      );
      expect([made.status, rig.called()]).toEqual([200, ['A:first/lost', 'B:first/lost']]);
    }));
});

describe('records and money', () => {
  it('O-1, G-4: endpoint, tokens and cost are in the record', () =>
    withRules(ROUTES, async (rig) => {
      const answer = await embed(rig, 'first/busy');
      expect([answer.headers['x-understudy-attempts'], jsonOf(answer)['model']]).toEqual(['2', 'first/busy']);
      const record = await rig.record(answer);
      expect(record).toMatchObject({
        endpoint: 'embeddings',
        stream: false,
        served_model: 'first/busy',
        usage: { input_tokens: 1000, output_tokens: 0 },
        attempts: [{ class: 'overloaded', decision: 'next_channel' }, { result: 'served' }],
      });
    }));

  it('P-6: a model that is known not to serve an endpoint is not asked', () =>
    withRules(
      ROUTES,
      async (rig) => {
        const answer = await embed(rig, 'first/busy');
        expect([answer.status, jsonOf(answer)['error']]).toMatchObject([400, { code: 'unsupported_model_api' }]);
        expect(rig.called()).toEqual([]);
      },
      {
        over: {
          models: {
            'first/busy': {
              capabilities: { apis: ['chat'] },
              channels: [{ id: 'A', provider: 'p-first-busy-a', model: 'm' }],
            },
          },
        },
      },
    ));

  it('dialects §1.1: by their deployment’s name, and under the twin path', () =>
    withRules(ROUTES, async (rig) => {
      const deployment = '/openai/deployments/first%2Fbusy/embeddings?api-version=2024-10-21';
      for (const path of [deployment, '/openai/v1/embeddings']) {
        const body = path === deployment ? { input: 'a' } : { model: 'first/busy', input: 'a' };
        expect([path, (await rig.post(body, { path })).status]).toEqual([path, 200]);
      }
    }));
});

describe('E-4: the ladder', () => {
  it('an image is queued like a chat, and its result kept', () =>
    withRules(ROUTES, async (rig) => {
      const answer = await image(rig, 'only/busy', { redundancy: { on_exhausted: ['queue'] } });
      expect([answer.status, jsonOf(answer)['status']]).toEqual([202, 'processing']);
    }));

  it('no text stands for a vector', () =>
    withRules(
      ROUTES,
      async (rig) => {
        const answer = await embed(rig, 'only/busy', { redundancy: { on_exhausted: [{ default: 'sorry' }] } });
        expect(answer.status).toBe(503);
      },
      { over: { answers: { sorry: { text: 'Sorry.' } } } },
    ));
});

describe('sound', () => {
  const speak = (rig: RulesRig, model: string, fields = {}) =>
    rig.post({ model, input: 'a', voice: 'v', ...fields }, { path: '/v1/audio/speech' });
  const SOUND = { status: 200, headers: { 'content-type': 'audio/wav' }, chunks: ['RIFF', '1234'] };
  const CUT = { ...SOUND, end: 'rst' } as const;
  const routes = {
    'cut/before': { channels: ['A', 'B'], up: { A: [{ ...CUT, chunks: [] }], B: [SOUND] } },
    'cut/after': { channels: ['A', 'B'], up: { A: [CUT], B: [SOUND] } },
    whole: { channels: ['A'], up: { A: [SOUND] } },
    'broken/json': {
      channels: ['A', 'B'],
      up: { A: [{ status: 200, body: { error: { code: 'server_error' } } }], B: [SOUND] },
    },
  };

  it('T-1, T-2, F-5: an error under 200 and a break before the first byte are unseen', () =>
    withRules(routes, async (rig) => {
      const answer = await speak(rig, 'broken/json');
      expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([200, 'RIFF1234', 'audio/wav']);
      expect(rig.called()).toEqual(['A:broken/json', 'B:broken/json']);
      expect(answer.headers['x-understudy-served-model']).toBe('broken/json');
    }));

  it('G-4: what sound costs is unknown without a price of it, never nothing', () =>
    withRules(
      routes,
      async (rig) => {
        const record = await rig.record(await speak(rig, 'whole'));
        expect(record).toMatchObject({ cost_nano_usd: null, usage: { output_tokens: 1 } });
      },
      {
        over: {
          models: {
            whole: { price: { input: 1, output: 1 }, channels: [{ id: 'A', provider: 'p-whole-a', model: 'whole' }] },
          },
        },
      },
    ));

  it('T-4: after the first byte a break is a break: no word of ours stands in the sound', () =>
    withRules(routes, async (rig) => {
      const answer = await speak(rig, 'cut/after').catch((error: Error) => error);
      const text = answer instanceof Error ? '' : answer.text;
      expect(text).not.toContain('stream_interrupted');
      expect(rig.called()).toEqual(['A:cut/after']);
      const { data } = (await rig.admin('/v1/requests')) as { data: { ending: string; endpoint: string }[] };
      expect(data[0]).toMatchObject({ ending: 'interrupted', endpoint: 'speech' });
    }));

  it('T-9: under commit: complete it fails over all the same', () =>
    withRules(routes, async (rig) => {
      // A lost connection may have made it: the caller says that twice is no harm.
      const answer = await speak(rig, 'cut/after', { redundancy: { commit: 'complete', policy: 'permissive' } });
      expect([answer.status, answer.text]).toEqual([200, 'RIFF1234']);
      expect(rig.called()).toEqual(['A:cut/after', 'B:cut/after']);
    }));

  it('T-11: nothing is sent before the first byte: the head stays open', () =>
    withRules(
      { slow: { channels: ['A'], up: { A: [{ ...SOUND, delay_ms: 300 }] } } },
      async (rig) => {
        const answer = await speak(rig, 'slow');
        expect([answer.text, answer.headers['content-type'], answer.headers['x-understudy-attempts']]).toEqual([
          'RIFF1234',
          'audio/wav',
          '1',
        ]);
      },
      { over: { streaming: { keep_alive_after_ms: 20, keep_alive_every_ms: 20 } } },
    ));
});
