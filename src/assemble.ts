/** Puts one gateway together: the only place that names concrete adapters. */
import { basename, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { createAlerts } from './adapters/alerts.ts';
import { BanKeeper } from './adapters/ban-keeper.ts';
import { createProcessLog, type LogDestination, type LogLevel } from './adapters/log/process-log.ts';
import { createMetrics } from './adapters/metrics/metrics.ts';
import { openSealer } from './adapters/sealer/open-sealer.ts';
import { lockDataDir } from './adapters/store-sqlite/data-dir-lock.ts';
import { createLedger } from './adapters/store-sqlite/ledger.ts';
import { SqliteObjectStore } from './adapters/store-sqlite/object-store.ts';
import { openRecordStore } from './adapters/store-sqlite/open-record-store.ts';
import { openStateDb } from './adapters/store-sqlite/open-state-db.ts';
import { PeriodCounters } from './adapters/store-sqlite/period-counters.ts';
import { newId, systemClock } from './adapters/system-clock.ts';
import { createUndiciTransport } from './adapters/transport/undici-transport.ts';
import { Applier } from './assemble/applier.ts';
import { asideNotes, renewedCredentials } from './assemble/candidate.ts';
import { Configuration, type ConfigurationSource, type ReloadResult } from './assemble/configuration.ts';
import type { ConfigurationOrigin } from './assemble/configuration-source.ts';
import { HiddenSecrets } from './assemble/hidden-secrets.ts';
import { ManagedObjects } from './assemble/managed-objects.ts';
import { openLadder } from './assemble/open-ladder.ts';
import { openLedger } from './assemble/open-ledger.ts';
import type { Snapshot } from './config/snapshot.ts';
import { ClientRetryWatch } from './core/client-retry.ts';
import { RetryBudget } from './core/failover/retry-budget.ts';
import { HealthBoard } from './core/health/board.ts';
import { KeyBreaker } from './core/key-breaker/key-breaker.ts';
import { LimitBoard } from './core/limits/limit-board.ts';
import { Affinity } from './core/plan/affinity.ts';
import { Measurements } from './core/plan/measurements.ts';
import { Rotation } from './core/plan/rotation.ts';
import type { SnapshotNames } from './core/record.ts';
import type { Clock, Random } from './ports/clock.ts';
import type { RecordStore } from './ports/record-store.ts';
import { Accounts } from './runtime/accounts.ts';
import type { Gateway } from './runtime/gateway.ts';
import { KeyedRuns } from './runtime/keyed/keyed-runs.ts';
import { planOfKey } from './runtime/plan-request.ts';
import { preparedFor } from './runtime/prepared.ts';
import type { Planner } from './server/admin/admin-deps.ts';
import { registerAdmin } from './server/admin/register-admin.ts';
import { registerOps } from './server/admin/register-ops.ts';
import { PLANNED } from './server/data-routes.ts';
import { createHttpServer } from './server/http-server.ts';

export { DataDirError } from './adapters/store-sqlite/data-dir-lock.ts';
export { RecordStoreUnusable } from './adapters/store-sqlite/open-record-store.ts';
export { StateDbUnusable } from './adapters/store-sqlite/open-state-db.ts';
export { ConfigRejected, type ReloadResult } from './assemble/configuration.ts';
export { StateStoreUnavailable } from './ports/object-store.ts';
export { SealBroken, SealKeyError } from './ports/sealer.ts';

export interface StartOptions extends ConfigurationSource {
  /** Beat the configuration's. Port 0 = a free one. */
  readonly host?: string;
  readonly port?: number;
  readonly dataDir: string;
  readonly log?: LogLevel;
  /** Where the process log goes; standard error without it. */
  readonly logTo?: { readonly destination: LogDestination };
  /** Tests only. */
  readonly clock?: Clock;
  readonly random?: Random;
}

export interface RunningGateway {
  /** `http://HOST:PORT`. */
  readonly url: string;
  /** The address it listens on, as configured. */
  readonly host: string;
  readonly dataDir: string;
  /** What was made at the first start of this data folder and can't be shown again; null later. */
  readonly firstRun: { readonly clientKey: string; readonly adminToken: string } | null;
  /** Where the configuration in force came from. */
  origin(): ConfigurationOrigin;
  /** What the configuration in force leaves to what was made at the first start. */
  generated(): { readonly clientKey: boolean; readonly adminToken: boolean };
  /** The parts, for tests that look inside. */
  readonly gateway: Gateway;
  reload(): Promise<ReloadResult>;
  /** Refuses new requests, lets running ones finish, ends what is left after the time is over, then closes. */
  drain(timeoutMs?: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * Starts one gateway. Rejects with ConfigRejected, DataDirError, RecordStoreUnusable, StateDbUnusable, SealKeyError,
 * SealBroken, StateStoreUnavailable, or the system's error on the port.
 */
export async function startGateway(options: StartOptions): Promise<RunningGateway> {
  const clock = options.clock ?? systemClock;
  const lock = lockDataDir(options.dataDir);
  const closers: (() => Promise<void> | void)[] = [() => lock.release()];
  try {
    return await assemble(options, clock, resolve(options.dataDir), closers);
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

async function assemble(
  options: StartOptions,
  clock: Clock,
  dataDir: string,
  closers: (() => Promise<void> | void)[],
): Promise<RunningGateway> {
  const hidden = new HiddenSecrets(clock, () => gateway.live);
  closers.push(() => hidden.close());
  const log = createProcessLog(options.log ?? 'info', { mask: (text) => hidden.mask(text), ...options.logTo });
  closers.push(() => log.flush());
  const state = await openStateDb({
    path: join(dataDir, 'state.db'),
    clock,
    onProblem: (problem) => (problem === null ? log.info('the state is well again') : log.error(problem)),
  });
  closers.push(() => state.close());
  const sealer = await openSealer({ dataDir, env: options.env });
  const keyed = await openLedger({ dataDir, state, sealer, clock, newId, log });
  closers.push(() => keyed.close());
  const ladder = openLadder({
    state,
    sealer,
    clock,
    gateway: () => gateway,
    onProblem: (problem) => told('answers.not_kept')(problem),
  });
  closers.push(() => ladder.close());
  const configuration = await Configuration.open(options, dataDir, {
    objects: new SqliteObjectStore(state),
    sealer,
    wall: () => clock.wall(),
    keysOfBytes: async () => [...(await keyed.store.sealKeys()), ...(await ladder.sealKeys())],
  });
  closers.push(() => configuration.close());
  const first = configuration.snapshot();
  for (const note of asideNotes(configuration.state().merged)) log.warn(note);
  const alerts = createAlerts({ log });
  const board = new HealthBoard(first.health);
  const metrics = createMetrics({
    snapshot: () => configuration.snapshot(),
    circuits: () => board.circuits(clock.now()),
  });
  const records = await openRecordStore({
    path: join(dataDir, basename(first.storePath)),
    queueLimit: first.server.logQueue,
    clock,
    onProblem: (problem) => log.store(problem),
    onDropped: (count) => metrics.logDropped(count),
  });
  closers.push(() => records.close());
  const ledger = createLedger({ db: state, clock, newId });
  closers.push(() => ledger.close());
  const accounts = await Accounts.open(ledger, clock);
  if (accounts.released > 0)
    log.warn(`${accounts.released} calls were cut off by the last stop; what they held back of balances is free again`);
  const told = (kind: string) => (problem: string | null) => {
    if (problem !== null) alerts.raise({ kind, message: problem, requestId: null, at: clock.wall() });
  };
  const limits = new LimitBoard();
  const periods = new PeriodCounters({ db: state, board: limits, clock, onProblem: told('limits.not_stored') });
  await periods.start();
  closers.push(() => periods.close());
  const bans = new BanKeeper({ objects: new SqliteObjectStore(state), clock, onProblem: told('bans.not_stored') });
  closers.push(() => bans.close());
  const keyBreaker = new KeyBreaker();
  keyBreaker.restore(await bans.load());
  const transport = createUndiciTransport();
  closers.push(() => transport.close());

  const gateway: Gateway = {
    clock,
    random: options.random ?? Math.random,
    transport,
    records,
    board,
    rotation: new Rotation(),
    measurements: new Measurements(),
    affinity: new Affinity(),
    retryBudget: new RetryBudget(first.retryBudget),
    retryWatch: new ClientRetryWatch(),
    limits,
    keyBreaker,
    bans,
    accounts,
    metrics,
    alerts,
    ladder,
    keyed: new KeyedRuns({
      store: keyed.store,
      clock,
      folder: dataDir,
      reportBug: (error, requestId) => log.bug(error, requestId),
    }),
    live: new Set(),
    snapshot: () => configuration.snapshot(),
    snapshotFor: (names) => configuration.snapshotFor(names, (snapshot) => announce(snapshot, records)),
    mask: (text, spares) => hidden.mask(text, spares),
    guard: (text, spares) => hidden.guard(text, spares),
    newId,
    draining: false,
    reportBug: (error, requestId) => log.bug(error, requestId),
  };
  let budgetFigures = first.retryBudget;
  const use = (snapshot: Snapshot): void => {
    hidden.use(snapshot.secrets.map((secret) => secret.reveal()));
    board.configure(snapshot.health);
    board.configureTargets(preparedFor(snapshot).catalogue.allKeys(), clock.now());
    // What it has counted stays, unless its figures change.
    if (!isDeepStrictEqual(snapshot.retryBudget, budgetFigures))
      gateway.retryBudget = new RetryBudget(snapshot.retryBudget);
    budgetFigures = snapshot.retryBudget;
    announce(snapshot, records);
  };
  use(first);
  await accounts.configure(first.workspaces.values());
  let merged = configuration.state().merged;
  configuration.onExchange(async (before, after) => {
    use(after);
    for (const note of asideNotes(configuration.state().merged, merged)) log.warn(note);
    merged = configuration.state().merged;
    for (const name of renewedCredentials(before, after)) board.renewCredential(name);
    await accounts.configure(after.workspaces.values());
    await ladder.tidy();
  });

  const http = await createHttpServer(gateway, async (app) => {
    const objects = new ManagedObjects(configuration);
    const planner: Planner = (key, asked) => planOfKey(gateway, PLANNED, key, asked);
    const admin = { gateway, objects, applier: new Applier(configuration), sealer, planner };
    await registerAdmin(app, admin);
    registerOps(app, { gateway, metrics, admin });
  });
  closers.push(() => http.close());
  // Before the transport: its calls would be waited for.
  closers.push(() => ladder.jobs.close());
  const host = options.host ?? first.server.host;
  const port = await http.listen(host, options.port ?? first.server.port);
  await ladder.start();

  let closing: Promise<void> | null = null;
  const close = (): Promise<void> => {
    closing ??= closeAll(closers);
    return closing;
  };
  return {
    url: `http://${urlHost(host)}:${port}`,
    host,
    dataDir,
    firstRun: configuration.firstRun.fresh,
    gateway,
    close,
    origin: () => configuration.state().file.origin,
    generated: () => configuration.generated(),
    reload: () => configuration.reload(),
    async drain(timeoutMs) {
      gateway.draining = true;
      await settle(gateway, timeoutMs ?? configuration.snapshot().server.drainTimeoutMs);
      await close();
    },
  };
}

/** Tells the record store a snapshot's names before any record refers to its version. */
function announce(snapshot: Snapshot, records: RecordStore): void {
  const names: SnapshotNames = {
    version: snapshot.version,
    models: snapshot.models.map((model) => model.id),
    channels: snapshot.channels.map((channel) => [channel.model, channel.id] as const),
    credentials: snapshot.credentials.map((credential) => credential.name),
  };
  records.registerSnapshot(names);
}

// How often a drain looks whether all requests have ended: off the request path, precise enough for people.
const DRAIN_LOOK_MS = 50;

/** Waits for requests until their clients have everything; past the time each is ended by T-4's event. */
async function settle(gateway: Gateway, timeoutMs: number): Promise<void> {
  const until = gateway.clock.now() + timeoutMs;
  const pause = (): Promise<void> => new Promise((done) => void gateway.clock.after(DRAIN_LOOK_MS, done));
  while (gateway.live.size > 0 && gateway.clock.now() < until) await pause();
  for (const request of [...gateway.live]) request.terminate();
  // Their last bytes leave before the sockets are closed.
  if (timeoutMs >= 0) await pause();
}

/** In reverse order of opening; one that fails does not keep the others open. */
async function closeAll(closers: (() => Promise<void> | void)[]): Promise<void> {
  for (const close of closers.splice(0).reverse()) {
    try {
      await close();
    } catch {
      // Closing is the last thing asked of it: there is nobody left to tell.
    }
  }
}

function urlHost(host: string): string {
  const shown = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return shown.includes(':') ? `[${shown}]` : shown;
}
