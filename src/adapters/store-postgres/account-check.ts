/** Whether the sums in `accounts` are those of the entries and reservations they stand for. */
import type { StateDb } from '../store-sql/state-db.ts';

export interface DifferingAccount {
  readonly workspace: string;
  /** What is said and what it should be, in nano-dollars. */
  readonly detail: string;
}

/** One statement, so that all is of one moment, also beside running gateways. */
const DIFFERING = `WITH entries AS (SELECT workspace, sum(amount) AS balance FROM ledger_entries GROUP BY workspace),
    reserved AS (SELECT workspace, sum(amount) AS held FROM reservations GROUP BY workspace)
  SELECT workspace, coalesce(a.balance, 0)::text, coalesce(e.balance, 0)::text, coalesce(a.held, 0)::text, coalesce(r.held, 0)::text
  FROM accounts a FULL JOIN entries e USING (workspace) FULL JOIN reserved r USING (workspace)
  WHERE coalesce(a.balance, 0) <> coalesce(e.balance, 0) OR coalesce(a.held, 0) <> coalesce(r.held, 0) ORDER BY workspace`;

/** Rejects as a `StateDb` does. */
export async function differingAccounts(db: Pick<StateDb, 'read'>): Promise<readonly DifferingAccount[]> {
  const rows = await db.read(DIFFERING, []);
  return rows.map(([workspace, balance, entries, held, reserved]) => ({
    workspace: String(workspace),
    detail: `balance ${balance}, of entries ${entries}; held ${held}, of reservations ${reserved}`,
  }));
}
