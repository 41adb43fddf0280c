import { describe, expect, it } from 'vitest';
import { errorStep, ok, okBody, okStream } from './answers.ts';
import { faultCase, fieldsOf, stepAt, stepsOf } from './fault-case.ts';
import { ADMIN_TOKEN, type RouteSpec } from './gateway-config.ts';
import { errorOf } from './invariants.ts';
import { sendRaw } from './raw-client.ts';
import { contentOf, sleep, withRig } from './rig.ts';
import { expectWholeStream } from './stream-reader.ts';

/** The case's A and B as they are. */
const asGiven = (id: string): RouteSpec => ({
  up: { A: stepsOf(faultCase(id), 'A'), B: stepsOf(faultCase(id), 'B') },
});
/** The case's A alone. */
const alone = (id: string): RouteSpec => ({ up: { A: stepsOf(faultCase(id), 'A') } });

describe.concurrent('fallback not triggered', () => {
  it('H-1, D-2 fb-429-with-retry-after-and-healthy-sibling: goes on at once, and rests A for as long as it said', () =>
    withRig({ m: asGiven('fb-429-with-retry-after-and-healthy-sibling') }, async (rig) => {
      const first = await rig.ask('m');
      expect(contentOf(first)).toBe('ok-b');
      expect(first.headers).toMatchObject({
        'x-understudy-attempts': '2',
        'x-understudy-served-model': 'm',
        'x-understudy-degraded': 'false',
      });
      // The fault would be 30 s.
      expect(first.endedAt).toBeLessThan(10_000);
      await sleep(100);
      const second = await rig.ask('m');
      expect(contentOf(second)).toBe('ok-b');
      expect(second.headers['x-understudy-attempts']).toBe('1');
      expect(rig.who('m')).toBe('A B B');
      const record = await rig.record(first);
      expect(record.attempts[0]).toMatchObject({ class: 'rate_limit', retry_after_ms: 30_000, status: 429 });
    }));

  it('T-2 fb-streaming-parity-on-status-error: every status, both stream values, the same calls', async () => {
    const id = 'fb-streaming-parity-on-status-error';
    const variants = [429, 500, 502, 503, 529].flatMap((status) => [true, false].map((stream) => ({ status, stream })));
    const name = (variant: (typeof variants)[number]) => `m-${variant.status}-${variant.stream}`;
    const failing = (status: number) => [{ ...stepAt(faultCase(id), 0), status }];
    const routes = Object.fromEntries(
      variants.map((variant) => [
        name(variant),
        { up: { A: failing(variant.status), B: [ok('ok-b', variant.stream)] } },
      ]),
    );
    await withRig(routes, async (rig) => {
      for (const variant of variants) {
        const answer = await rig.ask(name(variant), { stream: variant.stream });
        if (variant.stream) expectWholeStream(answer, 'ok-b');
        else expect(contentOf(answer), name(variant)).toBe('ok-b');
        expect(rig.who(name(variant)), name(variant)).toBe('A B');
      }
    });
  });

  it('H-1, E-1 fb-404-model-removed: the pair rests, the rest of A does not; alone it is 404', async () => {
    const id = 'fb-404-model-removed';
    await withRig(
      { m: { ...asGiven(id), group: 'g' }, other: { group: 'g', up: { A: [okBody('ok-a')] } }, alone: alone(id) },
      async (rig) => {
        expect(contentOf(await rig.ask('m'))).toBe('ok-b');
        expect(contentOf(await rig.ask('m'))).toBe('ok-b');
        expect(rig.who('m')).toBe('A B B');
        expect(contentOf(await rig.ask('other'))).toBe('ok-a');
        expect((await rig.ask('alone')).status).toBe(404);
        expect((await rig.ask('alone')).status).toBe(404);
        expect(rig.who('alone')).toBe('A');
      },
    );
  });

  it('F-1, H-1 fb-400-unknown-model-with-quoted-id: a 400 that means not found is one', () =>
    withRig({ m: asGiven('fb-400-unknown-model-with-quoted-id') }, async (rig) => {
      const first = await rig.ask('m');
      expect(contentOf(first)).toBe('ok-b');
      expect(contentOf(await rig.ask('m'))).toBe('ok-b');
      expect(rig.who('m')).toBe('A B B');
      expect((await rig.record(first)).attempts[0]?.class).toBe('model_not_found');
    }));

  // The policy decides (§5): `standard` shows the caller his 400, `permissive` tries the sibling.
  it('E-1, H-2 fb-400-provider-specific-parameter-limit: never 5xx, never A twice, no cooldown', async () => {
    const id = 'fb-400-provider-specific-parameter-limit';
    await withRig({ m: asGiven(id), p: asGiven(id) }, async (rig) => {
      for (let i = 0; i < 2; i += 1) {
        const refused = await rig.ask('m', fieldsOf(faultCase(id)));
        expect(refused.status).toBe(400);
        expect(errorOf(refused)).toMatchObject({
          message: expect.stringContaining('max_tokens must be between 1 and 4096'),
          param: 'max_tokens',
        });
      }
      expect(rig.who('m')).toBe('A A');
      for (let i = 0; i < 2; i += 1) {
        const served = await rig.ask('p', { ...fieldsOf(faultCase(id)), redundancy: { policy: 'permissive' } });
        expect(contentOf(served)).toBe('ok-b');
      }
      expect(rig.who('p')).toBe('A B A B');
      expect(JSON.parse(rig.calls('p')[1]?.body?.toString() ?? '')).toMatchObject({ max_tokens: 8000 });
    });
  });

  it('D-2, E-1 fb-413-small-body-cap-at-one-target: B takes what A will not, and A is not cooled', async () => {
    const id = 'fb-413-small-body-cap-at-one-target';
    const long = { messages: [{ role: 'user', content: 'a'.repeat(50 * 1024) }] };
    await withRig(
      { m: { up: { A: [stepAt(faultCase(id), 0), okBody('ok-a')], B: [okBody('ok-b')] } }, alone: alone(id) },
      async (rig) => {
        expect(contentOf(await rig.ask('m', long))).toBe('ok-b');
        expect(contentOf(await rig.ask('m'))).toBe('ok-a');
        expect(rig.who('m')).toBe('A B A');
        const refused = await rig.ask('alone', long);
        expect(refused.status).toBe(413);
        expect(rig.who('alone')).toBe('A');
      },
    );
  });

  it('F-6 fb-424-collides-with-internal-sentinel: every status from 400 to 599 goes its own way', async () => {
    const id = 'fb-424-collides-with-internal-sentinel';
    const statuses = Array.from({ length: 200 }, (_, i) => 400 + i);
    // Others among the 4xx are the caller's fault and end at A with their own status (F-6, E-1).
    const movesOn = new Set([401, 402, 403, 404, 408, 412, 413, 424, 425, 429, 499]);
    const route = (status: number): RouteSpec => ({
      up: { A: [errorStep(status, { message: 'failed dependency' })], B: [okBody('ok-b')] },
    });
    const routes = Object.fromEntries(statuses.map((status) => [`s${status}`, route(status)]));
    await withRig({ m: asGiven(id), alone: alone(id), ...routes }, async (rig) => {
      expect(contentOf(await rig.ask('m'))).toBe('ok-b');
      expect(rig.who('m')).toBe('A B');
      const exhausted = await rig.ask('alone');
      expect(exhausted.status).toBe(424);
      expect(exhausted.headers['x-understudy-attempts']).toBe('1');
      const wrong: string[] = [];
      for (const status of statuses) {
        const answer = await rig.ask(`s${status}`);
        const expected = status >= 500 || movesOn.has(status) ? '200 A B' : `${status} A`;
        const got = `${answer.status} ${rig.who(`s${status}`)}`;
        if (got !== expected) wrong.push(`${status}: expected ${expected}, got ${got}`);
      }
      expect(wrong).toEqual([]);
    });
  });

  it('F-1, E-5 fb-cdn-504-524-520-522: pages of an edge are outages, and never reach the client', async () => {
    const id = 'fb-cdn-504-524-520-522';
    const statuses = [502, 504, 520, 522, 524];
    const page = (status: number) => ({
      ...stepAt(faultCase(id), 0),
      status,
      body: `<!DOCTYPE html><title>${status}: A timeout occurred</title>`,
    });
    const routes = Object.fromEntries(
      statuses.flatMap((status) => [
        [`m${status}`, { up: { A: [page(status)], B: [okBody('ok-b')] } }],
        [`all${status}`, { up: { A: [page(status)], B: [page(status)] } }],
      ]),
    );
    await withRig(routes, async (rig) => {
      for (const status of statuses) {
        expect(contentOf(await rig.ask(`m${status}`)), String(status)).toBe('ok-b');
        expect(rig.who(`m${status}`)).toBe('A B');
        expect((await rig.ask(`all${status}`)).status).toBe(status);
        expect(rig.who(`all${status}`)).toBe('A B');
      }
    });
  });

  it('F-1, H-1 fb-400-billing-credit-exhausted: an empty wallet rests, whatever its status', () =>
    withRig({ m: asGiven('fb-400-billing-credit-exhausted') }, async (rig) => {
      const answers = [await rig.ask('m'), await rig.ask('m'), await rig.ask('m')];
      expect(answers.map(contentOf)).toEqual(['ok-b', 'ok-b', 'ok-b']);
      expect(rig.who('m')).toBe('A B B B');
      expect((await rig.record(answers[0] as (typeof answers)[0])).attempts[0]?.class).toBe('quota_exhausted');
    }));

  it('E-3, D-12 fb-chain-ends-at-smaller-context-target: the smaller window is passed by; in a chain the first cause counts', async () => {
    const one = faultCase('fb-chain-ends-at-smaller-context-target');
    const long = { messages: [{ role: 'user', content: 'word '.repeat(10_000) }] };
    await withRig(
      {
        m: {
          channels: [
            { up: 'A', context_window: 128_000 },
            { up: 'B', context_window: 8000 },
            { up: 'C', context_window: 128_000 },
          ],
          up: { A: stepsOf(one, 'A'), B: stepsOf(one, 'B'), C: stepsOf(one, 'C') },
        },
        big: { up: { A: stepsOf(one, 'A') } },
        small: { up: { B: stepsOf(one, 'B') } },
      },
      async (rig) => {
        expect(contentOf(await rig.ask('m', long))).toBe('ok-c');
        expect(rig.who('m')).toMatch(/^A (B )?C$/);
        // As models of a chain, where B's window can not be passed by.
        const failed = await rig.ask('big', { ...long, models: ['big', 'small'] });
        expect(failed.status).toBe(429);
        expect(errorOf(failed)).toMatchObject({ code: 'all_models_failed' });
        expect(rig.who('big') + rig.who('small')).toBe('AB');
      },
    );
  });

  it('C-9, C-5 fb-target-alias-sent-raw-to-provider: names are resolved for every attempt', async () => {
    const one = faultCase('fb-target-alias-sent-raw-to-provider');
    const chainKey = 'test-client-key-with-a-chain';
    await withRig(
      {
        m: { up: { A: stepsOf(one, 'A') } },
        'b/real': { channels: [{ up: 'B', model: 'b-2025-01' }], up: { B: stepsOf(one, 'B') } },
      },
      async (rig) => {
        const asked = await rig.ask('m', { fallback_models: ['big'] });
        expect(contentOf(asked)).toBe('ok-b');
        expect(asked.headers['x-understudy-served-model']).toBe('b/real');
        const byAlias = await rig.ask('nickname', {}, { headers: { authorization: `Bearer ${chainKey}` } });
        expect(contentOf(byAlias)).toBe('ok-b');
        expect(rig.who('b-2025-01')).toBe('B B');
        expect(JSON.parse(rig.calls('b-2025-01')[0]?.body?.toString() ?? '')).not.toHaveProperty('fallback_models');
      },
      {
        aliases: { big: 'b/real', nickname: 'm' },
        keys: [{ name: 'chained', workspace: 'main', secret: chainKey, failover_defaults: { models: ['m', 'big'] } }],
      },
    );
  });

  it('T-2, D-9 fb-last-target-stream-error-before-output: an error under 200 uses the same retries', async () => {
    const one = faultCase('fb-last-target-stream-error-before-output');
    const overloaded = stepAt(one, 0);
    await withRig({ m: { up: { A: stepsOf(one, 'A') } }, dead: { up: { A: [overloaded] } } }, async (rig) => {
      const asked = { stream: true, redundancy: { retries: 2 } };
      expectWholeStream(await rig.ask('m', asked), 'ok-a');
      expect(rig.who('m')).toBe('A A');
      const dead = await rig.ask('dead', asked);
      expect([503, 529]).toContain(dead.status);
      expect(dead.headers['x-understudy-attempts']).toBe('3');
      expect(dead.text).toMatch(/overloaded/i);
      expect(rig.who('dead')).toBe('A A A');
    });
  });

  it('C-2, D-4 fb-duplicate-targets-eat-the-attempt-budget: a target counts once', async () => {
    const one = faultCase('fb-duplicate-targets-eat-the-attempt-budget');
    await withRig(
      {
        m: { channels: ['A', 'A', 'B'], up: { A: stepsOf(one, 'A'), B: stepsOf(one, 'B') } },
        x: { up: { A: stepsOf(one, 'A') } },
        y: { up: { B: [okBody('ok-y')] } },
      },
      async (rig) => {
        expect(contentOf(await rig.ask('m', { redundancy: { max_attempts: 2 } }))).toBe('ok-b');
        expect(rig.who('m')).toBe('A B');
        const chain = await rig.ask('x', { models: ['x', 'x', 'y'], redundancy: { max_attempts: 2 } });
        expect(contentOf(chain)).toBe('ok-y');
        expect(rig.who('x') + rig.who('y')).toBe('AB');
      },
    );
  });

  it('H-3 fb-duplicate-targets-eat-the-attempt-budget: a drained target never gets a call', () =>
    withRig({ m: { up: { C: [okBody('never')], B: [okBody('ok-b')] } } }, async (rig) => {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
      const board = await sendRaw({ url: `${rig.url}/admin/v1/health/targets`, headers });
      const { data } = JSON.parse(board.text) as { data: { id: string; channel: string }[] };
      for (const { id } of data.filter((target) => target.channel.startsWith('c'))) {
        const url = `${rig.url}/admin/v1/health/targets/${encodeURIComponent(id)}/drain`;
        expect((await sendRaw({ url, method: 'POST', headers })).status).toBe(200);
      }
      for (let i = 0; i < 3; i += 1) expect(contentOf(await rig.ask('m'))).toBe('ok-b');
      expect(rig.who('m')).toBe('B B B');
    }));
});

