/** One key while a batch works on it: the row as it is to be, and what else is to be written with it. */
import type { KeyRef, KeyRow } from '../../core/idempotency/key-row.ts';
import { dropAttempt, finishAttempt } from '../../core/idempotency/round.ts';
import type { StoredAttempt } from '../../core/idempotency/stored-key.ts';
import type { AttemptResult } from '../../core/record.ts';
import type { AttemptEnd, AttemptStart } from '../../ports/idempotency-store.ts';
import { fieldsOf, isOpen, type KeyInFile } from './idempotency-rows.ts';
import type { SqlRow, SqlStep } from './sql-step.ts';
import type { IdempotencySql } from './statements.ts';

export interface SealedAnswer {
  readonly sealKey: string;
  readonly sealed: Uint8Array;
}

export class KeyWork {
  readonly ref: KeyRef;
  /** Of the row in the file; 0 = it has none. */
  readonly version: number;
  row: KeyRow | null;
  attempts: readonly StoredAttempt[];
  /** What was kept of an earlier life goes. */
  wiped = false;
  /** It is not as it is in the file. */
  changed = false;
  /** What changed may be written with the next change: nobody can miss it before. */
  mayWait = false;
  /** A change that waited goes along. */
  waited = false;
  /** Whether it is in the file already is not known: a transaction ended without a word. */
  isDoubtful = false;
  answer: SealedAnswer | null = null;

  constructor(ref: KeyRef, known: Omit<KeyInFile, 'ref'> | null) {
    this.ref = ref;
    this.version = known?.version ?? 0;
    this.row = known?.row ?? null;
    this.attempts = known?.attempts ?? [];
  }

  /** Some attempt, of this round or before, has not ended. */
  get hasOpen(): boolean {
    return this.attempts.some(isOpen);
  }

  get isToBeWritten(): boolean {
    return this.changed && !this.mayWait && this.row !== null;
  }

  put(row: KeyRow): void {
    this.row = row;
    this.changed = true;
    this.mayWait = false;
  }

  /** A new life: nothing of the old one stays. */
  begin(row: KeyRow): void {
    this.put(row);
    this.wiped = this.version > 0;
    this.attempts = [];
    this.answer = null;
  }

  start({ attemptId, round, no, target, at }: AttemptStart, row: KeyRow): void {
    this.put(row);
    if (this.attempts.some((known) => known.attemptId === attemptId)) return;
    const ended = { endedAt: null, result: null, maybeExecuted: false };
    this.attempts = [...this.attempts, { attemptId, round, no, target, startedAt: at, ...ended }];
  }

  /** Without effect on an attempt that is not open. */
  end({ attemptId, result, maybeExecuted, at }: Omit<AttemptEnd, 'ref'>): void {
    if (this.row === null || !this.#isOpen(attemptId)) return;
    this.put(finishAttempt(this.row, maybeExecuted));
    this.#end(attemptId, result, maybeExecuted, at);
  }

  /** Without effect on an attempt that is not open. */
  drop(attemptId: string): void {
    if (this.row === null || !this.#isOpen(attemptId)) return;
    this.put(dropAttempt(this.row));
    this.attempts = this.attempts.filter((attempt) => attempt.attemptId !== attemptId);
  }

  /** Its answer is the success, whatever was said of it before. */
  endServed(attemptId: string, at: number): void {
    if (this.row !== null && this.#isOpen(attemptId)) this.put(finishAttempt(this.row, false));
    this.#end(attemptId, 'served', false, at);
  }

  /** It succeeded, and nobody will get it (I-3). */
  endLate(attemptId: string, at: number): void {
    if (this.row === null || !this.attempts.some((known) => known.attemptId === attemptId)) return;
    this.put(this.#isOpen(attemptId) ? finishAttempt(this.row, true) : this.row);
    this.#end(attemptId, 'late_success', true, at);
  }

  /** I-8: nobody knows what became of them. */
  abandon(row: KeyRow, at: number): void {
    for (const attempt of this.attempts) if (isOpen(attempt)) this.#end(attempt.attemptId, 'interrupted', true, at);
    this.put(row);
  }

  /** As the next batch finds it once this one is durable. */
  next(): KeyWork {
    const { ref, version, row, attempts, changed, mayWait } = this;
    const isWritten = changed && !mayWait;
    const next = new KeyWork(ref, row && { version: isWritten ? version + 1 : version, row, attempts });
    next.changed = mayWait;
    next.mayWait = mayWait;
    next.waited = mayWait;
    next.wiped = mayWait && this.wiped;
    return next;
  }

  #isOpen(attemptId: string): boolean {
    return this.attempts.some((attempt) => attempt.attemptId === attemptId && isOpen(attempt));
  }

  /** What is known first about its end stays, except that it succeeded late. */
  #end(attemptId: string, result: AttemptResult, maybeExecuted: boolean, at: number): void {
    this.attempts = this.attempts.map((attempt) =>
      attempt.attemptId !== attemptId
        ? attempt
        : {
            ...attempt,
            endedAt: attempt.endedAt ?? at,
            result,
            maybeExecuted: attempt.maybeExecuted || maybeExecuted,
          },
    );
  }
}

/** Everything the works of a batch have to write, as one transaction's steps. */
export function stepsOf(works: Iterable<KeyWork>, sql: IdempotencySql): SqlStep[] {
  const wipes: SqlRow[] = [];
  const inserts: SqlRow[] = [];
  const updates: SqlRow[] = [];
  const answers: SqlRow[] = [];
  for (const work of works) {
    const { ref, row, version, attempts, wiped, answer } = work;
    if (!work.isToBeWritten || row === null) continue;
    const { keyHash, scope } = ref;
    if (wiped) wipes.push([keyHash, scope]);
    const fields = fieldsOf(row, attempts);
    if (version === 0) inserts.push([...fields, keyHash, scope, 1]);
    else updates.push([...fields, keyHash, scope, version]);
    if (answer !== null) answers.push([keyHash, scope, answer.sealKey, answer.sealed]);
  }
  return [
    step(sql.wipeAnswer, wipes),
    step(sql.insertKey, inserts, true),
    step(sql.updateKey, updates, true),
    step(sql.putAnswer, answers),
  ].filter(({ rows }) => rows.length > 0);
}

/** `all`: each row must change exactly one. */
function step(sql: string, rows: readonly SqlRow[], all = false): SqlStep & { readonly rows: readonly SqlRow[] } {
  return all ? { sql, rows, expect: rows.length } : { sql, rows };
}
