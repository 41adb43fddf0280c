/** What callers may see of themselves, and what admins of whom, through a running gateway. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorStep, okBody } from '../faults/answers.ts';
import { errorOf } from '../faults/invariants.ts';
import { type RawAnswer, sendRaw } from '../faults/raw-client.ts';
import { ADMIN_TOKEN, jsonOf, MESSAGES, type RulesRig, startRules } from './rules-rig.ts';

const KEYS = { first: 'first-key-0123456789', second: 'second-key-0123456789', beta: 'beta-key-0123456789' } as const;
const LEAD = 'lead-token-0123456789';
const USER = 'user-token-0123456789';

let rig: RulesRig;
beforeAll(async () => {
  rig = await startRules(
    {
      'vendor/one': { up: { A: [okBody('x')] } },
      'vendor/down': { up: { A: [errorStep(503, { message: 'down' })], B: [okBody('y')] } },
    },
    {
      over: {
        workspaces: { main: { limits: { rpd: 100 } }, beta: { balance_usd: 3 } },
        keys: [
          {
            name: 'first',
            workspace: 'main',
            secret: KEYS.first,
            models: ['vendor/*'],
            limits: { rpm: 50, tokens_per_day: 100_000, usd_per_month: 5, concurrent: 4, soft: { usd_per_day: 1 } },
            expires_at: '2099-01-01',
          },
          { name: 'second', workspace: 'main', secret: KEYS.second },
          { name: 'beta', workspace: 'beta', secret: KEYS.beta },
          { name: 'gone', workspace: 'main', secret: 'gone-key-0123456789', expires_at: '2020-01-01' },
        ],
        members: {
          lead: { role: 'workspace_admin', workspace: 'main', token: LEAD },
          user: { role: 'member', workspace: 'main', token: USER },
        },
      },
    },
  );
});
afterAll(() => rig.close());

const as = (token: string, path: string) =>
  sendRaw({ url: rig.url + path, headers: { authorization: `Bearer ${token}` } });
/** Not by the rig's own `ask`: it takes x-ratelimit headers, which limited keys get, for an upstream's. */
const ask = (model: string, key: string, fields: object = {}) =>
  sendRaw({
    url: `${rig.url}/v1/chat/completions`,
    headers: { authorization: `Bearer ${key}` },
    body: { model, messages: MESSAGES, ...fields },
  });
const idOf = (answer: RawAnswer) => String(answer.headers['x-request-id']);

describe('/openapi.json', () => {
  it('O-5: names exactly the members that callers are shown of themselves', async () => {
    const { components } = jsonOf(await sendRaw({ url: `${rig.url}/openapi.json` })) as unknown as {
      components: { schemas: Record<string, { required: string[] }> };
    };
    const asked = await ask('vendor/one', KEYS.first);
    const key = jsonOf(await as(KEYS.first, '/v1/key'));
    const request = jsonOf(await as(KEYS.first, `/v1/requests/${idOf(asked)}`));
    expect(Object.keys(key)).toEqual(components.schemas['OwnKey']?.required);
    expect(Object.keys(request)).toEqual(components.schemas['OwnRequest']?.required);
  });
});

