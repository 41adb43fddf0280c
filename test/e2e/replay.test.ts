/** Every decision of every request that ran can be made again from its record, also by another process. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Simulator, type Step, startSimulator } from '../../sim/index.ts';
import { type RunningGateway, startGateway } from '../../src/assemble.ts';
import type { EngineAction } from '../../src/core/failover/machine.ts';
import { type Json, type Replayed, replayStored } from '../../src/core/failover/replay.ts';
import type { RequestRecord } from '../../src/core/record.ts';
import { errorStep, jsonStep, ok, okStream } from '../faults/answers.ts';
import { waitFor } from '../faults/gateway.ts';
import { ADMIN_TOKEN, CLIENT_KEY, configText, type GatewaySettings } from '../faults/gateway-config.ts';
import { chatRequest, sendRaw } from '../faults/raw-client.ts';

/** What the engine really did, in order, while a request runs. */
const done = vi.hoisted(() => ({ actions: [] as EngineAction[] }));

vi.mock('../../src/core/failover/decide.ts', async (original) => {
  const engine = await original<typeof import('../../src/core/failover/decide.ts')>();
  const decide: typeof engine.decide = (state, event) => {
    const step = engine.decide(state, event);
    done.actions.push(...step.actions);
    return step;
  };
  return { ...engine, decide };
});

const NAMES = ['A', 'B', 'C'] as const;
type Scripts = Readonly<Partial<Record<(typeof NAMES)[number], Step>>>;

let dataDir: string;
let upstreams: Simulator[];
let running: RunningGateway | null;
let config: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'understudy-replay-'));
  upstreams = [];
  running = null;
});
afterEach(async () => {
  await running?.close();
  await Promise.all(upstreams.map((one) => one.close()));
  await rm(dataDir, { recursive: true, force: true });
});

/** One route `m` and another `n` with the same upstreams. */
async function start(scripts: Scripts, settings: GatewaySettings = {}): Promise<void> {
  const baseUrls: Record<string, string> = {};
  const up: Record<string, Step[]> = {};
  for (const name of NAMES) {
    const step = scripts[name];
    if (step !== undefined) up[name] = [step, step, step, step, step, step];
    const models = step === undefined ? {} : { m: up[name]!, n: up[name]! };
    const one = await startSimulator({ name, script: { models } });
    upstreams.push(one);
    baseUrls[name] = one.url;
  }
  config = configText({ m: { up }, n: { up } }, baseUrls, settings);
  await open();
}

async function open(): Promise<void> {
  running = await startGateway({ configText: config, port: 0, dataDir, env: {}, log: 'silent' });
}

async function restart(): Promise<void> {
  await running!.close();
  await open();
}

interface Ran {
  readonly id: string;
  readonly actions: readonly EngineAction[];
}

async function ask(fields: Readonly<Record<string, unknown>> = {}, more: { leaveAfterMs?: number } = {}): Promise<Ran> {
  done.actions = [];
  const answer = await sendRaw({
    url: `${running!.url}/v1/chat/completions`,
    body: chatRequest('m', fields),
    headers: { authorization: `Bearer ${CLIENT_KEY}` },
    ...more,
  });
  const { data } = await waitFor(async () => {
    const page = await running!.gateway.records.list({ limit: 1 });
    return page.data.length === 0 ? null : page;
  }, 'a record');
  const id = answer.headers['x-request-id'] ?? data[0]!.id;
  await waitFor(() => running!.gateway.records.get(String(id)), `record ${id}`);
  return { id: String(id), actions: [...done.actions] };
}

