/** Reads every key of the ledger, for `verify-ledger`: in order, a page at a time, bytes opened and weighed. */
import type { LedgerEntryView } from '../../core/idempotency/check-deliveries.ts';
import type { KeyRef } from '../../core/idempotency/key-row.ts';
import type { StoredKey } from '../../ports/idempotency-store.ts';
import { type AnswerSealer, digestOf, openAnswer } from './idempotency-answers.ts';
import { KEY_COLUMNS, readKey } from './idempotency-rows.ts';
import type { SqlRow, SqlScalar } from './sql-step.ts';
import type { StateDb } from './state-db.ts';
import type { IdempotencySql } from './statements.ts';

/** Where the keys are. */
export interface KeyReader {
  readonly db: Pick<StateDb, 'read'>;
  readonly sql: IdempotencySql;
}

const PAGE = 200;
/** Larger answers are read one at a time: a page of the largest would not fit into memory. */
const PAGE_ANSWER_BYTES = 65_536;
const NO_LIMIT = Number.MAX_SAFE_INTEGER;

export async function* readKeys(from: KeyReader, sealer: AnswerSealer): AsyncGenerator<StoredKey> {
  let after: KeyRef = { keyHash: '', scope: '' };
  for (;;) {
    const page = await from.db.read(from.sql.page, [after.keyHash, after.scope, PAGE, PAGE_ANSWER_BYTES]);
    for (const columns of page) {
      const stored = await toStored(from, sealer, columns, after);
      // It was forgotten between the two looks.
      if (stored === null) continue;
      yield stored;
      after = stored.ref;
    }
    if (page.length < PAGE) return;
    after = readKey(page.at(-1)!).ref;
  }
}

export async function countKeys({ db, sql }: KeyReader): Promise<number> {
  return Number((await db.read(sql.count, []))[0]?.[0] ?? 0);
}

/** The keys of one hash, of every scope. */
export async function keysOfHash({ db, sql }: KeyReader, keyHash: string): Promise<LedgerEntryView[]> {
  return (await db.read(sql.ofHash, [keyHash])).map(readKey);
}

async function toStored(
  from: KeyReader,
  sealer: AnswerSealer,
  columns: SqlRow,
  after: KeyRef,
): Promise<StoredKey | null> {
  const { ref, row, attempts } = readKey(columns);
  const [size, sealed] = columns.slice(KEY_COLUMNS);
  if (typeof size === 'number' && size > PAGE_ANSWER_BYTES && !(sealed instanceof Uint8Array)) {
    const [whole] = await from.db.read(from.sql.page, [after.keyHash, after.scope, 1, NO_LIMIT]);
    return whole === undefined || !isKey(whole, ref) ? null : toStored(from, sealer, whole, after);
  }
  return {
    ref,
    row,
    attempts: [...attempts].sort((a, b) => a.no - b.no),
    answer: weigh(sealer, ref, row.requestId, sealed),
  };
}

function isKey(columns: SqlRow, ref: KeyRef): boolean {
  return columns[0] === ref.keyHash && columns[1] === ref.scope;
}

function weigh(
  sealer: AnswerSealer,
  ref: KeyRef,
  requestId: string,
  sealed: SqlScalar | undefined,
): StoredKey['answer'] {
  if (!(sealed instanceof Uint8Array)) return { kind: 'none' };
  const answer = openAnswer(sealer, ref, requestId, sealed);
  return answer === null ? { kind: 'broken' } : { kind: 'bytes', digest: digestOf(answer.body) };
}
