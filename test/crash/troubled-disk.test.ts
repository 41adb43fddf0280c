/** The whole gateway on a disk that is full, and on files that can't be written: H-5, and what comes after. */
import { afterEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../sim/index.ts';
import { verifyLedger } from '../../src/assemble/verify-ledger.ts';
import { type RunningGateway, startGateway } from '../../src/assemble.ts';
import { okBody, okStream } from '../faults/answers.ts';
import { errorOf } from '../faults/invariants.ts';
import { chatRequest, type RawAnswer, sendRaw } from '../faults/raw-client.ts';
import { until } from '../faults/rig.ts';
import { expectInterrupted, expectWholeStream } from '../faults/stream-reader.ts';
import { frozenFiles, type MakeDisk, smallDisk, type TroubledDisk } from './troubled-disk.ts';

const FREE = 'free-client-key-0123456789';
const PREPAID = 'acme-client-key-0123456789';

let simulator: Simulator;
let running: RunningGateway | null = null;
let disk: TroubledDisk | null = null;
afterEach(async () => {
  disk?.heal();
  await running?.close();
  await simulator?.close();
  disk?.remove();
  running = null;
  disk = null;
});

async function start(dataDir: string): Promise<RunningGateway> {
  const slow = { ...okBody('slow'), delay_ms: 400 };
  const long = okStream(...Array.from({ length: 12 }, () => 'x'.repeat(200_000)));
  simulator = await startSimulator({
    script: {
      models: { m: [okBody('one')], slow: [slow], said: [{ ...okStream('a', 'b'), delay_ms: 400 }], long: [long] },
    },
  });
  const channels = [{ provider: 'p' }];
  const price = { input: 1, output: 2 };
  const configText = JSON.stringify({
    version: 1,
    server: { host: '127.0.0.1', port: 0 },
    providers: { p: { type: 'openai-compatible', base_url: `${simulator.url}/v1` } },
    models: Object.fromEntries(['m', 'slow', 'said', 'long'].map((id) => [id, { channels, price }])),
    workspaces: { acme: { balance_usd: 1 } },
    keys: [
      { name: 'free', secret: FREE },
      { name: 'acme', workspace: 'acme', secret: PREPAID },
    ],
    defaults: { redundancy: { retries: 0 } },
  });
  running = await startGateway({ configText, port: 0, dataDir, env: {}, log: 'silent' });
  return running;
}

function ask(
  model: string,
  key: string | null,
  fields: Record<string, unknown> = {},
  secret = FREE,
): Promise<RawAnswer> {
  const keyed: Record<string, string> = key === null ? {} : { 'idempotency-key': key };
  return sendRaw({
    url: `${running!.url}/v1/chat/completions`,
    headers: { authorization: `Bearer ${secret}`, ...keyed },
    body: chatRequest(model, fields),
  });
}

const calls = (): number => simulator.calls.length;

function expectRefused(answer: RawAnswer): void {
  expect([answer.status, errorOf(answer)['code']]).toEqual([503, 'store_unavailable']);
  expect([answer.headers['retry-after'], answer.headers['x-should-retry']]).toEqual(['1', 'true']);
}

/** What a file has room for is still written: new keys until one is refused. */
async function untilRefused(): Promise<RawAnswer> {
  for (let n = 0; n < 2000; n += 1) {
    const answer = await ask('m', `room-${n}`);
    if (answer.status !== 200) return answer;
  }
  throw new Error('never refused');
}

async function healed(key: string, model = 'm', fields: Record<string, unknown> = {}): Promise<RawAnswer> {
  for (let n = 0; n < 200; n += 1) {
    const answer = await ask(model, key, fields);
    if (answer.status === 200) return answer;
    expectRefused(answer);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('never healed');
}

const DISKS: readonly (readonly [string, MakeDisk, string])[] = [
  ['a full disk', smallDisk, 'takes the right to mount a file system'],
  ['files nobody may write', frozenFiles, 'takes root, and a file system that knows immutable files'],
];

describe.each(DISKS)('%s', (_name, make, why) => {
  it('H-5: keyed and prepaid requests are refused and cost no call; plain ones go on; it heals by itself', async (machine) => {
    disk = make();
    if (disk === null) return machine.skip(why);
    await start(disk.dataDir);
    const first = await ask('m', 'before');
    expect(first.status).toBe(200);
    disk.break();
    expectRefused(await untilRefused());
    const before = calls();
    for (const stream of [false, true]) expectRefused(await ask('m', `during-${stream}`, { stream }));
    expectRefused(await ask('m', null, {}, PREPAID));
    expect(calls()).toBe(before);
    for (let n = 0; n < 20; n += 1) expect((await ask('m', null)).status).toBe(200);
    expect(calls()).toBe(before + 20);
    disk.heal();
    expect((await healed('during-false')).headers['idempotent-replayed']).toBeUndefined();
    expect((await ask('m', 'before')).text).toBe(first.text);
    expect((await ask('m', null, {}, PREPAID)).status).toBe(200);
  });

  it('H-5, I-3, I-9: what runs when the disk breaks is no success, is told so, and its key answers afterwards', async (machine) => {
    disk = make();
    if (disk === null) return machine.skip(why);
    const { close } = await start(disk.dataDir);
    expect((await ask('m', 'before')).status).toBe(200);
    const whole = ask('slow', 'whole');
    const stream = ask('said', 'stream', { stream: true });
    await until(() => calls() === 3, 'both calls');
    disk.break();
    expectRefused(await untilRefused());
    const [one, two] = await Promise.all([whole, stream]);
    expectRefused(one);
    if (two.status === 200) expectInterrupted(two, 'ab');
    else expectRefused(two);
    disk.heal();
    expect((await healed('whole', 'slow')).text).toContain('slow');
    expectWholeStream(await healed('stream', 'said', { stream: true }), 'ab');
    const plain = await ask('long', null, { stream: true });
    expect(plain.text).toContain('[DONE]');
    await close();
    const report = await verifyLedger({ dataDir: disk.dataDir, logFile: 'understudy.db', env: {} });
    expect(report.violations).toEqual([]);
  });
});

describe('a full disk', () => {
  it('I-6, H-5: an answer that outgrows the memory has nowhere to go: it is told, and a plain one is whole', async (machine) => {
    disk = smallDisk();
    if (disk === null) return machine.skip('takes the right to mount a file system');
    await start(disk.dataDir);
    disk.break();
    const keyed = await ask('long', 'long', { stream: true });
    expect(keyed.text).not.toContain('[DONE]');
    const plain = await ask('long', null, { stream: true });
    expect([plain.status, plain.end, plain.text.includes('[DONE]')]).toEqual([200, 'complete', true]);
    disk.heal();
    expect((await healed('long', 'long', { stream: true })).text).toContain('[DONE]');
  });
});
