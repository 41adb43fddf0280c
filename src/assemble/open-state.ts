/** Opens the store, and what stands on it: objects of the configuration, keys and their answers, queued requests. */
import type { ProcessLog } from '../adapters/log/process-log.ts';
import type { Metrics } from '../adapters/metrics/metrics.ts';
import { openSealer } from '../adapters/sealer/open-sealer.ts';
import { newId } from '../adapters/system-clock.ts';
import type { Clock } from '../ports/clock.ts';
import type { RotatingSealer } from '../ports/sealer.ts';
import type { Store } from '../ports/store.ts';
import type { Elsewhere } from '../runtime/elsewhere.ts';
import type { Gateway } from '../runtime/gateway.ts';
import type { Closers } from './closers.ts';
import { compareSetups } from './compare-setups.ts';
import { Configuration } from './configuration.ts';
import { type ConfigurationSource, textMark } from './configuration-source.ts';
import { ObjectFollower } from './follow-objects.ts';
import { type OpenLadder, openLadder } from './open-ladder.ts';
import { careForLedger } from './open-ledger.ts';
import { openStore, storeUrlOf } from './open-store.ts';
import type { Tell } from './tell.ts';

export interface StateParts {
  readonly source: ConfigurationSource;
  readonly dataDir: string;
  /** Of the program. */
  readonly version: string;
  readonly clock: Clock;
  readonly log: ProcessLog;
  readonly tell: Tell;
  readonly metrics: Pick<Metrics, 'operations'>;
  /** The gateway it becomes a part of. */
  readonly gateway: () => Gateway;
}

export interface OpenState {
  readonly store: Store;
  readonly sealer: RotatingSealer;
  readonly ladder: OpenLadder;
  readonly configuration: Configuration;
  /** Null = nobody else changes anything in the store. */
  readonly elsewhere: Elsewhere | null;
}

/** Rejects with StateDbUnusable, SealKeyError, SealBroken, StateStoreUnavailable or ConfigRejected. */
export async function openState(parts: StateParts, closers: Closers): Promise<OpenState> {
  const { source, dataDir, version, clock, log, tell, metrics, gateway } = parts;
  const sealer = await openSealer({ dataDir, env: source.env });
  const store = await openStore(
    { dataDir, url: await storeUrlOf(source) },
    {
      version,
      clock,
      sealer,
      newId,
      onProblem: (problem) => (problem === null ? log.info('the state is well again') : log.error(problem)),
      onNotKept: tell('answers.not_kept'),
      onTook: (operation, ms) => metrics.operations.storeTook(operation, ms),
      onBug: (error) => log.bug(error, 'store'),
    },
  );
  closers.add(() => store.close());
  const care = await careForLedger(store, log);
  closers.add(() => care.stop());
  const ladder = openLadder({ store, gateway });
  closers.add(() => ladder.close());
  const configuration = await Configuration.open(source, dataDir, {
    objects: store.objects,
    sealer,
    wall: () => store.clock.wall(),
    onNotTaken: tell('config.not_taken'),
    keysOfBytes: async () => [...(await store.idempotency.sealKeys()), ...(await ladder.sealKeys())],
  });
  closers.add(() => configuration.close());
  return { store, sealer, ladder, configuration, elsewhere: openElsewhere(store, configuration, tell, closers) };
}

/** What others change is followed where there can be others. */
function openElsewhere(store: Store, configuration: Configuration, tell: Tell, closers: Closers): Elsewhere | null {
  if (store.kind === 'sqlite') return null;
  const { clock, notifier, holder } = store;
  const follower = new ObjectFollower({ configuration, clock, notifier, onProblem: tell('config.not_taken') });
  closers.add(() => follower.close());
  const digest = (): string => textMark(configuration.state().file.text);
  closers.add(compareSetups({ clock, notifier, holder, digest, onProblem: tell('config.differs') }));
  closers.add(() => configuration.withdrawUnseen());
  return follower;
}
