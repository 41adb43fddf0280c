/** What a request may ask beside its models, over the wire: privacy, a virtual model's routing, what a miss leads to. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { errorStep, okBody } from '../faults/answers.ts';
import { errorOf } from '../faults/invariants.ts';
import { jsonOf, MESSAGES, type RulesRig, startRules } from './rules-rig.ts';

const DOWN = errorStep(503, { message: 'down' });
const TOOLS = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
const PRIVATE_KEY = 'private-key-0123456789';

let rig: RulesRig;
beforeAll(async () => {
  rig = await startRules(
    {
      m: { up: { A: [okBody('open')], B: [okBody('closed')] } },
      down: { up: { A: [DOWN], B: [DOWN] } },
      plain: { up: { A: [okBody('plain')] } },
      last: { up: { C: [okBody('last')] } },
    },
    {
      health: { circuit: { consecutive: 1_000_000, min_calls: 1_000_000 } },
      keys: [{ name: 'private', workspace: 'private', secret: PRIVATE_KEY, redundancy: { privacy_level: 'internal' } }],
      over: {
        models: {
          m: {
            channels: [
              { id: 'open', provider: 'p-m-a', model: 'm', max_privacy: 'public' },
              { id: 'closed', provider: 'p-m-b', model: 'm', max_privacy: 'confidential' },
            ],
          },
          down: {
            channels: [
              { id: 'x', provider: 'p-down-a', model: 'down' },
              { id: 'y', provider: 'p-down-b', model: 'down' },
            ],
          },
          plain: { channels: [{ id: 'x', provider: 'p-plain-a' }], capabilities: { features: [] } },
          last: { channels: [{ id: 'x', provider: 'p-last-c', model: 'last' }] },
        },
        workspaces: {
          main: {
            default_model: 'last',
            virtual_models: {
              closed: { models: ['m'], routing: { channels: { m: { closed: { prefer: true } } } } },
              backwards: { models: ['down'], routing: { channels: { down: { y: { prefer: true } } } } },
              able: { models: ['plain', 'm'] },
            },
          },
          private: { redundancy: { privacy_level: 'public' } },
        },
      },
    },
  );
});
afterAll(() => rig.close());

let seen = 0;
function calledNow(): string[] {
  const all = rig.called();
  const fresh = all.slice(seen);
  seen = all.length;
  return fresh;
}
beforeEach(() => {
  calledNow();
});

describe('privacy', () => {
  const level = (privacy_level: string) => ({ redundancy: { privacy_level } });

  it('C-3, G-2: a request goes only through channels that may see what is as private', async () => {
    await rig.ask('m');
    await rig.ask('m', level('public'));
    const answer = await rig.ask('m', level('confidential'));
    expect(calledNow()).toEqual(['A:m', 'A:m', 'B:m']);
    const { candidates } = await rig.record(answer);
    expect(candidates.find(({ channel }) => channel === 'open')?.skip_reason).toBe('guardrail');
  });

  it('C-3: of the key’s, the workspace’s and the request’s level the most private wins', async () => {
    await rig.ask('m', {}, { key: PRIVATE_KEY });
    await rig.ask('m', level('public'), { key: PRIVATE_KEY });
    expect(calledNow()).toEqual(['B:m', 'B:m']);
    const none = await rig.ask('m', level('restricted'), { key: PRIVATE_KEY });
    expect([none.status, errorOf(none)['code']]).toEqual([403, 'guardrail_blocked']);
    expect(calledNow()).toEqual([]);
  });

  it('C-4: a level that does not exist is no level', async () => {
    const answer = await rig.ask('m', level('secret'));
    expect([answer.status, errorOf(answer)['code']]).toEqual([400, 'invalid_redundancy']);
    expect(errorOf(answer)['param']).toBe('redundancy.privacy_level');
  });
});

describe('a virtual model’s own routing', () => {
  it('C-6, P-3: rules its members, and them alone', async () => {
    await rig.ask('closed');
    await rig.ask('m');
    expect(calledNow()).toEqual(['B:m', 'A:m']);
    expect(jsonOf(await rig.ask('backwards'))['model'], 'C-7').toBe('last');
    expect(calledNow()).toEqual(['B:down', 'A:down', 'C:last']);
  });
});

describe('capabilities', () => {
  it('P-6, C-7: a miss leads neither to the default model nor to the next one of a virtual model', async () => {
    for (const model of ['plain', 'able']) {
      const answer = await rig.ask(model, { tools: TOOLS });
      expect([answer.status, errorOf(answer)['code']]).toEqual([400, 'unsupported_model_input']);
    }
    expect(calledNow()).toEqual([]);
  });

  it('P-6, C-7: with skip_incapable it does', async () => {
    const redundancy = { skip_incapable: true };
    const body = { messages: MESSAGES, tools: TOOLS, redundancy };
    expect(jsonOf(await rig.post({ model: 'plain', ...body }))['model']).toBe('last');
    expect(jsonOf(await rig.post({ model: 'able', ...body }))['model']).toBe('m');
    expect(calledNow()).toEqual(['C:last', 'A:m']);
  });
});
