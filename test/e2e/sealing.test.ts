/** G-9: sealed credentials across restarts, lost keys and rotations of a whole gateway. */
import { chmodSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { SealKeyError } from '../../src/assemble.ts';
import { type RawUpstream, startRawUpstream } from '../attack/raw-upstream.ts';
import { AdminE2e, FILE_KEY, fileConfig } from './admin-rig.ts';

const SECRET = 'sk-provider-Zx9Qw8Er7Ty6';
const KEY_A = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f';
const KEY_B = '202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f';
const ANSWER = JSON.stringify({
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'up',
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
});

let rig: AdminE2e;
let upstream: RawUpstream;
let keyFile: string;
let heads: string[];

beforeEach(async () => {
  rig = await AdminE2e.make();
  keyFile = join(rig.dataDir, 'seal.key');
  heads = [];
  upstream = await startRawUpstream(({ head, socket }) => {
    heads.push(head);
    socket.write(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${ANSWER.length}\r\n\r\n${ANSWER}`,
    );
  });
});
afterEach(async () => {
  await rig.remove();
  await upstream.close();
});

const config = () => fileConfig({ providers: { up: { type: 'openai-compatible', base_url: upstream.url } } });

async function startSealed(env: Record<string, string> = {}): Promise<void> {
  await rig.start(config(), { env });
  const made = await rig.admin('POST', '/credentials', { name: 'mine', provider: 'up', secret: SECRET });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
}

/** The secret the upstream is shown. */
async function shown(): Promise<string | undefined> {
  heads = [];
  expect(await rig.ask(FILE_KEY)).toBe(200);
  return /authorization: Bearer (\S+)/i.exec(heads[0] ?? '')?.[1];
}

const keyLines = () =>
  readFileSync(keyFile, 'utf8')
    .split('\n')
    .filter((line) => /^[0-9a-f]{64}$/.test(line));

it('G-9: no key file without anything sealed; one of mode 0600 with it', async () => {
  await rig.start(config());
  expect(await shown()).toBeUndefined();
  expect(readdirSync(rig.dataDir)).not.toContain('seal.key');
  await startSealed();
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  expect(await shown()).toBe(SECRET);
});

it('G-9: a rotation goes through: new key, old one gone, the same secret before, after and after a restart', async () => {
  await startSealed();
  const [before] = keyLines();
  const rotated = await rig.admin('POST', '/seal/rotate');
  expect(rotated).toMatchObject({ status: 200, body: { resealed: 1, broken: [], older_keys: 0 } });
  expect(keyLines()).toHaveLength(1);
  expect(keyLines()).not.toContain(before);
  expect(await shown()).toBe(SECRET);
  await rig.start(undefined);
  expect(await shown()).toBe(SECRET);
});

it('G-9: without its key a credential is set aside with the reason, the gateway serves, and it comes back with the key', async () => {
  await startSealed();
  await rig.stop();
  renameSync(keyFile, `${keyFile}.away`);
  await rig.start(undefined);
  expect(await shown()).toBeUndefined();
  const listed = await rig.admin('GET', '/credentials/mine');
  expect(String(listed.body['problem'])).toMatch(/sealed with the key [0-9a-f]{8}, which is not known here/);
  expect(rig.logged.join('')).toContain('mine');
  expect(JSON.stringify(listed.body) + rig.logged.join('')).not.toContain(SECRET);
  await rig.stop();
  renameSync(`${keyFile}.away`, keyFile);
  await rig.start(undefined);
  expect(await shown()).toBe(SECRET);
});

it('G-9: from the file to the environment and on to another key, by restart and rotation', async () => {
  await startSealed();
  await rig.start(undefined, { env: { UNDERSTUDY_SEAL_KEY: KEY_A } });
  expect(await shown()).toBe(SECRET);
  expect((await rig.admin('POST', '/seal/rotate')).body).toMatchObject({ resealed: 1, older_keys: 0 });
  expect(readdirSync(rig.dataDir)).not.toContain('seal.key');
  await rig.start(undefined, { env: { UNDERSTUDY_SEAL_KEY: KEY_B, UNDERSTUDY_SEAL_KEYS_OLD: KEY_A } });
  expect((await rig.admin('POST', '/seal/rotate')).body).toMatchObject({ resealed: 1, older_keys: 1 });
  await rig.start(undefined, { env: { UNDERSTUDY_SEAL_KEY: KEY_B } });
  expect(await shown()).toBe(SECRET);
});

it.each([
  ['readable by others', (file: string) => chmodSync(file, 0o644), /chmod 600/],
  ['cut', (file: string) => writeFileSync(file, 'abc\n'), /line 1, must be 32 random bytes/],
  ['emptied', (file: string) => writeFileSync(file, ''), /holds no key/],
])('G-9: a key file that is %s stops the start, saying what to do', async (_, spoil, message) => {
  await startSealed();
  await rig.stop();
  spoil(keyFile);
  const started = rig.start(undefined);
  await expect(started).rejects.toThrow(message);
  await expect(started).rejects.toThrow(SealKeyError);
});

it('G-9: a key in the environment that is none stops the start without repeating it', async () => {
  const started = rig.start(config(), { env: { UNDERSTUDY_SEAL_KEY: 'hunter2-hunter2' } });
  await expect(started).rejects.toThrow(/^UNDERSTUDY_SEAL_KEY must be 32 random bytes/);
  await expect(started).rejects.not.toThrow(/hunter2/);
});
