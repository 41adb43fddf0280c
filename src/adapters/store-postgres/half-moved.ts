/** A store that a migration fills is no store yet: what it lacks would be taken for what never was. */
import type { StateDb } from '../store-sql/state-db.ts';
import { StateDbUnusable } from './open-state-db.ts';

/** Names of `revisions` that mark a migration, from its first row to its last: 0 = begun, 1 = done. */
export const MOVE_MARK = 'moved from ';

/** Rejects with `StateDbUnusable`, or as a `StateDb` does. @param shown the place, for people */
export async function refuseHalfMoved(db: Pick<StateDb, 'read'>, shown: string): Promise<void> {
  const begun = await db.read('SELECT 1 FROM revisions WHERE name LIKE $1 AND value = 0 LIMIT 1', [`${MOVE_MARK}%`]);
  if (begun.length === 0) return;
  throw new StateDbUnusable(
    `The state in ${shown} cannot be used: a migration into it has not ended. Run \`understudy migrate-store\` again, to its end.`,
  );
}
