/** Brings the schema up to date, beside processes of the release before that go on working: one at a time, step by step. */
import type { Client } from 'pg';
import type { Clock } from '../../ports/clock.ts';
import { SqlError } from '../store-sql/fault.ts';
import type { Address } from './address.ts';
import { connect } from './connect.ts';
import { digestOfStep, newestStep, SCHEMA_STEPS, type SchemaStep } from './schema-steps.ts';

export interface MigrateOptions {
  readonly address: Address;
  /** Of the connection, as the server shows it. */
  readonly name: string;
  readonly clock: Clock;
  /** Of the program; noted beside each step. */
  readonly version: string;
  /** Tests only. */
  readonly steps?: readonly SchemaStep[];
}

/** Another process migrates: it is waited for so long. */
const TURN_MS = 60_000;
/** First half of the lock's number, the second is of the schema. */
const LOCK = 0x55534d47;
/** A statement of the release before may hold a table: the step lets others pass and comes again. */
const TRIES = 5;
const TRY_AGAIN_MS = 500;

const STEPS_TABLE = `CREATE TABLE IF NOT EXISTS schema_steps (
  no int PRIMARY KEY,
  name text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('expand', 'contract')),
  applied_at timestamptz NOT NULL DEFAULT now(),
  by_version text NOT NULL,
  digest text NOT NULL
)`;

/**
 * Carries out the missing steps. Rejects with `SqlError`: `SCHEMA_TOO_NEW` = a step that this program does not know took
 * something away, `SCHEMA_DIFFERS` = a step was another one when it was carried out.
 */
export async function migrate({ address, name, clock, version, steps = SCHEMA_STEPS }: MigrateOptions): Promise<void> {
  const client = await connect(address, name, clock, {
    statement_timeout: '0',
    lock_timeout: String(TURN_MS),
    idle_in_transaction_session_timeout: '0',
  });
  try {
    await refuseUnfit(client);
    // Held until the connection ends, however that happens.
    await client.query('SELECT pg_advisory_lock($1, hashtext($2))', [LOCK, address.schema]);
    await client.query("SET lock_timeout = '2s'");
    // Where an operator made it, ours need not be a user who may.
    const known = await client.query('SELECT to_regnamespace($1)', [address.schema]);
    if (known.rows[0]?.to_regnamespace === null) await client.query(`CREATE SCHEMA ${address.schema}`);
    await client.query(STEPS_TABLE);
    for (const step of await missing(client, steps)) {
      if (step.kind === 'contract' && (await isNeeded(client, step))) continue;
      await carryOut(client, step, version, clock);
    }
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** A schema that this program can read, as it is. Rejects with `SqlError`: `NO_STORE` = there is none, and as `migrate` does. */
export async function expectSchema({ address, name, clock, steps = SCHEMA_STEPS }: MigrateOptions): Promise<void> {
  const client = await connect(address, name, clock);
  try {
    const known = await client.query("SELECT to_regclass('schema_steps') AS steps");
    const left = known.rows[0]?.steps === null ? steps : await missing(client, steps);
    if (left.some(({ kind }) => kind === 'expand')) {
      const message = 'no gateway of this version has used it yet: there is no store in it, or one of an older version';
      throw new SqlError({ code: 'NO_STORE', message });
    }
  } finally {
    await client.end().catch(() => undefined);
  }
}

const OLDEST = 15;

/** A server that statements or texts do not fit: told at the start, not with the first of them. */
async function refuseUnfit(client: Client): Promise<void> {
  const asked =
    "SELECT current_setting('server_version_num')::int / 10000 AS major, current_setting('server_encoding') AS encoding";
  const [found] = (await client.query<{ readonly major: number; readonly encoding: string }>(asked)).rows;
  const { major = 0, encoding = '' } = found ?? {};
  const unfit =
    major < OLDEST ? `it is PostgreSQL ${major}, and ${OLDEST} is needed at least` : encodingFault(encoding);
  if (unfit !== null) throw new SqlError({ code: 'UNFIT', message: unfit });
}

function encodingFault(encoding: string): string | null {
  if (encoding === 'UTF8') return null;
  return `its encoding is ${encoding}; make one with: CREATE DATABASE understudy ENCODING 'UTF8' TEMPLATE template0`;
}

interface DoneStep {
  readonly no: number;
  readonly kind: string;
  readonly digest: string;
}

async function missing(client: Client, steps: readonly SchemaStep[]): Promise<readonly SchemaStep[]> {
  const { rows } = await client.query<DoneStep>('SELECT no, kind, digest FROM schema_steps ORDER BY no');
  const unknown = rows.filter(({ no, kind }) => no > newestStep(steps) && kind !== 'expand');
  if (unknown.length > 0) {
    const newest = rows.at(-1)?.no ?? 0;
    const message = `it was written by a newer version (schema ${newest}, this one knows ${newestStep(steps)}); start the version that wrote it, or a newer one`;
    throw new SqlError({ code: 'SCHEMA_TOO_NEW', message });
  }
  const done = new Map(rows.map((row) => [row.no, row.digest]));
  for (const step of steps) {
    const digest = done.get(step.no);
    if (digest === undefined || digest === digestOfStep(step)) continue;
    const message = `step ${step.no} of its schema (${step.name}) is not the one this version knows; it was written by another program`;
    throw new SqlError({ code: 'SCHEMA_DIFFERS', message });
  }
  return steps.filter(({ no }) => !done.has(no));
}

/** A process lives that was made before the step: a later start takes it. */
async function isNeeded(client: Client, { no }: SchemaStep): Promise<boolean> {
  const living = 'SELECT 1 FROM replicas WHERE NOT fenced AND lease_until > us_now() AND schema_known < $1 LIMIT 1';
  return (await client.query(living, [no])).rows.length > 0;
}

async function carryOut(client: Client, step: SchemaStep, version: string, clock: Clock): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await client.query('BEGIN');
      await client.query(step.sql);
      await client.query('INSERT INTO schema_steps (no, name, kind, by_version, digest) VALUES ($1, $2, $3, $4, $5)', [
        step.no,
        step.name,
        step.kind,
        version,
        digestOfStep(step),
      ]);
      await client.query('COMMIT');
      return;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      const isHeld = (error as { readonly code?: unknown }).code === '55P03';
      if (!isHeld || tries === TRIES) throw error;
      await new Promise<void>((resolve) => clock.after(TRY_AGAIN_MS, resolve));
    }
  }
}