describe('GET /v1/requests/{id}', () => {
  it('G-8: shows a client its own request without a trace of the way it went', async () => {
    const asked = await ask('vendor/down', KEYS.first, { fallback_models: ['vendor/one'] });
    const answer = await as(KEYS.first, `/v1/requests/${idOf(asked)}`);
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    const shown = jsonOf(answer);
    expect(shown).toMatchObject({
      id: idOf(asked),
      key: 'first',
      workspace: 'main',
      requested_model: 'vendor/down',
      served_model: expect.stringMatching(/^vendor\//),
      status: 200,
      outcome: 'success',
      ending: 'served',
      error_code: null,
      degraded: expect.any(Boolean),
      usage: expect.any(Object),
      latency_ms: expect.any(Number),
    });
    for (const hidden of ['attempts', 'candidates', 'stages', 'events', 'setup', 'chain', 'waste_nano_usd']) {
      expect(shown).not.toHaveProperty(hidden);
    }
    expect(answer.text).not.toMatch(/credential|channel|provider/);
  });

  it('G-8: another key’s request is 404 in the words of one that never was', async () => {
    const id = idOf(await ask('vendor/one', KEYS.first));
    const words = (answer: RawAnswer, name: string) => String(errorOf(answer)['message']).replace(name, 'ID');
    const never = await as(KEYS.second, '/v1/requests/req_never');
    for (const other of [KEYS.second, KEYS.beta]) {
      const answer = await as(other, `/v1/requests/${id}`);
      expect([answer.status, errorOf(answer)['code']]).toEqual([404, 'not_found']);
      expect(words(answer, id)).toBe(words(never, 'req_never'));
    }
  });

  it('G-8: a member sees those of its workspace, also without a trace; others nothing', async () => {
    const id = idOf(await ask('vendor/one', KEYS.first));
    const foreign = idOf(await ask('vendor/one', KEYS.beta));
    for (const token of [USER, LEAD]) {
      const answer = await as(token, `/v1/requests/${id}`);
      expect(answer.status).toBe(200);
      expect(jsonOf(answer)).not.toHaveProperty('attempts');
      expect((await as(token, `/v1/requests/${foreign}`)).status).toBe(404);
    }
    for (const stranger of ['no-token', 'gone-key-0123456789', ADMIN_TOKEN]) {
      const answer = await as(stranger, `/v1/requests/${id}`);
      expect([answer.status, errorOf(answer)['code']]).toEqual([401, 'invalid_api_key']);
    }
    expect((await sendRaw({ url: `${rig.url}/v1/requests/${id}` })).status).toBe(401);
  });
});

describe('GET /v1/key', () => {
  it('G-11: shows limits as configured, what was used and what is left', async () => {
    const before = jsonOf(await as(KEYS.first, '/v1/key'));
    await ask('vendor/one', KEYS.first);
    const answer = await as(KEYS.first, '/v1/key');
    const shown = jsonOf(answer);
    expect(shown).toMatchObject({
      name: 'first',
      workspace: 'main',
      state: 'ok',
      suspended_until: null,
      expires_at: '2099-01-01T00:00:00.000Z',
      models: ['vendor/*'],
      limits: { rpm: 50, tokens_per_day: 100_000, usd_per_month: 5, concurrent: 4, soft: { usd_per_day: 1 } },
      workspace_limits: { rpd: 100 },
      balance: { prepaid: false, balance_usd: null, available_usd: null },
    });
    type Figures = {
      usage: { day: { requests: number; tokens: number } };
      remaining: Record<string, number>;
      workspace_remaining: Record<string, number>;
    };
    const [was, is] = [before, shown] as unknown as [Figures, Figures];
    expect(is.usage.day.requests - was.usage.day.requests).toBe(1);
    expect(is.usage.day.tokens).toBeGreaterThan(was.usage.day.tokens);
    expect(was.remaining['rpm']! - is.remaining['rpm']!).toBe(1);
    expect(Object.keys(is.remaining).sort()).toEqual(['concurrent', 'rpm', 'tokens_per_day', 'usd_per_month']);
    expect(is.remaining['concurrent']).toBe(4);
    expect(was.workspace_remaining['rpd']! - is.workspace_remaining['rpd']!).toBe(1);
    expect(answer.headers['x-request-id']).toMatch(/^req_/);
    expect(answer.text).not.toContain(KEYS.first.slice(0, 6));
  });

  it('G-4, G-11: a key without limits has none; a prepaid workspace shows its balance', async () => {
    expect(jsonOf(await as(KEYS.beta, '/v1/key'))).toMatchObject({
      limits: null,
      remaining: null,
      expires_at: null,
      balance: { prepaid: true, balance_usd: expect.any(Number) },
    });
    expect((await as('unknown', '/v1/key')).status).toBe(401);
    expect((await as(LEAD, '/v1/key')).status).toBe(401);
  });
});

describe('the admin plane for a workspace', () => {
  it('O-5, G-8: its admin reads the trace of its own requests, and of no other', async () => {
    const own = idOf(await ask('vendor/one', KEYS.first));
    const foreign = idOf(await ask('vendor/one', KEYS.beta));
    const trace = await as(LEAD, `/admin/v1/requests/${own}`);
    expect(jsonOf(trace)).toMatchObject({ id: own, attempts: [expect.any(Object)], candidates: [expect.any(Object)] });
    expect((await as(LEAD, `/admin/v1/requests/${foreign}`)).status).toBe(404);
    const listed = jsonOf(await as(LEAD, '/admin/v1/requests?limit=500'))['data'] as {
      id: string;
      workspace: string;
    }[];
    expect(listed.map(({ id }) => id)).toContain(own);
    expect([...new Set(listed.map(({ workspace }) => workspace))]).toEqual(['main']);
    expect((await as(USER, `/admin/v1/requests/${own}`)).status).toBe(403);
  });

  it('O-1, G-8: usage is that of its own workspace', async () => {
    await ask('vendor/one', KEYS.beta);
    const sums = async (token: string) =>
      (jsonOf(await as(token, '/admin/v1/usage?by=workspace'))['data'] as { name: string }[]).map(({ name }) => name);
    expect(await sums(LEAD)).toEqual(['main']);
    expect(await sums(ADMIN_TOKEN)).toEqual(expect.arrayContaining(['beta', 'main']));
  });

  it('G-9: neither keys nor tokens are in any answer of the plane', async () => {
    const paths = ['keys', 'credentials', 'members', 'workspaces', 'models', 'channels', 'policies', 'virtual-models'];
    for (const path of [...paths, 'requests', 'usage', 'health/targets']) {
      const answer = await as(ADMIN_TOKEN, `/admin/v1/${path}`);
      expect(answer.status, path).toBe(200);
      for (const secret of [...Object.values(KEYS), LEAD, USER, ADMIN_TOKEN]) {
        expect(answer.text, path).not.toContain(secret.slice(0, 10));
      }
    }
  });
});
