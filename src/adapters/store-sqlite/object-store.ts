/** Configuration objects on SQLite. Versions are checked in the transaction that writes. */
import {
  type ObjectChange,
  ObjectConflict,
  type ObjectStore,
  StateStoreUnavailable,
  type StoredObject,
} from '../../ports/object-store.ts';
import { isUnmet } from '../store-sql/fault.ts';
import type { StateDb } from '../store-sql/state-db.ts';
import type { SqlScalar, SqlStep } from './sql-protocol.ts';

const COLUMNS = 'kind, name, body, version, created_at, updated_at, updated_by';
const LOAD = `SELECT ${COLUMNS} FROM objects ORDER BY ix`;
const CREATED_AT = 'SELECT created_at FROM objects WHERE kind = ? AND name = ?';
const INSERT = `INSERT INTO objects (${COLUMNS}) VALUES (?, ?, ?, 1, ?, ?, ?) ON CONFLICT (kind, name) DO NOTHING`;
const UPDATE = `UPDATE objects SET body = ?, version = version + 1, updated_at = ?, updated_by = ?
  WHERE kind = ? AND name = ? AND version = ?`;
const DELETE = 'DELETE FROM objects WHERE kind = ? AND name = ? AND version = ?';

/** Objects in `state.db`: all changes of one call in one transaction (H-5). Rejects as the port says. */
export class SqliteObjectStore implements ObjectStore {
  readonly #db: StateDb;

  constructor(db: StateDb) {
    this.#db = db;
  }

  async load(): Promise<readonly StoredObject[]> {
    return (await this.#db.read(LOAD, [])).map(toObject);
  }

  async change(changes: readonly ObjectChange[], wall: number): Promise<readonly (StoredObject | null)[]> {
    // Read before and not after: once it is written nothing may reject any more.
    const results = await Promise.all(changes.map((change) => this.#after(change, wall)));
    try {
      await this.#db.write(changes.map((change) => toStep(change, wall)));
    } catch (error) {
      if (!isUnmet(error)) throw error;
      const names = changes.map(({ kind, name }) => `${kind} ${name}`).join(', ');
      throw new ObjectConflict(`changed meanwhile: ${names}`);
    }
    return results;
  }

  /** The object as the change will leave it, if its version is the expected one. */
  async #after(change: ObjectChange, wall: number): Promise<StoredObject | null> {
    const { kind, name, body, expectedVersion, by } = change;
    if (body === null) return null;
    const known = expectedVersion === 0 ? undefined : (await this.#db.read(CREATED_AT, [kind, name]))[0]?.[0];
    return {
      kind,
      name,
      body,
      version: expectedVersion + 1,
      createdAt: known === undefined ? wall : Number(known),
      updatedAt: wall,
      updatedBy: by,
    };
  }
}

function toStep({ kind, name, body, expectedVersion, by }: ObjectChange, wall: number): SqlStep {
  if (body === null) return { sql: DELETE, rows: [[kind, name, expectedVersion]], expect: 1 };
  const text = JSON.stringify(body);
  if (expectedVersion === 0) return { sql: INSERT, rows: [[kind, name, text, wall, wall, by]], expect: 1 };
  return { sql: UPDATE, rows: [[text, wall, by, kind, name, expectedVersion]], expect: 1 };
}

function toObject(row: readonly SqlScalar[]): StoredObject {
  const [kind, name, body, version, createdAt, updatedAt, updatedBy] = row;
  return {
    kind: String(kind),
    name: String(name),
    body: readBody(`${String(kind)} ${String(name)}`, String(body)),
    version: Number(version),
    createdAt: Number(createdAt),
    updatedAt: Number(updatedAt),
    updatedBy: String(updatedBy),
  };
}

function readBody(what: string, text: string): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body as Record<string, unknown>;
  } catch {
    // Told below.
  }
  throw new StateStoreUnavailable(`the state is damaged: the body of ${what} is no JSON object`);
}
