/** Configuration objects in a database. Versions are checked in the transaction that writes. */

import type { AuditEntry } from '../../ports/audit.ts';
import {
  type ObjectChange,
  ObjectConflict,
  type ObjectStore,
  StateDamaged,
  type StoredObject,
} from '../../ports/object-store.ts';
import { type AuditSql, auditSteps } from './audit.ts';
import { isUnmet } from './fault.ts';
import type { SqlRow, SqlStep } from './sql-step.ts';
import type { StateDb } from './state-db.ts';
import type { ObjectsSql } from './statements.ts';

export interface ObjectStoreParts {
  readonly db: Pick<StateDb, 'read' | 'write'>;
  readonly sql: ObjectsSql;
  /** Where entries go that are as durable as the change they tell of. */
  readonly auditSql: AuditSql;
  /** Something has changed, durably: others of the same store are to look. */
  readonly onChanged?: () => void;
}

/** Objects in a database: all changes of one call in one transaction (H-5). Rejects as the port says. */
export class SqlObjectStore implements ObjectStore {
  readonly #db: ObjectStoreParts['db'];
  readonly #sql: ObjectsSql;
  readonly #auditSql: AuditSql;
  readonly #onChanged: () => void;
  readonly revision?: () => Promise<number>;

  constructor({ db, sql, auditSql, onChanged = () => undefined }: ObjectStoreParts) {
    this.#db = db;
    this.#sql = sql;
    this.#auditSql = auditSql;
    this.#onChanged = onChanged;
    const { revision } = sql;
    if (revision !== null) this.revision = async () => Number((await db.read(revision.read, []))[0]?.[0] ?? 0);
  }

  async load(): Promise<readonly StoredObject[]> {
    return (await this.#db.read(this.#sql.load, [])).map(toObject);
  }

  async change(
    changes: readonly ObjectChange[],
    wall: number,
    audit: readonly AuditEntry[] = [],
  ): Promise<readonly (StoredObject | null)[]> {
    // Read before and not after: once it is written nothing may reject any more.
    const results = await Promise.all(changes.map((change) => this.#after(change, wall)));
    try {
      await this.#db.write([...this.#steps(changes, wall), ...auditSteps(this.#auditSql, audit)]);
    } catch (error) {
      if (!isUnmet(error)) throw error;
      const names = changes.map(({ kind, name }) => `${kind} ${name}`).join(', ');
      throw new ObjectConflict(`changed meanwhile: ${names}`);
    }
    this.#onChanged();
    return results;
  }

  #steps(changes: readonly ObjectChange[], wall: number): SqlStep[] {
    const { revision } = this.#sql;
    const steps = changes.map((change) => toStep(this.#sql, change, wall));
    return revision === null ? steps : [...steps, { sql: revision.next, rows: [[]] }];
  }

  /** The object as the change will leave it, if its version is the expected one. */
  async #after(change: ObjectChange, wall: number): Promise<StoredObject | null> {
    const { kind, name, body, expectedVersion, by } = change;
    if (body === null) return null;
    const known = expectedVersion === 0 ? undefined : (await this.#db.read(this.#sql.createdAt, [kind, name]))[0]?.[0];
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

function toStep(sql: ObjectsSql, { kind, name, body, expectedVersion, by }: ObjectChange, wall: number): SqlStep {
  if (body === null) return { sql: sql.delete, rows: [[kind, name, expectedVersion]], expect: 1 };
  const text = JSON.stringify(body);
  if (expectedVersion === 0) return { sql: sql.insert, rows: [[kind, name, text, wall, by]], expect: 1 };
  return { sql: sql.update, rows: [[kind, name, expectedVersion, text, wall, by]], expect: 1 };
}

function toObject(row: SqlRow): StoredObject {
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
  throw new StateDamaged(`the state is damaged: the body of ${what} is no JSON object`);
}