async function readBack(id: string): Promise<RequestRecord> {
  const url = `${running!.url}/admin/v1/requests/${id}?include=events`;
  const answer = await fetch(url, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
  expect(answer.status).toBe(200);
  return (await answer.json()) as RequestRecord;
}

async function replayed(id: string): Promise<Replayed> {
  const record = await readBack(id);
  const run = replayStored(record.setup as Json, (record.events ?? []) as readonly Json[]);
  if (run === null) throw new Error('the record can not be replayed');
  return run;
}

/** After a restart, each of them leads to the actions that were carried out, and to the words that were recorded. */
async function expectReplays(...runs: readonly Ran[]): Promise<Replayed[]> {
  await restart();
  const all: Replayed[] = [];
  for (const { id, actions } of runs) {
    expect(actions.length).toBeGreaterThan(2);
    const run = await replayed(id);
    expect(run.actions).toEqual(actions);
    const explained = new Map<number, string>();
    for (const action of run.actions) {
      if (action.type === 'explain') explained.set(action.attempt, `${action.decision}: ${action.reason}`);
    }
    const { attempts } = await readBack(id);
    expect([...explained].sort(([a], [b]) => a - b)).toEqual(
      attempts.map(({ no, decision, reason }) => [no, `${decision}: ${reason}`]),
    );
    all.push(run);
  }
  return all;
}

const DOWN = errorStep(503, { message: 'overloaded' });
const LIMITED = errorStep(429, { message: 'slow down' }, { 'retry-after': '30' });

describe('O-1: after a restart a record leads to the same decisions again', () => {
  it('O-1: of a request that its first attempt served', async () => {
    await start({ A: ok('ok', false), B: ok('ok', false) });
    const [run] = await expectReplays(await ask());
    expect(run?.state.verdict).toEqual({ kind: 'served', attempt: 1 });
    expect(run?.state.plan.candidates).toHaveLength(2);
    expect(run?.state.options.timeoutMs).toBe(20_000);
  });

  it('O-1, D-8: of a hedge that won', async () => {
    await start({ A: { ...ok('slow', false), delay_ms: 20_000 }, B: ok('fast', false) });
    const [run] = await expectReplays(await ask({ redundancy: { hedge_after_ms: 100 } }));
    expect(run?.state.verdict).toEqual({ kind: 'served', attempt: 2 });
    expect(run?.state.history.map(({ role, result }) => `${role} ${result}`)).toEqual([
      'first cancelled',
      'hedge served',
    ]);
  });

  it('O-1, D-5: of a longer answer that was no longer', async () => {
    const choice = { index: 0, message: { role: 'assistant', content: 'cut' }, finish_reason: 'length' };
    await start({ A: jsonStep(200, { object: 'chat.completion', choices: [choice] }) });
    const [run] = await expectReplays(await ask({ max_tokens: 10, redundancy: { on_truncated: 'extend' } }));
    expect(run?.state.verdict).toEqual({ kind: 'served', attempt: 1 });
    expect(run?.state.history.map(({ role, result }) => `${role} ${result}`)).toEqual([
      'extend cancelled',
      'first served',
    ]);
  });

  it('O-1: of a failover, with the same words', async () => {
    await start({ A: DOWN, B: LIMITED, C: ok('ok', false) });
    const [run] = await expectReplays(await ask());
    expect(run?.state.verdict).toEqual({ kind: 'served', attempt: 3 });
  });

  it('O-1: of a stream, and of one that found a resting target', async () => {
    await start({ A: LIMITED, B: okStream('ok') });
    const runs = await expectReplays(await ask({ stream: true }), await ask({ stream: true }));
    expect(runs.map(({ state }) => state.verdict)).toEqual([
      { kind: 'served', attempt: 2 },
      { kind: 'served', attempt: 1 },
    ]);
    expect(runs[1]?.state.plan.candidates[0]?.skip?.reason).toBe('cooling_rate_limit');
  });

  it('O-1: of requests with options of their own, beside plain ones', async () => {
    await start({ A: DOWN, B: DOWN, C: ok('ok', false) });
    const redundancy = { policy: 'strict', timeout_ms: 7777, on: ['server_error', 'timeout'], retries: 1 };
    const runs = await expectReplays(await ask({ redundancy }), await ask(), await ask({ redundancy }));
    expect(runs.map(({ state }) => state.options.policy)).toEqual(['strict', 'standard', 'strict']);
    expect(runs[0]?.state.options.on).toEqual(new Set(['server_error', 'timeout']));
    const started = runs[0]?.actions.find((action) => action.type === 'start-attempt');
    expect(started).toMatchObject({ timeoutMs: 7777 });
  });

  it('O-1: of a chain that failed', async () => {
    await start({ A: DOWN, B: errorStep(500, { message: 'broken' }) });
    const [run] = await expectReplays(await ask({ models: ['m', 'n'] }));
    expect(run?.state.verdict?.kind).toBe('exhausted');
    expect(run?.state.plan.models.map(({ name }) => name)).toEqual(['m', 'n']);
  });

  it('O-1: of a request whose client left', async () => {
    await start({ A: { delay_ms: 5000, ...ok('late', false) } });
    const [run] = await expectReplays(await ask({}, { leaveAfterMs: 150 }));
    expect(run?.state.verdict).toEqual({ kind: 'client_closed' });
  });
});

describe('what a record holds', () => {
  it('O-1: a plain request keeps its events and its setup', async () => {
    await start({ A: okStream('ok') });
    const { id } = await ask({ stream: true });
    const record = await readBack(id);
    const types = (record.events ?? []).map((event) => (event as { type: string }).type);
    expect(types).toEqual(['begin', 'admitted', 'attempt-ready', 'attempt-completed']);
    expect(record.setup).toMatchObject({
      keyed: false,
      plan: { models: [{ name: 'm' }] },
      options: { policy: 'standard' },
    });
  });

  it('O-1: a request that was refused before it ran has no setup', async () => {
    await start({ A: ok('ok', false) });
    const answer = await sendRaw({
      url: `${running!.url}/v1/chat/completions`,
      body: chatRequest('unknown'),
      headers: { authorization: `Bearer ${CLIENT_KEY}` },
    });
    const id = String(answer.headers['x-request-id']);
    await waitFor(() => running!.gateway.records.get(id), `record ${id}`);
    expect(await readBack(id)).toMatchObject({ setup: null, events: [] });
  });
});
