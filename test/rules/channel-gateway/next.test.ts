/** The page, second part: which failures lead on, what is told when all failed, and what a preferred channel changes. */
import { describe, expect, it } from 'vitest';
import type { Step } from '../../../sim/index.ts';
import { errorStep, okBody } from '../../faults/answers.ts';
import { errorOf } from '../../faults/invariants.ts';
import { jsonOf, MESSAGES } from '../rules-rig.ts';
import { ALL, DOWN, FINE, LIMITED, refusal, servedBy, WHOLE_ORDER, withPage } from './page.ts';

/** Where a failed first call leads: the next credential of the channel, the next channel, or nowhere. */
const NEXT = { credential: ['m/a-own1', 'm/a-own2'], channel: ['m/a-own1', 'm/b-own1'], stop: ['m/a-own1'] } as const;

describe('which failures lead on', () => {
  it.each<[number, keyof typeof NEXT]>([
    [302, 'channel'],
    [400, 'stop'],
    [401, 'credential'],
    [402, 'credential'],
    [403, 'credential'],
    [404, 'credential'],
    [408, 'channel'],
    [409, 'stop'],
    [413, 'channel'],
    [422, 'stop'],
    [429, 'credential'],
    [500, 'channel'],
    [502, 'channel'],
    [503, 'channel'],
    [504, 'channel'],
    [529, 'channel'],
  ])(
    'F-1, D-1: status %d: any but 2xx to the next credential under `permissive`; under `standard` by its class',
    async (status, standard) => {
      const failing = errorStep(status, { message: 'no' });
      for (const policy of ['permissive', 'standard'] as const) {
        await withPage({ models: { m: { a: [failing, FINE], b: [FINE] } } }, async (page) => {
          const answer = await page.ask('m', { redundancy: { policy } });
          const way = policy === 'permissive' ? 'credential' : standard;
          expect(page.tried(), policy).toEqual(NEXT[way]);
          expect(answer.status, policy).toBe(way === 'stop' ? status : 200);
        });
      }
    },
  );

  it.each<[string, Step, number | null]>([
    ['a connection that is refused', { socket: 'refused' }, null],
    ['an answer that breaks off', { ...FINE, end: 'rst' }, 200],
    ['waiting in vain', { socket: 'accept_then_silence' }, null],
  ])('F-1, F-2: %s leads on as well', async (_what, broken, status) => {
    await withPage({ models: { m: { a: [broken], b: [FINE] } } }, async (page) => {
      const answer = await page.post({ models: [{ model: 'm', timeout_ms: 1500 }], messages: MESSAGES });
      expect(answer.status).toBe(200);
      const { attempts } = await page.record(answer);
      expect(attempts.map((attempt) => [attempt.channel, attempt.status])).toEqual([
        ['a0', status],
        ['b1', 200],
      ]);
    });
  });
});

describe('when all have failed', () => {
  const said = (status: number, who: string): Step =>
    errorStep(status, { message: `${who} is full`, type: 'overload', code: `full_${who}`, param: 'model', trail: 'x' });

  it('E-1: the status and the error of the last attempt, in the client’s own form', async () => {
    await withPage({ models: { m: { a: [said(500, 'a')], b: [said(503, 'b')] } } }, async (page) => {
      const answer = await page.ask('m');
      expect(answer.status).toBe(503);
      const { request_id, ...error } = errorOf(answer);
      expect(error).toEqual({ message: 'b is full', type: 'overload', code: 'full_b', param: 'model' });
      expect(request_id).toBe(answer.headers['x-request-id']);
      expect(Object.keys(jsonOf(answer)), 'no wrapping').toEqual(['error']);
    });
  });

  it('E-1, C-7: the last attempt is the default model’s, where there is one', async () => {
    const world = { models: { m: { a: [said(500, 'a')], b: [said(503, 'b')] } }, last: [said(529, 'last')] };
    await withPage(world, async (page) => {
      const answer = await page.ask('m');
      expect([...refusal(answer), errorOf(answer)['message']]).toEqual([529, 'full_last', 'last is full']);
    });
  });

  it('E-1, T-2: of a stream as well: nothing has been told yet, so it is an error like any other', async () => {
    await withPage({ models: { m: { a: [said(500, 'a')], b: [said(503, 'b')] } } }, async (page) => {
      const answer = await page.ask('m', { stream: true });
      expect(refusal(answer)).toEqual([503, 'full_b']);
      expect(answer.headers['content-type']).toMatch(/^application\/json/);
    });
  });

  it.each<[string, Step, number, string]>([
    ['nobody was reached', { socket: 'refused' }, 502, 'upstream_connection_error'],
    ['nobody answered in time', { socket: 'accept_then_silence' }, 504, 'upstream_timeout'],
    ['credentials were rejected', errorStep(401, { message: 'who?' }), 502, 'upstream_credentials_rejected'],
    ['accounts were empty', errorStep(402, { message: 'pay' }), 429, 'insufficient_quota'],
  ])('E-1: where there is no such status, or it would mislead the client: %s', async (_what, step, status, code) => {
    await withPage({ models: { m: { a: [step], b: [step] } } }, async (page) => {
      const body = { models: [{ model: 'm', timeout_ms: 1000 }], messages: MESSAGES, redundancy: ALL };
      expect(refusal(await page.post(body))).toEqual([status, code]);
    });
  });
});

describe('a preferred channel', () => {
  const workspace = { routing: { channels: { m: { b1: { prefer: true } } } } };

  it('P-3: only comes first: when it fails the order is as ever, to the default model', async () => {
    await withPage({ models: { m: { a: [LIMITED], b: [LIMITED] } }, last: [FINE], workspace }, async (page) => {
      expect(servedBy(await page.ask('m', { redundancy: ALL }))).toBe('last');
      expect(page.tried()).toEqual([...WHOLE_ORDER.slice(3), ...WHOLE_ORDER.slice(0, 3), 'last']);
    });
    await withPage({ models: { m: { a: [okBody('a')], b: [DOWN] } }, workspace }, async (page) => {
      await page.ask('m');
      expect(page.tried()).toEqual(['m/b-own1', 'm/a-own1']);
    });
  });
});
