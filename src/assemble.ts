/** Puts one gateway together: the only place that names concrete adapters. */
import { resolve } from 'node:path';
import { AccessTokens } from './adapters/access-tokens/access-tokens.ts';
import { createAlerts } from './adapters/alerts.ts';
import { createProcessLog } from './adapters/log/process-log.ts';
import { createMetrics } from './adapters/metrics/metrics.ts';
import { uploadSpools } from './adapters/spool-file.ts';
import { lockDataDir } from './adapters/store-sqlite/data-dir-lock.ts';
import { newId, randomShare, systemClock } from './adapters/system-clock.ts';
import { authorizedTransport } from './adapters/transport/authorized-transport.ts';
import { createUndiciTransport } from './adapters/transport/undici-transport.ts';
import { Applier } from './assemble/applier.ts';
import { Closers } from './assemble/closers.ts';
import { reloaded } from './assemble/configuration-entry.ts';
import { drain } from './assemble/drain.ts';
import { followBans } from './assemble/follow-bans.ts';
import { HiddenSecrets } from './assemble/hidden-secrets.ts';
import { ManagedObjects } from './assemble/managed-objects.ts';
import { openBooks } from './assemble/open-books.ts';
import { openEntitlement } from './assemble/open-entitlement.ts';
import { openEvents } from './assemble/open-events.ts';
import { openShared } from './assemble/open-shared.ts';
import { openSignals } from './assemble/open-signals.ts';
import { openState } from './assemble/open-state.ts';
import { announce, putInForce } from './assemble/put-in-force.ts';
import type { RunningGateway, StartOptions } from './assemble/running-gateway.ts';
import { tellOf } from './assemble/tell.ts';
import { ClientRetryWatch } from './core/client-retry.ts';
import { RetryBudget } from './core/failover/retry-budget.ts';
import { HealthBoard } from './core/health/board.ts';
import { Affinity } from './core/plan/affinity.ts';
import { Measurements } from './core/plan/measurements.ts';
import { Rotation } from './core/plan/rotation.ts';
import type { Clock } from './ports/clock.ts';
import { ToldAlerts } from './runtime/events/alert-events.ts';
import type { Gateway } from './runtime/gateway.ts';
import { KeyedRuns } from './runtime/keyed/keyed-runs.ts';
import { planOfKey } from './runtime/plan-request.ts';
import type { Planner } from './server/admin/admin-deps.ts';
import { registerAdmin } from './server/admin/register-admin.ts';
import { registerOps } from './server/admin/register-ops.ts';
import { consoleFolder, readConsole } from './server/console/console-files.ts';
import { registerConsole } from './server/console/register-console.ts';
import { PLANNED } from './server/data-routes.ts';
import { createHttpServer } from './server/http-server.ts';

export { DataDirError } from './adapters/store-sqlite/data-dir-lock.ts';
export { RecordStoreUnusable } from './adapters/store-sqlite/open-record-store.ts';
export { StateDbUnusable } from './adapters/store-sqlite/open-state-db.ts';
export { ConfigRejected, type ReloadResult } from './assemble/configuration.ts';
export type { RunningGateway, StartOptions } from './assemble/running-gateway.ts';
export { StateStoreUnavailable } from './ports/object-store.ts';
export { SealBroken, SealKeyError } from './ports/sealer.ts';

/**
 * Starts one gateway. Rejects with ConfigRejected, DataDirError, RecordStoreUnusable, StateDbUnusable, SealKeyError,
 * SealBroken, StateStoreUnavailable, or the system's error on the port.
 */
