/** Who calls, once that is known: what every later room asks about a caller. */
import type { KeyEntry } from '../config/snapshot.ts';
import type { Role } from '../core/access/roles.ts';

/** The caller of one request. */
export interface Principal {
  readonly key: KeyEntry;
  readonly workspace: string;
  /** G-8. A client key is a member's. */
  readonly role: Role;
}

const known = new WeakMap<KeyEntry, Principal>();

/** The principal of a client key; made once per key. */
export function principalOfKey(key: KeyEntry): Principal {
  let principal = known.get(key);
  if (principal === undefined) {
    principal = { key, workspace: key.workspace, role: 'member' };
    known.set(key, principal);
  }
  return principal;
}
