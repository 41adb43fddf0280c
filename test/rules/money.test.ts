import { mkdtemp, rm, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Step } from '../../sim/index.ts';
import { waitFor } from '../faults/gateway.ts';
import { answered, channelsOf, errorOf, FREE_KEY, type MoneyRig, PRICE, startMoney, withMoney } from './money-rig.ts';

const DOLLAR = 1_000_000_000n;
/** 10 × 1000 + 5 × 2000. */
const COST = 20_000n;

const PRICED = { price: PRICE, max_output_tokens: 50 };
/** The provider has run it and says nothing: its work may have been done, and charged for. */
const LOST: Step = { status: 504, body: { error: { message: 'gone', type: 'server_error' } } };
const REFUSED: Step = { status: 500, body: { error: { message: 'down', type: 'server_error' } } };

const event = (data: unknown): string => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const delta = (content: string, finish: string | null = null) =>
  event({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'up',
    choices: [{ index: 0, delta: { content }, finish_reason: finish }],
  });

describe('G-4: a prepaid workspace pays for what the served model used', () => {
  it('exactly, in nano-dollars: balance, record, entries and metrics agree', async () => {
    await withMoney({}, async (rig) => {
      const answer = await rig.ask();
      expect(answer.status).toBe(200);
      const record = await rig.record(answer);
      expect(record).toMatchObject({
        cost_nano_usd: 20_000,
        waste_nano_usd: 0,
        usage: { input_tokens: 10, output_tokens: 5 },
      });
      expect(record.attempts[0]).toMatchObject({ cost_nano_usd: 20_000 });
      expect(rig.balance()).toBe(DOLLAR - COST);
      expect(rig.available()).toBe(DOLLAR - COST);
      await waitFor(async () => ((await rig.entries()).length === 2 ? true : null), 'the charge');
      const [charge, grant] = await rig.entries();
      expect(charge).toMatchObject({ kind: 'charge', amount: -COST, by: 'gateway' });
      expect(charge?.attemptId).toContain(String(record.attempts[0]?.id));
      expect(grant).toMatchObject({ kind: 'grant', amount: DOLLAR });
      expect(await rig.metric('understudy_cost_nano_usd_total')).toBe(20_000);
    });
  });

  it("by the channel's own price, and by the model that was served after a fallback", async () => {
    const models = {
      m: channelsOf('p', PRICED),
      n: channelsOf('q', PRICED, { price: { input: 10, output: 20, cached_input: 1 } }),
    };
    await withMoney({ models, up: { m: [REFUSED], n: [answered(10, 5)] } }, async (rig) => {
      const answer = await rig.ask({ model: undefined, models: ['m', 'n'] });
      expect(answer.status).toBe(200);
      const record = await rig.record(answer);
      expect(record).toMatchObject({ served_model: 'n', cost_nano_usd: 200_000, waste_nano_usd: 0 });
      expect(record.attempts.map((attempt) => attempt.cost_nano_usd)).toEqual([0, 200_000]);
      expect(rig.balance()).toBe(DOLLAR - 200_000n);
    });
  });

  it('never for what failed: an attempt the provider may charge for is waste, recorded and counted', async () => {
    const empty = answered(10, 5);
    const body = empty.body as { choices: { message: { content: string } }[] };
    body.choices[0]!.message.content = '';
    const models = { m: channelsOf('p', PRICED), n: channelsOf('q', PRICED) };
    await withMoney({ models, up: { m: [empty], n: [answered(1, 1)] } }, async (rig) => {
      const answer = await rig.ask({ model: undefined, models: ['m', 'n'], redundancy: { on: ['empty'] } });
      const record = await rig.record(answer);
      expect(record).toMatchObject({ served_model: 'n', cost_nano_usd: 3000, waste_nano_usd: 20_000 });
      expect(rig.balance()).toBe(DOLLAR - 3000n);
      expect(await rig.metric('understudy_waste_nano_usd_total')).toBe(20_000);
    });
  });

  it('an attempt that may have been executed without a word is estimated, and marked', async () => {
    await withMoney({ up: { m: [LOST] } }, async (rig) => {
      const record = await rig.record(await rig.ask());
      expect(record).toMatchObject({ cost_nano_usd: 0, usage: null });
      expect(record.attempts[0]).toMatchObject({ maybe_executed: true, usage: { output_tokens: 0, estimated: true } });
      const { usage, cost_nano_usd: cost } = record.attempts[0]!;
      expect(cost).toBe((usage?.input_tokens ?? 0) * 1000);
      expect(cost).toBeGreaterThan(0);
      expect(record.waste_nano_usd).toBe(cost);
      expect([rig.balance(), rig.available()]).toEqual([DOLLAR, DOLLAR]);
    });
  });

  it("a workspace's own credential is paid for at its provider: the cost is shown, not charged", async () => {
    const credentials = { own: { provider: 'p', secret: 'sk-own-0123456789', kind: 'byok', workspace: 'acme' } };
    await withMoney({ credentials, balance: 0 }, async (rig) => {
      const answer = await rig.ask();
      expect(answer.status).toBe(200);
      expect(await rig.record(answer)).toMatchObject({ cost_nano_usd: 20_000 });
      expect([rig.balance(), (await rig.entries()).length]).toEqual([0n, 0]);
    });
  });

  it('an answer without counts is charged by what was received, and marked', async () => {
    const chunks = [delta('x'.repeat(400)), delta('', 'stop'), event('[DONE]')];
    const stream: Step = { headers: { 'content-type': 'text/event-stream' }, chunks };
    await withMoney({ up: { m: [stream] } }, async (rig) => {
      const record = await rig.record(await rig.ask({ stream: true }));
      expect(record.usage).toMatchObject({ output_tokens: 100, estimated: true });
      const input = record.usage?.input_tokens ?? 0;
      expect(input).toBeGreaterThan(5);
      expect(record.cost_nano_usd).toBe(input * 1000 + 200_000);
      expect(rig.balance()).toBe(DOLLAR - BigInt(record.cost_nano_usd ?? 0));
    });
  });
});

