/** The examples, run as their pages say. */
import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runSim, type Simulator } from '../../sim/index.ts';
import { type RunningGateway, startGateway } from '../../src/assemble.ts';
import { chatRequest, type RawAnswer, sendRaw } from '../faults/raw-client.ts';

const example = (path: string): string => fileURLToPath(new URL(`../../examples/${path}`, import.meta.url));
/** Stands in the files for whoever tries them. */
const KEY = 'key-for-trying-out';

let dataDir: string;
let running: RunningGateway | null = null;
let simulator: Simulator | null = null;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'understudy-examples-'));
});
afterEach(async () => {
  await running?.close();
  await simulator?.close();
  running = null;
  simulator = null;
  await rm(dataDir, { recursive: true, force: true });
});

async function serve(file: string, env: Record<string, string> = {}): Promise<RunningGateway> {
  running = await startGateway({ configFile: example(file), port: 0, dataDir, env, log: 'silent' });
  return running;
}

function ask(gateway: RunningGateway, model: string, fields: Record<string, unknown> = {}): Promise<RawAnswer> {
  return sendRaw({
    url: `${gateway.url}/v1/chat/completions`,
    headers: { authorization: `Bearer ${KEY}` },
    body: chatRequest(model, fields),
  });
}

describe('every folder', async () => {
  const entries = await readdir(example(''), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);

  it.each(folders)('%s has a page that links its files, and stands in the list', async (folder) => {
    const page = await readFile(example(`${folder}/README.md`), 'utf8');
    const files = (await readdir(example(folder))).filter((name) => name !== 'README.md');
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect(page).toContain(`[${file}](${file})`);
    expect(await readFile(example('README.md'), 'utf8')).toContain(`[${folder}/](${folder}/)`);
  });
});

describe('config', () => {
  it("C-5: simulator.yaml's own request is saved by the key's chain", async () => {
    const gateway = await serve('config/simulator.yaml');
    const answer = await ask(gateway, 'shaky');
    expect(answer.status).toBe(200);
    expect(answer.headers['x-understudy-served-model']).toBe('sim/ok');
    expect(answer.headers['x-understudy-attempts']).toBe('2');
  });
});

describe('sim-script', () => {
  it('T-9, P-4: five whole answers through the gateway, whatever the outage does', async () => {
    simulator = await runSim({ port: 0, script: example('sim-script/outage.yaml') });
    const gateway = await serve('sim-script/gateway.yaml', { SIM_URL: `${simulator.url}/v1` });
    const { board } = gateway.gateway;
    const attempts: unknown[] = [];
    for (let i = 0; i < 5; i += 1) {
      const answer = await ask(gateway, 'primary', { stream: true });
      expect([answer.status, answer.end]).toEqual([200, 'complete']);
      expect(answer.text).toMatch(/\[DONE\]\s*$/);
      expect(answer.text).not.toContain('Half an');
      attempts.push(answer.headers['x-understudy-attempts']);
      // Instead of the page's sleep: what rests comes back.
      for (const { id } of board.list(0, 0)) board.reset(id);
    }
    expect(attempts).toEqual(['2', '2', '2', '2', '1']);
    expect(simulator.calls.map(({ model }) => model).join(' ')).toBe(
      'primary backup primary backup primary backup primary backup primary',
    );
  });

  it('P-4: without a pause the resting model is not asked', async () => {
    simulator = await runSim({ port: 0, script: example('sim-script/outage.yaml') });
    const gateway = await serve('sim-script/gateway.yaml', { SIM_URL: `${simulator.url}/v1` });
    await ask(gateway, 'primary', { stream: true });
    await ask(gateway, 'primary', { stream: true });
    expect(simulator.calls.map(({ model }) => model)).toEqual(['primary', 'backup', 'backup']);
  });
});

