/** G-5: the token of each attempt, as the provider that gets it checks it: by the published keys, over the bytes it got. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
} from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Call, Simulator } from '../../sim/index.ts';
import { startSimulator } from '../../sim/index.ts';
import { type RunningGateway, startGateway } from '../../src/assemble.ts';
import { ADMIN, AdminE2e, FILE_KEY, fileConfig } from '../e2e/admin-rig.ts';
import { chatRequest, type RawAnswer, sendRaw } from '../faults/raw-client.ts';
import { JumpingClock } from '../support/jumping-clock.ts';
import { hasPostgres } from '../support/servers/postgres-binaries.ts';
import { openSchema, type PostgresSchema } from '../support/servers/postgres-schema.ts';

const HEADER = 'x-understudy-entitlement';
const DAY = 24 * 3_600_000;
const SEAL_KEY = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f';
const OTHER_SEAL_KEY = '202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f';

let rig: AdminE2e;
let simulator: Simulator;
let clock: JumpingClock;
beforeEach(async () => {
  rig = await AdminE2e.make();
  simulator = await startSimulator();
  clock = new JumpingClock();
});
afterEach(async () => {
  await rig.remove();
  await simulator.close();
});

type Json = Record<string, unknown>;

const config = (more: Json = {}): Json =>
  fileConfig({
    providers: {
      gpu: { type: 'openai-compatible', base_url: `${simulator.url}/v1` },
      cpu: { type: 'openai-compatible', base_url: `${simulator.url}/v1` },
      open: { type: 'openai-compatible', base_url: `${simulator.url}/v1` },
    },
    models: { 'gpu/ok': {}, 'cpu/ok': {}, 'open/ok': {}, 'gpu/fail-500': {}, 'cpu/fail-503': {}, 'gpu/slow-500': {} },
    entitlement: { providers: ['gpu', 'cpu'] },
    defaults: { redundancy: { retries: 1 } },
    backoff: { base_ms: 1, cap_ms: 2 },
    ...more,
  });

const start = (more: Json = {}, env: Record<string, string> = { UNDERSTUDY_SEAL_KEY: SEAL_KEY }): Promise<void> =>
  rig.start(config(more), { clock, env });

const ask = (model: string, fields: Json = {}, headers: Record<string, string> = {}): Promise<RawAnswer> =>
  sendRaw({
    url: `${rig.gateway.url}/v1/chat/completions`,
    headers: { authorization: `Bearer ${FILE_KEY}`, ...headers },
    body: chatRequest(model, fields),
  });

async function keys(): Promise<JSONWebKeySet> {
  const answer = await sendRaw({ url: `${rig.gateway.url}/.well-known/jwks.json`, method: 'GET' });
  expect(answer.status).toBe(200);
  return JSON.parse(answer.text) as JSONWebKeySet;
}

const tokenOf = ({ headers }: Call): string => String(headers[HEADER]);

/** As a verifier: by these keys, for this provider, over the bytes that came. */
async function verified(call: Call, audience: string, set?: JSONWebKeySet): Promise<JWTPayload> {
  const options = { issuer: 'understudy', audience, currentDate: new Date(clock.wall()), algorithms: ['EdDSA'] };
  const { payload } = await jwtVerify(tokenOf(call), createLocalJWKSet(set ?? (await keys())), options);
  expect(payload['body_sha256']).toBe(call.bodyDigest);
  return payload;
}

it('G-5: a call of a listed provider carries a token for it, over the very bytes, for a minute; others carry none', async () => {
  await start();
  const answer = await ask('gpu/ok', { user: 'häß' });
  expect(answer.status).toBe(200);
  await ask('open/ok');
  const [call, plain] = simulator.calls;
  const payload = await verified(call!, 'gpu');
  const request = String(answer.headers['x-request-id']);
  expect(payload).toMatchObject({
    sub: 'filed',
    jti: `att_${request.slice(4)}_1`,
    model: 'gpu/ok',
    upstream_model: 'ok',
    body_sha256: createHash('sha256').update(call!.body!).digest('hex'),
    exp: payload.iat! + 60,
  });
  expect(plain?.headers[HEADER]).toBeUndefined();
  clock.jump(61_000);
  await expect(verified(call!, 'gpu')).rejects.toThrow('exp');
});

it('G-1, G-5: every attempt has a token of its own, for its provider and its model', async () => {
  await start();
  const answer = await ask('gpu/fail-500', { models: ['gpu/fail-500', 'cpu/fail-503', 'cpu/ok'] });
  expect(answer.status).toBe(200);
  const calls = simulator.calls;
  const { attempts } = await recordOf(answer);
  const said = await Promise.all(calls.map((call, n) => verified(call, attempts[n]!.provider)));
  expect(said.map(({ aud, upstream_model: model }) => `${aud} ${model}`)).toEqual([
    ...['gpu fail-500', 'cpu fail-503', 'cpu ok'],
  ]);
  expect(said.map(({ jti }) => jti)).toEqual(attempts.map(({ id }) => id));
  // Neither is another one's.
  await expect(verified(calls[0]!, 'cpu')).rejects.toThrow('aud');
});