describe('T-4, T-6: what was delivered is charged', () => {
  const broken: Step = {
    headers: { 'content-type': 'text/event-stream' },
    chunks: [delta('a'.repeat(200)), delta('b'.repeat(200))],
    end: 'rst',
  };
  const endless: Step = {
    headers: { 'content-type': 'text/event-stream' },
    chunks: [delta('a'.repeat(400)), { repeat: 1000, wait_ms: 50, send: ': wait\n\n' }],
  };

  it('of a stream that broke off', async () => {
    await withMoney({ up: { m: [broken] } }, async (rig) => {
      const answer = await rig.ask({ stream: true });
      expect(answer.text).toContain('stream_interrupted');
      const record = await rig.record(answer);
      expect(record).toMatchObject({
        ending: 'interrupted',
        usage: { output_tokens: 100, estimated: true },
        waste_nano_usd: 0,
      });
      expect(rig.balance()).toBe(DOLLAR - BigInt(record.cost_nano_usd ?? 0));
      expect(record.cost_nano_usd).toBeGreaterThan(200_000);
    });
  });

  it('of a stream whose client left; before its first token it is waste', async () => {
    const silent: Step = { delay_ms: 60_000 };
    await withMoney({ up: { m: [endless, silent] } }, async (rig) => {
      const left = await rig.ask({ stream: true }, { leaveWhen: (text) => text.includes('aaa') });
      const shown = await rig.record(left);
      expect(shown).toMatchObject({ ending: 'client_closed', usage: { output_tokens: 100, estimated: true } });
      expect(rig.balance()).toBe(DOLLAR - BigInt(shown.cost_nano_usd ?? 0));
      const before = rig.balance();
      await rig.ask({}, { leaveAfterMs: 300 });
      const [latest] = await waitFor(async () => {
        const { data } = await rig.running.gateway.records.list({ limit: 2 });
        return data.length === 2 ? data : null;
      }, 'the second record');
      expect(latest).toMatchObject({ ending: 'client_closed', cost_nano_usd: 0, usage: null });
      expect(latest?.waste_nano_usd).toBeGreaterThan(0);
      expect([rig.balance(), rig.available()]).toEqual([before, before]);
    });
  });
});