describe.concurrent('fallback wrongly triggered', () => {
  it('E-3, D-1 wrong-content-policy-routed-around: a refusal moves on only when asked to', async () => {
    const one = faultCase('wrong-content-policy-routed-around');
    const refusing = { A: stepsOf(one, 'A') };
    await withRig(
      {
        a: { up: refusing },
        b: { up: { B: [okBody('ok-b')] } },
        m: { up: { ...refusing, B: [okBody('ok-b')] } },
      },
      async (rig) => {
        const refused = await rig.ask('a', { models: ['a', 'b'] });
        expect(refused.status).toBe(400);
        expect(errorOf(refused)['code']).toBe('content_policy_violation');
        expect(rig.who('a') + rig.who('b')).toBe('A');
        const channels = await rig.ask('m');
        expect([channels.status, rig.who('m')]).toEqual([400, 'A']);
        const asked = await rig.ask('a', { models: ['a', 'b'], redundancy: { on: ['content_policy'] } });
        expect(contentOf(asked)).toBe('ok-b');
        expect(asked.headers).toMatchObject({ 'x-understudy-served-model': 'b', 'x-understudy-degraded': 'true' });
      },
    );
  });

  it('F-1, D-9 wrong-insufficient-quota-wording-for-concurrency: the words are no verdict', () => {
    const one = faultCase('wrong-insufficient-quota-wording-for-concurrency');
    return withRig({ m: { up: { A: stepsOf(one, 'A') } } }, async (rig) => {
      const answer = await rig.ask('m', { redundancy: { retries: 2 } });
      expect(contentOf(answer)).toBe('ok-a');
      expect(rig.who('m')).toBe('A A');
      expect((await rig.record(answer)).attempts[0]).toMatchObject({
        class: 'rate_limit',
        provider_message: expect.stringContaining('concurrent requests'),
      });
    });
  });

  // The stand-in switch is `cross_model: false` (C-8), or `on: []`.
  it('C-8, D-1 wrong-fallback-although-client-disabled-it: the switch holds at every point', async () => {
    const one = faultCase('wrong-fallback-although-client-disabled-it');
    const midStream = okStream('one');
    const broken = [
      ...(midStream.chunks ?? []).slice(0, 2),
      'data: {"error":{"message":"boom","type":"server_error"}}\n\n',
    ];
    await withRig(
      {
        early: { up: { A: stepsOf(one, 'A') } },
        status: { up: { A: [errorStep(503, { message: 'boom' })] } },
        late: { up: { A: [{ ...midStream, chunks: broken }] } },
        b: { up: { B: [okStream('never')] } },
      },
      async (rig) => {
        for (const redundancy of [{ cross_model: false }, { on: [] }]) {
          for (const route of ['early', 'status']) {
            const failed = await rig.ask(route, { stream: true, models: [route, 'b'], redundancy });
            expect(failed.status, route).toBeGreaterThanOrEqual(500);
          }
          const late = await rig.ask('late', { stream: true, models: ['late', 'b'], redundancy });
          expect(late.text).toContain('stream_interrupted');
        }
        expect(rig.who('early')).toBe('A A');
        expect(rig.who('b')).toBe('');
      },
    );
  });
});
