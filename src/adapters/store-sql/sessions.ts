/** Sessions of the console (G-8). A session is one row; whoever signs out takes it away for every process. */
import type { ConsoleSession, SessionStore } from '../../ports/sessions.ts';
import type { SqlRow } from './sql-step.ts';
import type { StateDb } from './state-db.ts';

/** Columns: id_hash, person, token_hash, csrf_token, opened_at, used_at, expires_at. */
export interface SessionsSql {
  /** Row: the columns. */
  readonly open: string;
  /** Row: person, so many may stay. Takes away those that were opened earliest. */
  readonly trim: string;
  /** Params: id_hash, wall ms. Gives the columns of one that has not expired. */
  readonly find: string;
  /** Row: used_at, expires_at, id_hash, and used_at again: changes nothing where it was used later. */
  readonly touch: string;
  /** Row: id_hash. */
  readonly end: string;
  /** Row: wall ms. */
  readonly prune: string;
}

export interface SqlSessionsOptions {
  readonly db: Pick<StateDb, 'write'>;
  /** Beside the writers: whoever asks with made-up cookies must not hold up keys and money. */
  readonly reader: Pick<StateDb, 'read'>;
  readonly sql: SessionsSql;
}

export class SqlSessionStore implements SessionStore {
  readonly #options: SqlSessionsOptions;

  constructor(options: SqlSessionsOptions) {
    this.#options = options;
  }

  async open(session: ConsoleSession, most: number): Promise<void> {
    const { db, sql } = this.#options;
    const { idHash, person, tokenHash, csrfToken, openedAt, usedAt, expiresAt } = session;
    await db.write([
      { sql: sql.open, rows: [[idHash, person, tokenHash, csrfToken, openedAt, usedAt, expiresAt]] },
      { sql: sql.trim, rows: [[person, most]] },
    ]);
  }

  async find(idHash: string, wall: number): Promise<ConsoleSession | null> {
    const { reader, sql } = this.#options;
    const [row] = await reader.read(sql.find, [idHash, wall]);
    return row === undefined ? null : toSession(row);
  }

  async touch(idHash: string, usedAt: number, expiresAt: number): Promise<void> {
    await this.#write(this.#options.sql.touch, [usedAt, expiresAt, idHash, usedAt]);
  }

  async end(idHash: string): Promise<boolean> {
    return (await this.#write(this.#options.sql.end, [idHash])) > 0;
  }

  prune(wall: number): Promise<number> {
    return this.#write(this.#options.sql.prune, [wall]);
  }

  async #write(sql: string, row: SqlRow): Promise<number> {
    return (await this.#options.db.write([{ sql, rows: [row] }])).changes;
  }
}

function toSession([idHash, person, tokenHash, csrfToken, openedAt, usedAt, expiresAt]: SqlRow): ConsoleSession {
  return {
    idHash: String(idHash),
    person: String(person),
    tokenHash: String(tokenHash),
    csrfToken: String(csrfToken),
    openedAt: Number(openedAt),
    usedAt: Number(usedAt),
    expiresAt: Number(expiresAt),
  };
}
