/** The page, fourth part: endpoints on which nothing but the requested model may answer (images, video, speech). */
import { describe, expect, it } from 'vitest';
import type { DataRoute } from '../../../src/runtime/reception.ts';
import { DATA_ROUTES } from '../../../src/server/data-routes.ts';
import { MESSAGES } from '../rules-rig.ts';
import { ALL, FINE, type Json, LIMITED, refusal, servedBy, WHOLE_ORDER, withPage } from './page.ts';

const fine = { a: [FINE], b: [FINE] };

describe('endpoints that must not change the model', () => {
  const PATH = '/test/same-model';
  const chat = DATA_ROUTES.get('/v1/chat/completions')!;
  // Stands for images, videos and speech: the same request, on an endpoint of that kind.
  (DATA_ROUTES as Map<string, DataRoute>).set(PATH, { ...chat, crossesModels: false });
  const keys = [
    { name: 'chained', workspace: 'main', secret: 'key-chained-0123456789', failover_defaults: { models: ['m', 'n'] } },
  ];

  it('C-7: all channels and credentials of the model, and no other: not the default, not the key’s chain', async () => {
    const world = { models: { m: { a: [LIMITED], b: [LIMITED] }, n: fine }, last: [FINE], keys };
    await withPage(world, async (page) => {
      const body: Json = { model: 'm', messages: MESSAGES, redundancy: ALL };
      const answer = await page.post(body, { path: PATH });
      expect(refusal(answer)).toEqual([429, 'rate_limit_exceeded']);
      expect(page.tried()).toEqual(WHOLE_ORDER);
      await page.post(body, { path: PATH, key: 'key-chained-0123456789' });
      const chain = await page.post({ ...body, models: ['m', 'n'] }, { path: PATH });
      expect(refusal(chain)).toEqual([400, 'invalid_chain']);
      expect(page.called().filter((call) => !call.endsWith(':m'))).toEqual([]);
    });
  });

  it('C-7, C-6: a name for several models is refused; one for a single model is that model', async () => {
    const virtual_models = { several: { models: ['m', 'n'] }, single: { models: ['m'] } };
    const world = { models: { m: fine, n: fine }, last: [FINE], workspace: { virtual_models, auto: ['m', 'n'] } };
    await withPage(world, async (page) => {
      const ask = (model: string) => page.post({ model, messages: MESSAGES }, { path: PATH });
      expect(refusal(await ask('several'))).toEqual([400, 'invalid_chain']);
      expect(refusal(await ask('understudy/auto'))).toEqual([400, 'invalid_chain']);
      expect(page.called()).toEqual([]);
      expect(servedBy(await ask('single'))).toBe('m');
    });
  });

  it('C-7: for a model that is not enabled here the default model does not stand in', async () => {
    const world = { models: { m: fine }, last: [FINE], workspace: { enabled_models: ['last'] } };
    await withPage(world, async (page) => {
      const body = { model: 'm', messages: MESSAGES };
      expect(refusal(await page.post(body, { path: PATH }))).toEqual([403, 'model_not_allowed']);
      expect(page.called()).toEqual([]);
      expect(servedBy(await page.post(body)), 'elsewhere it does').toBe('last');
    });
  });
});
