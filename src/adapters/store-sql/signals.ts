/** What alerts are made from (O-4), as JSON in one table: windows, hours and the last verdict, by process. */
import { sumTallies, type Tally } from '../../core/signals/tallies.ts';
import type { SignalStore, SignalVerdict, SignalWindow } from '../../ports/signals.ts';
import type { StateDb } from './state-db.ts';

/** Columns: kind, slot, holder, told_at, body. One row for each kind, slot and holder. */
export interface SignalsSql {
  /** Row: the columns. Takes the place of an earlier one. */
  readonly put: string;
  /** Params: kind, first slot, the slot after the last, wall ms. Gives body of those told at or after it. */
  readonly read: string;
  /** Row: wall ms. What was told before it. */
  readonly prune: string;
}

export interface SqlSignalsOptions {
  readonly db: Pick<StateDb, 'read' | 'write'>;
  readonly sql: SignalsSql;
  /** Names this start of the process, for as long as it lives. */
  readonly holder: string;
}

/** Of what there is once only. */
const SLOT = 0;
/** The verdict is everybody's. */
const NOBODY = '';

export class SqlSignalStore implements SignalStore {
  readonly #options: SqlSignalsOptions;

  constructor(options: SqlSignalsOptions) {
    this.#options = options;
  }

  putWindow(at: number, window: SignalWindow): Promise<void> {
    return this.#put('window', SLOT, this.#options.holder, at, window);
  }

  windows(since: number): Promise<readonly SignalWindow[]> {
    return this.#read<SignalWindow>('window', SLOT, SLOT + 1, since);
  }

  putHour(hour: number, tallies: readonly Tally[]): Promise<void> {
    return this.#put('hour', hour, this.#options.holder, hour, tallies);
  }

  async hours(from: number, to: number): Promise<readonly Tally[]> {
    return sumTallies(await this.#read<readonly Tally[]>('hour', from, to, 0));
  }

  putVerdict(verdict: SignalVerdict): Promise<void> {
    return this.#put('verdict', SLOT, NOBODY, verdict.at, verdict);
  }

  async verdict(): Promise<SignalVerdict | null> {
    const [verdict] = await this.#read<SignalVerdict>('verdict', SLOT, SLOT + 1, 0);
    return verdict ?? null;
  }

  async prune(before: number): Promise<number> {
    const { db, sql } = this.#options;
    return (await db.write([{ sql: sql.prune, rows: [[before]] }])).changes;
  }

  async #put(kind: string, slot: number, holder: string, at: number, body: object): Promise<void> {
    const { db, sql } = this.#options;
    await db.write([{ sql: sql.put, rows: [[kind, slot, holder, at, JSON.stringify(body)]] }]);
  }

  async #read<T>(kind: string, from: number, to: number, since: number): Promise<T[]> {
    const rows = await this.#options.db.read(this.#options.sql.read, [kind, from, to, since]);
    return rows.flatMap(([body]) => readBody<T>(String(body)));
  }
}

/** What a later version wrote, or a hand, is as if it were not there: signals are hints. */
function readBody<T>(text: string): T[] {
  try {
    return [JSON.parse(text) as T];
  } catch {
    return [];
  }
}
