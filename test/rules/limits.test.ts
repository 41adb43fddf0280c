/** G-11 over the wire: limits of keys and workspaces. */
import { describe, expect, it } from 'vitest';
import { DONE, delta, errorStep, finish, okBody, role, sseStep } from '../faults/answers.ts';
import { errorOf } from '../faults/invariants.ts';
import { chatRequest, type RawAnswer, type RawRequest, sendRaw } from '../faults/raw-client.ts';
import { until } from '../faults/rig.ts';
import { JumpingClock } from '../support/jumping-clock.ts';
import { jsonOf, type RulesRig, withRules } from './rules-rig.ts';

type Json = Record<string, unknown>;

/** Noon of a month's last day but one. */
const NOON = Date.UTC(2026, 10, 29, 12);
const ROUTES = {
  good: { up: { A: [okBody('fine')] } },
  slow: { up: { A: [{ ...okBody('late'), delay_ms: 60_000 }] } },
  down: { up: { A: [errorStep(503, { message: 'down' })] } },
  endless: { up: { A: [sseStep([role(), delta('a'), { wait_ms: 60_000 }], { end: 'hang' as const })] } },
  stream: { up: { A: [sseStep([role(), delta('a'), finish(), DONE])] } },
};
const KEY = 'limited-key-0123456789';
const OTHER = 'other-key-0123456789';

interface Limited {
  readonly rig: RulesRig;
  readonly clock: JumpingClock;
  ask(model?: string, fields?: Json, more?: Partial<RawRequest> & { key?: string }): Promise<RawAnswer>;
  /** Requests of the key that have not ended. */
  inFlight(): number;
}

/** Two keys of one workspace, the first with limits. */
async function withLimits(
  limits: { key?: Json; workspace?: Json },
  body: (limited: Limited) => Promise<void>,
): Promise<void> {
  const clock = new JumpingClock(NOON);
  const keys = [
    { name: 'limited', workspace: 'main', secret: KEY, limits: limits.key ?? {} },
    { name: 'other', workspace: 'main', secret: OTHER },
  ];
  const over = { workspaces: { main: { limits: limits.workspace ?? {} } } };
  await withRules(
    ROUTES,
    (rig) =>
      body({
        rig,
        clock,
        ask: (model = 'good', fields = {}, { key = KEY, ...more } = {}) =>
          sendRaw({
            url: `${rig.url}/v1/chat/completions`,
            body: chatRequest(model, fields),
            ...more,
            headers: { authorization: `Bearer ${key}`, ...more.headers },
          }),
        inFlight: () =>
          rig.gateway.inside.limits.usage({ kind: 'key', id: 'limited' }, clock.now(), clock.wall()).inFlight,
      }),
    { keys, over, clock },
  );
}

