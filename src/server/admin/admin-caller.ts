/** Who calls the admin plane: the admin token, a member's, or a session opened with one (G-8). By hash and in constant time. */
import { timingSafeEqual } from 'node:crypto';
import { secretHash } from '../../config/secret-hash.ts';
import type { KeyEntry, MemberEntry } from '../../config/snapshot.ts';
import type { Role } from '../../core/access/roles.ts';
import { ClientError, gatewayError } from '../../core/errors/catalogue.ts';
import { bearerToken } from './bearer-token.ts';

export interface AdminCaller {
  /** For the record of changes: `admin`, or the member's name. */
  readonly name: string;
  readonly role: Role;
  /** Null = the whole account. */
  readonly workspace: string | null;
}

/** What of a snapshot decides who somebody is. */
export interface Doors {
  readonly adminTokenHash: string | null;
  readonly members: ReadonlyMap<string, MemberEntry>;
  readonly keys: ReadonlyMap<string, KeyEntry>;
}

/** Whose token it is. */
export interface TokenHolder {
  readonly caller: AdminCaller;
  /** As sessions name them: `admin`, or `member NAME`. A member may be called admin as well. */
  readonly person: string;
}

const ADMIN: TokenHolder = {
  caller: { name: 'admin', role: 'account_admin', workspace: null },
  person: 'admin',
};

/** Whose token has this SHA-256 (hex); null = nobody's who may come in. */
export function holderOf(doors: Doors, hash: string): TokenHolder | null {
  const admin = isHash(hash, doors.adminTokenHash);
  const member = doors.members.get(hash);
  if (admin) return ADMIN;
  if (member === undefined) return null;
  const { name, role, workspace } = member;
  return { caller: { name, role, workspace }, person: `member ${name}` };
}

/** It is a client key's, and in use. */
export function isClientKey(doors: Doors, hash: string, wall: number): boolean {
  const key = doors.keys.get(hash);
  return key !== undefined && (key.expiresAt === null || key.expiresAt > wall);
}

/**
 * Throws `ClientError`: 401 for no token or an unknown one, 403 for a client key. Every token is hashed and looked up in
 * the same steps, so that neither its length nor how near it comes to a real one can be told by the time it takes.
 */
export function adminCaller(doors: Doors, authorization: string | undefined, wall: number): AdminCaller {
  if (doors.adminTokenHash === null && doors.members.size === 0) {
    const closed = 'The admin API is closed: no admin token is configured. Set `admin.token` and reload.';
    throw new ClientError(gatewayError('invalid_api_key', closed));
  }
  const token = bearerToken(authorization);
  if (token === null) {
    const missing = 'The admin API needs the admin token or a member’s: send `Authorization: Bearer TOKEN`.';
    throw new ClientError(gatewayError('missing_api_key', missing));
  }
  const hash = secretHash(token);
  const holder = holderOf(doors, hash);
  const isKey = isClientKey(doors, hash, wall);
  if (holder !== null) return holder.caller;
  if (isKey) {
    const client = 'This is a client key, and the admin API is for admins: send the admin token or a member’s.';
    throw new ClientError(gatewayError('permission_denied', client));
  }
  const wrong = 'This is neither the admin token nor a member’s. It is `admin.token` of the configuration.';
  throw new ClientError(gatewayError('invalid_api_key', wrong));
}

function isHash(hash: string, expected: string | null): boolean {
  return expected !== null && timingSafeEqual(Buffer.from(hash, 'hex'), Buffer.from(expected, 'hex'));
}
