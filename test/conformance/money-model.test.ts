/**
 * Money in a shared database under random troubles: several processes that reserve, settle and grant at once, writes that are
 * lost, writes nobody hears of, processes that die. In the end every account is the sum of its entries, whatever was
 * settled is charged once, and nothing of the dead is held.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { differingAccounts } from '../../src/adapters/store-postgres/account-check.ts';
import { LEDGER_SQL } from '../../src/adapters/store-postgres/ledger-sql.ts';
import { openStateDb, type PostgresState } from '../../src/adapters/store-postgres/open-state-db.ts';
import { createLedger } from '../../src/adapters/store-sql/ledger.ts';
import { systemClock } from '../../src/adapters/system-clock.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { soleHolder } from '../../src/ports/holder.ts';
import type { Ledger } from '../../src/ports/ledger.ts';
import { hasPostgres } from '../support/servers/postgres-binaries.ts';
import { openSchema, type PostgresSchema } from '../support/servers/postgres-schema.ts';
import { type Fate, fateful } from './engines.ts';
import { T0 } from './ledger-samples.ts';

type Act =
  | { readonly what: 'reserve'; readonly amount: number }
  | { readonly what: 'settle'; readonly charge: number }
  | { readonly what: 'add'; readonly amount: number }
  | { readonly what: 'kill' | 'release' };
interface Step {
  readonly process: number;
  readonly workspace: 'acme' | 'beta';
  readonly act: Act;
}

const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ what: fc.constant('reserve' as const), amount: fc.integer({ min: 1, max: 40 }) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ what: fc.constant('settle' as const), charge: fc.integer({ min: 0, max: 40 }) }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('add' as const), amount: fc.integer({ min: -20, max: 60 }) }) },
  { weight: 1, arbitrary: fc.record({ what: fc.constantFrom('kill' as const, 'release' as const) }) },
);
const step: fc.Arbitrary<Step> = fc.record({
  process: fc.nat(2),
  workspace: fc.constantFrom('acme' as const, 'beta' as const),
  act,
});
/** What is asked for at once, then what comes after it. */
const rounds = fc.array(fc.array(step, { minLength: 1, maxLength: 8 }), { minLength: 2, maxLength: 6 });
const fates = fc.infiniteStream(
  fc.oneof(
    { weight: 8, arbitrary: fc.constant<Fate>('done') },
    { weight: 1, arbitrary: fc.constantFrom<Fate>('lost', 'unheard') },
  ),
);

/** A retry comes soon: the tests' own time. */
const QUICK: Clock = { ...systemClock, after: (ms, ring) => systemClock.after(Math.min(ms, 3), ring) };

interface Process {
  readonly id: string;
  readonly ledger: Ledger;
  readonly dead: { is: boolean };
  /** Attempts it holds money for, as it was told. */
  readonly held: { readonly attemptId: string; readonly workspace: string }[];
  readonly charged: Map<string, bigint>;
}

describe.runIf(hasPostgres())('money under random troubles', () => {
  let schema: PostgresSchema;
  let state: PostgresState;
  let ids = 0;
  beforeAll(async () => {
    schema = await openSchema();
    state = await openStateDb({ url: schema.url, clock: systemClock, version: '1', holder: 'money' });
  });
  afterAll(async () => {
    await state.close();
    await schema.drop();
  });

  const next = (prefix: string): string => {
    ids += 1;
    return `${prefix}${ids}`;
  };

  async function boot(fate: () => Fate): Promise<Process> {
    const id = next('p');
    await schema.query(
      `INSERT INTO replicas (holder, lease_until, started_at, app_version, schema_known, host) VALUES ($1, 0, 0, '1', 1, 'h')`,
      [id],
    );
    const dead = { is: false };
    const db = fateful(state.on('money', 'money'), () => (dead.is ? 'lost' : fate()));
    const ledger = createLedger({ db, sql: LEDGER_SQL, clock: QUICK, holder: soleHolder(id), newId: next });
    return { id, ledger, dead, held: [], charged: new Map() };
  }

  async function carryOut(
    all: Process[],
    { process: ix, workspace, act: asked }: Step,
    fate: () => Fate,
  ): Promise<void> {
    const process = all[ix]!;
    const { ledger, held, charged, dead } = process;
    if (asked.what === 'reserve') {
      const attemptId = next('att_');
      const reservation = { attemptId, workspace, amount: BigInt(asked.amount), at: T0 };
      // Refused, it may be there all the same, and is settled as the others are.
      const answer = await ledger.reserve(reservation).catch(() => 'ok' as const);
      if (answer === 'ok') held.push({ attemptId, workspace });
    } else if (asked.what === 'settle') {
      const one = held.shift();
      if (one === undefined) return;
      ledger.settle(one.attemptId, BigInt(asked.charge), T0, one.workspace);
      if (asked.charge > 0) charged.set(one.attemptId, -BigInt(asked.charge));
    } else if (asked.what === 'add') {
      const entry = { workspace, kind: 'topup', amount: BigInt(asked.amount), at: T0, note: null, by: 'ann' } as const;
      await ledger.add(entry).catch(() => undefined);
    } else if (asked.what === 'release') await ledger.release(T0).catch(() => undefined);
    else {
      dead.is = true;
      await schema.query('UPDATE replicas SET fenced = true WHERE holder = $1', [process.id]);
      all[ix] = await boot(fate);
    }
  }

  it('G-4: accounts are the sums of what stands in the ledger, every settled call is charged once, nothing of the dead is held', async () => {
    await fc.assert(
      fc.asyncProperty(rounds, fates, async (turns, stream) => {
        await schema.query('TRUNCATE accounts, ledger_entries, reservations, replicas');
        const draw = stream[Symbol.iterator]();
        let isCalm = false;
        const fate = (): Fate => (isCalm ? 'done' : (draw.next().value ?? 'done'));
        const all = [await boot(fate), await boot(fate), await boot(fate)];
        for (const turn of turns) await Promise.all(turn.map((one) => carryOut(all, one, fate)));
        isCalm = true;
        for (const { ledger, held } of all) {
          for (const { attemptId, workspace } of held) ledger.settle(attemptId, 0n, T0, workspace);
          // What had failed is tried again by itself, the rest with the end.
          await new Promise((resolve) => setTimeout(resolve, 8));
          await ledger.close();
        }
        const last = await boot(fate);
        await last.ledger.release(T0);
        await last.ledger.close();
        expect(await differingAccounts(state.on('money'))).toEqual([]);
        expect(await schema.query('SELECT attempt_id FROM reservations')).toEqual([]);
        const charges = await schema.query("SELECT attempt_id, amount::text FROM ledger_entries WHERE kind = 'charge'");
        const found = new Map(charges.map(([id, amount]) => [String(id), BigInt(String(amount))]));
        expect(found.size).toBe(charges.length);
        for (const { charged } of all) for (const [id, amount] of charged) expect(found.get(id)).toBe(amount);
      }),
      { numRuns: 60, seed: 20_261_130 },
    );
  });
});
