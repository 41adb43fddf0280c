/** Opens what `state.db` holds: objects of the configuration, keys and their answers, queued requests. */
import { join } from 'node:path';
import type { ProcessLog } from '../adapters/log/process-log.ts';
import { openSealer } from '../adapters/sealer/open-sealer.ts';
import type { StateDb } from '../adapters/store-sql/state-db.ts';
import { SqliteObjectStore } from '../adapters/store-sqlite/object-store.ts';
import { openStateDb } from '../adapters/store-sqlite/open-state-db.ts';
import { newId } from '../adapters/system-clock.ts';
import type { Clock } from '../ports/clock.ts';
import { soleHolder } from '../ports/holder.ts';
import type { RotatingSealer } from '../ports/sealer.ts';
import type { Gateway } from '../runtime/gateway.ts';
import type { Closers } from './closers.ts';
import { Configuration } from './configuration.ts';
import type { ConfigurationSource } from './configuration-source.ts';
import { type OpenLadder, openLadder } from './open-ladder.ts';
import { type OpenLedger, openLedger } from './open-ledger.ts';
import type { Tell } from './tell.ts';

export interface StateParts {
  readonly source: ConfigurationSource;
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: ProcessLog;
  readonly tell: Tell;
  /** The gateway it becomes a part of. */
  readonly gateway: () => Gateway;
}

export interface OpenState {
  readonly state: StateDb;
  readonly sealer: RotatingSealer;
  readonly keyed: OpenLedger;
  readonly ladder: OpenLadder;
  readonly configuration: Configuration;
}

/** Rejects with StateDbUnusable, SealKeyError, SealBroken, StateStoreUnavailable or ConfigRejected. */
export async function openState(parts: StateParts, closers: Closers): Promise<OpenState> {
  const { source, dataDir, clock, log, tell, gateway } = parts;
  const state = await openStateDb({
    path: join(dataDir, 'state.db'),
    clock,
    onProblem: (problem) => (problem === null ? log.info('the state is well again') : log.error(problem)),
  });
  closers.add(() => state.close());
  const sealer = await openSealer({ dataDir, env: source.env });
  const holder = soleHolder(newId('proc_'));
  const keyed = await openLedger({ dataDir, state, sealer, clock, holder, log });
  closers.add(() => keyed.close());
  const ladder = openLadder({ state, sealer, holder, clock, gateway, onProblem: tell('answers.not_kept') });
  closers.add(() => ladder.close());
  const configuration = await Configuration.open(source, dataDir, {
    objects: new SqliteObjectStore(state),
    sealer,
    wall: () => clock.wall(),
    keysOfBytes: async () => [...(await keyed.store.sealKeys()), ...(await ladder.sealKeys())],
  });
  closers.add(() => configuration.close());
  return { state, sealer, keyed, ladder, configuration };
}
