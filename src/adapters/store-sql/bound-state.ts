/** What lives at upstream accounts (P-8). Many notes share a transaction. */
import type { BoundState, BoundStates, Home } from '../../ports/bound-state.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { StateDb } from './state-db.ts';
import type { BoundSql } from './statements.ts';

/** Every stored answer is noted: one transaction for many. */
const GATHER_MS = 100;
/** What is expired is deleted so often. */
const EXPIRE_EVERY_MS = 60 * 60 * 1000;

interface Waiting {
  readonly states: readonly BoundState[];
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

export interface BoundStateParts {
  readonly db: Pick<StateDb, 'read' | 'write'>;
  readonly sql: BoundSql;
  readonly clock: Clock;
}

export class SqlBoundStates implements BoundStates {
  readonly #db: BoundStateParts['db'];
  readonly #sql: BoundSql;
  readonly #clock: Clock;
  /** What is not in the file yet, by workspace and id. */
  readonly #fresh = new Map<string, BoundState>();
  #waiting: Waiting[] = [];
  #writing: Promise<void> | null = null;
  #cancel: Cancel;
  #gathering: Cancel | null = null;

  constructor({ db, sql, clock }: BoundStateParts) {
    this.#db = db;
    this.#sql = sql;
    this.#clock = clock;
    this.#cancel = clock.after(EXPIRE_EVERY_MS, () => this.#expire());
  }

  note(states: readonly BoundState[], when: 'now' | 'soon'): Promise<void> {
    for (const state of states) this.#fresh.set(keyOf(state.workspace, state.id), state);
    return new Promise((done, failed) => {
      this.#waiting.push({ states, done, failed });
      if (when === 'now') this.#flush();
      else this.#gathering ??= this.#clock.after(GATHER_MS, () => this.#flush());
    });
  }

  async find(workspace: string, id: string, wall: number): Promise<Home | null> {
    const fresh = this.#fresh.get(keyOf(workspace, id));
    if (fresh !== undefined) return fresh;
    const [row] = await this.#db.read(this.#sql.find, [workspace, id, wall]);
    if (row === undefined) return null;
    const [model, channel, credential] = row;
    return {
      model: String(model),
      channel: String(channel),
      credential: credential == null ? null : String(credential),
    };
  }

  async forget(workspace: string, id: string): Promise<void> {
    this.#fresh.delete(keyOf(workspace, id));
    // It stays known a little longer: the upstream says that it is gone.
    await this.#db.write([{ sql: this.#sql.forget, rows: [[workspace, id]] }]).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#cancel();
    this.#flush();
    await this.#writing;
  }

  #flush(): void {
    this.#gathering?.();
    this.#gathering = null;
    // A write on its way takes along what came meanwhile; with nothing left to write it would never be over.
    if (this.#waiting.length > 0) this.#writing ??= this.#write();
  }

  /** Everything that waits, in one transaction; what comes meanwhile in the next. */
  async #write(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      const states = batch.flatMap((one) => one.states);
      try {
        await this.#db.write([{ sql: this.#sql.note, rows: states.map(rowOf) }]);
        for (const { done } of batch) done();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
      for (const state of states) {
        const key = keyOf(state.workspace, state.id);
        if (this.#fresh.get(key) === state) this.#fresh.delete(key);
      }
    }
    this.#writing = null;
  }

  #expire(): void {
    this.#cancel = this.#clock.after(EXPIRE_EVERY_MS, () => this.#expire());
    // Expired ones are not found anyway: the next time will do.
    void this.#db.write([{ sql: this.#sql.expire, rows: [[this.#clock.wall()]] }]).catch(() => undefined);
  }
}

function rowOf({ workspace, id, model, channel, credential, at, expiresAt }: BoundState) {
  return [workspace, id, model, channel, credential, at, expiresAt];
}

function keyOf(workspace: string, id: string): string {
  return `${workspace}\u0000${id}`;
}
