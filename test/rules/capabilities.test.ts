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
      expect(errorOf(second)['attempts']).toMatchObject([{ model: 'down', status: 'failed' }]);
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