it('G-5, D-3: a repeat of the same bytes is no copy of the call before', async () => {
  await start();
  expect((await ask('gpu/fail-500')).status).toBe(500);
  const said = await Promise.all(simulator.calls.map((call) => verified(call, 'gpu')));
  expect(said).toHaveLength(2);
  expect(said[0]?.['body_sha256']).toBe(said[1]?.['body_sha256']);
  expect(said[0]?.jti).not.toBe(said[1]?.jti);
});

interface Attempts {
  readonly attempts: readonly { readonly id: string; readonly provider: string }[];
}

async function recordOf(answer: RawAnswer): Promise<Attempts> {
  const { records } = rig.gateway.gateway;
  await records.flush();
  return (await records.get(String(answer.headers['x-request-id']))) as unknown as Attempts;
}

it('G-5, T-8, I-6: a stream, and a joined request, are sent with one token per call', async () => {
  await start();
  const streamed = await ask('gpu/ok', { stream: true });
  expect(streamed.text).toContain('[DONE]');
  const key = { 'idempotency-key': 'one' };
  const both = await Promise.all([ask('gpu/slow-500', {}, key), ask('gpu/slow-500', {}, key)]);
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  expect(simulator.calls).toHaveLength(2);
  for (const call of simulator.calls) await verified(call, 'gpu');
});

it('G-5: keys turn in time: what was signed before is verified after, by what was published before', async () => {
  await start({ entitlement: { providers: ['gpu'], rotate_every: '30d' } });
  const tokens = new Set<string>();
  for (let turn = 0; turn < 3; turn += 1) {
    await ask('gpu/ok');
    const before = await keys();
    const call = simulator.calls.at(-1)!;
    await verified(call, 'gpu');
    tokens.add(String(decodeProtectedHeader(tokenOf(call)).kid));
    clock.jump(30 * DAY);
    expect((await rig.gateway.reload()).ok).toBe(true);
    await untilSigning(tokens);
    await ask('gpu/ok');
    await verified(simulator.calls.at(-1)!, 'gpu', before);
    expect((await keys()).keys.map(({ kid }) => kid)).toContain([...tokens].at(-1));
  }
  expect(tokens.size).toBe(3);
});

/** A turn is made behind the answer to whoever made it due. */
async function untilSigning(others: ReadonlySet<string>): Promise<void> {
  const kid = () => decodeProtectedHeader(rig.gateway.gateway.entitlement.sign({} as never)).kid ?? '';
  for (let i = 0; i < 500 && others.has(kid()); i += 1) await new Promise((done) => setTimeout(done, 10));
  expect(others.has(kid())).toBe(false);
}

it('G-5, G-7: an operator turns the key before its time; a revoked one is published no more', async () => {
  await start();
  await ask('gpu/ok');
  const first = simulator.calls[0]!;
  const { body: rotated } = await rig.admin('POST', '/entitlement/rotate');
  const states = (body: Json) => (body['data'] as { state: string }[]).map(({ state }) => state);
  expect(states(rotated)).toEqual(['retired', 'current', 'next']);
  await ask('gpu/ok');
  const second = simulator.calls[1]!;
  expect(decodeProtectedHeader(tokenOf(second)).kid).not.toBe(decodeProtectedHeader(tokenOf(first)).kid);
  for (const call of [first, second]) await verified(call, 'gpu');
  const { body: revoked } = await rig.admin('POST', '/entitlement/revoke');
  expect(states(revoked)).toEqual(['current', 'next']);
  for (const call of [first, second]) await expect(verified(call, 'gpu')).rejects.toThrow(/no applicable key/);
  await ask('gpu/ok');
  await verified(simulator.calls[2]!, 'gpu');
  expect((await rig.admin('GET', '/entitlement/keys')).body).toEqual(revoked);
  const { body: audit } = await rig.admin('GET', '/audit?action=entitlement.revoke');
  const { kid } = decodeProtectedHeader(tokenOf(simulator.calls[2]!));
  expect(audit['data']).toMatchObject([{ object: 'signing key', after: { kid } }]);
});

it('G-5, X-5: a configuration that begins to ask for tokens gets them without a restart', async () => {
  await start({ entitlement: {} });
  await ask('gpu/ok');
  expect(simulator.calls[0]?.headers[HEADER]).toBeUndefined();
  expect(await keys()).toEqual({ keys: [] });
  await rig.write(config({ entitlement: { providers: ['gpu'], issuer: 'us', header: 'x-proof', ttl: '5m' } }));
  expect((await rig.gateway.reload()).ok).toBe(true);
  for (let i = 0; i < 500 && rig.gateway.gateway.entitlement.problem !== null; i += 1)
    await new Promise((done) => setTimeout(done, 10));
  await ask('gpu/ok');
  const payload = decodeJwt(String(simulator.calls[1]?.headers['x-proof']));
  expect(payload).toMatchObject({ iss: 'us', exp: payload.iat! + 300 });
});

