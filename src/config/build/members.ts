/** Members of a snapshot (G-8). */
import type { Role } from '../../core/access/roles.ts';
import type { Config } from '../schema/config-schema.ts';
import { secretHash } from '../secret-hash.ts';
import type { ManagedBy, MemberEntry } from '../snapshot.ts';
import { ownerOf, type StoredParts } from './stored-parts.ts';

interface MemberBody {
  readonly role: Role;
  readonly workspace?: string | undefined;
}

/** @param hash SHA-256 of the member's token, hex */
export function memberEntry(name: string, body: MemberBody, hash: string, managedBy: ManagedBy): MemberEntry {
  return { name, role: body.role, workspace: body.workspace ?? null, hash, managedBy };
}

/** By hash of their tokens. */
export function buildMembers(config: Pick<Config, 'members'>, stored: StoredParts): Map<string, MemberEntry> {
  return new Map(
    Object.entries(config.members).map(([name, member]) => {
      const hash = stored.members.get(name) ?? secretHash(member.token);
      const entry = memberEntry(name, member, hash, ownerOf(stored.members, name));
      return [entry.hash, entry] as const;
    }),
  );
}