describe('requests per minute', () => {
  it('G-11: the first over it is 429 key_rate_limited with its return, and no upstream is called', () =>
    withLimits({ key: { rpm: 2 } }, async ({ rig, clock, ask }) => {
      const answers = [await ask(), await ask(), await ask()];
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
      const refused = answers[2]!;
      expect(errorOf(refused)).toMatchObject({ code: 'key_rate_limited', type: 'rate_limit_error' });
      expect(errorOf(refused)['message']).toContain('2 requests per minute');
      const wait = Number(refused.headers['retry-after-ms']);
      expect(wait).toBeGreaterThan(50_000);
      expect(wait).toBeLessThanOrEqual(60_000);
      expect(refused.headers['retry-after']).toBe(String(Math.ceil(wait / 1000)));
      expect(Date.parse(String(errorOf(refused)['retry_at'])) - clock.wall()).toBeLessThanOrEqual(60_000);
      expect(refused.headers['x-should-retry']).toBe('true');
      expect(refused.headers['x-understudy-attempts']).toBe('0');
      expect(rig.called()).toHaveLength(2);
      clock.jump(wait);
      expect((await ask()).status).toBe(200);
    }));

  it('G-11, O-1: the record of a refusal: rejected, the caller’s doing, nothing planned or tried', () =>
    withLimits({ key: { rpm: 1 } }, async ({ rig, ask }) => {
      await ask();
      const record = await rig.record(await ask());
      expect(record).toMatchObject({
        ending: 'rejected',
        outcome: 'client_error',
        status: 429,
        error_code: 'key_rate_limited',
        key: 'limited',
        candidates: [],
        attempts: [],
      });
    }));

  it('G-11: x-ratelimit headers on answers, streams and refusals of a limited key, and on no other’s', () =>
    withLimits({ key: { rpm: 3, tpm: 100_000 } }, async ({ ask }) => {
      const answers = [await ask(), await ask('stream', { stream: true }), await ask('down'), await ask()];
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 503, 429]);
      const left = answers.map(({ headers }) => headers['x-ratelimit-remaining-requests']);
      expect(left).toEqual(['2', '1', '0', '0']);
      for (const { headers } of answers) {
        expect(headers['x-ratelimit-limit-requests']).toBe('3');
        expect(headers['x-ratelimit-limit-tokens']).toBe('100000');
        expect(headers['x-ratelimit-reset-requests']).toMatch(/^(\d+(\.\d+)?s|1m0s)$/);
        expect(Number(headers['x-ratelimit-remaining-tokens'])).toBeGreaterThan(90_000);
      }
      const other = await ask('good', {}, { key: OTHER });
      expect(Object.keys(other.headers).filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
    }));

  it('G-11: a workspace’s limit holds for all of its keys together', () =>
    withLimits({ workspace: { rpm: 2 } }, async ({ ask }) => {
      expect((await ask()).status).toBe(200);
      expect((await ask('good', {}, { key: OTHER })).status).toBe(200);
      for (const key of [KEY, OTHER]) {
        const refused = await ask('good', {}, { key });
        expect(refused.status).toBe(429);
        expect(errorOf(refused)['message']).toContain('the workspace of this key');
        expect(refused.headers['x-ratelimit-limit-requests']).toBe('2');
      }
    }));

  it('C-1, G-11: a body nobody could serve takes no room, one that names a wrong model does', () =>
    withLimits({ key: { rpm: 2 } }, async ({ ask }) => {
      for (let i = 0; i < 3; i += 1) expect((await ask('good', { n: 0 })).status).toBe(400);
      expect((await ask('nothing')).status).toBe(404);
      expect((await ask()).status).toBe(200);
      expect((await ask()).status).toBe(429);
    }));
});

describe('tokens', () => {
  it('G-11: per minute: what answers used counts, not what they were expected to use', () =>
    withLimits({ key: { tpm: 100 } }, async ({ clock, ask }) => {
      let served = 0;
      for (let i = 0; i < 30; i += 1) if ((await ask('good', { max_tokens: 5000 })).status === 200) served += 1;
      // 5 tokens each, and a request of about 20 has to fit.
      expect(served).toBeGreaterThan(10);
      expect(served).toBeLessThanOrEqual(20);
      const refused = await ask('good', { max_tokens: 5000 });
      expect(errorOf(refused)).toMatchObject({ code: 'key_rate_limited' });
      clock.jump(60_000);
      expect((await ask()).status).toBe(200);
    }));

  it('G-11: per day: 429 token_budget_exceeded until midnight UTC, without an invitation', () =>
    withLimits({ key: { tokens_per_day: 10 } }, async ({ rig, clock, ask }) => {
      expect([(await ask()).status, (await ask()).status]).toEqual([200, 200]);
      const refused = await ask();
      expect(refused.status).toBe(429);
      expect(errorOf(refused)).toMatchObject({ code: 'token_budget_exceeded', retry_at: '2026-11-30T00:00:00.000Z' });
      expect(refused.headers['retry-after']).toBe('60');
      expect(refused.headers['x-should-retry']).toBe('false');
      expect(refused.headers['x-ratelimit-remaining-tokens']).toBe('0');
      expect(rig.called()).toHaveLength(2);
      clock.jump(12 * 3_600_000);
      expect((await ask()).status).toBe(200);
    }));

  it('G-4, G-11: a failed request uses up no budget', () =>
    withLimits({ key: { tokens_per_day: 10 } }, async ({ ask }) => {
      for (let i = 0; i < 5; i += 1) expect((await ask('down')).status).toBe(503);
      expect((await ask()).status).toBe(200);
    }));

  it('G-4: a budget used up and a soft limit passed are told once', () =>
    withLimits({ key: { tokens_per_day: 10, soft: { tokens_per_day: 5 } } }, async ({ rig, ask }) => {
      const told: string[] = [];
      const { alerts } = rig.gateway.inside;
      const raise = alerts.raise.bind(alerts);
      alerts.raise = (alert) => {
        told.push(`${alert.kind}: ${alert.message}`);
        raise(alert);
      };
      for (let i = 0; i < 5; i += 1) await ask();
      expect(told).toEqual([
        'budget.soft_limit: key limited has passed its soft limit of 5 tokens per day (UTC)',
        'budget.exhausted: key limited has used up its 10 tokens per day (UTC)',
      ]);
    }));
});

