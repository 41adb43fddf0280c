/** Section 3 over the wire: who is called first, who is left out, and what the trace says of the others. */
import { describe, expect, it } from 'vitest';
import { errorStep, okBody } from '../faults/answers.ts';
import { errorOf } from '../faults/invariants.ts';
import { MESSAGES, type RulesSettings, withRules } from './rules-rig.ts';

const DOWN = errorStep(500, { message: 'down', code: 'server_error' });
const LIMITED = errorStep(429, { message: 'slow down', code: 'rate_limit_exceeded' });

/** Credentials of the route's one provider, in place of the rig's own. */
function credentials(provider: string, list: readonly (readonly [string, Record<string, unknown>])[]): RulesSettings {
  const named = list.map(([name, fields]) => [name, { provider, secret: `sk-${name}`, ...fields }]);
  return {
    over: { credentials: Object.fromEntries(named), workspaces: { main: {}, other: {} } },
    keys: [{ name: 'other', workspace: 'other', secret: 'other-key-0123456789' }],
  };
}

describe('the order', () => {
  it('P-1: the workspace’s own credentials in their order, then the platform’s; never another workspace’s', async () => {
    const settings = credentials('p-m-a', [
      ['platform-two', { order: 2 }],
      ['platform-one', { order: 1 }],
      ['own-two', { kind: 'byok', workspace: 'main', order: 2 }],
      ['own-one', { kind: 'byok', workspace: 'main', order: 1 }],
      ['theirs', { kind: 'byok', workspace: 'other', order: 0 }],
    ]);
    await withRules(
      { m: { up: { A: [LIMITED] } } },
      async (rig) => {
        const answer = await rig.ask('m');
        const order = ['own-one', 'own-two', 'platform-one', 'platform-two'];
        expect(rig.headersSent().map((sent) => sent['authorization'])).toEqual(
          order.map((name) => `Bearer sk-${name}`),
        );
        const record = await rig.record(answer);
        expect(record.candidates.map(({ rank, credential }) => [rank, credential])).toEqual(
          order.map((name, at) => [at + 1, name]),
        );
      },
      settings,
    );
  });

  it('P-1: platform credentials of equal order take turns', async () => {
    const settings = credentials('p-m-a', [
      ['one', { order: 1 }],
      ['two', { order: 1 }],
      ['three', { order: 1 }],
      ['last', { order: 2 }],
    ]);
    await withRules(
      { m: { up: { A: [okBody('x')] } } },
      async (rig) => {
        for (let i = 0; i < 6; i += 1) await rig.ask('m');
        const used = rig.headersSent().map((sent) => String(sent['authorization']).slice('Bearer sk-'.length));
        expect(used).toEqual(['one', 'two', 'three', 'one', 'two', 'three']);
      },
      settings,
    );
  });

  it('P-1: a provider without credentials is called without Authorization', async () => {
    await withRules(
      { m: { up: { A: [okBody('x')] } } },
      async (rig) => {
        expect((await rig.ask('m')).status).toBe(200);
        expect(rig.headersSent()[0]).not.toHaveProperty('authorization');
      },
      { over: { credentials: {} } },
    );
  });
});

describe('what is left out', () => {
  it('P-4: an unhinted 429 lets one call through where nothing else is left, the others are refused meanwhile', async () => {
    const slow = { ...okBody('x'), delay_ms: 400 };
    await withRules({ m: { up: { A: [LIMITED, slow] } } }, async (rig) => {
      await rig.ask('m', { redundancy: { retries: 0 } });
      const three = await Promise.all([rig.ask('m'), rig.ask('m'), rig.ask('m')]);
      expect(three.map(({ status }) => status).sort()).toEqual([200, 429, 429]);
      const refused = three.find(({ status }) => status === 429)!;
      expect(errorOf(refused)['code']).toBe('rate_limited');
      expect(refused.headers['retry-after']).toBe('1');
      expect(rig.called()).toHaveLength(2);
      expect((await rig.ask('m')).status, 'its success ended the rest').toBe(200);
    });
  });

  it('P-4, C-4: with `on` not naming rate_limit a resting first model ends the request', async () => {
    const stated = errorStep(429, { message: 'w', code: 'rate_limit_exceeded' }, { 'retry-after': '100' });
    await withRules({ a: { up: { A: [stated] } }, b: { up: { A: [okBody('b')] } } }, async (rig) => {
      await rig.ask('a', { redundancy: { retries: 0 } });
      const body = { models: ['a', 'b'], messages: MESSAGES };
      const barred = await rig.post({ ...body, redundancy: { on: ['server_error'] } });
      expect([barred.status, errorOf(barred)['code']]).toEqual([429, 'rate_limited']);
      expect((await rig.post(body)).headers['x-understudy-served-model']).toBe('b');
    });
  });

  it('P-5, P-7: a target behind an open circuit goes to the back of its model, with that reason', async () => {
    await withRules({ m: { up: { A: [DOWN], B: [okBody('b')] } } }, async (rig) => {
      for (let i = 0; i < 5; i += 1) await rig.ask('m');
      const answer = await rig.ask('m');
      expect(answer.headers['x-understudy-attempts']).toBe('1');
      const { candidates } = await rig.record(answer);
      expect(candidates.map(({ channel, tried, skip_reason }) => [channel, tried, skip_reason])).toEqual([
        ['b1', true, null],
        ['a0', false, 'circuit_open'],
      ]);
    });
  });

  it('P-7: what was passed over while the request ran has its reason', async () => {
    const routes = {
      a: {
        channels: [{ up: 'A', keys: ['sk-a-1', 'sk-a-2'] }, 'B', 'C'],
        up: { A: [DOWN], B: [DOWN], C: [DOWN] },
      },
      b: { up: { A: [okBody('b')], B: [okBody('never')] } },
    };
    await withRules(routes, async (rig) => {
      const redundancy = { max_attempts: 3 };
      const answer = await rig.post({ models: ['a', 'b'], messages: MESSAGES, redundancy });
      expect(answer.status).toBe(200);
      const { candidates } = await rig.record(answer);
      expect(candidates.map(({ rank, model, tried, skip_reason }) => [rank, model, tried, skip_reason])).toEqual([
        [1, 'a', true, null],
        [2, 'a', false, 'channel_fault'],
        [3, 'a', true, null],
        [4, 'a', false, 'model_over'],
        [5, 'b', true, null],
        [6, 'b', false, null],
      ]);
    });
  });
});
