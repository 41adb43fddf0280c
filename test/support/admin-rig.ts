/** The admin plane over parts in memory: what it asks of the gateway, without one. */
import fastify, { type FastifyInstance } from 'fastify';
import { loadConfig } from '../../src/config/load.ts';
import type { ApplyRequest, ConfigApplier } from '../../src/config/objects/applying.ts';
import type { ConfigObjects, ManagedObject, ObjectKind, PutOptions } from '../../src/config/objects/config-objects.ts';
import { secretHash } from '../../src/config/secret-hash.ts';
import type { Secret, Snapshot, WebhookEntry } from '../../src/config/snapshot.ts';
import { ClientError, gatewayError } from '../../src/core/errors/catalogue.ts';
import { HealthBoard } from '../../src/core/health/board.ts';
import { DEFAULT_HEALTH } from '../../src/core/health/settings.ts';
import { KeyBreaker } from '../../src/core/key-breaker/key-breaker.ts';
import { LimitBoard } from '../../src/core/limits/limit-board.ts';
import { type Overview, OverviewMaker } from '../../src/core/overview/overview.ts';
import { windowOf } from '../../src/core/overview/window.ts';
import type { RequestRecord, RequestSummary } from '../../src/core/record.ts';
import type { ActiveAlert } from '../../src/core/signals/active-alerts.ts';
import type { AlertGroup } from '../../src/ports/alerts.ts';
import type { AuditEntry, AuditFilter, AuditPage } from '../../src/ports/audit.ts';
import type { DeliveryFilter, DeliveryPage, DeliveryRecord, WebhookAnswer } from '../../src/ports/events.ts';
import type { Ledger, LedgerEntry } from '../../src/ports/ledger.ts';
import type {
  FailedQuery,
  FailedRecord,
  OverviewQuery,
  RequestFilter,
  UsageQuery,
  UsageRow,
} from '../../src/ports/record-store.ts';
import type { SealedTexts } from '../../src/ports/sealer.ts';
import { Accounts } from '../../src/runtime/accounts.ts';
import type { LiveRequest } from '../../src/runtime/gateway.ts';
import type { AdminDeps, AlertsView, WebhookDesk } from '../../src/server/admin/admin-deps.ts';
import { registerAdmin } from '../../src/server/admin/register-admin.ts';
import { registerOps } from '../../src/server/admin/register-ops.ts';
import { MemorySessions } from './memory-sessions.ts';
import { sampleDraft } from './sample-draft.ts';

export const ADMIN_TOKEN = 'adm-0123456789abcdef';
export const WALL = Date.UTC(2026, 10, 29, 10, 0, 0);
export const NOW = 1000;

/** A record as the log gives it out. */
export function recordOf(n: number): RequestRecord {
  const { snapshotVersion: _version, candidates: _codes, ...rest } = sampleDraft(n);
  const candidate = { rank: 1, model: 'm', channel: 'c', credential: null, tried: true } as const;
  return { ...rest, candidates: [{ ...candidate, skip_reason: null, available_at: null }] };
}

/** The log as a list in memory that remembers what it was asked. Request 1 is there. */
export class FakeRecords {
  readonly asked: RequestFilter[] = [];
  readonly usageAsked: UsageQuery[] = [];
  readonly overviewAsked: OverviewQuery[] = [];
  readonly failedAsked: FailedQuery[] = [];
  broken: FailedRecord[] = [];
  sums: UsageRow[] = [];
  fault: Error | null = null;

  async get(id: string): Promise<RequestRecord | null> {
    return id === recordOf(1).id ? recordOf(1) : null;
  }
  async list(filter: RequestFilter): Promise<{ data: RequestSummary[]; next_cursor: string | null }> {
    this.asked.push(filter);
    if (this.fault !== null) throw this.fault;
    return { data: [], next_cursor: filter.cursor === 'next' ? null : 'next' };
  }
  async *failed(query: FailedQuery): AsyncGenerator<FailedRecord> {
    this.failedAsked.push(query);
    if (this.fault !== null) throw this.fault;
    yield* this.broken;
  }
  async usage(query: UsageQuery): Promise<UsageRow[]> {
    this.usageAsked.push(query);
    return this.sums;
  }
  async overview(query: OverviewQuery): Promise<Overview> {
    this.overviewAsked.push(query);
    return new OverviewMaker(windowOf(query.from, query.to)).overview(null);
  }
}

/** Objects without a configuration behind them: versions and ownership as in the gateway, and what was put last. */
export class FakeObjects implements ConfigObjects {
  readonly puts: { kind: ObjectKind; name: string; body: ManagedObject['body']; options: PutOptions }[] = [];
  readonly #all = new Map<string, ManagedObject>();

