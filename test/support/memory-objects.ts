/** The object store in memory, for tests of what lies above it: same promises, faults on demand. */
import type { AuditEntry } from '../../src/ports/audit.ts';
import {
  type ObjectChange,
  ObjectConflict,
  type ObjectStore,
  type StoredObject,
} from '../../src/ports/object-store.ts';

export class MemoryObjects implements ObjectStore {
  readonly all: StoredObject[] = [];
  /** Entries of the changes that were kept. */
  readonly audit: AuditEntry[] = [];
  /** Runs before a change is kept; may throw. */
  before: () => void = () => undefined;
  /** Runs after a change is kept: its answer may get lost. */
  after: () => void = () => undefined;
  /** Runs before a load; may throw. */
  beforeLoad: () => void = () => undefined;

  load(): Promise<readonly StoredObject[]> {
    return Promise.resolve().then(() => {
      this.beforeLoad();
      return [...this.all];
    });
  }

  async change(
    changes: readonly ObjectChange[],
    wall: number,
    audit: readonly AuditEntry[] = [],
  ): Promise<readonly (StoredObject | null)[]> {
    await Promise.resolve();
    this.before();
    const next = [...this.all];
    const results = changes.map(({ kind, name, body, expectedVersion, by }) => {
      const at = next.findIndex((one) => one.kind === kind && one.name === name);
      if ((next[at]?.version ?? 0) !== expectedVersion || (at < 0 && body === null)) throw new ObjectConflict(name);
      if (body === null) {
        next.splice(at, 1);
        return null;
      }
      const createdAt = next[at]?.createdAt ?? wall;
      const made = { kind, name, body, version: expectedVersion + 1, createdAt, updatedAt: wall, updatedBy: by };
      if (at < 0) next.push(made);
      else next[at] = made;
      return made;
    });
    this.all.splice(0, this.all.length, ...next);
    this.audit.push(...audit);
    this.after();
    return results;
  }
}
