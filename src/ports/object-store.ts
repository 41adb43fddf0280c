/**
 * Configuration objects that live in the store and not in the file: workspaces, keys, credentials, members, bans. The
 * truth: every change is durable before it is answered.
 */
import type { AuditEntry } from './audit.ts';

export interface StoredObject {
  /** `workspace`, `key`, `credential`, `member`, `ban`, … */
  readonly kind: string;
  /** Unique within its kind. */
  readonly name: string;
  /** As in the configuration file, JSON; never a secret in clear text. */
  readonly body: Readonly<Record<string, unknown>>;
  /** From 1, one more with every change. */
  readonly version: number;
  /** Wall ms. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Who changed it last: `admin`, a member's name, `file`. */
  readonly updatedBy: string;
}

export interface ObjectChange {
  readonly kind: string;
  readonly name: string;
  /** Null = remove. */
  readonly body: Readonly<Record<string, unknown>> | null;
  /** What the change was made from; 0 = it must not exist yet. */
  readonly expectedVersion: number;
  readonly by: string;
}

/** Somebody else changed the object meanwhile. */
export class ObjectConflict extends Error {}

/** The store can't be read or written (H-5); `message` in plain words. */
export class StateStoreUnavailable extends Error {}

/** The store can be read, but not what it holds. */
export class StateDamaged extends StateStoreUnavailable {}

export interface ObjectStore {
  /** All objects, in the order they were made. */
  load(): Promise<readonly StoredObject[]>;
  /**
   * All or none, durable when it resolves; `audit` entries with them. Rejects with ObjectConflict or StateStoreUnavailable.
   */
  change(
    changes: readonly ObjectChange[],
    wall: number,
    audit?: readonly AuditEntry[],
  ): Promise<readonly (StoredObject | null)[]>;
  /** Grows with every change, whoever makes it. Absent = nobody else makes any. Rejects with StateStoreUnavailable. */
  revision?(): Promise<number>;
}