  /** Adds one as if it had been there always. */
  have(kind: ObjectKind, name: string, body: ManagedObject['body'] = {}, managedBy: 'file' | 'store' = 'store'): void {
    const stored = managedBy === 'store';
    this.#all.set(`${kind} ${name}`, {
      kind,
      name,
      body,
      managedBy,
      version: stored ? 1 : 0,
      createdAt: stored ? WALL : null,
      updatedAt: stored ? WALL : null,
      updatedBy: stored ? 'admin' : null,
      problem: null,
    });
  }
  forgetAll(): void {
    this.#all.clear();
  }
  list(kind: ObjectKind): readonly ManagedObject[] {
    return [...this.#all.values()].filter((one) => one.kind === kind);
  }
  get(kind: ObjectKind, name: string): ManagedObject | null {
    return this.#all.get(`${kind} ${name}`) ?? null;
  }
  async put(kind: ObjectKind, name: string, body: ManagedObject['body'], options: PutOptions): Promise<ManagedObject> {
    const known = this.get(kind, name);
    const wrongVersion = options.expectedVersion !== undefined && options.expectedVersion !== (known?.version ?? 0);
    if ((options.create === true && known !== null) || wrongVersion) {
      throw new ClientError(gatewayError('conflict', `There is a ${kind} ${name} already, or another version of it.`));
    }
    this.puts.push({ kind, name, body, options });
    this.have(kind, name, body);
    const made = { ...this.get(kind, name)!, version: (known?.version ?? 0) + 1, updatedBy: options.by };
    this.#all.set(`${kind} ${name}`, made);
    return made;
  }
  async remove(kind: ObjectKind, name: string): Promise<void> {
    this.#all.delete(`${kind} ${name}`);
  }
  withSealed<T>(work: (texts: SealedTexts) => Promise<T>): Promise<T> {
    return work({ list: async () => [], replace: async () => undefined });
  }
}

/** Applies nothing and remembers what it was asked. */
export class FakeApplier implements ConfigApplier {
  readonly asked: ApplyRequest[] = [];

  async apply(request: ApplyRequest) {
    this.asked.push(request);
    return { applied: !request.dryRun, base: 'b1', changes: [], store: [], notes: ['note'] };
  }
}

/** Alerts as a test says. */
export interface FakeAlerts extends AlertsView {
  on: ActiveAlert[];
  told: AlertGroup[];
}

/** A ledger that keeps its entries in a list. */
function memoryLedger(): Ledger {
  const entries: LedgerEntry[] = [];
  return {
    open: async () => ({ accounts: new Map(), released: 0 }),
    reserve: async () => 'ok',
    settle: () => undefined,
    release: async () => 0,
    async add(entry) {
      entries.push({ ...entry, id: `led_${entries.length + 1}`, attemptId: null });
      return 'added';
    },
    entries: async (workspace, limit) => ({
      data: entries
        .filter((entry) => entry.workspace === workspace)
        .reverse()
        .slice(0, limit),
      next_cursor: null,
    }),
    close: async () => undefined,
  };
}

/** An audit log as a list that remembers what it was asked. */
export class FakeAudit {
  readonly entries: AuditEntry[] = [];
  readonly asked: AuditFilter[] = [];
  append(entry: AuditEntry): void {
    this.entries.push(entry);
  }
  async list(filter: AuditFilter): Promise<AuditPage> {
    this.asked.push(filter);
    return { data: this.entries.map((entry, n) => ({ ...entry, seq: String(n + 1) })).reverse(), next_cursor: null };
  }
}

/** Deliveries in a list; a test of a hook is answered with `answer`. */
export class FakeWebhooks implements WebhookDesk {
  readonly records: DeliveryRecord[] = [];
  readonly asked: DeliveryFilter[] = [];
  readonly tested: string[] = [];
  replays: 'due' | 'under_way' | 'gone' = 'due';
  answer: WebhookAnswer = { status: 204, answer: null, retryAfterMs: null, tookMs: 12 };

  async deliveries(filter: DeliveryFilter): Promise<DeliveryPage> {
    this.asked.push(filter);
    return { data: this.records, next_cursor: null };
  }
  async delivery(id: string): Promise<DeliveryRecord | null> {
    return this.records.find((one) => one.id === id) ?? null;
  }
  async replay(): Promise<'due' | 'under_way' | 'gone'> {
    return this.replays;
  }
  readonly gone: string[] = [];
  async removed(hook: string): Promise<void> {
    this.gone.push(hook);
  }
  async test(hook: WebhookEntry): Promise<WebhookAnswer & { readonly id: string }> {
    this.tested.push(hook.name);
    return { ...this.answer, id: 'msg_1' };
  }
}

