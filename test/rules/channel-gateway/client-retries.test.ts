/** The page, fifth part: what a client has to repeat, what it must not, and what becomes of a key that never stops. */
import { APIError } from 'openai';
import { describe, expect, it } from 'vitest';
import { delta, errorStep, role, sseStep } from '../../faults/answers.ts';
import { errorOf } from '../../faults/invariants.ts';
import { type RawAnswer, sendRaw } from '../../faults/raw-client.ts';
import { JumpingClock } from '../../support/jumping-clock.ts';
import { ADMIN_TOKEN } from '../rules-rig.ts';
import { DOWN, FINE, HI, LIMITED, type Page, refusal, servedBy, type World, withPage } from './page.ts';

const fine = { a: [FINE], b: [FINE] };
const WRONG = errorStep(400, { message: 'no such field', type: 'invalid_request_error', code: 'invalid_value' });

/** Asks as the official client does, with its two retries: what it raised, and what it was answered each time. */
async function asks(page: Page, model: string, key?: string): Promise<[unknown, unknown, readonly number[]]> {
  const { openai, statuses } = page.client(2, key);
  const error = await openai.chat.completions.create({ model, messages: HI, max_tokens: 10 }).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error === null) return [200, null, statuses];
  expect(error).toBeInstanceOf(APIError);
  return [(error as APIError).status, (error as APIError).code, statuses];
}

describe('what no repeat will change', () => {
  const price = { price: { input: 1, output: 1 } };
  const priced = { ...fine, channelA: price, channelB: price };
  const cases: [number, string, World, string?][] = [
    [400, 'invalid_value', { models: { m: { a: [WRONG], b: [FINE] } } }],
    [400, 'unsupported_model_api', { models: { m: { ...fine, capabilities: { apis: ['responses'] } } } }],
    [401, 'invalid_api_key', { models: { m: fine } }, 'nobodys-key-0123456789'],
    [402, 'insufficient_balance', { models: { m: { ...priced, a: [LIMITED] } }, workspace: { balance_usd: 0 } }],
    [403, 'guardrail_blocked', { models: { m: fine }, workspace: { guardrails: { deny_models: ['m'] } } }],
  ];

  it.each(cases)(
    'D-7: %d %s: the same again is the same, and the official client asks once',
    async (status, code, world, key) => {
      await withPage(world, async (page) => {
        expect(await asks(page, 'm', key)).toEqual([status, code, [status]]);
        expect(await asks(page, 'm', key)).toEqual([status, code, [status]]);
      });
    },
  );
});

describe('what a later try may change', () => {
  it('D-3, D-7: a 429 says when to come back; the official client waits as told, and is recognised', async () => {
    const soon = errorStep(429, { message: 'slow down', code: 'rate_limit_exceeded' }, { 'retry-after': '2' });
    const steps = [{ ...soon, times: 3 }, FINE];
    await withPage({ models: { m: { a: steps, b: steps }, n: { a: [soon], b: [soon] } } }, async (page) => {
      const first = await page.ask('n');
      expect(Number(first.headers['retry-after'])).toBeLessThanOrEqual(2);
      expect([first.status, first.headers['x-should-retry']]).toEqual([429, 'true']);
      expect(await asks(page, 'm')).toEqual([200, null, [429, 200]]);
      const [last] = await page.gateway.records(1);
      expect(last).toMatchObject({ status: 200, client_retry: { count: 1, how: 'header' } });
    });
  });

  it('D-7: of a 503 that nobody can tell the end of, the client is told not to insist at once', async () => {
    await withPage({ models: { m: { a: [DOWN], b: [DOWN] } } }, async (page) => {
      const answer = await page.ask('m');
      expect([answer.status, answer.headers['x-should-retry'], answer.headers['retry-after']]).toEqual([
        503,
        'false',
        undefined,
      ]);
      expect(await asks(page, 'm')).toEqual([503, 'server_error', [503]]);
      expect(page.tried(), 'its own fallback is the gateway’s affair').toHaveLength(4);
    });
  });

  it('T-4, D-7: a cut stream asked for again is a new call, seen as the client’s repeat', async () => {
    const cut = sseStep([role(), delta('x')], { end: 'rst' });
    await withPage({ models: { m: { a: [cut], b: [FINE] } } }, async (page) => {
      for (let i = 0; i < 2; i += 1) {
        const answer = await page.ask('m', { stream: true });
        expect(answer.text).toContain('stream_interrupted');
        expect(answer.text).not.toContain('[DONE]');
        expect((await page.record(answer)).client_retry.count).toBe(i);
      }
      expect(page.tried()).toEqual(['m/a-own1', 'm/a-own1']);
    });
  });
});

