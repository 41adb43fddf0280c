/** Everything a test of several replicas needs: an upstream, PostgreSQL, Redis, three gateways, a load balancer, clients. */
import { tmpdir } from 'node:os';
import { expect } from 'vitest';
import { seededRandom } from '../../../sim/random.ts';
import { verifyDatabase } from '../../../src/assemble/verify-database.ts';
import { type CrowdUpstream, startCrowdUpstream } from '../../crash/crowd-upstream.ts';
import type { Program } from '../../crash/gateway-lives.ts';
import { type PostgresOptions, type PostgresServer, startPostgres } from '../servers/postgres.ts';
import { type PostgresSchema, schemaOn } from '../servers/postgres-schema.ts';
import { type RedisOptions, type RedisServer, startRedis } from '../servers/redis.ts';
import { Fleet, SEAL_KEY } from './fleet.ts';
import { TcpProxy } from './tcp-proxy.ts';
import { type PlainResult, Traffic } from './traffic.ts';

const CLIENT = 'scale-client-key-0123456789';
const RATE = 300;
/** Upstream calls a key may cost. */
const BUDGET = 12;
/** What every request may take, and what a busy machine may add before it is told. */
const DEADLINE_MS = 10_000;
const GRACE_MS = 2000;
/** Two replicas whose clocks are off by five seconds each way, in every test. */
const SKEWS = [0, 5000, -5000];
const SETTLE_MS = 90_000;

export interface World {
  readonly fleet: Fleet;
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  /** Between the gateways and PostgreSQL, where the options ask for it. */
  readonly wire: TcpProxy | null;
  /** Between the gateways and Redis, where the options ask for it. */
  readonly sharedWire: TcpProxy | null;
  readonly schema: PostgresSchema;
  readonly upstream: CrowdUpstream;
  /** Clients at 300 requests a second for `ms`, while `meanwhile` happens; settled when it resolves. */
  load(ms: number, meanwhile: () => Promise<void>): Promise<Traffic>;
  /** What holds whatever happened: one answer per key, none stuck, nothing past its deadline, a clean ledger. */
  expectOneAnswerEach(traffic: Traffic): Promise<void>;
  /** Once; again does nothing. */
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly program: Program;
  readonly postgres?: PostgresOptions;
  readonly redis?: RedisOptions;
  /** PostgreSQL is reached over a network that can be slow. */
  readonly wired?: boolean;
  /** Redis is reached over a network that can swallow everything. */
  readonly sharedWired?: boolean;
  /** Members of the configuration beside the world's own. */
  readonly config?: Readonly<Record<string, unknown>>;
}

export async function openWorld(options: WorldOptions): Promise<World> {
  const { program, postgres: pg, redis: rd, wired = false, sharedWired = false, config = {} } = options;
  const upstream = await startCrowdUpstream((marker, call) => marker.endsWith('7') && call === 1);
  const [postgres, redis] = await Promise.all([startPostgres(pg), startRedis(rd)]);
  const wire = wired ? await TcpProxy.start({ host: '127.0.0.1', port: postgres.port }) : null;
  const sharedWire = sharedWired ? await TcpProxy.start({ host: '127.0.0.1', port: redis.port }) : null;
  const schema = await schemaOn(postgres.url);
  const store = schema.url.replace(`:${postgres.port}/`, `:${wire?.port ?? postgres.port}/`);
  const configText = JSON.stringify({
    version: 1,
    server: { host: '127.0.0.1', port: 0 },
    store,
    shared: sharedWire === null ? redis.url : `redis://127.0.0.1:${sharedWire.port}`,
    providers: { p: { type: 'openai-compatible', base_url: `${upstream.url}/v1` } },
    models: { m: { channels: [{ provider: 'p' }] } },
    // Far off, so that every request takes room that all share, and none is refused.
    keys: [{ name: 'one', secret: CLIENT, limits: { rpm: 1_000_000, concurrent: 100_000 } }],
    defaults: { redundancy: { deadline_ms: DEADLINE_MS } },
    health: { circuit: { consecutive: 100_000, min_calls: 100_000 } },
    retry_budget: { ratio: 1 },
    // One call of ten fails here by design: nobody is to be slowed down for it.
    alerts: { throttle: false },
    idempotency: { max_attempts_per_key: BUDGET },
    ...config,
  });
  const fleet = await Fleet.start({ program, configText, skews: SKEWS });
  let isClosed = false;
  const seed = seededRandom(20_261_201);
  const draw = (below: number): number => Math.floor(seed() * below);
  return {
    fleet,
    postgres,
    redis,
    wire,
    sharedWire,
    schema,
    upstream,
    async load(ms, meanwhile) {
      const traffic = new Traffic({ front: fleet.front, clientKey: CLIENT, rate: RATE, draw });
      await Promise.all([traffic.run(ms), meanwhile()]);
      await traffic.settle(SETTLE_MS);
      console.info(JSON.stringify(traffic.tally()), JSON.stringify(traffic.failures()));
      return traffic;
    },
    async expectOneAnswerEach(traffic) {
      const keys = [...traffic.keyed.values()];
      expect(keys.length).toBeGreaterThan(RATE);
      expect(
        keys.filter(({ isSettled }) => !isSettled).map(({ key }) => key),
        'no key stuck',
      ).toEqual([]);
      const twice = keys.filter(({ delivered }) => new Set(delivered).size > 1);
      expect(twice, 'I-11: one success per key').toEqual([]);
      const dear = [...upstream.calls].filter(([, count]) => count > BUDGET);
      expect(dear, 'I-7: within the budget of a key').toEqual([]);
      expect(traffic.waitedLongerThan(DEADLINE_MS + GRACE_MS), 'nobody waits past the deadline').toEqual([]);
      // A round under way belongs to a living replica: the rows of the dead are closed by now.
      expect(await schema.query('SELECT key_hash FROM idempotency_keys WHERE pending'), 'nothing pending').toEqual([]);
      const env = { UNDERSTUDY_SEAL_KEY: SEAL_KEY };
      const report = await verifyDatabase({ url: schema.url, dataDir: tmpdir(), env, version: 'test' });
      expect([report.violations, report.keys >= keys.length], 'I-11: what verify-ledger says').toEqual([[], true]);
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await fleet.close();
      await schema.drop().catch(() => undefined);
      await Promise.all([wire?.close(), sharedWire?.close(), postgres.stop(), redis.stop(), upstream.close()]);
    },
  };
}

/** A plain request that failed, except where it was under way at a moment when its replica died. */
export function failedOtherwise(diedAt: number | null): (result: PlainResult) => boolean {
  return ({ ok, sentAt, tookMs }) => !ok && !(diedAt !== null && sentAt <= diedAt && sentAt + tookMs >= diedAt);
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
