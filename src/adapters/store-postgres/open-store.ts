/**
 * The store in a PostgreSQL database that several processes share. Instants in it are the database's; what a process holds
 * there is its own by one lease, renewed with every beat.
 */
import { hostname } from 'node:os';
import type { Store, StoreOptions } from '../../ports/store.ts';
import { stateStores } from '../store-sql/state-stores.ts';
import { connect } from './connect.ts';
import { LeasedDuties } from './duties.ts';
import { refuseHalfMoved } from './half-moved.ts';
import { Listener } from './listener.ts';
import { openRecordStore } from './open-record-store.ts';
import { openStateDb, type PostgresState, StateDbUnusable } from './open-state-db.ts';
import { PostgresJoins } from './remote-joins.ts';
import { keepBeating, Replicas } from './replicas.ts';
import { guardSeal, WrongSealKey } from './seal-guard.ts';
import { STATE_SQL } from './state-sql.ts';
import { StoreClock } from './store-clock.ts';

export interface PostgresStoreOptions extends StoreOptions {
  /** `postgres://…` */
  readonly url: string;
  /** Of the program. */
  readonly version: string;
}

/** Rejects with StateDbUnusable. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const { url, version, newId, sealer, clock: local, onProblem } = options;
  const state = await openStateDb({ url, clock: local, version, holder: newId('proc_'), onProblem });
  try {
    const db = state.on('state');
    await refuseHalfMoved(db, state.address.shown);
    await guardSeal(db, sealer);
    const clock = new StoreClock(local);
    const newHolder = () => newId('proc_');
    const host = hostname();
    const holder = new Replicas({ db, clock: local, storeClock: clock, newHolder, version, host });
    await holder.join(clock.wall());
    return await opened(options, { state, clock, holder });
  } catch (error) {
    await state.close();
    if (!(error instanceof WrongSealKey)) throw error;
    throw new StateDbUnusable(`The state in ${state.address.shown} cannot be used: ${error.message}.`);
  }
}

interface OpenedState {
  readonly state: PostgresState;
  /** The database's. */
  readonly clock: StoreClock;
  readonly holder: Replicas;
}

async function opened(options: PostgresStoreOptions, { state, clock, holder }: OpenedState): Promise<Store> {
  const { clock: local, sealer } = options;
  const { address, set, name } = state;
  const rest = state.on('state');
  const notifier = new Listener({
    connect: () => connect(address, name, local),
    clock: local,
    channel: `us_${address.schema}`,
  });
  await notifier.start();
  const joins = new PostgresJoins({ db: rest, sealer, notifier, holder, clock });
  const { settle, ...stores } = stateStores({
    ...options,
    db: { keys: state.on('keys', 'keys'), money: state.on('money', 'money'), rest },
    reader: state.on('keys'),
    sql: STATE_SQL,
    clock,
    holder,
    leases: holder,
    joins,
    notifier,
  });
  const duties = new LeasedDuties({ db: rest, clock: local, holder });
  const beat = async (): Promise<boolean> => {
    try {
      await holder.renew(clock.wall());
      await duties.renew(clock.wall());
      return true;
    } catch {
      return false;
    }
  };
  await Promise.all([beat(), set.warm()]);
  const stopBeating = keepBeating(local, beat);
  return {
    ...stores,
    kind: 'postgres',
    holder,
    clock,
    duties,
    notifier,
    openRecords: async ({ file: _file, ...settings }) =>
      openRecordStore({ address, set, clock: local, name, ...settings }),
    get problem() {
      return set.problem;
    },
    async close() {
      await settle();
      stopBeating();
      joins.close();
      await notifier.close();
      await holder.leave();
      await state.close();
    },
  };
}
