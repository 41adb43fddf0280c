/** P-6 over the wire: what the operator says a model can do. */
import { describe, expect, it } from 'vitest';
import { errorStep, okBody } from '../faults/answers.ts';
import { errorOf } from '../faults/invariants.ts';
import { jsonOf, MESSAGES, withRules } from './rules-rig.ts';

const TOOLS = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
const PICTURE = [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }] }];
const DOWN = errorStep(503, { message: 'down' });

const routes = {
  any: { up: { A: [okBody('any')] } },
  down: { up: { A: [DOWN] } },
  plain: { up: { A: [okBody('plain')] }, capabilities: { features: [], input: ['text'] } },
  elsewhere: { up: { A: [okBody('never')] }, capabilities: { apis: ['responses'] } },
  mixed: {
    channels: [{ up: 'A', capabilities: { features: [] } }, 'B'],
    up: { A: [okBody('a')], B: [okBody('b')] },
    capabilities: { features: ['tools'] },
  },
};

describe('P-6: capabilities', () => {
  it('P-6: a miss is a 400 at once, without a call; what is not used is not missed', async () => {
    await withRules(routes, async (rig) => {
      const tools = await rig.ask('plain', { tools: TOOLS });
      expect([tools.status, errorOf(tools)['code']]).toEqual([400, 'unsupported_model_input']);
      expect(tools.headers['x-should-retry']).toBe('false');
      const picture = await rig.post({ model: 'plain', messages: PICTURE });
      expect([picture.status, errorOf(picture)['code']]).toEqual([400, 'unsupported_model_input']);
      const api = await rig.ask('elsewhere');
      expect([api.status, errorOf(api)['code']]).toEqual([400, 'unsupported_model_api']);
      expect(rig.called()).toEqual([]);
      expect((await rig.ask('plain')).status).toBe(200);
      expect((await rig.ask('any', { tools: TOOLS })).status).toBe(200);
      expect(await rig.record(picture)).toMatchObject({ outcome: 'client_error', attempts: [] });
    });
  });

  it('P-6, E-3: it is looked at when its turn comes, later models are not tried, and it keeps its status', async () => {
    await withRules(routes, async (rig) => {
      const unneeded = await rig.post({ models: ['any', 'plain'], messages: MESSAGES, tools: TOOLS });
      expect(jsonOf(unneeded)['model']).toBe('any');
      const first = await rig.post({ models: ['plain', 'any'], messages: MESSAGES, tools: TOOLS });
      expect(first.status).toBe(400);
      const second = await rig.post({ models: ['down', 'plain', 'any'], messages: MESSAGES, tools: TOOLS });
      expect([second.status, errorOf(second)['code']]).toEqual([400, 'unsupported_model_input']);
      expect(errorOf(second)['attempts']).toMatchObject([
        { model: 'down', status: 'failed' },
        { model: 'plain', status: 'skipped', reason: 'incapable' },
      ]);
      expect(errorOf(first)['attempts']).toBeUndefined();
      expect(rig.called()).toEqual(['A:any', 'A:down']);
    });
  });

  it('P-6: a channel that can not is passed over while another one of the model can', async () => {
    await withRules(routes, async (rig) => {
      const answer = await rig.ask('mixed', { tools: TOOLS });
      expect(answer.status).toBe(200);
      expect(rig.called()).toEqual(['B:mixed']);
      const { candidates } = await rig.record(answer);
      expect(candidates.map(({ tried, skip_reason }) => [tried, skip_reason])).toEqual([
        [false, 'incapable'],
        [true, null],
      ]);
      await rig.ask('mixed');
      expect(rig.called()).toEqual(['B:mixed', 'A:mixed']);
    });
  });

  it('R-4: what an entry drops is not missed', async () => {
    await withRules(routes, async (rig) => {
      const models = [{ model: 'plain', degrade: { drop_tools: true } }];
      const answer = await rig.post({ models, messages: MESSAGES, tools: TOOLS });
      expect(answer.status).toBe(200);
      expect(answer.headers['x-understudy-degraded']).toBe('true');
    });
  });
});

describe('P-6: skip_incapable', () => {
  const skip = { redundancy: { skip_incapable: true } };

  it('P-6: passes over a model that can not, with a recorded reason, and goes on', async () => {
    await withRules(routes, async (rig) => {
      const body = { models: ['plain', 'elsewhere', 'any'], messages: MESSAGES, tools: TOOLS };
      expect((await rig.post(body)).status, 'not without being asked').toBe(400);
      const answer = await rig.post({ ...body, ...skip });
      expect([answer.status, jsonOf(answer)['model']]).toEqual([200, 'any']);
      expect(rig.called()).toEqual(['A:any']);
      expect(jsonOf(answer)['understudy']).toMatchObject({
        attempts: 1,
        requested_model: 'plain',
        degraded: true,
        failover: {
          occurred: false,
          attempts: [
            { model: 'plain', status: 'skipped', reason: 'incapable' },
            { model: 'elsewhere', status: 'skipped', reason: 'incapable' },
            { model: 'any', status: 'served' },
          ],
        },
      });
      const { candidates } = await rig.record(answer);
      expect(candidates.map(({ model, skip_reason }) => [model, skip_reason])).toEqual([
        ['plain', 'incapable'],
        ['elsewhere', 'incapable'],
        ['any', null],
      ]);
    });
  });

  it('P-6, E-2: one passed over is no failure of the chain', async () => {
    await withRules(routes, async (rig) => {
      const body = { models: ['down', 'plain'], messages: MESSAGES, tools: TOOLS };
      const answer = await rig.post({ ...body, ...skip });
      expect([answer.status, errorOf(answer)['code']]).toEqual([502, 'all_models_failed']);
      expect(errorOf(answer)['attempts']).toMatchObject([
        { model: 'down', status: 'failed' },
        { model: 'plain', status: 'skipped', reason: 'incapable' },
      ]);
    });
  });

  it('P-6: where no model of the chain can, the 400 says why, with the exact code', async () => {
    await withRules(routes, async (rig) => {
      const input = await rig.post({ models: ['plain', 'elsewhere'], messages: MESSAGES, tools: TOOLS, ...skip });
      expect([input.status, errorOf(input)['code']]).toEqual([400, 'unsupported_model_input']);
      const api = await rig.ask('elsewhere', skip);
      expect([api.status, errorOf(api)['code']]).toEqual([400, 'unsupported_model_api']);
      expect(rig.called()).toEqual([]);
    });
  });

  it('C-8, C-4, P-6: it leads to no other model where the request may not leave its own', async () => {
    await withRules(routes, async (rig) => {
      const body = { models: ['plain', 'any'], messages: MESSAGES, tools: TOOLS };
      for (const more of [{ cross_model: false }, { on: [] }, { priority: 'low' }]) {
        const answer = await rig.post({ ...body, redundancy: { skip_incapable: true, ...more } });
        expect([answer.status, errorOf(answer)['code']]).toEqual([400, 'unsupported_model_input']);
      }
      expect(rig.called()).toEqual([]);
    });
  });

  it('P-6: a trigger that `on` does not name is none of its business', async () => {
    await withRules(routes, async (rig) => {
      const redundancy = { skip_incapable: true, on: ['timeout'] };
      const answer = await rig.post({ models: ['plain', 'any'], messages: MESSAGES, tools: TOOLS, redundancy });
      expect([answer.status, jsonOf(answer)['model']]).toEqual([200, 'any']);
    });
  });
});