describe('G-4: an empty balance', () => {
  it('402 insufficient_balance: nothing is called, and sending it again is no use', async () => {
    await withMoney({ balance: 0 }, async (rig) => {
      const answer = await rig.ask();
      expect(answer.status).toBe(402);
      expect(errorOf(answer)).toMatchObject({ code: 'insufficient_balance', type: 'permission_error' });
      expect(answer.headers['x-should-retry']).toBe('false');
      expect(answer.headers['retry-after']).toBeUndefined();
      expect(rig.called()).toEqual([]);
      const record = await rig.record(answer);
      expect(record).toMatchObject({ ending: 'rejected', outcome: 'client_error', cost_nano_usd: 0, attempts: [] });
      expect(record.candidates[0]).toMatchObject({ tried: false, skip_reason: 'balance' });
    });
  });

  it('is met by the answer that empties it, not before: the next request is refused', async () => {
    await withMoney({ balance: 0.000_000_001 }, async (rig) => {
      expect((await rig.ask()).status).toBe(200);
      expect(rig.balance()).toBe(1n - COST);
      expect((await rig.ask()).status).toBe(402);
      expect(
        await rig.running.gateway.accounts.add('acme', { kind: 'topup', amount: COST, note: null, by: 'admin' }),
      ).toBe(1n);
      expect((await rig.ask()).status).toBe(200);
    });
  });

  it('what runs holds its worst case back: a second request at the same time is refused', async () => {
    const slow: Step = { ...answered(10, 5), delay_ms: 400 };
    // Held back: 50 output tokens at most, and more than the 10 input tokens.
    await withMoney({ balance: 0.000_1, up: { m: [slow, answered(1, 1)] } }, async (rig) => {
      const first = rig.ask();
      await waitFor(() => (rig.called().length === 1 ? true : null), 'the first call');
      expect(rig.available()).toBeLessThanOrEqual(0n);
      expect((await rig.ask()).status).toBe(402);
      expect((await first).status).toBe(200);
      expect((await rig.ask()).status).toBe(200);
    });
  });

  it('asks nothing of who is not prepaid, nor for a model that costs nothing', async () => {
    const models = { m: channelsOf('p', PRICED), gratis: channelsOf('p', { price: { input: 0, output: 0 } }) };
    await withMoney({ balance: 0, models }, async (rig) => {
      expect((await rig.ask({}, { key: FREE_KEY })).status).toBe(200);
      expect((await rig.ask({ model: 'gratis' })).status).toBe(200);
      expect((await rig.ask()).status).toBe(402);
    });
  });

  it('raises an alert', async () => {
    await withMoney({ balance: 0 }, async (rig) => {
      const raised: string[] = [];
      const { alerts } = rig.running.gateway;
      const { raise } = alerts;
      alerts.raise = (alert) => {
        raised.push(alert.kind);
        raise(alert);
      };
      await rig.ask();
      expect(raised).toEqual(['budget.exhausted']);
    });
  });
});