describe('at the same time', () => {
  it('G-11: one too many is 429 with a short wait and no promise; a client that leaves makes room', () =>
    withLimits({ key: { concurrent: 1 } }, async ({ ask, inFlight }) => {
      let leave: (value: null) => void = () => undefined;
      const leaveOn = new Promise((resolve) => {
        leave = resolve;
      });
      const running = ask('slow', {}, { leaveOn });
      await until(() => inFlight() === 1, 'the first request');
      const refused = await ask();
      expect([refused.status, errorOf(refused)['code']]).toEqual([429, 'key_rate_limited']);
      expect(refused.headers['retry-after']).toBe('1');
      expect(refused.headers['x-should-retry']).toBe('false');
      leave(null);
      await running;
      await until(() => inFlight() === 0, 'the room');
      expect((await ask()).status).toBe(200);
    }));

  it.each([
    ['an answer', 'good', {}],
    ['a stream', 'stream', { stream: true }],
    ['a failure', 'down', {}],
    ['a refusal after it was admitted', 'nothing', {}],
    ['a stream that its client leaves', 'endless', { stream: true }],
  ])('G-11: room comes back after %s', (_what, model, fields) =>
    withLimits({ key: { concurrent: 1 } }, async ({ ask, inFlight }) => {
      for (let i = 0; i < 3; i += 1) {
        const answer = await ask(model, fields, { leaveWhen: (text) => model === 'endless' && text.includes('"a"') });
        expect(answer.status).not.toBe(429);
        await until(() => inFlight() === 0, 'the room');
      }
    }),
  );

  it('C-4, G-11: priority low is shed at four fifths, others go on', () =>
    withLimits({ key: { rpm: 5 } }, async ({ ask }) => {
      const low = { redundancy: { priority: 'low' } };
      for (let i = 0; i < 4; i += 1) expect((await ask('good', low)).status).toBe(200);
      expect((await ask('good', low)).status).toBe(429);
      const header = { headers: { 'x-understudy-redundancy': '{"priority":"low"}' } };
      expect((await ask('good', {}, header)).status).toBe(429);
      expect((await ask('good', { redundancy: { priority: 'high' } })).status).toBe(200);
      expect((await ask()).status).toBe(429);
    }));
});

describe('a limited caller’s error in an answer', () => {
  it('E-5: is one JSON error with the request’s id', () =>
    withLimits({ key: { rpm: 1 } }, async ({ ask }) => {
      await ask();
      const refused = await ask('good', { stream: true });
      expect(jsonOf(refused)).toMatchObject({ error: { request_id: refused.headers['x-request-id'] } });
    }));
});
