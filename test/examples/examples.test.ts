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
