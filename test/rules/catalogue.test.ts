/** What the shipped catalogue knows decides over the wire as if the file had said it. */
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { preparedFor } from '../../src/runtime/prepared.ts';
import { errorStep, okBody } from '../faults/answers.ts';
import { errorOf } from '../faults/invariants.ts';
import { jsonOf, withRules } from './rules-rig.ts';

const part = (type: string, value: object) => [{ role: 'user', content: [{ type, [type]: value }] }];
const PICTURE = part('image_url', { url: 'data:image/png;base64,aGk=' });
const FILE = part('file', { filename: 'a.pdf', file_data: 'data:application/pdf;base64,aGk=' });
const LONG = errorStep(400, { code: 'context_length_exceeded', message: 'too long' });
const routes = (...names: string[]) => Object.fromEntries(names.map((name) => [name, { up: { A: [okBody(name)] } }]));

describe('a model of the catalogue', () => {
  it('P-6: a stated miss is a 400 without a call; what nobody states is tried', async () => {
    await withRules(
      routes('llama-3.1-8b-instant'),
      async (rig) => {
        const picture = await rig.ask('llama-3.1-8b-instant', { messages: PICTURE });
        expect([picture.status, errorOf(picture)['code']]).toEqual([400, 'unsupported_model_input']);
        expect(rig.called()).toEqual([]);
        expect((await rig.ask('llama-3.1-8b-instant', { messages: FILE })).status).toBe(200);
        expect((await rig.ask('llama-3.1-8b-instant', { logprobs: true })).status).toBe(200);
      },
      { provider: { catalogue: 'groq' } },
    );
  });

  it('G-4, D-4: its price is known under max_cost_usd and charged; one that is not in it is left out', async () => {
    await withRules(
      routes('gpt-4o', 'gpt-unheard-of'),
      async (rig) => {
        const bounded = { max_tokens: 100, redundancy: { max_cost_usd: 0.01 } };
        const known = await rig.ask('gpt-4o', bounded);
        expect(known.status).toBe(200);
        const usage = jsonOf(known)['usage'] as { prompt_tokens: number; completion_tokens: number };
        const { cost_nano_usd: cost } = await rig.record(known);
        expect(cost).toBe(usage.prompt_tokens * 2_500 + usage.completion_tokens * 10_000);
        const unknown = await rig.ask('gpt-unheard-of', bounded);
        expect(unknown.status).toBeGreaterThanOrEqual(400);
        const { candidates } = await rig.record(unknown);
        expect(candidates.map(({ skip_reason: reason }) => reason)).toEqual(['price_unknown']);
        expect(rig.called()).toEqual(['A:gpt-4o']);
        const small = await rig.ask('gpt-4o', { ...bounded, redundancy: { max_cost_usd: 0.0001 } });
        expect(small.status).toBeGreaterThanOrEqual(400);
        expect(rig.called()).toEqual(['A:gpt-4o']);
      },
      { provider: { catalogue: 'openai' } },
    );
  });

  it('D-12: an input too long for one window goes to the channel with a larger one', async () => {
    const channels = [
      { up: 'A', model: 'gpt-4o' },
      { up: 'B', model: 'gpt-4o-mini' },
      { up: 'C', model: 'gpt-4.1' },
    ];
    await withRules(
      { long: { channels, up: { A: [LONG], B: [okBody('small')], C: [okBody('large')] } } },
      async (rig) => {
        expect((await rig.ask('long')).status).toBe(200);
        expect(rig.called()).toEqual(['A:gpt-4o', 'C:gpt-4.1']);
      },
      { provider: { catalogue: 'openai' } },
    );
  });

  it('G-4: GET /v1/models says what is known, where from and of which day', async () => {
    await withRules(
      routes('gpt-4o', 'deepseek-chat'),
      async (rig) => {
        expect(jsonOf(await rig.get('/v1/models/gpt-4o'))).toMatchObject({
          context_window: 128_000,
          max_output_tokens: 16_384,
          capabilities: { input: ['text', 'image', 'file'], features: ['tools', 'json_schema'] },
          price: { input: 2.5, output: 10, cached_input: 1.25, source: 'catalogue', as_of: '2026-09-23' },
        });
        expect(jsonOf(await rig.get('/v1/models/deepseek-chat'))['price']).toBeNull();
      },
      { provider: { catalogue: 'openai' } },
    );
  });

  it('T-3: a model that is known to reason may think before its first token', () => {
    const models = { 'openai/o3': {}, 'openai/gpt-4o': {}, 'openai/unheard-of': {} };
    const text = JSON.stringify({ version: 1, providers: { openai: { type: 'openai' } }, models });
    const loaded = loadConfig({ text, file: 'c.yaml', env: {} });
    if (!loaded.ok) throw new Error('not loaded');
    const view = preparedFor(loaded.snapshot).catalogue.view('default');
    const reasons = loaded.snapshot.models.map(({ ix, id }) => [id, view.model(ix).reasons]);
    expect(reasons).toEqual([
      ['openai/o3', true],
      ['openai/gpt-4o', false],
      ['openai/unheard-of', false],
    ]);
  });
});
