/** P-4 and G-2 over the wire: what limits, guardrails and unknown prices leave out, and what the client is told. */
import { describe, expect, it } from 'vitest';
import { errorStep, okBody } from '../faults/answers.ts';
import { errorOf } from '../faults/invariants.ts';
import { JumpingClock } from '../support/jumping-clock.ts';
import { MESSAGES, type RulesRig, type RulesSettings, withRules } from './rules-rig.ts';

type Json = Record<string, unknown>;

const DOWN = errorStep(500, { message: 'down', code: 'server_error' });
const fine = [okBody('fine')];
const ALL_LIMITED = 'all upstream credentials for this model are rate limited';
const BLOCKED = 'Request blocked by guardrail policy';

const main = (workspace: Json, more: Json = {}): RulesSettings => ({
  over: { workspaces: { main: workspace }, ...more },
});
const channel = (up: string, more: Json) => ({ up, more });
const credential = (provider: string, more: Json) => ({ provider, secret: `sk-${provider}`, ...more });

async function reasonsOf(rig: RulesRig, answer: Awaited<ReturnType<RulesRig['ask']>>) {
  const { candidates } = await rig.record(answer);
  return candidates.map(({ channel: id, skip_reason, available_at }) => [id, skip_reason, available_at]);
}

describe('P-4: at a limit', () => {
  const NOON = Date.UTC(2026, 10, 29, 12);

  it.each<[string, Json, Json]>([
    ['credential', {}, { limits: { rpm: 1 } }],
    ['channel', { limits: { rpm: 1 } }, {}],
  ])('P-4: a %s over its requests per minute is left out until it is back', async (_name, ofChannel, ofCredential) => {
    const clock = new JumpingClock(NOON);
    const credentials = { a: credential('p-m-a', ofCredential), b: credential('p-m-b', {}) };
    await withRules(
      { m: { channels: [channel('A', ofChannel), channel('B', {})], up: { A: fine, B: fine } } },
      async (rig) => {
        await rig.ask('m');
        const answer = await rig.ask('m');
        expect(rig.called()).toEqual(['A:m', 'B:m']);
        const [first] = await reasonsOf(rig, answer);
        expect(first).toEqual(['a0', 'limit', expect.stringMatching(/^2026-11-29T12:01:0/)]);
        clock.jump(61_000);
        await rig.ask('m');
        expect(rig.called()).toEqual(['A:m', 'B:m', 'A:m']);
      },
      { ...main({}, { credentials }), clock },
    );
  });

  it('P-4, D-3: a whole chain at its limits is 429 in S0’s words, with the soonest return, and nobody is called', async () => {
    const clock = new JumpingClock(NOON);
    const credentials = {
      a: credential('p-m-a', { limits: { rpd: 1 } }),
      b: credential('p-n-b', { limits: { rpm: 1 } }),
    };
    await withRules(
      { m: { up: { A: fine } }, n: { up: { B: fine } } },
      async (rig) => {
        const body = { models: ['m', 'n'], messages: MESSAGES };
        await rig.post(body);
        clock.jump(20_000);
        await rig.post(body);
        const refused = await rig.post(body);
        expect(refused.status).toBe(429);
        expect(errorOf(refused)).toMatchObject({ code: 'rate_limited', message: ALL_LIMITED });
        expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(55);
        expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(60);
        expect(refused.headers['x-should-retry']).toBe('false');
        expect(rig.called()).toEqual(['A:m', 'B:n']);
        const { candidates, attempts } = await rig.record(refused);
        expect(attempts).toEqual([]);
        expect(candidates.map(({ available_at }) => available_at)).toEqual([
          '2026-11-30T00:00:00.000Z',
          expect.stringMatching(/^2026-11-29T12:01:2/),
        ]);
      },
      { ...main({}, { credentials }), clock },
    );
  });

  it('P-4, C-7: the default model takes over where the asked one is at its limits', async () => {
    const credentials = { a: credential('p-m-a', { limits: { rpd: 1 } }), d: credential('p-d-b', {}) };
    await withRules(
      { m: { up: { A: fine } }, d: { up: { B: fine } } },
      async (rig) => {
        await rig.ask('m');
        const answer = await rig.ask('m');
        expect([answer.status, answer.headers['x-understudy-served-model']]).toEqual([200, 'd']);
      },
      main({ default_model: 'd' }, { credentials }),
    );
  });

  it('P-4: a channel with all its concurrent calls out is left out; nobody knows until when', async () => {
    const slow = [{ ...okBody('late'), delay_ms: 400 }];
    await withRules(
      { m: { channels: [channel('A', { limits: { concurrent: 1 } })], up: { A: slow } } },
      async (rig) => {
        const [first, second] = await Promise.all([rig.ask('m'), rig.ask('m')]);
        const refused = [first, second].find(({ status }) => status === 429)!;
        expect(errorOf(refused)).toMatchObject({ code: 'rate_limited', message: ALL_LIMITED });
        expect(refused.headers).toMatchObject({ 'retry-after': '1', 'x-should-retry': 'false' });
        expect(await reasonsOf(rig, refused)).toEqual([['a0', 'limit', null]]);
        expect(rig.called()).toHaveLength(1);
        expect((await rig.ask('m')).status).toBe(200);
      },
    );
  });
});

