/** The page, second part: what has reached a limit is left out before the order is made. */
import { describe, expect, it } from 'vitest';
import { errorStep } from '../../faults/answers.ts';
import { errorOf } from '../../faults/invariants.ts';
import { JumpingClock } from '../../support/jumping-clock.ts';
import { jsonOf } from '../rules-rig.ts';
import { ALL, DOWN, FINE, type Json, refusal, servedBy, WHOLE_ORDER, withPage } from './page.ts';

describe('limits', () => {
  const MESSAGE = 'all upstream credentials for this model are rate limited';
  const rpm = { limits: { rpm: 1 } };
  const NOON = Date.UTC(2026, 10, 29, 12);
  const everyone = Object.fromEntries(WHOLE_ORDER.map((name) => [name, rpm]));

  it('P-4: a credential or a channel at its limit is left out when the order is made, not tried and failed', async () => {
    const world = { models: { m: { a: [FINE], b: [FINE] } }, credentials: { 'm/a-own1': rpm, 'm/a-own2': rpm } };
    await withPage({ ...world, clock: new JumpingClock(NOON) }, async (page) => {
      for (let i = 0; i < 3; i += 1) await page.ask('m');
      expect(page.tried()).toEqual(['m/a-own1', 'm/a-own2', 'm/a-platform']);
    });
    await withPage({ models: { m: { a: [FINE], b: [FINE], channelA: rpm } } }, async (page) => {
      await page.ask('m');
      const answer = await page.ask('m');
      expect(page.tried()).toEqual(['m/a-own1', 'm/b-own1']);
      const { candidates } = await page.record(answer);
      expect(candidates.map(({ channel, skip_reason }) => [channel, skip_reason])).toEqual(
        ['a0', 'a0', 'a0', 'b1', 'b1', 'b1'].map((id) => [id, id === 'a0' ? 'limit' : null]),
      );
    });
  });

  it('P-4, D-3: all left out and no default model: 429 in exactly these words, at once', async () => {
    const world = { models: { m: { a: [FINE], b: [FINE] } }, credentials: everyone, clock: new JumpingClock(NOON) };
    await withPage(world, async (page) => {
      for (let i = 0; i < 6; i += 1) expect((await page.ask('m')).status).toBe(200);
      expect(page.tried()).toEqual(WHOLE_ORDER);
      const refused = await page.ask('m');
      expect(refusal(refused)).toEqual([429, 'rate_limited']);
      expect(errorOf(refused)['message']).toBe(MESSAGE);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(50);
      expect(page.tried(), 'nobody is called').toHaveLength(6);
    });
  });

  it('P-4, C-7: all left out: the default model takes over', async () => {
    const world = { models: { m: { a: [FINE], b: [FINE] } }, credentials: everyone, last: [FINE] };
    await withPage({ ...world, clock: new JumpingClock(NOON) }, async (page) => {
      for (let i = 0; i < 6; i += 1) await page.ask('m');
      expect(servedBy(await page.ask('m'))).toBe('last');
    });
  });

  it('P-4: the default model at its limits too: the same 429', async () => {
    const credentials = { ...everyone, last: rpm };
    const world = { models: { m: { a: [FINE], b: [FINE] } }, credentials, last: [FINE] };
    await withPage({ ...world, clock: new JumpingClock(NOON) }, async (page) => {
      for (let i = 0; i < 7; i += 1) await page.ask('m');
      const refused = await page.ask('m');
      expect([...refusal(refused), errorOf(refused)['message']]).toEqual([429, 'rate_limited', MESSAGE]);
      expect(page.tried()).toHaveLength(7);
    });
  });

  it('P-4, C-6: a model of a virtual one without anybody left is passed over for the next', async () => {
    const world = {
      models: { m: { a: [FINE], b: [FINE] }, n: { a: [FINE], b: [FINE] } },
      credentials: everyone,
      workspace: { auto: ['m', 'n'] },
    };
    await withPage({ ...world, clock: new JumpingClock(NOON) }, async (page) => {
      for (let i = 0; i < 6; i += 1) await page.ask('m');
      const answer = await page.ask('understudy/auto');
      expect(servedBy(answer)).toBe('n');
      const { failover } = jsonOf(answer)['understudy'] as Json;
      expect(failover).toMatchObject({
        attempts: [
          { model: 'm', status: 'skipped' },
          { model: 'n', status: 'served' },
        ],
      });
      expect(page.tried().slice(6)).toEqual(['n/a-own1']);
    });
  });

  it('P-4, D-3: upstreams that said how long they rest are left out as well, and come back in time', async () => {
    const clock = new JumpingClock(NOON);
    const full = errorStep(429, { message: 'slow down', code: 'rate_limit_exceeded' }, { 'retry-after': '40' });
    const world = { models: { m: { a: [{ ...full, times: 3 }, FINE], b: [{ ...full, times: 3 }, FINE] } }, clock };
    await withPage(world, async (page) => {
      const first = await page.ask('m', { redundancy: ALL });
      expect([refusal(first), page.tried()]).toEqual([[429, 'rate_limit_exceeded'], WHOLE_ORDER]);
      const refused = await page.ask('m');
      expect([...refusal(refused), errorOf(refused)['message']]).toEqual([429, 'rate_limited', MESSAGE]);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThan(30);
      expect(page.tried(), 'nobody was asked').toHaveLength(6);
      clock.jump(41_000);
      expect(servedBy(await page.ask('m'))).toBe('m');
    });
  });

  it('P-4, P-1: what the workspace may not use anyway changes nothing about it', async () => {
    const world = { models: { m: { a: [FINE], b: [FINE] } }, credentials: everyone, clock: new JumpingClock(NOON) };
    await withPage({ ...world, workspace: { enabled_channels: ['last#*'] } }, async (page) => {
      for (let i = 0; i < 4; i += 1) expect((await page.ask('m')).status).toBe(200);
      const refused = await page.ask('m');
      expect([...refusal(refused), errorOf(refused)['message']]).toEqual([429, 'rate_limited', MESSAGE]);
    });
  });

  it('P-4, E-1: where somebody was called, his answer is the last, though the models after him were at their limits', async () => {
    const world = {
      models: { n: { a: [DOWN], b: [DOWN] }, m: { a: [FINE], b: [FINE] } },
      credentials: everyone,
      workspace: { auto: ['n', 'm'] },
    };
    await withPage({ ...world, clock: new JumpingClock(NOON) }, async (page) => {
      for (let i = 0; i < 6; i += 1) await page.ask('m');
      expect(refusal(await page.ask('understudy/auto'))).toEqual([503, 'server_error']);
    });
  });
});
