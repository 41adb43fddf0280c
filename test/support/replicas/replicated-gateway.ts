/** The tests' gateway as three of them, over one PostgreSQL and one Redis of their own, each connection to the next in turn. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RunningGateway, startGateway } from '../../../src/assemble.ts';
import { type StartTestGateway, waitFor } from '../../faults/gateway.ts';
import { openSchema } from '../servers/postgres-schema.ts';
import { startRedis } from '../servers/redis.ts';
import { ConnectionRounds } from './connection-rounds.ts';
import { SEAL_KEY } from './fleet.ts';

const REPLICAS = 3;

/** As `startTestGateway`; `inside` are the parts of the first one. */
export const startReplicated: StartTestGateway = async (configText, more = {}) => {
  const [schema, redis] = await Promise.all([openSchema(), startRedis()]);
  const shared = JSON.stringify({ ...JSON.parse(configText), store: schema.url, shared: redis.url });
  const dataDir = await mkdtemp(join(tmpdir(), 'understudy-replicated-'));
  const env = { UNDERSTUDY_SEAL_KEY: SEAL_KEY, ...more.env };
  const options = { configText: shared, port: 0, log: 'silent', ...more, env } as const;
  const started = Array.from({ length: REPLICAS }, (_, n) =>
    startGateway({ ...options, dataDir: join(dataDir, String(n)) }),
  );
  const all: readonly RunningGateway[] = await Promise.all(started);
  const rounds = await ConnectionRounds.start(all.map(({ url }) => Number(new URL(url).port)));
  const inside = all[0]!.gateway;
  return {
    url: rounds.url,
    inside,
    record: (id) => waitFor(() => inside.records.get(id), `record ${id}`),
    records: async (limit) => {
      await Promise.all(all.map(({ gateway }) => gateway.records.flush()));
      return (await inside.records.list({ limit })).data;
    },
    close: async () => {
      await rounds.close();
      await Promise.all(all.map((gateway) => gateway.close()));
      await Promise.all([schema.drop(), redis.stop(), rm(dataDir, { recursive: true, force: true })]);
    },
  };
};
