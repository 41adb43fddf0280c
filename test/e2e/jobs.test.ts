/** E-4's queue over restarts and sudden deaths: what was answered with 202 is carried out, or says why not. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../sim/index.ts';
import { type RunningGateway, startGateway } from '../../src/assemble.ts';
import { errorStep, okBody } from '../faults/answers.ts';
import { waitFor } from '../faults/gateway.ts';
import { type RawAnswer, sendRaw } from '../faults/raw-client.ts';

const CLIENT_KEY = 'jobs-client-key-0123456789';
const PRIVATE = 'a sentence nobody else may read';
const CHILD = fileURLToPath(new URL('../support/gateway-child.mjs', import.meta.url));

let simulator: Simulator;
let dataDir: string;
const children = new Set<ChildProcess>();
let running: RunningGateway | null = null;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'understudy-jobs-'));
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  await running?.close();
  running = null;
  await simulator.close();
  await rm(dataDir, { recursive: true, force: true });
});

type Step = ReturnType<typeof errorStep>;
const down = errorStep(503, { message: 'down' });
const stuck: Step = { delay_ms: 600_000 };

async function upstream(...steps: Step[]): Promise<void> {
  simulator = await startSimulator({ script: { models: { m: steps } } });
}

function configText(more: Record<string, unknown> = {}): string {
  return JSON.stringify({
    version: 1,
    server: { host: '127.0.0.1', port: 0 },
    providers: { p: { type: 'openai-compatible', base_url: `${simulator.url}/v1` } },
    models: { m: { channels: [{ provider: 'p' }] } },
    workspaces: { acme: {} },
    keys: [{ name: 'acme', workspace: 'acme', secret: CLIENT_KEY }],
    defaults: { redundancy: { retries: 0 } },
    health: { circuit: { consecutive: 1000, min_calls: 1000 } },
    backoff: { base_ms: 20, cap_ms: 40 },
    ...more,
  });
}

async function start(more: Record<string, unknown> = {}): Promise<RunningGateway> {
  running = await startGateway({ configText: configText(more), port: 0, dataDir, env: {}, log: 'silent' });
  return running;
}

async function spawnGateway(
  env: Record<string, string> = {},
): Promise<{ readonly url: string; readonly process: ChildProcess }> {
  const start = JSON.stringify({ configText: configText(), port: 0, dataDir });
  const child = spawn(process.execPath, [CHILD], {
    env: { ...process.env, ...env, UNDERSTUDY_TEST_START: start },
  });
  children.add(child);
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { url, process: child };
}

function send(url: string, redundancy: Record<string, unknown> = {}): Promise<RawAnswer> {
  return sendRaw({
    url: `${url}/v1/chat/completions`,
    headers: { authorization: `Bearer ${CLIENT_KEY}` },
    body: {
      model: 'm',
      messages: [{ role: 'user', content: PRIVATE }],
      redundancy: { on_exhausted: ['queue'], ...redundancy },
    },
  });
}

async function queued(url: string, redundancy: Record<string, unknown> = {}): Promise<string> {
  const answer = await send(url, redundancy);
  expect(answer.status).toBe(202);
  return String((JSON.parse(answer.text) as Record<string, unknown>)['status_url']);
}

async function job(url: string, path: string): Promise<Record<string, unknown>> {
  const answer = await sendRaw({ url: url + path, headers: { authorization: `Bearer ${CLIENT_KEY}` } });
  return JSON.parse(answer.text) as Record<string, unknown>;
}

function finished(url: string, path: string): Promise<Record<string, unknown>> {
  return waitFor(async () => {
    const found = await job(url, path);
    return found['status'] === 'processing' ? null : found;
  }, 'the job');
}

const calls = (): number => simulator.calls.length;

describe('E-4: jobs over restarts', () => {
  it('E-4: a job that waits survives a restart, and so does its result; nothing of it is readable on the disk', async () => {
    await upstream(errorStep(503, { message: 'down' }, { 'retry-after': '2' }), okBody('late'));
    const first = await start();
    const path = await queued(first.url);
    await first.close();
    expect(calls()).toBe(1);
    const second = await start();
    expect(await finished(second.url, path)).toMatchObject({ status: 'succeeded', tries: 1 });
    await second.close();
    const third = await start();
    const found = await job(third.url, path);
    expect(found['result']).toMatchObject({ choices: [{ message: { content: 'late' } }] });
    await third.close();
    running = null;
    for (const name of ['state.db', 'state.db-wal']) {
      const bytes = await readFile(join(dataDir, name)).catch(() => Buffer.alloc(0));
      expect(bytes.includes(PRIVATE)).toBe(false);
      expect(bytes.includes('"late"')).toBe(false);
    }
  });

  it('E-4: a stop cuts a running try, which is made again', async () => {
    await upstream(down, stuck, okBody('late'));
    const first = await start();
    const path = await queued(first.url);
    await waitFor(() => (calls() === 2 ? true : null), 'the first try');
    await first.drain(0);
    const second = await start();
    expect(await finished(second.url, path)).toMatchObject({ status: 'succeeded', tries: 2, max_tries: 3 });
  });

  it('E-4, G-1: a key that is gone meanwhile calls nobody', async () => {
    await upstream(errorStep(503, { message: 'down' }, { 'retry-after': '2' }), okBody('late'));
    const first = await start();
    const path = await queued(first.url);
    const id = path.split('/').at(-1)!;
    await first.close();
    const other = [{ name: 'other', workspace: 'acme', secret: 'another-client-key-0123456789' }];
    const second = await start({ keys: other });
    const found = await waitFor(async () => {
      const stored = await second.gateway.ladder.jobs.find(id);
      return stored?.state === 'failed' ? stored : null;
    }, 'the end of the job');
    expect(found.result?.status).toBe(401);
    expect(calls()).toBe(1);
  });
});

describe('E-4: kill -9 in a job', () => {
  it('E-4: the try it died in counts, and the next one is made', async () => {
    await upstream(down, stuck, okBody('late'));
    const child = await spawnGateway();
    const path = await queued(child.url);
    await waitFor(() => (calls() === 2 ? true : null), 'the first try');
    child.process.kill('SIGKILL');
    await once(child.process, 'exit');
    const second = await start();
    expect(await finished(second.url, path)).toMatchObject({ status: 'succeeded', tries: 2, max_tries: 3 });
    expect(calls()).toBe(3);
  });

  it('E-4: with its last try the job has failed', async () => {
    await upstream(down, down, stuck, okBody('late'));
    const child = await spawnGateway();
    const path = await queued(child.url, { retries: 1 });
    await waitFor(() => (calls() === 3 ? true : null), 'the only try');
    child.process.kill('SIGKILL');
    await once(child.process, 'exit');
    const second = await start();
    const found = await finished(second.url, path);
    expect(found).toMatchObject({ status: 'failed', tries: 1, max_tries: 1, status_code: 503 });
    expect(found['error']).toMatchObject({ code: 'gateway_restarted', maybe_executed: true });
    expect(calls()).toBe(3);
  });

  it('E-4, D-10: under strict a try whose outcome nobody knows is not made again', async () => {
    await upstream(errorStep(500, { message: 'broken' }), errorStep(500, { message: 'broken' }), stuck, okBody('late'));
    const child = await spawnGateway();
    const path = await queued(child.url, { policy: 'strict', retries: 1 });
    await waitFor(() => (calls() === 3 ? true : null), 'the first try');
    child.process.kill('SIGKILL');
    await once(child.process, 'exit');
    const second = await start();
    const found = await finished(second.url, path);
    expect(found).toMatchObject({ status: 'failed', status_code: 503 });
    expect(found['error']).toMatchObject({ code: 'gateway_restarted', maybe_executed: true });
    expect(calls()).toBe(3);
  });
});

describe('E-4: kill -9 at every durable step of a job', () => {
  it.each([
    'before:job-add',
    'after:job-add',
    'before:job-begin',
    'after:job-begin',
    'before:job-again',
    'after:job-again',
    'before:job-begin:2',
    'before:job-finish',
    'after:job-finish',
  ])('E-4: %s: what was promised is kept, and no more than promised is tried', async (point) => {
    await upstream(down, down, okBody('late'));
    const child = await spawnGateway({ UNDERSTUDY_TEST_FAULTS: '1', UNDERSTUDY_FAULT: point });
    const exited = once(child.process, 'exit');
    const answer = await send(child.url);
    const [, signal] = await exited;
    expect(signal).toBe('SIGKILL');
    const before = calls();
    const second = await start();
    if (answer.status === 202) {
      const path = String((JSON.parse(answer.text) as Record<string, unknown>)['status_url']);
      const found = await finished(second.url, path);
      expect(found).toMatchObject({ status: 'succeeded', max_tries: 3 });
      expect(found['tries']).toBeLessThanOrEqual(3);
      expect(found['result']).toMatchObject({ choices: [{ message: { content: 'late' } }] });
    } else {
      expect(answer.end).toBe('no_answer');
      // A begin may come before the answer has left.
      expect(point).toMatch(/job-(add|begin)$/);
    }
    // The request's own call, then at most three tries; a finished job is not touched again.
    expect(calls()).toBeLessThanOrEqual(4);
    if (point === 'after:job-finish') expect(calls()).toBe(before);
  });
});