describe('G-1: every attempt is judged anew', () => {
  it('balance: what a first, free model let pass stops at the second; its 402 is not wrapped, and tells the attempts', async () => {
    const models = { gratis: channelsOf('p', { price: { input: 0, output: 0 } }), m: channelsOf('p', PRICED) };
    await withMoney({ balance: 0, models, up: { gratis: [REFUSED] } }, async (rig) => {
      const answer = await rig.ask({ model: undefined, models: ['gratis', 'm'] });
      expect(answer.status).toBe(402);
      expect(errorOf(answer)).toMatchObject({
        code: 'insufficient_balance',
        attempts: [
          { model: 'gratis', status: 'failed' },
          { model: 'm', status: 'skipped', reason: 'balance', class: 'gateway_rejected' },
        ],
      });
      expect(rig.called()).toEqual(['gratis']);
      expect(await rig.record(answer)).toMatchObject({ ending: 'failed', outcome: 'client_error' });
    });
  });

  it('balance: another request may have emptied it between two attempts', async () => {
    const models = { m: channelsOf('p', PRICED), n: channelsOf('q', PRICED) };
    const late: Step = { ...REFUSED, delay_ms: 300 };
    await withMoney({ models, up: { m: [late] } }, async (rig) => {
      const answer = rig.ask({ model: undefined, models: ['m', 'n'] });
      await waitFor(() => (rig.called().length === 1 ? true : null), 'the first call');
      await rig.running.gateway.accounts.add('acme', { kind: 'adjust', amount: -DOLLAR, note: null, by: 'admin' });
      expect((await answer).status).toBe(402);
      expect(rig.called()).toEqual(['m']);
    });
  });

  it('limits: a credential that is full at the second attempt is passed over, by its own count', async () => {
    const credentials = {
      a: { provider: 'p', secret: 'sk-a-0123456789', order: 0 },
      b: { provider: 'p', secret: 'sk-b-0123456789', order: 1, limits: { rpm: 1 } },
    };
    const busy: Step = { status: 429, body: { error: { message: 'slow down', type: 'rate_limit' } } };
    await withMoney({ credentials, up: { m: [answered(1, 1), busy, answered(1, 1), busy] } }, async (rig) => {
      for (const status of [200, 200]) expect((await rig.ask()).status).toBe(status);
      const record = await rig.record(await rig.ask());
      const b = record.candidates.find(({ credential }) => credential === 'b');
      expect(b).toMatchObject({ tried: false, skip_reason: 'limit' });
      expect(b?.available_at).not.toBeNull();
    });
  });
});

describe('G-4: an unknown price is not 0', () => {
  it('a target without price is left out for a prepaid workspace, and used by others', async () => {
    const models = {
      m: {
        max_output_tokens: 50,
        channels: [
          { id: 'unpriced', provider: 'p', model: 'up-1' },
          { id: 'priced', provider: 'q', model: 'up-2', price: PRICE },
        ],
      },
    };
    await withMoney({ models, up: { 'up-1': [answered(1, 1)], 'up-2': [answered(10, 5)] } }, async (rig) => {
      const answer = await rig.ask();
      expect(rig.called()).toEqual(['up-2']);
      const record = await rig.record(answer);
      expect(record.candidates.find(({ channel }) => channel === 'unpriced')).toMatchObject({
        tried: false,
        skip_reason: 'price_unknown',
      });
      const other = await rig.record(await rig.ask({}, { key: FREE_KEY }));
      expect(rig.called()).toEqual(['up-2', 'up-1']);
      expect(other).toMatchObject({ cost_nano_usd: null, waste_nano_usd: 0 });
    });
  });

  it('a prepaid workspace can not call a model of which no price is known', async () => {
    await withMoney({ models: { m: channelsOf('p') } }, async (rig) => {
      const answer = await rig.ask();
      expect(answer.status).toBeGreaterThanOrEqual(400);
      expect(rig.called()).toEqual([]);
      expect((await rig.record(answer)).candidates[0]).toMatchObject({ skip_reason: 'price_unknown' });
    });
  });
});

