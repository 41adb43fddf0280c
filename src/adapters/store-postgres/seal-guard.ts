/** Processes of one store must open each other's seals: something sealed stands in the store, and each start opens it (G-9). */
import { SealBroken, type Sealer } from '../../ports/sealer.ts';
import type { StateDb } from '../store-sql/state-db.ts';

const CONTEXT = 'store canary';
const PLAIN = 'understudy';

const READ = 'SELECT sealed FROM seal_canary';
const MAKE = `INSERT INTO seal_canary (no, sealed) SELECT 1, r ->> 0 FROM json_array_elements($1) r ON CONFLICT (no) DO NOTHING`;
/** Row: the new text, the one that was read. */
const RESEAL = `UPDATE seal_canary SET sealed = r ->> 0 FROM json_array_elements($1) r WHERE sealed = r ->> 1`;

/** Another seal key than that of the processes before; the message says what to do. */
export class WrongSealKey extends Error {}

/** Rejects with `WrongSealKey`, or as a `StateDb` does. */
export async function guardSeal(db: Pick<StateDb, 'read' | 'write'>, sealer: Sealer): Promise<void> {
  await db.write([{ sql: MAKE, rows: [[sealer.seal(PLAIN, CONTEXT)]] }]);
  const sealed = String((await db.read(READ, []))[0]?.[0]);
  try {
    sealer.open(sealed, CONTEXT);
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error;
    throw new WrongSealKey(
      `what the store holds was sealed with another key (${error.message}): give every process the same UNDERSTUDY_SEAL_KEY, and older ones in UNDERSTUDY_SEAL_KEYS_OLD`,
    );
  }
  // The oldest key may be taken away one day.
  if (!sealer.isCurrent(sealed)) await db.write([{ sql: RESEAL, rows: [[sealer.seal(PLAIN, CONTEXT), sealed]] }]);
}
