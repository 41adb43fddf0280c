/** The page, fourth part: channels on which a workspace admits nothing but its own credentials. */
import { describe, expect, it } from 'vitest';
import { errorOf } from '../../faults/invariants.ts';
import { JumpingClock } from '../../support/jumping-clock.ts';
import { ALL, DOWN, FINE, LIMITED, refusal, servedBy, withPage } from './page.ts';

const fine = { a: [FINE], b: [FINE] };
const down = { a: [DOWN], b: [DOWN] };

describe('a channel set to the workspace’s own credentials only', () => {
  const routing = { channels: { m: { b1: { byok_only: true } } } };
  const models = { m: { a: [FINE], b: [LIMITED] }, n: fine };

  it('P-3: those alone are tried: no credential of the operator’s, no other channel, no default model', async () => {
    await withPage({ models, last: [FINE], workspace: { routing } }, async (page) => {
      const answer = await page.ask('m', { redundancy: ALL });
      expect(refusal(answer)).toEqual([429, 'rate_limit_exceeded']);
      expect(page.tried()).toEqual(['m/b-own1', 'm/b-own2']);
    });
  });

  it.each([
    ['a virtual model', 'smart'],
    ['understudy/auto', 'understudy/auto'],
  ])('P-3, C-7: through %s the next model is tried, but never the default model', async (_way, name) => {
    const workspace = { routing, virtual_models: { smart: { models: ['m', 'n'] } }, auto: ['m', 'n'] };
    await withPage({ models, last: [FINE], workspace }, async (page) => {
      expect(servedBy(await page.ask(name, { redundancy: ALL }))).toBe('n');
      expect(page.tried()).toEqual(['m/b-own1', 'm/b-own2', 'n/a-own1']);
    });
    await withPage({ models: { ...models, n: down }, last: [FINE], workspace }, async (page) => {
      expect((await page.ask(name, { redundancy: ALL })).status).toBe(503);
      expect(page.tried()).toEqual(['m/b-own1', 'm/b-own2', 'n/a-own1', 'n/b-own1']);
    });
  });

  it('P-3, P-4: at their limits the model is over: 429 in the known words, though others and a default model are there', async () => {
    const rpm = { limits: { rpm: 1 } };
    const world = {
      models: { m: fine, n: fine },
      last: [FINE],
      workspace: { routing, auto: ['m', 'n'] },
      credentials: { 'm/b-own1': rpm, 'm/b-own2': rpm },
      clock: new JumpingClock(),
    };
    await withPage(world, async (page) => {
      await page.ask('m');
      await page.ask('m');
      const refused = await page.ask('m');
      expect(refusal(refused)).toEqual([429, 'rate_limited']);
      expect(errorOf(refused)['message']).toBe('all upstream credentials for this model are rate limited');
      expect(servedBy(await page.ask('understudy/auto'))).toBe('n');
      expect(page.tried()).toEqual(['m/b-own1', 'm/b-own2', 'n/a-own1']);
    });
  });

  it('P-3, C-6: a model that a virtual one names itself is tried, also when it is the default model', async () => {
    const workspace = { routing, auto: ['m', 'last'] };
    await withPage({ models, last: [FINE], workspace }, async (page) => {
      expect(servedBy(await page.ask('understudy/auto', { redundancy: ALL }))).toBe('last');
      expect(page.tried()).toEqual(['m/b-own1', 'm/b-own2', 'last']);
    });
  });

  it('P-3: on the second model of a virtual one it bars the default model as well', async () => {
    const workspace = { routing, auto: ['n', 'm'] };
    await withPage({ models: { ...models, n: down }, last: [FINE], workspace }, async (page) => {
      expect(refusal(await page.ask('understudy/auto', { redundancy: ALL }))).toEqual([429, 'rate_limit_exceeded']);
      expect(page.tried()).toEqual(['n/a-own1', 'n/b-own1', 'm/b-own1', 'm/b-own2']);
    });
  });

  it('P-3, D-1: a model that answers before its turn comes leaves it without effect', async () => {
    const workspace = { routing, auto: ['n', 'm'] };
    await withPage({ models: { ...models, n: fine }, last: [FINE], workspace }, async (page) => {
      expect(servedBy(await page.ask('understudy/auto'))).toBe('n');
    });
  });

  it('P-3: a whole failure of the channel ends it too, under every policy', async () => {
    for (const policy of ['standard', 'permissive'] as const) {
      await withPage(
        { models: { m: { a: [FINE], b: [DOWN] } }, last: [FINE], workspace: { routing } },
        async (page) => {
          expect((await page.ask('m', { redundancy: { policy } })).status, policy).toBe(503);
          // Under `permissive` the fault of a channel does not spare its other credentials.
          expect(page.tried(), policy).toEqual(['m/b-own1', 'm/b-own2'].slice(0, policy === 'standard' ? 1 : 2));
        },
      );
    }
  });

  it('P-3, P-5: a channel that is not well is tried all the same, rather than one of the others', async () => {
    await withPage({ models: { m: { a: [FINE], b: [DOWN] } }, last: [FINE], workspace: { routing } }, async (page) => {
      for (let i = 0; i < 7; i += 1) await page.ask('m');
      expect(page.tried()).toEqual(Array(7).fill('m/b-own1'));
    });
  });

  it('P-3, G-2: a channel that the guardrails deny opens no way around it', async () => {
    const workspace = { routing, guardrails: { deny_channels: ['m#b*'] } };
    await withPage({ models, last: [FINE], workspace }, async (page) => {
      expect(refusal(await page.ask('m'))).toEqual([403, 'guardrail_blocked']);
      expect(page.called()).toEqual([]);
    });
  });
});
