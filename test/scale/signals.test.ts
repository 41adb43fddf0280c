/** O-4: two gateways on one database are judged like one. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../sim/index.ts';
import { type RunningGateway, startGateway } from '../../src/assemble.ts';
import type { SignalWatch } from '../../src/runtime/signals/signal-watch.ts';
import { errorStep, okBody } from '../faults/answers.ts';
import { sendRaw } from '../faults/raw-client.ts';
import { hasPostgres } from '../support/servers/postgres-binaries.ts';
import { openSchema, type PostgresSchema } from '../support/servers/postgres-schema.ts';

const CLIENT = 'scale-client-key-0123456789';
const ADMIN = 'scale-admin-token-0123456789';
const DOWN = errorStep(503, { message: 'overloaded', code: 'overloaded' });

type Json = Record<string, unknown>;

describe.runIf(hasPostgres())('O-4: several replicas', () => {
  let schema: PostgresSchema;
  let upstream: Simulator;
  let dirs: string[];
  let gateways: RunningGateway[];

  beforeAll(async () => {
    schema = await openSchema();
    upstream = await startSimulator({
      name: 'up',
      script: { models: { flaky: Array.from({ length: 200 }, () => [DOWN, okBody('a')]).flat(), away: [DOWN] } },
    });
    const configText = JSON.stringify({
      version: 1,
      store: schema.url,
      admin: { token: ADMIN },
      providers: { up: { type: 'openai-compatible', base_url: `${upstream.url}/v1` } },
      credentials: { c: { provider: 'up', secret: 'upstream-secret-0123456789' } },
      models: { flaky: { channels: [{ id: 'a', provider: 'up', model: 'flaky' }] } },
      workspaces: { default: {} },
      keys: [{ name: 'k', secret: CLIENT }],
      backoff: { base_ms: 1, cap_ms: 1 },
      retry_budget: { ratio: 1, min: 1000 },
      health: { circuit: { min_calls: 10_000, consecutive: 1000 } },
      alerts: { min_requests: 60 },
    });
    const env = { UNDERSTUDY_SEAL_KEY: randomBytes(32).toString('base64') };
    dirs = await Promise.all([0, 1].map(() => mkdtemp(join(tmpdir(), 'understudy-signals-'))));
    gateways = await Promise.all(
      dirs.map((dataDir) => startGateway({ configText, port: 0, dataDir, env, log: 'silent' })),
    );
  });
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()));
    await Promise.all(dirs.map((dir) => rm(dir, { recursive: true, force: true })));
    await upstream.close();
    await schema.drop();
  });

  const watchOf = ({ gateway }: RunningGateway): SignalWatch => gateway.watchers[0] as SignalWatch;
  const lookAll = async (): Promise<void> => {
    for (const gateway of gateways) await watchOf(gateway).look();
  };
  async function activeAt({ url }: RunningGateway): Promise<Json[]> {
    const headers = { authorization: `Bearer ${ADMIN}` };
    const answer = await sendRaw({ url: `${url}/admin/v1/alerts?state=active`, headers });
    return (JSON.parse(answer.text) as { data: Json[] }).data;
  }
  async function ask({ url }: RunningGateway, times: number): Promise<void> {
    const body = { model: 'flaky', messages: [{ role: 'user', content: 'hi' }], redundancy: { retries: 3 } };
    for (let n = 0; n < times; n += 1) {
      const headers = { authorization: `Bearer ${CLIENT}` };
      const answer = await sendRaw({ url: `${url}/v1/chat/completions`, body, headers });
      expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    }
  }

  it('neither has enough requests by itself; together they have, and both know what is wrong', async () => {
    const [one, two] = gateways as [RunningGateway, RunningGateway];
    await ask(one, 40);
    await lookAll();
    await lookAll();
    expect(await activeAt(one)).toEqual([]);
    await ask(two, 40);
    await lookAll();
    await lookAll();
    await lookAll();
    const seen = await Promise.all([one, two].map(activeAt));
    expect(seen[0]!.map(({ kind }) => kind)).toContain('alert.retry_rate');
    // When it was last seen each knows by its own last look.
    const known = seen.map((all) => all.map(({ last_at: _at, ...alert }) => alert));
    expect(known[1]).toEqual(known[0]);
    expect(seen[0]!.find(({ kind }) => kind === 'alert.retry_rate')!['value']).toBeCloseTo(1, 1);
    const caps = [one, two].map(({ gateway }) => gateway.caps.capOf('flaky#a'));
    expect(caps[0]).not.toBeNull();
    expect(caps[1]).toBe(caps[0]);
  });
});
