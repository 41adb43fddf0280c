import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorOf, expectHonest } from '../faults/invariants.ts';
import { type AttackRig, startAttackRig } from './attack-rig.ts';
import { http, okAnswer } from './raw-upstream.ts';

let rig: AttackRig;

beforeAll(async () => {
  rig = await startAttackRig([({ socket }) => void socket.write(http(200, okAnswer('hi')))], {
    edit: (config) => {
      const providers = config['providers'] as Record<string, Record<string, unknown>>;
      config['providers'] = { p0: { ...providers['p0'], type: 'openai' } };
      config['models'] = { ...(config['models'] as object), 'p0/*': {} };
    },
  });
});
afterAll(() => rig.close());

const messages = [{ role: 'user', content: 'hi' }];
const models = (): number => rig.running.gateway.snapshot().models.length;
const names = (count: number, from = 0): string[] => Array.from({ length: count }, (_, i) => `p0/n${from + i}`);

describe('names without end', () => {
  it('C-2: a chain of thousands of names made on demand is refused as a chain, and makes few of them', async () => {
    const before = models();
    for (const body of [{ models: names(5000) }, { model: 'p0/x', fallback_models: names(5000) }]) {
      const got = await rig.ask({}, { body: { messages, ...body } });
      expectHonest(got);
      expect(errorOf(got)['code']).toBe('invalid_chain');
    }
    const header = { 'x-understudy-models': names(1000).join(',') };
    expect(errorOf(await rig.ask({}, { headers: header }))['code']).toBe('invalid_chain');
    expect(models() - before).toBeLessThan(20);
  });

  it('C-9: thousands of requests, each with a name of its own, keep the tables bounded and all are served', async () => {
    const all = names(600, 10_000);
    for (let i = 0; i < all.length; i += 50) {
      const got = await Promise.all(all.slice(i, i + 50).map((model) => rig.ask({ model })));
      expect(new Set(got.map((one) => one.status))).toEqual(new Set([200]));
      expect(got.map((one) => JSON.parse(one.text).model)).toEqual(all.slice(i, i + 50));
    }
    expect(models()).toBeLessThan(600);
    expect(rig.running.gateway.board.list(0, 0).length).toBeLessThan(4000);
    expect(rig.running.gateway.live.size).toBe(0);
  });
});

describe('fields without end', () => {
  const fields = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`f${i}`, i]));

  it('R-4: a degradation that names thousands of fields is refused', async () => {
    const chain = [{ model: 'm', degrade: { drop_params: Object.keys(fields) } }];
    const got = await rig.ask({}, { body: { messages, models: chain, ...fields } });
    expectHonest(got);
    expect(errorOf(got)['code']).toBe('invalid_redundancy');
    const effort = await rig.ask(
      {},
      { body: { messages, models: [{ model: 'm', degrade: { reasoning_effort: 'x'.repeat(1e6) } }] } },
    );
    expect(errorOf(effort)['code']).toBe('invalid_redundancy');
  });

  it('T-8, R-4: thousands of fields reach the upstream, without those that were to be dropped', async () => {
    const chain = [{ model: 'm', degrade: { drop_params: Object.keys(fields).slice(0, 64) } }];
    const got = await rig.ask({}, { body: { messages, models: chain, ...fields } });
    expect(got.status).toBe(200);
    const sent = JSON.parse(rig.ups[0]?.calls.at(-1)?.body ?? '{}') as Record<string, unknown>;
    expect(sent['f63']).toBeUndefined();
    expect(sent['f64']).toBe(64);
  });
});
