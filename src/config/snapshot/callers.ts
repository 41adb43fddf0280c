/** Who may ask: client keys, and the members of the admin plane. */
import type { Role } from '../../core/access/roles.ts';
import type { Limits } from '../../core/limits/limits.ts';
import type { Ceilings, RedundancyInput } from '../../core/request/redundancy-types.ts';
import type { ManagedBy } from './managed-by.ts';

export interface KeyEntry {
  readonly name: string;
  readonly workspace: string;
  /** SHA-256 of the client key, hex: the key itself is not kept (G-9). */
  readonly hash: string;
  /** Glob patterns of model ids; `*` = all. */
  readonly models: readonly string[];
  /** Wall ms, null = never. */
  readonly expiresAt: number | null;
  readonly failoverDefaults: FailoverDefaults | null;
  readonly redundancy: RedundancyInput;
  readonly ceilings: Ceilings;
  readonly limits: Limits | null;
  /** It may fail its own requests on purpose. */
  readonly allowRehearse: boolean;
  readonly idempotency: KeyIdempotency;
  readonly managedBy: ManagedBy;
}

/** A key's own word, its workspace's, or the default. */
export interface KeyIdempotency {
  /** Keys are derived for requests without one (I-10). */
  readonly auto: boolean;
  /** Who shares keys (I-1). */
  readonly scope: 'key' | 'workspace';
}

/** Somebody with a token of their own for the admin plane (G-8). */
export interface MemberEntry {
  readonly name: string;
  readonly role: Role;
  /** Null for account admins. */
  readonly workspace: string | null;
  /** SHA-256 of the token, hex. */
  readonly hash: string;
  readonly managedBy: ManagedBy;
}

/** S1's defaults on a key. */
export interface FailoverDefaults {
  readonly models: readonly string[] | null;
  readonly options: RedundancyInput;
}
