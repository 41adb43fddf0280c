/**
 * What lies in a data folder and goes with it into a shared store, table by table. Sealed bytes go as they are: what they
 * are bound to names scopes and ids, and no engine. Left behind: reservations of balances, which no start keeps either, and
 * sessions of the console: people sign in again.
 */

/** `money`: whole nano-dollars, beyond what a number holds. `flag`: 0 or 1. */
export type ColumnType = 'text' | 'int' | 'money' | 'flag' | 'bytes';

export interface MovedTable {
  readonly name: string;
  /** The file of the folder it is in. */
  readonly file: 'state' | 'log';
  readonly columns: readonly (readonly [name: string, type: ColumnType])[];
  /** Columns that tell its rows apart and order its pages. */
  readonly by: readonly string[];
  /** Columns that only the target has: each from those of the row `r`, as SQL. */
  readonly made?: Readonly<Record<string, string>>;
}

const text = (...names: string[]) => names.map((name) => [name, 'text'] as const);
const int = (...names: string[]) => names.map((name) => [name, 'int'] as const);
const money = (...names: string[]) => names.map((name) => [name, 'money'] as const);
const flag = (...names: string[]) => names.map((name) => [name, 'flag'] as const);
const bytes = (...names: string[]) => names.map((name) => [name, 'bytes'] as const);

/** Columns that number rows in the order in which they were made; the next one gets the next number. */
export function numberOf({ by }: MovedTable): string | null {
  const [column = ''] = by;
  return column === 'ix' || column === 'seq' ? column : null;
}

/** The request log, in partitions by day at the target. */
export const REQUESTS = 'requests';

/** In the order they are moved: what stands on another table comes after it. */
export const MOVED_TABLES: readonly MovedTable[] = [
  {
    name: 'objects',
    file: 'state',
    by: ['ix'],
    columns: [
      ...int('ix'),
      ...text('kind', 'name', 'body'),
      ...int('version', 'created_at', 'updated_at'),
      ...text('updated_by'),
    ],
  },
  {
    name: 'ledger_entries',
    file: 'state',
    by: ['ix'],
    columns: [
      ...int('ix'),
      ...text('id', 'workspace', 'kind'),
      ...money('amount'),
      ...int('at'),
      ...text('attempt_id', 'note', 'made_by'),
    ],
  },
  {
    name: 'period_counters',
    file: 'state',
    by: ['kind', 'id', 'period'],
    columns: [
      ...text('kind', 'id', 'period'),
      ...int('start', 'requests', 'tokens'),
      ...money('spend'),
      ...int('told'),
    ],
  },
  {
    // A round that was held goes as it is: its holder is nobody the target knows, so the first start there closes it.
    name: 'idempotency_keys',
    file: 'state',
    by: ['ix'],
    columns: [
      ...int('ix'),
      ...text('key_hash', 'scope'),
      ...int('version'),
      ...flag('pending'),
      ...int('expires_at'),
      ...text('row', 'attempts'),
    ],
    made: { holder: `r."row"::json ->> 'holder'`, state: `r."row"::json ->> 'state'` },
  },
  {
    name: 'idempotency_answers',
    file: 'state',
    by: ['ix'],
    columns: [...int('ix'), ...text('seal_key'), ...bytes('sealed')],
  },
  {
    name: 'kept_answers',
    file: 'state',
    by: ['ix'],
    columns: [
      ...int('ix'),
      ...text('scope', 'fingerprint', 'workspace'),
      ...int('at', 'expires_at', 'size'),
      ...text('seal_key'),
      ...bytes('sealed'),
    ],
  },
  {
    name: 'jobs',
    file: 'state',
    by: ['ix'],
    columns: [
      ...int('ix'),
      ...text('id', 'workspace', 'key', 'request_id', 'ref', 'state'),
      ...int('tries', 'max_tries'),
      ...flag('strict'),
      ...text('cost_left'),
      ...int('at', 'due_at', 'finished_at', 'expires_at', 'size'),
      ...text('seal_key'),
      ...bytes('sealed'),
      ...text('holder'),
      ...flag('ready'),
    ],
  },
  {
    name: 'bound_states',
    file: 'state',
    by: ['workspace', 'id'],
    columns: [...text('workspace', 'id', 'model', 'channel', 'credential'), ...int('at', 'expires_at')],
  },
  {
    name: 'signals',
    file: 'state',
    by: ['kind', 'slot', 'holder'],
    columns: [...text('kind'), ...int('slot'), ...text('holder'), ...int('told_at'), ...text('body')],
  },
  {
    name: 'audit',
    file: 'state',
    by: ['seq'],
    columns: [
      ...int('seq', 'at'),
      ...text('actor', 'action', 'object', 'workspace', 'request_id', 'before', 'after', 'ip'),
    ],
  },
  {
    name: 'events',
    file: 'state',
    by: ['id'],
    columns: [...text('id'), ...int('at'), ...text('type', 'workspace', 'request_id', 'data')],
  },
  {
    // One that was being carried out is nobody's there, and sent once its lease is over.
    name: 'deliveries',
    file: 'state',
    by: ['ix'],
    columns: [
      ...int('ix'),
      ...text('id', 'hook', 'workspace', 'event_ids', 'types', 'state'),
      ...int('fresh', 'tries', 'next_at'),
      ...text('holder'),
      ...int('lease', 'leased_until', 'status'),
      ...text('answer'),
      ...int('took_ms', 'at', 'done_at'),
    ],
  },
  {
    name: 'snapshots',
    file: 'log',
    by: ['id'],
    columns: [...text('id', 'names'), ...int('registered_at', 'retired_at')],
  },
  {
    name: 'figures',
    file: 'log',
    by: ['grain', 'scope', 'slot', 'part'],
    columns: [...int('grain'), ...text('scope'), ...int('slot'), ...text('part', 'body')],
  },
  { name: 'setup_parts', file: 'log', by: ['id'], columns: [...text('id', 'content'), ...int('used_at')] },
  {
    name: REQUESTS,
    file: 'log',
    by: ['at', 'id'],
    columns: [
      ...text('id'),
      ...int('at'),
      ...text('workspace', 'key', 'requested_model', 'served_model', 'virtual_model'),
      ...int('status'),
      ...text('outcome'),
      ...flag('degraded', 'failover'),
      ...text('idempotency', 'snapshot', 'summary', 'detail'),
    ],
  },
];
