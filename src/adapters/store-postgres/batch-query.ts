/**
 * Several statements as one message to the server and one transaction: per statement Parse (once per connection), Bind
 * and Execute, then a single Sync. What lies before a Sync is one implicit transaction: an error skips the rest, and
 * nothing stays. One round trip, whatever the number of statements.
 *
 * It stands where the client library takes its own queries (`Submittable`, as its cursors do) and relies on what that
 * calls; `batch-query.test.ts` pins it.
 */
import type { SqlFault } from '../store-sql/fault.ts';
import type { SqlScalar } from '../store-sql/sql-step.ts';
import { scalarReader } from './scalars.ts';

/** One statement and its values. */
export interface BatchStep {
  readonly sql: string;
  /** Types of its parameters by number; shorter or empty = the server finds them. */
  readonly types: readonly number[];
  readonly values: readonly (string | Buffer | null)[];
  /** Parsed once per connection. Only for texts that are few. */
  readonly isKept: boolean;
  /** Its rows are wanted as scalars; else as the texts they travel as. */
  readonly isRead: boolean;
}

/** What one statement gave. */
export interface StepAnswer {
  /** Rows it changed, or read. */
  readonly count: number;
  readonly rows: readonly (readonly SqlScalar[])[];
}

/** Names of the statements that one connection knows already. */
export class ParsedNames {
  readonly #names = new Map<string, string>();
  #made = 0;

  find(sql: string): string | undefined {
    return this.#names.get(sql);
  }

  /** A name never used on this connection. */
  make(sql: string): string {
    this.#made += 1;
    const name = `us${this.#made}`;
    this.#names.set(sql, name);
    return name;
  }

  /** Whether they were parsed is not known: they get new names. */
  forget(statements: readonly string[]): void {
    for (const sql of statements) this.#names.delete(sql);
  }
}

/** What is used of the library's connection. */
export interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  parse(query: { readonly name: string; readonly text: string; readonly types: readonly number[] }): void;
  bind(config: { readonly statement: string; readonly values: readonly (string | Buffer | null)[] }): void;
  describe(message: { readonly type: 'P' }): void;
  execute(config: null): void;
  sync(): void;
  sendCopyFail(message: string): void;
}

interface Field {
  readonly dataTypeID: number;
}

type Read = (text: string) => SqlScalar;

export class BatchQuery {
  readonly #steps: readonly BatchStep[];
  readonly #names: ParsedNames;
  readonly #done: (answers: readonly StepAnswer[]) => void;
  readonly #failed: (fault: SqlFault) => void;
  /** Parsed with this batch. */
  readonly #fresh: string[] = [];
  readonly #answers: StepAnswer[] = [];
  #rows: SqlScalar[][] = [];
  #readers: readonly Read[] = [];
  #isSettled = false;

  constructor(
    steps: readonly BatchStep[],
    names: ParsedNames,
    done: (answers: readonly StepAnswer[]) => void,
    failed: (fault: SqlFault) => void,
  ) {
    this.#steps = steps;
    this.#names = names;
    this.#done = done;
    this.#failed = failed;
  }

  /** Called when the connection is free. */
  submit(wire: Wire): void {
    // Otherwise each message would be a system call.
    wire.stream.cork();
    try {
      for (const step of this.#steps) this.#send(wire, step);
      wire.sync();
    } finally {
      wire.stream.uncork();
    }
  }

  #send(wire: Wire, { sql, types, values, isKept, isRead }: BatchStep): void {
    const known = isKept ? this.#names.find(sql) : undefined;
    const name = known ?? (isKept ? this.#names.make(sql) : '');
    if (known === undefined) {
      if (isKept) this.#fresh.push(sql);
      wire.parse({ name, text: sql, types });
    }
    wire.bind({ statement: name, values });
    if (isRead) wire.describe({ type: 'P' });
    wire.execute(null);
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#readers = fields.map(({ dataTypeID }) => scalarReader(dataTypeID));
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    this.#rows.push(fields.map((text, index) => (text === null ? null : (this.#readers[index]?.(text) ?? text))));
  }

  /** Its text ends with the number of rows: `INSERT 0 5`, `UPDATE 3`, `SELECT 1`. */
  handleCommandComplete({ text }: { readonly text: string }): void {
    const count = Number(/\d+$/.exec(text)?.[0] ?? 0);
    this.#answers.push({ count, rows: this.#rows });
    this.#rows = [];
    this.#readers = [];
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' });
  }

  handlePortalSuspended(): void {
    // All rows are asked for at once.
  }

  handleCopyInResponse(wire: Wire): void {
    // The one that was sent before counts for nothing once the server waits for a copy.
    wire.sendCopyFail('nothing is copied here');
    wire.sync();
  }

  handleCopyData(): void {
    // Nothing is copied here.
  }

  /**
   * The library takes the connection back at ReadyForQuery, which still comes: a Sync of our own here would bring a
   * second one, in the middle of the next batch.
   */
  handleError(error: { readonly code?: string; readonly message: string }): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#names.forget(this.#fresh);
    this.#failed({ code: error.code ?? 'CONNECTION', message: error.message });
  }

  handleReadyForQuery(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#done(this.#answers);
  }
}