describe('D-4: max_cost_usd', () => {
  const models = { m: channelsOf('p', PRICED), n: channelsOf('q', PRICED) };
  const chain = { model: undefined, models: ['m', 'n'] };

  it('an attempt whose worst case does not fit is not made: retry_exhausted, budget cost', async () => {
    await withMoney({ models, balance: null }, async (rig) => {
      const answer = await rig.ask({ ...chain, redundancy: { max_cost_usd: 0.000_05 } });
      expect(errorOf(answer)).toMatchObject({ code: 'retry_exhausted', budget: 'cost' });
      expect([answer.status, rig.called()]).toEqual([502, []]);
    });
  });

  it('what a lost attempt may have cost is spent: the next one is not paid for', async () => {
    await withMoney({ models, balance: null, up: { m: [LOST], n: [answered(10, 5)] } }, async (rig) => {
      const tight = await rig.ask({ ...chain, redundancy: { max_cost_usd: 0.000_2 } });
      expect(errorOf(tight)).toMatchObject({ code: 'retry_exhausted', budget: 'cost' });
      expect(rig.called()).toEqual(['m']);
      expect((await rig.ask({ ...chain, redundancy: { max_cost_usd: 0.01 } })).status).toBe(200);
    });
  });

  it('what an attempt cost for certain is spent, not its worst case', async () => {
    const empty = answered(10, 5);
    (empty.body as { choices: { message: { content: string } }[] }).choices[0]!.message.content = '';
    const redundancy = { on: ['empty'], max_cost_usd: 0.000_2 };
    await withMoney({ models, balance: null, up: { m: [empty], n: [answered(10, 5)] } }, async (rig) => {
      const answer = await rig.ask({ ...chain, redundancy });
      expect([answer.status, rig.called()]).toEqual([200, ['m', 'n']]);
    });
  });

  it('what failed without being executed costs nothing', async () => {
    await withMoney({ models, balance: null, up: { m: [REFUSED], n: [answered(10, 5)] } }, async (rig) => {
      const answer = await rig.ask({ ...chain, redundancy: { max_cost_usd: 0.000_2 } });
      expect([answer.status, rig.called()]).toEqual([200, ['m', 'n']]);
    });
  });

  it('C-3: of request and ceilings the lowest holds', async () => {
    await withMoney({ models, balance: null, workspace: { ceilings: { max_cost_usd: 0.000_05 } } }, async (rig) => {
      expect(errorOf(await rig.ask({ redundancy: { max_cost_usd: 5 } }))).toMatchObject({ budget: 'cost' });
      expect(errorOf(await rig.ask())).toMatchObject({ budget: 'cost' });
    });
  });
});

describe('H-5: the ledger can not be written', () => {
  it('prepaid requests wait a second, others are served; nothing is called unpaid', async () => {
    await withMoney({}, async (rig) => {
      expect((await rig.ask()).status).toBe(200);
      await breakState(rig);
      const answer = await rig.ask();
      expect(answer.status).toBe(503);
      expect(errorOf(answer)).toMatchObject({ code: 'store_unavailable', type: 'api_error' });
      expect([answer.headers['retry-after'], answer.headers['x-should-retry']]).toEqual(['1', 'true']);
      expect(rig.called()).toHaveLength(1);
      expect((await rig.ask({}, { key: FREE_KEY })).status).toBe(200);
      expect([rig.balance(), rig.available()]).toEqual([DOLLAR - COST, DOLLAR - COST]);
    });
  });
});

/** Takes the file away: the store refuses to go on with an empty one. */
async function breakState(rig: MoneyRig): Promise<void> {
  await waitFor(async () => ((await rig.entries()).length === 2 ? true : null), 'the charge');
  await unlink(join(rig.running.dataDir, 'state.db'));
}

describe('G-4: balances over restarts', () => {
  it('stay; a changed balance_usd moves them by the difference; without it the workspace pays nothing', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'understudy-money-'));
    const life = async (balance: number | null, body: (rig: MoneyRig) => Promise<void>): Promise<void> => {
      const rig = await startMoney({ balance, dataDir });
      try {
        await body(rig);
      } finally {
        await rig.close();
      }
    };
    try {
      await life(1, async (rig) => {
        await rig.ask();
        expect(rig.balance()).toBe(DOLLAR - COST);
      });
      await life(1, async (rig) => {
        expect(rig.balance()).toBe(DOLLAR - COST);
        await rig.ask();
      });
      await life(3, async (rig) => expect(rig.balance()).toBe(3n * DOLLAR - 2n * COST));
      await life(null, async (rig) => {
        expect((await rig.ask()).status).toBe(200);
        expect(rig.balance()).toBeNull();
      });
      await life(3, async (rig) => expect(rig.balance()).toBe(3n * DOLLAR - 2n * COST));
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
