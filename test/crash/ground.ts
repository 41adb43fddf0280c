/** Where gateways live that are killed: their store, the folders of the replicas, and ways to look behind their backs. */
import type { LedgerReport } from '../../src/assemble/verify-ledger.ts';

/** Of one replica at a time. */
export interface Place {
  readonly dataDir: string;
  /** How far its clock is off, in ms. */
  readonly skewMs: number;
}

/** What the store says of the prepaid workspace. */
export interface Money {
  readonly reservations: number;
  /** Nano-dollars, each below zero. */
  readonly charges: readonly bigint[];
  /** Charges for calls that no key knows of. */
  readonly unknown: number;
}

export interface Ground {
  /** Members of the configuration that say where the state is. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Of every gateway on it. */
  readonly env: Readonly<Record<string, string>>;
  readonly places: readonly Place[];
  /** Codes of failures that a request may meet which would be served alone. */
  readonly excused: readonly string[];
  money(): Promise<Money>;
  /** Lets keys that succeeded expire now. */
  letExpire(keyHashes: readonly string[]): Promise<void>;
  verify(): Promise<LedgerReport>;
  /** What `understudy verify-ledger` is to be asked. */
  readonly verifyArguments: readonly string[];
  close(): Promise<void>;
}

/** Charges whose attempt is none of the workspace's keys; `attemptIds` selects those. */
export function unknownCharges(attemptIds: string): string {
  return `SELECT COUNT(*) FROM ledger_entries
    WHERE kind = 'charge' AND REPLACE(attempt_id || '$', '.1$', '') NOT IN (${attemptIds} WHERE k.scope LIKE 'key:acme#%')`;
}

/** Works out the three figures from single columns. */
export async function moneyBy(column: (sql: string) => Promise<unknown[]>, attemptIds: string): Promise<Money> {
  const charges = await column(`SELECT CAST(amount AS TEXT) FROM ledger_entries WHERE kind = 'charge'`);
  return {
    reservations: Number((await column('SELECT COUNT(*) FROM reservations'))[0]),
    charges: charges.map((text) => BigInt(String(text))),
    unknown: Number((await column(unknownCharges(attemptIds)))[0]),
  };
}