export async function startGateway(options: StartOptions): Promise<RunningGateway> {
  const lock = lockDataDir(options.dataDir);
  const closers = new Closers();
  closers.add(() => lock.release());
  try {
    return await assemble(options, options.clock ?? systemClock, resolve(options.dataDir), closers);
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}

async function assemble(
  options: StartOptions,
  clock: Clock,
  dataDir: string,
  closers: Closers,
): Promise<RunningGateway> {
  const hidden = new HiddenSecrets(clock, () => gateway.live);
  closers.add(() => hidden.close());
  const log = createProcessLog(options.log ?? 'info', { mask: (text) => hidden.mask(text), ...options.logTo });
  closers.add(() => log.flush());
  const book = createAlerts({ log });
  const alerts = new ToldAlerts(book);
  const tell = tellOf(alerts, clock);
  const metrics = createMetrics({
    snapshot: () => configuration.snapshot(),
    circuits: () => board.circuits(clock.now()),
  });
  const version = options.version ?? 'unknown';
  const parts = { source: options, dataDir, version, clock, log, tell, metrics, gateway: () => gateway };
  const opened = await openState(parts, closers);
  const { store, sealer, ladder, configuration, elsewhere } = opened;
  const first = configuration.snapshot();
  const board = new HealthBoard(first.health);
  const books = await openBooks({ store, first, log, metrics, tell }, closers);
  followBans(configuration, books.keyBreaker, clock);
  const retryWatch = new ClientRetryWatch();
  const sharing = { url: first.sharedUrl, board, retryWatch, clock, alerts };
  const { shared, limits, peers } = await openShared({ ...books, ...sharing }, closers);
  const plain = createUndiciTransport();
  closers.add(() => plain.close());
  const tokens = new AccessTokens(plain, store.clock, (token, lifeMs) => hidden.lend(token, lifeMs));
  const entitlement = await openEntitlement({ configuration, sealer, clock: store.clock, tell }, closers);
  const transport = authorizedTransport(plain, tokens, store.clock);
  const reportBug = (error: unknown, requestId: string): void => log.bug(error, requestId);
  const measurements = new Measurements();
  const seen = { snapshot: () => configuration.snapshot(), board, measurements, accounts: books.accounts };
  const told = { alerts, metrics, clock, log, tell };
  const signals = openSignals({ store, shared, env: options.env, transport: plain, ...seen, ...told }, closers);

  const random = options.random ?? randomShare;
  const mask = (text: string): string => hidden.mask(text);
  const sent = { transport: plain, records: books.records, random, mask };
  const happenings = openEvents({ store, configuration, ...sent, ...told }, closers);

  const gateway: Gateway = {
    clock,
    storeClock: store.clock,
    random,
    transport,
    entitlement,
    ...books,
    limits,
    peers,
    elsewhere,
    board,
    rotation: new Rotation(),
    measurements,
    affinity: new Affinity(),
    retryBudget: new RetryBudget(first.retryBudget),
    retryWatch,
    metrics,
    watchers: [...signals.watchers, ...happenings.watchers],
    caps: signals.caps,
    alerts,
    ladder,
    bound: store.bound,
    sessions: store.sessions,
    openUpload: uploadSpools({ folder: dataDir, newName: () => newId('req_') }),
    keyed: new KeyedRuns({ store: store.idempotency, clock: store.clock, folder: dataDir, reportBug }),
    live: new Set(),
    snapshot: () => configuration.snapshot(),
    snapshotFor: (names) => configuration.snapshotFor(names, (snapshot) => announce(snapshot, books.records)),
    mask: (text, spares) => hidden.mask(text, spares),
    guard: (text, spares) => hidden.guard(text, spares),
    newId,
    leaving: false,
    draining: false,
    reportBug,
  };
  store.holder.onLost(() => gateway.keyed.loseAll());
  await putInForce(configuration, { gateway, hidden, ladder, signer: entitlement, log });

  const http = await createHttpServer(gateway, async (app) => {
    const objects = new ManagedObjects(configuration);
    const planner: Planner = (key, asked) => planOfKey(gateway, PLANNED, key, asked);
    const shown = { active: () => signals.active(), recent: () => book.recent() };
    const kept = { alerts: shown, audit: store.audit, webhooks: happenings.webhooks };
    const admin = {
      gateway,
      objects,
      applier: new Applier(configuration),
      sealer,
      planner,
      signing: entitlement,
      ...kept,
    };
    await registerAdmin(app, admin);
    const notReady = (): string | null => (gateway.leaving ? 'draining' : null);
    registerOps(app, { gateway, entitlement, metrics, admin, notReady });
    const files = readConsole(options.consoleFolder ?? consoleFolder()).catch((error: Error) => {
      log.warn(`the console cannot be read: ${error.message}`);
      return null;
    });
    registerConsole(app, { files });
  });
  closers.add(() => http.close());
  // Before the transport: its calls would be waited for.
  closers.add(() => ladder.jobs.close());
  const host = options.host ?? first.server.host;
  const port = await http.listen(host, options.port ?? first.server.port);
  await ladder.start();

  configuration.isShown = true;
  return {
    url: `http://${urlHost(host)}:${port}`,
    host,
    dataDir,
    firstRun: configuration.firstRun.fresh,
    sharesStore: elsewhere !== null,
    gateway,
    close: () => closers.closeAll(),
    origin: () => configuration.state().file.origin,
    generated: () => configuration.generated(),
    reload: () => reloaded(configuration, store),
    async drain(timeoutMs) {
      const { drainLeadMs: leadMs, drainTimeoutMs } = configuration.snapshot().server;
      await drain(gateway, { leadMs, timeoutMs: timeoutMs ?? drainTimeoutMs });
      await closers.closeAll();
    },
  };
}

function urlHost(host: string): string {
  const shown = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return shown.includes(':') ? `[${shown}]` : shown;
}
