/** The page, first part: in which order a direct call goes through credentials, channels and the default model. */
import { describe, expect, it } from 'vitest';
import type { Step } from '../../../sim/index.ts';
import { okBody, okStream } from '../../faults/answers.ts';
import { until } from '../../faults/rig.ts';
import { ALL, DOWN, FINE, HI, type Json, LIMITED, servedBy, WHOLE_ORDER, withPage } from './page.ts';

describe('a call that fails goes on, before anything is told, until one succeeds', () => {
  it('T-2, R-1: the client gets the one result and sees nothing of what failed; the log has every attempt', async () => {
    await withPage({ models: { m: { a: [LIMITED, DOWN], b: [FINE] } } }, async (page) => {
      const { openai, statuses } = page.client(0);
      const { data, response } = await openai.chat.completions.create({ model: 'm', messages: HI }).withResponse();
      expect([data.choices[0]?.message.content, statuses]).toEqual(['fine', [200]]);
      expect(response.headers.get('x-understudy-attempts')).toBe('3');
      const { attempts } = await page.gateway.record(String(response.headers.get('x-request-id')));
      expect(attempts.map(({ credential, status, result }) => [credential, status, result])).toEqual([
        ['m-a-own1', 429, 'failed'],
        ['m-a-own2', 503, 'failed'],
        ['m-b-own1', 200, 'served'],
      ]);
    });
  });

  it('T-2: a stream whose beginnings failed is one whole stream', async () => {
    const dead: Step = { ...okStream(), chunks: [': hello\n\n'], end: 'rst' };
    await withPage({ models: { m: { a: [dead], b: [okStream('on', 'ce')] } } }, async (page) => {
      const { openai, statuses } = page.client(0);
      let text = '';
      for await (const part of await openai.chat.completions.create({ model: 'm', messages: HI, stream: true })) {
        text += part.choices[0]?.delta.content ?? '';
      }
      expect([text, statuses, page.tried()]).toEqual(['once', [200], ['m/a-own1', 'm/b-own1']]);
    });
  });
});

describe('the order', () => {
  it('P-1, C-7: each channel’s own credentials as the workspace ordered them, then the operator’s; the default model last', async () => {
    await withPage({ models: { m: { a: [LIMITED], b: [LIMITED] } }, last: [FINE] }, async (page) => {
      const answer = await page.ask('m', { redundancy: ALL });
      expect(page.tried()).toEqual([...WHOLE_ORDER, 'last']);
      expect([answer.status, servedBy(answer)]).toEqual([200, 'last']);
    });
  });

  it('D-4: of the six attempts there are by default one is kept for the default model', async () => {
    await withPage({ models: { m: { a: [LIMITED], b: [LIMITED] } }, last: [FINE] }, async (page) => {
      expect(servedBy(await page.ask('m'))).toBe('last');
      expect(page.tried()).toEqual([...WHOLE_ORDER.slice(0, 5), 'last']);
    });
  });

  it('P-1: the operator’s credentials only of the channels that the workspace has enabled', async () => {
    const workspace = { enabled_channels: ['m#b*', 'last#*'] };
    await withPage({ models: { m: { a: [LIMITED], b: [LIMITED] } }, last: [FINE], workspace }, async (page) => {
      await page.ask('m', { redundancy: ALL });
      expect(page.tried()).toEqual([...WHOLE_ORDER.filter((name) => name !== 'm/a-platform'), 'last']);
    });
  });

  it('C-7: a default model that is the requested one is not tried twice; without one the order ends', async () => {
    for (const default_model of ['m', null]) {
      const workspace = { default_model };
      await withPage({ models: { m: { a: [LIMITED], b: [LIMITED] } }, workspace }, async (page) => {
        expect((await page.ask('m', { redundancy: ALL })).status).toBe(429);
        expect(page.tried()).toEqual(WHOLE_ORDER);
      });
    }
  });

  const bFirst = [...WHOLE_ORDER.slice(3), ...WHOLE_ORDER.slice(0, 3)];
  const late: Step = { ...okBody('late'), delay_ms: 1000 };
  const price = (input: number) => ({ price: { input, output: input } });
  it.each<[string, Json, Json, 'alone' | 'measured' | 'busy' | 'second']>([
    ['priority', { priority: 2 }, { priority: 1 }, 'alone'],
    ['price', price(2), price(1), 'alone'],
    ['weighted', { weight: 0 }, { weight: 1 }, 'alone'],
    ['round_robin', {}, {}, 'second'],
    ['latency', {}, {}, 'measured'],
    ['throughput', {}, {}, 'measured'],
    ['least_busy', {}, {}, 'busy'],
  ])(
    'P-2: `%s` decides which channel is the first; within it the order stays',
    async (strategy, channelA, channelB, after) => {
      const before: Record<typeof after, Step[]> = { alone: [], second: [FINE], measured: [late], busy: [late] };
      const a = [...before[after], LIMITED];
      const b = [...(after === 'measured' ? [FINE] : []), LIMITED];
      let chance = 0.5;
      const workspace = { routing: { strategy } };
      const world = { models: { m: { a, b, channelA, channelB } }, workspace, random: () => chance };
      await withPage(world, async (page) => {
        if (after === 'second') await page.ask('m');
        if (after === 'measured') {
          await page.ask('m');
          // One request in fifty starts at a channel that nobody has measured.
          chance = 0;
          await page.ask('m');
          chance = 0.5;
        }
        const busy = after === 'busy' ? page.ask('m') : null;
        if (busy !== null) await until(() => page.called().length === 1, 'the first call');
        const warm = page.tried().length;
        await page.ask('m', { redundancy: ALL });
        expect(page.tried().slice(warm)).toEqual(bFirst);
        await busy;
      });
    },
  );
});
