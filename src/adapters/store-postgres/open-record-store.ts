/** The request log in PostgreSQL: a batch is one text that the server takes apart, days are partitions. */
import { LONGEST_MS } from '../../core/overview/window.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { RetainingRecordStore } from '../../ports/record-store.ts';
import type { LogSettings } from '../../ports/store.ts';
import { SqlError } from '../store-sql/fault.ts';
import type { LogWriter } from '../store-sql/log-writer.ts';
import { REQUEST_COLUMNS } from '../store-sql/record-row.ts';
import { SqlRecordStore } from '../store-sql/record-store.ts';
import type { SqlRow, SqlScalar, SqlStep } from '../store-sql/sql-step.ts';
import type { Address } from './address.ts';
import { connect } from './connect.ts';
import type { ConnectionSet } from './connection-set.ts';
import { daysAround, daysOf, dropDays } from './partitions.ts';
import { faultOf } from './pg-connection.ts';
import {
  DELETE_OLD_FIGURES,
  DELETE_OLD_SETUP_PARTS,
  DELETE_OLD_SNAPSHOTS,
  REQUESTS_SQL,
  withNumbers,
} from './requests-sql.ts';
import { isPassingAtServer, serverFaultInWords } from './server-fault.ts';
import { batchOf, readStep, writtenOf } from './state-steps.ts';

export interface RecordStoreOptions extends Omit<LogSettings, 'file'> {
  readonly address: Address;
  readonly set: ConnectionSet;
  readonly clock: Clock;
  /** Of a connection, as the server shows it. */
  readonly name: string;
}

/** The days to come are made long before they begin. */
const DAYS_EVERY_MS = 60 * 60 * 1000;
/** Counting and dropping a day takes as long as it takes. */
const PRUNE_SETTINGS = { statement_timeout: '10min', lock_timeout: '1s' };

/** Opens the log of a database whose schema is up to date. Never rejects: the log recovers by itself, `problem` says so. */
export function openRecordStore(options: RecordStoreOptions): RetainingRecordStore {
  const { set, clock, queueLimit, onProblem, onDropped } = options;
  const stop = keepDays(set, clock);
  return new SqlRecordStore({
    sql: REQUESTS_SQL,
    clock,
    writer: logWriter(set),
    read: (sql, params) => read(set, sql, params),
    prune: (before, unused) => prune(options, before, unused),
    closeDown: async () => stop(),
    queueLimit,
    onProblem,
    onDropped,
  });
}

function logWriter(set: ConnectionSet): LogWriter {
  return {
    async write(steps) {
      const changes = await write(set, steps).catch((error: unknown) => withDays(set, steps, error));
      // Nobody waits for the log's disk: what was written before a connection broke may be gone with its server.
      return { changes, connection: String(set.connectsOf('log')) };
    },
    faults: { isPassing: isPassingAtServer, isCrash: () => false, inWords: serverFaultInWords },
  };
}

async function write(set: ConnectionSet, steps: readonly SqlStep[]): Promise<number> {
  const batch = batchOf(steps);
  return batch.length === 0 ? 0 : writtenOf(steps, await set.run('log', batch)).changes;
}

/** There is no partition for one of these records: a clock that jumped, or records of another store. */
const NO_PARTITION = '23514';

async function withDays(set: ConnectionSet, steps: readonly SqlStep[], error: unknown): Promise<number> {
  if (!(error instanceof SqlError) || error.fault.code !== NO_PARTITION) throw error;
  return write(set, [daysOf(steps.flatMap(instantsOf)), ...steps]);
}

const AT = REQUEST_COLUMNS.indexOf('at');

/** When the records of a batch's text were made. */
function instantsOf(step: SqlStep): number[] {
  if (!('text' in step) || step.rows === 0) return [];
  return step.text.split('\u001e').map((row) => Number(row.split('\u001f', AT + 1)[AT]));
}

async function read(set: ConnectionSet, sql: string, params: readonly SqlScalar[]): Promise<readonly SqlRow[]> {
  const [answer] = await set.run('read', [readStep(withNumbers(sql), params, false)], true);
  return answer?.rows ?? [];
}

/** Whoever prunes does so on a connection of its own: it may take minutes. */
async function prune(
  { address, clock, name, set }: RecordStoreOptions,
  before: number,
  unused: number,
): Promise<number> {
  try {
    const client = await connect(address, name, clock, PRUNE_SETTINGS);
    try {
      const dropped = await dropDays(client, before);
      await write(set, [
        ...[DELETE_OLD_SNAPSHOTS, DELETE_OLD_SETUP_PARTS].map((sql) => ({ sql, rows: [[unused]] })),
        // Of a stretch that has not ended by then, requests are kept.
        { sql: DELETE_OLD_FIGURES, rows: [[before - LONGEST_MS]] },
      ]);
      return dropped;
    } finally {
      await client.end().catch(() => undefined);
    }
  } catch (error) {
    throw new SqlError(faultOf(error));
  }
}

/** Now, and every hour: each process for itself, where days are missing. */
function keepDays(set: ConnectionSet, clock: Clock): Cancel {
  let cancel: Cancel = () => undefined;
  const keep = () => {
    // What is missing all the same is made with the first record of its day.
    void write(set, [daysAround(clock.wall())]).catch(() => undefined);
    cancel = clock.after(DAYS_EVERY_MS, keep);
  };
  keep();
  return () => cancel();
}
