/**
 * Objects of the configuration as an operator sees and changes them while the gateway runs: those of the file beside those
 * of the store. Objects named in the file belong to it and are read-only here.
 */
import type { SealedTexts } from '../../ports/sealer.ts';

export const OBJECT_KINDS = ['workspace', 'key', 'credential', 'member', 'webhook'] as const;
export type ObjectKind = (typeof OBJECT_KINDS)[number];

/** The workspace an object belongs to; null = the account. */
export function workspaceOf({ kind, name, body }: Pick<ManagedObject, 'kind' | 'name' | 'body'>): string | null {
  if (kind === 'workspace') return name;
  const written = body['workspace'];
  if (typeof written === 'string') return written;
  return kind === 'key' ? 'default' : null;
}

/** One object, in the shape it has in the file, without its secret. */
export interface ManagedObject {
  readonly kind: ObjectKind;
  readonly name: string;
  /** As in the file, without `secret` or `token`. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly managedBy: 'file' | 'store';
  /** From 1, one more with every change; 0 for what is not in the store: the file's objects and what is built in. */
  readonly version: number;
  /** Wall ms; null where the version is 0. */
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
  readonly updatedBy: string | null;
  /** Why it takes no part in the running configuration, in plain words; null = it does. */
  readonly problem: string | null;
}

/** What a workspace's own admins may have made for it; account admins are not counted against it, nor held by it. */
export const MOST_INSIDE: Readonly<Partial<Record<ObjectKind, number>>> = {
  key: 1000,
  credential: 100,
  webhook: 20,
};

export interface PutOptions {
  /** Who changes it: `admin`, a member's name. */
  readonly by: string;
  /** True: it must not exist yet. False: it must exist. Absent: either. */
  readonly create?: boolean;
  /** The version the change was made from; another one now is a conflict. */
  readonly expectedVersion?: number;
  /**
   * G-8: the workspace it must belong to when the change's turn comes, or be made in; another one's is 404, and what is
   * said of a wrong one names only what that workspace may use. Absent = anybody's.
   */
  readonly inside?: string;
  /**
   * The client key, the provider's secret, the member's token or what signs a webhook's messages, in plain. Kept as a hash
   * (keys, members) or sealed (credentials, webhooks). Needed at creation; absent = the one it has. Workspaces have none.
   */
  readonly secret?: string;
  /** Of a webhook: `begin` keeps the secret it had beside the new one, `end` forgets it. Absent = as it is. */
  readonly renewal?: 'begin' | 'end';
  /** The call it is done by, for the audit log; absent = nobody's. */
  readonly call?: CallOrigin;
}

/** Where a change comes from. */
export interface CallOrigin {
  readonly requestId: string;
  /** Address of the caller; null = not known. */
  readonly ip: string | null;
}

export type RemoveOptions = Pick<PutOptions, 'by' | 'expectedVersion' | 'inside' | 'call'>;

/**
 * Changes are made one after the other. Each is checked as part of the whole configuration, durable before it is answered,
 * and in force for every request that comes after the answer. Rejects with `ClientError`: 400 `invalid_parameter` naming
 * the field in `param`, 404 `not_found`, 409 `conflict`, 503 `store_unavailable` (then nothing has changed).
 */
export interface ConfigObjects {
  /** By name. */
  list(kind: ObjectKind): readonly ManagedObject[];
  get(kind: ObjectKind, name: string): ManagedObject | null;
  /** Replaces the whole body. */
  put(
    kind: ObjectKind,
    name: string,
    body: Readonly<Record<string, unknown>>,
    options: PutOptions,
  ): Promise<ManagedObject>;
  /** What others still need can't go: 409 naming them. */
  remove(kind: ObjectKind, name: string, options: RemoveOptions): Promise<void>;
  /** Lends everything sealed to a rotation; no other change comes between. */
  withSealed<T>(work: (texts: SealedTexts) => Promise<T>): Promise<T>;
}