export interface AdminState {
  draining: boolean;
  adminTokenHash: string | null;
  metricsToken: Secret | null;
  notReady: string | null;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  /** Parsed; tests look into it through `toMatchObject` and the like. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface AdminRig {
  readonly app: FastifyInstance;
  readonly deps: AdminDeps;
  readonly records: FakeRecords;
  readonly objects: FakeObjects;
  readonly applier: FakeApplier;
  readonly alerts: FakeAlerts;
  readonly audit: FakeAudit;
  readonly webhooks: FakeWebhooks;
  readonly board: HealthBoard;
  readonly limits: LimitBoard;
  readonly keyBreaker: KeyBreaker;
  readonly sessions: MemorySessions;
  readonly state: AdminState;
  readonly bugs: unknown[];
  readonly lifted: string[];
  /** Dry runs asked for. */
  readonly planned: unknown[];
  /** Method and URL of everything fastify was given. */
  readonly routed: string[];
  call(method: string, path: string, options?: CallOptions): Promise<Answer>;
  close(): Promise<void>;
}

export interface CallOptions {
  /** Default the admin token; null = none. */
  readonly token?: string | null;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const CONFIG = 'workspaces: { acme: {}, beta: {} }\n';

/** `config`: the rest of a configuration file after `version: 1`. */
export async function startAdminRig(config: string = CONFIG): Promise<AdminRig> {
  const loaded = loadConfig({ text: `version: 1\n${config}`, file: 'config.yaml', env: {} });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const { snapshot } = loaded;
  const state: AdminState = {
    draining: false,
    adminTokenHash: secretHash(ADMIN_TOKEN),
    metricsToken: null,
    notReady: null,
  };
  const clock = { now: () => NOW, wall: () => WALL, after: () => () => undefined };
  const accounts = await Accounts.open(memoryLedger(), clock);
  await accounts.configure(snapshot.workspaces.values());
  const bugs: unknown[] = [];
  const lifted: string[] = [];
  const routed: string[] = [];
  const planned: unknown[] = [];
  let ids = 0;
  const parts = {
    records: new FakeRecords(),
    peers: null,
    elsewhere: null,
    board: new HealthBoard(DEFAULT_HEALTH),
    limits: new LimitBoard(),
    keyBreaker: new KeyBreaker(),
    sessions: new MemorySessions(),
  };
  const gateway = {
    ...parts,
    bans: { ban: () => undefined, lift: (key: string) => void lifted.push(key) },
    accounts,
    clock,
    storeClock: clock,
    live: new Set<LiveRequest>(),
    get draining() {
      return state.draining;
    },
    snapshot: (): Snapshot => ({
      ...snapshot,
      adminTokenHash: state.adminTokenHash,
      server: { ...snapshot.server, metricsToken: state.metricsToken },
    }),
    newId: (prefix: string) => `${prefix}${++ids}`,
    reportBug: (error: unknown) => void bugs.push(error),
  };
  const objects = new FakeObjects();
  const sealer = {
    keySource: 'file' as const,
    rotate: async () => ({ keyId: 'k2', resealed: 3, broken: ['credential old'], olderKeys: 1 }),
  };
  const applier = new FakeApplier();
  const planner: AdminDeps['planner'] = (key, asked) => {
    planned.push({ key: key.name, body: JSON.parse(String(asked.body)) as unknown, headers: asked.headers });
    return { ok: true, value: { object: 'plan' } };
  };
  const alerts: FakeAlerts = { on: [], told: [], active: () => alerts.on, recent: () => alerts.told };
  const audit = new FakeAudit();
  const webhooks = new FakeWebhooks();
  const signing = {
    signingKeys: () => [{ kid: 'k1', state: 'current', since: WALL } as const],
    turnNow: async () => undefined,
  };
  const deps: AdminDeps = { gateway, objects, applier, sealer, planner, alerts, audit, webhooks, signing };
  const app = fastify({ routerOptions: { maxParamLength: 500 } });
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) routed.push(`${one} ${url}`);
  });
  const metrics = { text: async () => 'understudy_streams_open 0\n', contentType: 'text/plain; version=0.0.4' };
  await registerAdmin(app, deps);
  const entitlement = { published: () => ({ keys: [] }) };
  registerOps(app, { gateway, entitlement, metrics, admin: deps, notReady: () => state.notReady });

  const call = async (method: string, path: string, options: CallOptions = {}): Promise<Answer> => {
    const { token = ADMIN_TOKEN, body, headers } = options;
    const answer = await app.inject({
      method: method as 'GET',
      url: path,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return {
      status: answer.statusCode,
      headers: answer.headers,
      body: String(answer.headers['content-type']).startsWith('application/json')
        ? (JSON.parse(answer.body) as Record<string, unknown>)
        : { text: answer.body },
    };
  };
  return {
    app,
    deps,
    ...parts,
    objects,
    applier,
    alerts,
    audit,
    webhooks,
    state,
    bugs,
    lifted,
    planned,
    routed,
    call,
    close: () => app.close(),
  };
}
