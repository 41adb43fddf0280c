/** Days of the request log: each a partition of its own, made before its first record and dropped as a whole. */
import type { Client } from 'pg';
import type { SqlStep } from '../store-sql/sql-step.ts';
import { EARLIEST, LATEST, MAKE_PARTITIONS, PARTITIONS } from './requests-sql.ts';

const DAY_MS = 86_400_000;
const TABLE = 'requests';

/** Days before and after today that are always there: clocks differ, and a server may be away at midnight. */
const BEFORE = 1;
const AFTER = 3;

/** The step that makes the days around `wall`, as far as they are missing. */
export function daysAround(wall: number): SqlStep {
  const today = Math.floor(wall / DAY_MS);
  return daysOf(Array.from({ length: BEFORE + 1 + AFTER }, (_, n) => (today - BEFORE + n) * DAY_MS));
}

/** The step that makes the days of these instants (wall ms), as far as they are missing. */
export function daysOf(instants: readonly number[]): SqlStep {
  const days = [...new Set(instants.map((at) => Math.floor(Math.max(EARLIEST, Math.min(at, LATEST)) / DAY_MS)))];
  return {
    sql: MAKE_PARTITIONS,
    rows: days.map((day) => [TABLE, nameOf(day * DAY_MS), day * DAY_MS, (day + 1) * DAY_MS]),
  };
}

/**
 * Drops the days that ended before `before` (wall ms); resolves with how many records they held. Nobody waits for it: a
 * day is detached beside those who read and write, then dropped. One that an earlier try left half detached is finished.
 */
export async function dropDays(client: Client, before: number): Promise<number> {
  let dropped = 0;
  const { rows } = await client.query<[string, boolean, boolean]>({
    text: PARTITIONS,
    values: [`^${TABLE}_\\d{8}$`],
    rowMode: 'array',
  });
  for (const [name, isAttached, isLeaving] of rows) {
    if (endOf(name) > before) continue;
    const held = await client.query<[string]>({ text: `SELECT count(*) FROM ${name}`, rowMode: 'array' });
    if (isAttached)
      await client.query(`ALTER TABLE ${TABLE} DETACH PARTITION ${name} ${isLeaving ? 'FINALIZE' : 'CONCURRENTLY'}`);
    await client.query(`DROP TABLE ${name}`);
    dropped += Number(held.rows[0]?.[0] ?? 0);
  }
  return dropped;
}

function nameOf(start: number): string {
  return `${TABLE}_${new Date(start).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

function endOf(name: string): number {
  const [, year, month, day] = /_(\d{4})(\d{2})(\d{2})$/.exec(name) ?? [];
  return Date.UTC(Number(year), Number(month) - 1, Number(day)) + DAY_MS;
}
