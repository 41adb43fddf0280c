/** What a decision table would have done, judged by requests that a gateway has really served. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, type Step, startSimulator } from '../../sim/index.ts';
import { type RunningGateway, startGateway } from '../../src/assemble.ts';
import { errorStep, ok } from '../faults/answers.ts';
import { waitFor } from '../faults/gateway.ts';
import { ADMIN_TOKEN, CLIENT_KEY, configText } from '../faults/gateway-config.ts';
import { chatRequest, sendRaw } from '../faults/raw-client.ts';

const DOWN = errorStep(500, { message: 'broken' });
const REHEARSING = 'rehearsing-key-0123456789';
const BAD = errorStep(400, { message: 'no', code: 'content_policy_violation' });

let dataDir: string;
let upstreams: Simulator[];
let running: RunningGateway | null;
let config: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'understudy-what-if-'));
  upstreams = [];
  running = null;
});
afterEach(async () => {
  await running?.close();
  await Promise.all(upstreams.map((one) => one.close()));
  await rm(dataDir, { recursive: true, force: true });
});

/** Models `m` and `n` with the upstreams A, B and C, D; a circuit that never opens. */
async function start(scripts: Readonly<Record<'A' | 'B' | 'C', Step>>): Promise<void> {
  const baseUrls: Record<string, string> = {};
  for (const [name, step] of Object.entries(scripts)) {
    const steps = Array.from({ length: 30 }, () => step);
    const one = await startSimulator({ name, script: { models: { m: steps, n: steps } } });
    upstreams.push(one);
    baseUrls[name] = one.url;
  }
  const up = { A: [], B: [] };
  const health = { circuit: { min_calls: 1_000_000, consecutive: 1_000_000 } };
  const keys = [{ name: 'rehearsing', workspace: 'main', secret: REHEARSING, allow_rehearse: true }];
  // The policies' own counts of repeats hold.
  const redundancy = { retries: undefined };
  config = configText({ m: { up }, n: { up: { C: [] } } }, baseUrls, { health, keys, redundancy });
  running = await startGateway({ configText: config, port: 0, dataDir, env: {}, log: 'silent' });
}

async function ask(fields: Readonly<Record<string, unknown>> = {}, headers: Readonly<Record<string, string>> = {}) {
  const answer = await sendRaw({
    url: `${running!.url}/v1/chat/completions`,
    body: chatRequest('m', { models: ['m', 'n'], ...fields }),
    headers: { authorization: `Bearer ${CLIENT_KEY}`, ...headers },
  });
  const id = String(answer.headers['x-request-id']);
  await waitFor(() => running!.gateway.records.get(id), `record ${id}`);
  return { id, status: answer.status };
}

interface Answer {
  readonly requests: number;
  readonly replayed: number;
  readonly not_replayable: number;
  readonly changed: number;
  readonly by_cell: readonly Readonly<Record<string, unknown>>[];
}

async function judge(body: object): Promise<Answer> {
  const answer = await fetch(`${running!.url}/admin/v1/policies/what-if`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
  });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Answer;
}

describe('D-12: a decision table judged by what was recorded', () => {
  it('what saved requests, what would have lost them, and what a stop would have saved; after a restart too', async () => {
    await start({ A: DOWN, B: DOWN, C: ok('saved', false) });
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      const { id, status } = await ask();
      expect(status).toBe(200);
      ids.unshift(id);
    }
    await running!.close();
    running = await startGateway({ configText: config, port: 0, dataDir, env: {}, log: 'silent' });

    expect(await judge({ policy: 'standard' })).toMatchObject({
      requests: 4,
      replayed: 4,
      not_replayable: 0,
      changed: 0,
      other_error: 0,
      undecided: 0,
      partial: false,
      by_cell: [],
    });
    const stop = await judge({ table: { server_error: ['next_channel', 'stop'] } });
    expect(stop).toMatchObject({ requests: 4, changed: 4 });
    expect(stop.by_cell).toMatchObject([
      {
        row: 'server_error',
        class: 'server_error',
        was: 'next_model',
        would: 'stop',
        requests: 4,
        outcomes: { success: 4 },
        calls_saved: 4,
        example_request_ids: ids.slice(0, 3),
      },
    ]);
    const strict = await judge({ policy: 'strict' });
    expect(strict.by_cell).toMatchObject([{ was: 'next_channel', would: 'retry', requests: 4, calls_saved: null }]);
  });

  it('a request that was lost would have gone on; what ran under another policy can be left out', async () => {
    await start({ A: BAD, B: BAD, C: ok('fine', false) });
    const lost = await ask();
    expect(lost.status).toBeGreaterThanOrEqual(400);
    await ask({ redundancy: { policy: 'permissive' } });
    const open = { table: { content_policy: ['next_model', 'stop'] } };
    const all = await judge(open);
    expect(all.requests).toBe(2);
    const standard = await judge({ ...open, recorded_policy: 'standard' });
    expect(standard).toMatchObject({ requests: 1, changed: 1 });
    expect(standard.by_cell).toMatchObject([
      { row: 'content_policy', was: 'stop', would: 'next_model', example_request_ids: [lost.id] },
    ]);
  });

  it('I-1, X-4: under an idempotency key as well; what failed on purpose and what did not fail is left out', async () => {
    await start({ A: DOWN, B: ok('fine', false), C: ok('fine', false) });
    const keyed = await ask({}, { 'idempotency-key': 'once' });
    await ask({ models: ['n'], model: undefined });
    const rehearse = { authorization: `Bearer ${REHEARSING}`, 'x-understudy-rehearse': 'status=503;times=1' };
    expect((await ask({ models: ['n'], model: undefined }, rehearse)).status).toBe(200);
    const answer = await judge({ policy: 'strict' });
    expect(answer).toMatchObject({ requests: 1, replayed: 1, changed: 1 });
    expect(answer.by_cell).toMatchObject([{ example_request_ids: [keyed.id] }]);
  });
});
