/** One key while a batch works on it: the row as it is to be, and what else is to be written with it. */
import type { KeyRef, KeyRow } from '../../core/idempotency/key-row.ts';
import { dropAttempt, finishAttempt } from '../../core/idempotency/round.ts';
import type { AttemptEnd, AttemptStart } from '../../ports/idempotency-store.ts';
import { fieldsOf, type Row, SQL } from './idempotency-rows.ts';
import type { SqlScalar, SqlStep } from './sql-protocol.ts';

export interface SealedAnswer {
  readonly sealKey: string;
  readonly sealed: Uint8Array;
}

export class KeyWork {
  readonly ref: KeyRef;
  /** Of the row in the file; 0 = it has none. */
  readonly version: number;
  row: KeyRow | null;
  /** Ids of attempts that have not ended. */
  readonly open: Set<string>;
  wiped = false;
  changed = false;
  started: Row[] = [];
  ended: Row[] = [];
  dropped: Row[] = [];
  answer: SealedAnswer | null = null;

  constructor(ref: KeyRef, version: number, row: KeyRow | null, open: Iterable<string>) {
    this.ref = ref;
    this.version = version;
    this.row = row;
    this.open = new Set(open);
  }

  put(row: KeyRow): void {
    this.row = row;
    this.changed = true;
  }

  /** A new life: nothing of the old one stays. */
  begin(row: KeyRow): void {
    this.put(row);
    this.wiped = this.version > 0;
    this.open.clear();
    this.started = [];
    this.ended = [];
    this.dropped = [];
    this.answer = null;
  }

  start({ attemptId, round, no, target, at }: AttemptStart, row: KeyRow): void {
    this.put(row);
    this.open.add(attemptId);
    this.started.push([this.ref.keyHash, this.ref.scope, attemptId, round, no, target, at]);
  }

  /** Without effect on an attempt that is not open. */
  end({ attemptId, result, maybeExecuted, at }: Omit<AttemptEnd, 'ref'>): void {
    if (this.row === null || !this.open.delete(attemptId)) return;
    this.put(finishAttempt(this.row, maybeExecuted));
    this.#writeEnd(attemptId, result, maybeExecuted, at);
  }

  /** Without effect on an attempt that is not open. */
  drop(attemptId: string): void {
    if (this.row === null || !this.open.delete(attemptId)) return;
    this.put(dropAttempt(this.row));
    this.dropped.push([this.ref.keyHash, this.ref.scope, attemptId]);
  }

  /** Its answer is the success, whatever was said of it before. */
  endServed(attemptId: string, at: number): void {
    if (this.row !== null && this.open.delete(attemptId)) this.put(finishAttempt(this.row, false));
    this.#writeEnd(attemptId, 'served', false, at);
  }

  /** It succeeded, and nobody will get it (I-3). */
  endLate(attemptId: string, at: number): void {
    if (this.row === null) return;
    if (this.open.delete(attemptId)) this.put(finishAttempt(this.row, true));
    this.#writeEnd(attemptId, 'late_success', true, at);
  }

  /** I-8: nobody knows what became of them. */
  abandon(row: KeyRow, at: number): void {
    for (const attemptId of this.open) this.#writeEnd(attemptId, 'interrupted', true, at);
    this.open.clear();
    this.put(row);
  }

  #writeEnd(attemptId: string, result: string, maybeExecuted: boolean, at: number): void {
    this.ended.push([at, result, maybeExecuted ? 1 : 0, this.ref.keyHash, this.ref.scope, attemptId]);
  }
}

/** Everything the works of a batch have to write, as one transaction's steps. */
export function stepsOf(works: Iterable<KeyWork>): SqlStep[] {
  const wipes: Row[] = [];
  const inserts: SqlScalar[][] = [];
  const updates: SqlScalar[][] = [];
  const started: Row[] = [];
  const ended: Row[] = [];
  const dropped: Row[] = [];
  const answers: Row[] = [];
  for (const { ref, row, version, ...work } of works) {
    const key = [ref.keyHash, ref.scope];
    started.push(...work.started);
    ended.push(...work.ended);
    dropped.push(...work.dropped);
    if (work.answer !== null) answers.push([...key, work.answer.sealKey, work.answer.sealed]);
    if (!work.changed || row === null) continue;
    if (work.wiped) wipes.push(key);
    const fields = fieldsOf(row, work.open.size);
    if (version === 0) inserts.push([...key, 1, ...fields]);
    else updates.push([version + 1, ...fields, ...key, version]);
  }
  return [
    step(SQL.wipeAttempts, wipes),
    step(SQL.wipeAnswer, wipes),
    step(SQL.insertKey, inserts, true),
    step(SQL.updateKey, updates, true),
    step(SQL.startAttempt, started),
    step(SQL.endAttempt, ended),
    step(SQL.dropAttempt, dropped),
    step(SQL.putAnswer, answers),
  ].filter(({ rows }) => rows.length > 0);
}

/** `all`: each row must change exactly one. */
function step(sql: string, rows: readonly Row[], all = false): SqlStep & { readonly rows: readonly Row[] } {
  return all ? { sql, rows, expect: rows.length } : { sql, rows };
}