describe('G-2: guardrails', () => {
  const routes = { a: { up: { A: [DOWN] } }, b: { up: { B: fine } }, c: { up: { C: fine } } };

  it('G-2: a denied model is 403 in S0’s words, and nobody is called', async () => {
    await withRules(
      routes,
      async (rig) => {
        const answer = await rig.ask('b');
        expect(answer.status).toBe(403);
        expect(errorOf(answer)).toMatchObject({
          code: 'guardrail_blocked',
          message: BLOCKED,
          type: 'permission_error',
        });
        expect(answer.headers['x-should-retry']).toBe('false');
        expect(await reasonsOf(rig, answer)).toEqual([['b0', 'guardrail', null]]);
        expect(rig.called()).toEqual([]);
        expect(await rig.record(answer)).toMatchObject({ outcome: 'client_error', error_code: 'guardrail_blocked' });
      },
      main({ guardrails: { deny_models: ['b*'] } }),
    );
  });

  it('G-2, E-3: denied at its turn: what failed before is told, what follows is never called', async () => {
    await withRules(
      routes,
      async (rig) => {
        const answer = await rig.post({ models: ['a', 'b', 'c'], messages: MESSAGES });
        expect(answer.status).toBe(403);
        expect(errorOf(answer)).toMatchObject({ code: 'guardrail_blocked', message: BLOCKED });
        expect(errorOf(answer)['attempts']).toMatchObject([
          { model: 'a', status: 'failed' },
          { model: 'b', status: 'skipped', reason: 'guardrail' },
        ]);
        expect(rig.called()).toEqual(['A:a']);
      },
      main({ guardrails: { deny_models: ['b'] } }),
    );
  });

  it('G-2: a denied model whose turn does not come changes nothing', async () => {
    await withRules(
      { ...routes, a: { up: { A: fine } } },
      async (rig) => expect((await rig.post({ models: ['a', 'b'], messages: MESSAGES })).status).toBe(200),
      main({ guardrails: { deny_models: ['b'] } }),
    );
  });

  it.each<[string, Json, string[], string[]]>([
    ['denied channels', { deny_channels: ['m#a*'] }, ['B:m', 'C:m'], ['a0']],
    ['regions allowed: a channel without one is outside', { allow_regions: ['eu'] }, ['B:m'], ['a0', 'c2']],
    ['regions denied', { deny_regions: ['eu'] }, ['A:m', 'C:m'], ['b1']],
  ])('G-2: %s are left out with their reason', async (_name, guardrails, called, out) => {
    const channels = [channel('A', {}), channel('B', { region: 'eu' }), channel('C', {})];
    await withRules(
      { m: { channels, up: { A: [DOWN], B: [DOWN], C: [DOWN] } } },
      async (rig) => {
        const answer = await rig.ask('m', { redundancy: { retries: 0 } });
        expect(answer.status).toBe(500);
        expect(rig.called()).toEqual(called);
        const reasons = await reasonsOf(rig, answer);
        expect(reasons.filter(([, reason]) => reason === 'guardrail').map(([id]) => id)).toEqual(out);
      },
      main({ guardrails }),
    );
  });

  it('G-2: a request goes only to channels that may see something so private; to none is 403', async () => {
    const channels = [
      channel('A', { max_privacy: 'public' }),
      channel('B', { max_privacy: 'confidential' }),
      channel('C', { max_privacy: 'internal' }),
    ];
    await withRules({ m: { channels, up: { A: fine, B: fine, C: fine } } }, async (rig) => {
      const ask = (privacy_level?: string) => rig.ask('m', privacy_level ? { redundancy: { privacy_level } } : {});
      expect((await ask()).status).toBe(200);
      expect((await ask('internal')).status).toBe(200);
      expect((await ask('confidential')).status).toBe(200);
      expect(rig.called()).toEqual(['A:m', 'B:m', 'B:m']);
      const refused = await ask('restricted');
      expect([refused.status, errorOf(refused)['message']]).toEqual([403, BLOCKED]);
      expect(rig.called()).toHaveLength(3);
    });
  });

  it('G-2: a workspace’s requests may be so private at most', async () => {
    await withRules(
      { m: { up: { A: fine } } },
      async (rig) => {
        const ask = (privacy_level: string) => rig.ask('m', { redundancy: { privacy_level } });
        expect((await ask('internal')).status).toBe(200);
        const refused = await ask('confidential');
        expect([refused.status, errorOf(refused)['code']]).toEqual([403, 'guardrail_blocked']);
        expect(rig.called()).toHaveLength(1);
      },
      main({ guardrails: { max_privacy: 'internal' } }),
    );
  });

  it('G-2, C-7: a denied default model is refused at its turn as well', async () => {
    await withRules(
      routes,
      async (rig) => {
        const answer = await rig.ask('a', { redundancy: { retries: 0 } });
        expect([answer.status, errorOf(answer)['code']]).toEqual([403, 'guardrail_blocked']);
        expect(rig.called()).toEqual(['A:a']);
      },
      main({ default_model: 'b', guardrails: { deny_models: ['b'] } }),
    );
  });
});

describe('G-4, D-4: unknown prices', () => {
  it('G-4: under max_cost_usd a target of unknown price is left out; with none left the request ends by its cost', async () => {
    const known = { price: { input: 1, output: 1 } };
    const channels = [channel('A', {}), channel('B', known)];
    await withRules({ m: { channels, up: { A: fine, B: fine } }, n: { up: { A: fine } } }, async (rig) => {
      const redundancy = { max_cost_usd: 5 };
      const answer = await rig.ask('m', { redundancy, max_tokens: 10 });
      expect(rig.called()).toEqual(['B:m']);
      expect((await reasonsOf(rig, answer))[0]).toEqual(['a0', 'price_unknown', null]);
      const refused = await rig.ask('n', { redundancy, max_tokens: 10 });
      expect([refused.status, errorOf(refused)['code'], errorOf(refused)['budget']]).toEqual([
        502,
        'retry_exhausted',
        'cost',
      ]);
    });
  });
});
