/** The example of each client dialect, run as its page says. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningGateway, startGateway } from '../../src/assemble.ts';

const example = (path: string): string => fileURLToPath(new URL(`../../examples/${path}`, import.meta.url));

let dataDir: string;
let gateway: RunningGateway;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'understudy-every-client-'));
  const configFile = example('config/simulator.yaml');
  gateway = await startGateway({ configFile, port: 0, dataDir, env: {}, log: 'silent' });
});
afterAll(async () => {
  await gateway.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** What the page shows; the words of the answers are others each time. */
async function printed(): Promise<string> {
  const page = await readFile(example('every-client/README.md'), 'utf8');
  return /```text\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
}

const SHAPE = /^whole: {2}\S.* \(sim\/ok\)\nstream: \S.* \(sim\/ok\)\ncut: {4}(?:502 )?stream_interrupted\n$/;

it.each(['chat', 'responses', 'messages', 'gemini'])(
  'C-1, R-3, T-4: %s.mjs says what its page says: an outage survived, whole and streamed, and a break told as one',
  async (dialect) => {
    const child = spawn(process.execPath, [example(`every-client/${dialect}.mjs`)], {
      env: { PATH: process.env['PATH'], BASE_URL: `${gateway.url}/v1`, CLIENT_KEY: 'key-for-trying-out' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const exit = new Promise((resolve) => child.on('exit', resolve));
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    expect([err, await exit]).toEqual(['', 0]);
    expect(out).toMatch(SHAPE);
    expect(await printed()).toMatch(SHAPE);
  },
);
