/** Queued requests over several gateways: whoever is quicker tries them, and what a dead one had begun is taken over (E-4, I-8). */
import { rmSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../sim/index.ts';
import { buildProgram, GatewayProcess, type Program } from '../crash/gateway-lives.ts';
import { errorStep, okBody } from '../faults/answers.ts';
import { CLIENT, call, eventually, Replicas, SEAL } from '../support/replicas/in-process.ts';
import { hasPostgres } from '../support/servers/postgres-binaries.ts';

const GUARD_MS = 180_000;
const down = errorStep(503, { message: 'down' });
const stuck: ReturnType<typeof errorStep> = { delay_ms: 600_000 };
const JOBS = 12;

let program: Program;
let simulator: Simulator;
let replicas: Replicas;
let config: (store: string) => object;
beforeAll(async () => {
  program = await buildProgram();
}, 120_000);
afterAll(() => program.remove());
beforeEach(() => {
  config = (store) => ({
    server: { host: '127.0.0.1', port: 0 },
    store,
    providers: { p: { type: 'openai-compatible', base_url: `${simulator.url}/v1` } },
    models: { m: { channels: [{ provider: 'p' }] } },
    keys: [{ name: 'app', secret: CLIENT }],
    defaults: { redundancy: { retries: 0 } },
    health: { circuit: { consecutive: 1000, min_calls: 1000 } },
    backoff: { base_ms: 20, cap_ms: 40 },
  });
});
afterEach(async () => {
  await replicas.close();
  await simulator.close();
});

/** Its path; the gateway that took it need not be the one that is asked later. */
async function queued(url: string, redundancy: Record<string, unknown> = {}): Promise<string> {
  const messages = [{ role: 'user', content: 'hello' }];
  const body = { model: 'm', messages, redundancy: { on_exhausted: ['queue'], ...redundancy } };
  const answer = await call({ url }, '/v1/chat/completions', { body });
  expect(answer.status).toBe(202);
  return String(answer.body['status_url']);
}

async function finished(url: string, path: string): Promise<Record<string, unknown>> {
  let found: Record<string, unknown> = {};
  const until = performance.now() + GUARD_MS;
  while (performance.now() < until) {
    found = (await call({ url }, path)).body;
    if (found['status'] !== 'processing') return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`never finished: ${JSON.stringify(found)}`);
}

describe.runIf(hasPostgres())('jobs over replicas', () => {
  it('E-4: each is carried out once, whichever gateway does it, and told by all', { timeout: GUARD_MS }, async () => {
    // None is due before all have been asked for.
    const first = Array.from({ length: JOBS }, () => errorStep(503, { message: 'down' }, { 'retry-after': '5' }));
    simulator = await startSimulator({ script: { models: { m: [...first, okBody('late')] } } });
    replicas = await Replicas.open(2, config);
    const [one, two] = [replicas.all[0]!, replicas.all[1]!];
    const paths: string[] = [];
    for (let n = 0; n < JOBS; n += 1) paths.push(await queued(n % 2 === 0 ? one.url : two.url));
    for (const [n, path] of paths.entries()) {
      const found = await finished(n % 2 === 0 ? two.url : one.url, path);
      expect(found).toMatchObject({ status: 'succeeded', tries: 1 });
      expect(found['result']).toMatchObject({ choices: [{ message: { content: 'late' } }] });
    }
    expect(simulator.calls.length).toBe(2 * JOBS);
  });

  it.each([
    ['is tried again elsewhere', {}, { status: 'succeeded', tries: 2 }],
    ['under strict is not: its call may have been executed', { policy: 'strict' }, { status: 'failed', tries: 1 }],
  ])('I-8, D-10: what a killed gateway had begun %s', { timeout: GUARD_MS }, async (_what, redundancy, end) => {
    simulator = await startSimulator({ script: { models: { m: [down, stuck, okBody('late')] } } });
    replicas = await Replicas.open(0, config);
    const process = new GatewayProcess(program, '', {});
    const configText = JSON.stringify({ version: 1, ...config(replicas.schema.url) });
    const dataDir = `${program.path}-data`;
    const url = (await process.start({ configText, dataDir, env: SEAL }))!;
    const path = await queued(url, redundancy);
    await eventually('begun', () => simulator.calls.length === 2);
    const survivor = await replicas.add();
    process.child.kill('SIGKILL');
    await process.dead;
    expect(await finished(survivor.url, path)).toMatchObject(end);
    rmSync(dataDir, { recursive: true, force: true });
  });
});