describe('a key nearly all of whose requests fail', () => {
  const world = { models: { m: fine, wrong: { a: [WRONG], b: [FINE] } } };
  const other = { name: 'other', workspace: 'main', secret: 'other-key-0123456789' };

  async function withKeys(body: (page: Page, clock: JumpingClock) => Promise<void>): Promise<void> {
    const clock = new JumpingClock();
    await withPage({ ...world, clock, keys: [other] }, (page) => body(page, clock));
  }

  /** So many requests, eight at a time; `nowhere` is refused by the gateway itself. */
  async function ask(page: Page, times: number, model: 'm' | 'wrong' | 'nowhere'): Promise<void> {
    for (let left = times; left > 0; left -= 8) {
      await Promise.all(Array.from({ length: Math.min(8, left) }, () => page.ask(model)));
    }
  }
  const works = async (page: Page): Promise<boolean> => (await page.ask('m')).status === 200;

  it('G-6: 100 requests, 90 of them failed: suspended; one failure or one request less is not', async () => {
    await withKeys(async (page) => {
      await ask(page, 11, 'm');
      await ask(page, 89, 'wrong');
      expect(await works(page), '89 of 100').toBe(true);
    });
    await withKeys(async (page) => {
      await ask(page, 98, 'wrong');
      const next = [await works(page), await works(page), await works(page)];
      expect(next, 'the 99th, the 100th, and the one after them').toEqual([true, true, false]);
    });
    await withKeys(async (page) => {
      await ask(page, 10, 'm');
      await ask(page, 90, 'wrong');
      const refused = await page.ask('m');
      expect(refusal(refused)).toEqual([429, 'api_key_suspended']);
      expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(50);
      expect((await page.ask('m', {}, { key: other.secret })).status, 'no other key').toBe(200);
    });
  });

  it('G-6: only within 60 seconds', async () => {
    await withKeys(async (page, clock) => {
      await ask(page, 60, 'wrong');
      clock.jump(61_000);
      await ask(page, 60, 'wrong');
      expect(await works(page)).toBe(true);
    });
  });

  it('G-6: the gateway’s own 4xx count; who goes on after each suspension is banned, until an admin lifts it', async () => {
    await withKeys(async (page, clock) => {
      let refused: RawAnswer;
      const suspensions: string[] = [];
      for (;;) {
        await ask(page, 100, 'nowhere');
        refused = await page.ask('m');
        if (refused.status !== 429) break;
        suspensions.push(String(errorOf(refused)['code']));
        clock.jump(Date.parse(String(errorOf(refused)['retry_at'])) - clock.wall());
      }
      expect(suspensions).toEqual(Array(5).fill('api_key_suspended'));
      expect(refusal(refused)).toEqual([403, 'api_key_banned']);
      expect(page.called(), 'nobody upstream was troubled').toEqual([]);
      clock.jump(24 * 3_600_000 * 365);
      expect(refusal(await page.ask('m'))).toEqual([403, 'api_key_banned']);
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
      await sendRaw({ url: `${page.url}/admin/v1/keys/test/lift`, method: 'POST', headers });
      expect(servedBy(await page.ask('m'))).toBe('m');
    });
  }, 60_000);
});
