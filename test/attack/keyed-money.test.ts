/** Who pays for an answer under a key: whoever got it, once; nobody for one that may not count (G-4, I-3). */
import { describe, expect, it } from 'vitest';
import type { Step } from '../../sim/index.ts';
import { StateStoreUnavailable } from '../../src/ports/object-store.ts';
import { okStream } from '../faults/answers.ts';
import { waitFor } from '../faults/gateway.ts';
import { answered, errorOf, type MoneyRig, withMoney } from '../rules/money-rig.ts';
import { until } from './attack-rig.ts';

const DOLLAR = 1_000_000_000n;
/** 10 × 1000 + 5 × 2000 nano-dollars. */
const COST = 20_000n;
const key = (name = 'k') => ({ headers: { 'idempotency-key': name } });
const storeOf = (rig: MoneyRig) => rig.running.gateway.keyed.store;
const quiet = (rig: MoneyRig) => until(() => rig.running.gateway.live.size === 0, 'the end of all requests');

/** So many charges in the books, and nothing held back any more. */
async function expectCharged(rig: MoneyRig, charges: readonly bigint[]): Promise<void> {
  const sum = charges.reduce((total, one) => total + one, 0n);
  await quiet(rig);
  expect([rig.balance(), rig.available()]).toEqual([DOLLAR - sum, DOLLAR - sum]);
  const booked = async () => (await rig.entries()).filter(({ kind }) => kind === 'charge').map(({ amount }) => -amount);
  await waitFor(async () => ((await booked()).length === charges.length ? true : null), 'the charges');
  expect(await booked()).toEqual(charges);
}

describe('G-4, I-3: an answer that may not count', () => {
  it.each([
    ['the ledger can’t be written', async () => Promise.reject(new StateStoreUnavailable('full')), 'store_unavailable'],
    ['the round is another’s', async () => 'lost' as const, 'gateway_restarted'],
  ])('G-4: is waste that nobody pays for: %s', async (_name, succeed, code) => {
    await withMoney({}, async (rig) => {
      storeOf(rig).succeed = succeed;
      const answer = await rig.ask({}, key());
      expect(errorOf(answer)['code']).toBe(code);
      expect(await rig.record(answer)).toMatchObject({
        cost_nano_usd: 0,
        waste_nano_usd: Number(COST),
        attempts: [{ result: 'late_success' }],
      });
      await expectCharged(rig, []);
    });
  });

  it('G-4: what holds a key’s money back is held until the answer is kept, and charged then', async () => {
    await withMoney({}, async (rig) => {
      const store = storeOf(rig);
      const succeed = store.succeed.bind(store);
      let during: readonly (bigint | null)[] = [];
      store.succeed = (success) => {
        during = [rig.balance(), rig.available()];
        return succeed(success);
      };
      expect((await rig.ask({}, key())).status).toBe(200);
      expect(during[0]).toBe(DOLLAR);
      expect(during[1]).toBeLessThan(DOLLAR);
      await expectCharged(rig, [COST]);
    });
  });

  it('G-4, T-4: a stream that was shown and may not end is paid for as far as it was shown; a whole answer made one is not', async () => {
    const stream: Step = okStream('some', 'thing');
    for (const [step, isPaid] of [
      [stream, true],
      [answered(10, 5), false],
    ] as const) {
      await withMoney({ up: { m: [step] } }, async (rig) => {
        storeOf(rig).succeed = async () => 'lost';
        const answer = await rig.ask({ stream: true }, key());
        expect(answer.text).toContain('stream_interrupted');
        const record = await rig.record(answer);
        expect([Number(record.cost_nano_usd) > 0, Number(record.waste_nano_usd) > 0]).toEqual([isPaid, !isPaid]);
        await expectCharged(rig, isPaid ? [BigInt(Number(record.cost_nano_usd))] : []);
      });
    }
  });
});

describe('G-4, I-6: one call is paid for once', () => {
  it('G-4: by whoever ran it, however many joined or asked again', async () => {
    await withMoney({ up: { m: [{ ...answered(10, 5), delay_ms: 200 }] } }, async (rig) => {
      const crowd = await Promise.all(Array.from({ length: 20 }, () => rig.ask({}, key())));
      expect(new Set(crowd.map(({ status }) => status))).toEqual(new Set([200]));
      for (let n = 0; n < 5; n += 1) expect((await rig.ask({}, key())).status).toBe(200);
      expect(rig.called()).toHaveLength(1);
      await expectCharged(rig, [COST]);
    });
  });

  it('G-4, T-6: also when everybody has left before it came', async () => {
    await withMoney({ up: { m: [{ ...answered(10, 5), delay_ms: 300 }] } }, async (rig) => {
      await rig.ask({}, { ...key(), leaveOn: until(() => rig.called().length === 1, 'the call') });
      await expectCharged(rig, [COST]);
      expect((await rig.ask({}, key())).headers['idempotent-replayed']).toBe('true');
      await expectCharged(rig, [COST]);
    });
  });

  it('G-4: rounds that fail cost nothing, the one that succeeds its price', async () => {
    const down: Step = { status: 503, body: { error: { message: 'down' } }, times: 2 };
    await withMoney({ up: { m: [down, answered(10, 5)] } }, async (rig) => {
      const statuses = [];
      for (let n = 0; n < 4; n += 1) statuses.push((await rig.ask({}, key())).status);
      expect(statuses).toEqual([503, 503, 200, 200]);
      await expectCharged(rig, [COST]);
    });
  });
});