describe('rehearse', () => {
  it('X-4: rehearse.mjs says what its page says', async () => {
    const gateway = await serve('rehearse/gateway.yaml');
    const child = spawn(process.execPath, [example('rehearse/rehearse.mjs')], {
      env: { PATH: process.env['PATH'], BASE_URL: `${gateway.url}/v1`, CLIENT_KEY: KEY },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exit = new Promise((resolve) => child.on('exit', resolve));
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect([err, await exit]).toEqual(['', 0]);
    const page = await readFile(example('rehearse/README.md'), 'utf8');
    expect(out).toBe(/```text\n([\s\S]*?)```/.exec(page)?.[1]);
    for (const { state } of gateway.gateway.board.list(0, 0)) expect(state).toBe('ok');
  });
});

describe('safe-retry', () => {
  it('I-4, I-6, I-7: safe-retry.mjs says what its page says', async () => {
    const gateway = await serve('safe-retry/gateway.yaml');
    const child = spawn(process.execPath, [example('safe-retry/safe-retry.mjs')], {
      env: { PATH: process.env['PATH'], BASE_URL: `${gateway.url}/v1`, CLIENT_KEY: KEY },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exit = new Promise((resolve) => child.on('exit', resolve));
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect([err, await exit]).toEqual(['', 0]);
    const page = await readFile(example('safe-retry/README.md'), 'utf8');
    expect(out).toBe(/```text\n([\s\S]*?)```/.exec(page)?.[1]);
  });
});

describe('openai-sdk', () => {
  it('X-1: survive.mjs says what its page says', async () => {
    const gateway = await serve('config/simulator.yaml');
    const child = spawn(process.execPath, [example('openai-sdk/survive.mjs')], {
      env: { PATH: process.env['PATH'], BASE_URL: `${gateway.url}/v1`, CLIENT_KEY: KEY },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exit = new Promise((resolve) => child.on('exit', resolve));
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect([err, await exit]).toEqual(['', 0]);
    expect(out).toMatch(
      /^whole: {4}\w.*\n +asked for sim\/fail-503, answered by sim\/ok after 2 attempts\n +req_\w+\n/,
    );
    expect(out).toMatch(/^stream: .*\w.*\n +answered by sim\/ok\n/m);
    expect(out).toMatch(/^cut: .*\w.*\n +stream_interrupted: /m);
  });
});

describe('retry-loop', () => {
  it('D-7, I-6: loop.mjs says what its page says', async () => {
    simulator = await runSim({ port: 0, script: example('retry-loop/outage.yaml') });
    const gateway = await serve('retry-loop/gateway.yaml', { SIM_URL: `${simulator.url}/v1` });
    const { out, err, exit } = await runExample('retry-loop/loop.mjs', gateway, { SIM_URL: `${simulator.url}/v1` });
    expect([err, exit]).toEqual(['', 0]);
    expect([out]).toEqual(await printed('retry-loop'));
    expect(simulator.calls).toHaveLength(3);
  });
});

describe('idempotent-order-summary', () => {
  it('I-1, I-4: killed half-way and run again, each order is summarised once', async () => {
    simulator = await runSim({ port: 0 });
    const gateway = await serve('idempotent-order-summary/gateway.yaml', { SIM_URL: `${simulator.url}/v1` });
    const OUT = join(dataDir, 'summaries');
    const env = { SIM_URL: `${simulator.url}/v1`, OUT };
    const script = 'idempotent-order-summary/summarise.mjs';

    const first = await runExample(script, gateway, { ...env, CRASH_AT: '4713' });
    expect([first.err, first.exit]).toEqual(['', 'SIGKILL']);
    expect(simulator.calls).toHaveLength(3);
    expect(await readdir(OUT)).toEqual(['4711.txt', '4712.txt']);

    const second = await runExample(script, gateway, env);
    expect([second.err, second.exit]).toEqual(['', 0]);
    expect([first.out, second.out]).toEqual(await printed('idempotent-order-summary'));
    expect(await readdir(OUT)).toEqual(['4711.txt', '4712.txt', '4713.txt', '4714.txt', '4715.txt']);
    expect(simulator.calls).toHaveLength(5);
  });
});

/** Runs an example's program to its end; `exit` is its code, or the signal that killed it. */
async function runExample(path: string, gateway: RunningGateway, env: Record<string, string>) {
  const child = spawn(process.execPath, [example(path)], {
    env: { PATH: process.env['PATH'], BASE_URL: `${gateway.url}/v1`, CLIENT_KEY: KEY, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | string | null>((resolve) => {
    child.on('exit', (code, signal) => resolve(signal ?? code));
  });
  const [out, err, exit] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { out, err, exit };
}

/** What an example's page says that its program prints. */
async function printed(folder: string): Promise<(string | undefined)[]> {
  const page = await readFile(example(`${folder}/README.md`), 'utf8');
  return [...page.matchAll(/```text\n([\s\S]*?)```/g)].map((match) => match[1]);
}