it('G-5: a restart signs with the same keys, and a new seal key opens them', async () => {
  await start();
  await ask('gpu/ok');
  const before = await keys();
  await start({}, { UNDERSTUDY_SEAL_KEY: OTHER_SEAL_KEY, UNDERSTUDY_SEAL_KEYS_OLD: SEAL_KEY });
  expect(await keys()).toEqual(before);
  expect(await rig.admin('POST', '/seal/rotate')).toMatchObject({ status: 200 });
  await start({}, { UNDERSTUDY_SEAL_KEY: OTHER_SEAL_KEY });
  await ask('gpu/ok');
  await verified(simulator.calls.at(-1)!, 'gpu', before);
});

it('G-5: without a usable key nothing is sent to a provider that asks for tokens; others answer in its place', async () => {
  await start();
  await start({}, { UNDERSTUDY_SEAL_KEY: OTHER_SEAL_KEY });
  const refused = await ask('gpu/ok');
  expect([refused.status, JSON.parse(refused.text)]).toMatchObject([
    503,
    { error: { code: 'entitlement_unavailable', type: 'api_error' } },
  ]);
  // Nobody knows when.
  expect(refused.headers['x-should-retry']).toBe('false');
  expect(simulator.calls).toHaveLength(0);
  const saved = await ask('gpu/ok', { models: ['gpu/ok', 'open/ok'] });
  expect([saved.status, saved.headers['x-understudy-served-model']]).toEqual([200, 'open/ok']);
  expect(simulator.calls).toHaveLength(1);
  const alerts = rig.logged.filter((line) => line.includes('"alert":"entitlement.unavailable"'));
  expect(alerts).toHaveLength(1);
});

describe.runIf(hasPostgres())('several gateways over one store', () => {
  let schema: PostgresSchema;
  const gateways: RunningGateway[] = [];
  const folders: string[] = [];
  beforeEach(async () => {
    schema = await openSchema();
  });
  afterEach(async () => {
    for (const gateway of gateways.splice(0)) await gateway.close();
    for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
    await schema.drop();
  });

  async function startShared(): Promise<RunningGateway> {
    const dataDir = await mkdtemp(join(tmpdir(), 'understudy-shared-'));
    folders.push(dataDir);
    const configText = JSON.stringify(config({ store: schema.url, server: { port: 0 } }));
    const env = { UNDERSTUDY_SEAL_KEY: SEAL_KEY };
    const gateway = await startGateway({ configText, port: 0, dataDir, env, log: 'silent' });
    gateways.push(gateway);
    return gateway;
  }

  const keysAt = async ({ url }: RunningGateway): Promise<JSONWebKeySet> =>
    JSON.parse((await sendRaw({ url: `${url}/.well-known/jwks.json`, method: 'GET' })).text) as JSONWebKeySet;

  it('G-5: however they start, they sign with one key and publish the same ones', async () => {
    const both = await Promise.all([startShared(), startShared()]);
    const third = await startShared();
    const sets = await Promise.all([...both, third].map(keysAt));
    expect(sets[0]?.keys).toHaveLength(2);
    expect(sets.map((set) => set.keys)).toEqual([sets[0]?.keys, sets[0]?.keys, sets[0]?.keys]);
    for (const { url } of [...both, third]) {
      const headers = { authorization: `Bearer ${FILE_KEY}` };
      const answer = await sendRaw({ url: `${url}/v1/chat/completions`, headers, body: chatRequest('gpu/ok') });
      expect(answer.status).toBe(200);
      await verified(simulator.calls.at(-1)!, 'gpu', sets[0]);
    }
    const kids = simulator.calls.map((call) => decodeProtectedHeader(tokenOf(call)).kid);
    expect(new Set(kids).size).toBe(1);
  }, 120_000);

  it('G-5: a key that is revoked at one is revoked at all', async () => {
    const [one, other] = [await startShared(), await startShared()];
    const before = await keysAt(other);
    const answer = await sendRaw({
      url: `${one.url}/admin/v1/entitlement/revoke`,
      method: 'POST',
      headers: { authorization: `Bearer ${ADMIN}` },
    });
    expect(answer.status).toBe(200);
    const now = await keysAt(one);
    expect(now.keys).not.toContainEqual(before.keys[0]);
    let told = await keysAt(other);
    for (let i = 0; i < 1000 && told.keys[0]?.kid !== now.keys[0]?.kid; i += 1) {
      await new Promise((done) => setTimeout(done, 20));
      told = await keysAt(other);
    }
    expect(told).toEqual(now);
    const headers = { authorization: `Bearer ${FILE_KEY}` };
    await sendRaw({ url: `${other.url}/v1/chat/completions`, headers, body: chatRequest('gpu/ok') });
    await verified(simulator.calls.at(-1)!, 'gpu', now);
  }, 120_000);
});
