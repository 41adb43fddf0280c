/**
 * What a second replica costs: the same load on one gateway and on two, over one PostgreSQL and one Redis, each measured
 * anew and in turns. Requests per second of gateway CPU; the servers' own CPU is not the gateways'.
 */
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { startPostgres } from '../test/support/servers/postgres.ts';
import { hasPostgres } from '../test/support/servers/postgres-binaries.ts';
import { type PostgresSchema, schemaOn } from '../test/support/servers/postgres-schema.ts';
import { hasRedis, startRedis } from '../test/support/servers/redis.ts';
import { chatBody } from './body.ts';
import { startGatewayProcess } from './contender.ts';
import { BENCH_KEY, gatewayConfig } from './gateway-config.ts';
import { LoadGenerator, type RequestPlan, type Sample } from './load-generator.ts';
import type { Size } from './measure.ts';
import { type PinnedProcess, startPinned } from './pinned-process.ts';
import { median } from './statistics.ts';

export interface ReplicaCost {
  /** Requests per second of gateway CPU, medians: one replica, two. */
  readonly one: number;
  readonly two: number;
  /** Median of each turn's two ÷ one. */
  readonly ratio: number;
  /** Requests per second that were sent, in both cases alike. */
  readonly perSecond: number;
  /** What a request costs the database, median over all turns: µs of its processor, bytes of its write-ahead log. */
  readonly databaseMicros: number;
  readonly databaseLogBytes: number;
}

const PER_SECOND = 400;
const CONNECTIONS = 64;
/** Every other request has a key. */
const KEYED_EVERY = 2;
/** Not one byte repeated, and nobody's secret. */
const SEAL_KEY = Buffer.from(Array.from({ length: 32 }, (_, n) => 255 - n)).toString('hex');

/** Null where PostgreSQL or Redis is not installed. */
export async function measureReplicas(size: Size, say: (text: string) => void): Promise<ReplicaCost | null> {
  if (!hasPostgres() || !hasRedis()) return null;
  const [postgres, redis] = await Promise.all([startPostgres({ settings: { fsync: 'on' } }), startRedis()]);
  const upstream = await startPinned(new URL('./run-upstream.js', import.meta.url), 'load');
  const turns: (readonly [number, number])[] = [];
  const database: DatabaseCost[] = [];
  try {
    for (let round = 0; round < Math.min(size.rounds, 3); round += 1) {
      const both: number[] = [];
      for (const count of [1, 2]) {
        const schema = await schemaOn(postgres.url);
        const config = { ...JSON.parse(gatewayConfig(upstream.url)), store: schema.url, shared: redis.url };
        say(`replicas, round ${round + 1}: ${count}`);
        const costOf = async (work: () => Promise<void>): Promise<void> => {
          database.push(await databaseCost({ pid: postgres.pid, schema, requests: size.requests }, work));
        };
        both.push(await measureFleet(count, JSON.stringify(config), size, costOf));
        await schema.drop();
      }
      turns.push([both[0]!, both[1]!]);
    }
  } finally {
    await Promise.all([upstream.stop(), postgres.stop(), redis.stop()]);
  }
  return {
    one: median(turns.map(([one]) => one)),
    two: median(turns.map(([, two]) => two)),
    ratio: median(turns.map(([one, two]) => two / one)),
    perSecond: PER_SECOND,
    databaseMicros: median(database.map(({ micros }) => micros)),
    databaseLogBytes: median(database.map(({ logBytes }) => logBytes)),
  };
}

interface DatabaseCost {
  readonly micros: number;
  readonly logBytes: number;
}

/** Of some work of so many requests. Full pages after a checkpoint are switched off in the rig, and come on top. */
async function databaseCost(
  { pid, schema, requests }: { pid: number; schema: PostgresSchema; requests: number },
  work: () => Promise<void>,
): Promise<DatabaseCost> {
  const written = async (): Promise<number> =>
    Number((await schema.query(`SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')`))[0]?.[0]);
  const before = [processorMicros(pid), await written()] as const;
  await work();
  return {
    micros: (processorMicros(pid) - before[0]) / requests,
    logBytes: ((await written()) - before[1]) / requests,
  };
}

/** User and system time of a process and its children, in steps of 10 ms. */
function processorMicros(parent: number): number {
  let ticks = 0;
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      if (Number(name) === parent || Number(fields[1]) === parent) ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // It has ended.
    }
  }
  return ticks * 10_000;
}

/** Requests per second of CPU of so many gateways together. */
async function measureFleet(
  count: number,
  config: string,
  size: Size,
  costOf: (work: () => Promise<void>) => Promise<void>,
): Promise<number> {
  const gateways: PinnedProcess[] = [];
  for (let n = 0; n < count; n += 1) {
    gateways.push(await startGatewayProcess(config, { UNDERSTUDY_SEAL_KEY: SEAL_KEY }));
  }
  const generators = gateways.map(({ url }) => new LoadGenerator(`${url}/v1`, BENCH_KEY, CONNECTIONS));
  const body = chatBody('bench/short', false);
  const plan: RequestPlan = {
    body: () => body,
    headers: (index): Readonly<Record<string, string>> =>
      index % KEYED_EVERY === 0 ? { 'idempotency-key': randomUUID() } : {},
  };
  const run = async (requests: number): Promise<void> => {
    const each = Math.ceil(requests / count);
    const sent = generators.map((generator) => generator.openLoop(plan, each, PER_SECOND / count));
    requireAll((await Promise.all(sent)).flat());
  };
  // Each process compiles its own code.
  for (const generator of generators) requireAll(await generator.closedLoop(plan, size.warmUpRequests, CONNECTIONS));
  const before = await cpuOf(gateways);
  await costOf(() => run(size.requests));
  const micros = (await cpuOf(gateways)) - before;
  for (const generator of generators) await generator.close();
  for (const gateway of gateways) await gateway.stop();
  return size.requests / (micros / 1e6);
}

async function cpuOf(gateways: readonly PinnedProcess[]): Promise<number> {
  const all = await Promise.all(gateways.map((gateway) => gateway.footprint()));
  return all.reduce((sum, { cpuMicros }) => sum + cpuMicros, 0);
}

function requireAll(samples: readonly Sample[]): void {
  const bad = samples.find(({ status, ended }) => status !== 200 || !ended);
  if (bad !== undefined) throw new Error(`replicas: an answer was not whole: ${JSON.stringify(bad)}`);
}

export function renderReplicas(cost: ReplicaCost): string {
  const { one, two, ratio, perSecond, databaseMicros, databaseLogBytes } = cost;
  const log = (databaseLogBytes / 1024).toFixed(1);
  return [
    `at ${perSecond} requests a second, every other under a key: ${one.toFixed(0)} requests per second of gateway CPU with one ` +
      `replica, ${two.toFixed(0)} with two (${ratio.toFixed(2)} ×)`,
    `the database: ${databaseMicros.toFixed(0)} µs of CPU and ${log} KB of write-ahead log per request`,
  ].join('\n');
}
