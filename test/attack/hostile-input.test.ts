/** What an operator may be handed to apply, what an upstream may count, and where a secret might lie about. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { ADMIN, FILE_KEY } from '../e2e/admin-rig.ts';
import { http, okAnswer, type RawCall } from './raw-upstream.ts';
import { PLATFORM_SECRET, startTenants, type TenantsRig } from './tenants-rig.ts';

let rig: TenantsRig;
afterEach(() => rig.close());

const good = ({ socket }: RawCall): void => void socket.write(http(200, okAnswer('hi')));

/** Nine lists of ten, each of aliases of the one before: a thousand million values. */
const bomb = ['version: 1', 'a: &a [x,x,x,x,x,x,x,x,x,x]']
  .concat([...'bcdefghij'].map((name, at) => `${name}: &${name} [${Array(10).fill(`*${'abcdefghi'[at]}`).join(',')}]`))
  .join('\n');

const TEXTS: Readonly<Record<string, string>> = {
  'aliases that unfold without end': bomb,
  'an alias of itself': 'version: 1\nkeys: &k\n  - *k\n',
  'lists in lists': `version: 1\nmodels: ${'['.repeat(20_000)}${']'.repeat(20_000)}`,
  'JSON in JSON': `{"version":1,"models":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_001)}`,
  'a prototype': 'version: 1\n__proto__: { polluted: 1 }\n',
  'names of prototypes': 'version: 1\nproviders: { __proto__: { type: sim } }\nworkspaces: { __proto__: {} }\n',
  'merge keys': 'version: 1\nmodels: &m { polluted: 1 }\n<<: *m\n',
  'a tag of code': 'version: 1\nmodels: !!js/function "function(){}"\n',
  'two documents': '---\nversion: 1\n---\nversion: 1\n',
};

describe('a text to apply', () => {
  it('X-5: whatever it holds, it is 400 with the place, and nothing has changed', async () => {
    rig = await startTenants(good);
    const before = rig.admin.gateway.gateway.snapshot().version;
    for (const [what, text] of Object.entries(TEXTS)) {
      const answer = await rig.admin.admin('POST', '/apply', { text, name: 'x.yaml' });
      expect([answer.status, what]).toEqual([400, what]);
      expect(String((answer.body['error'] as { message: string }).message)).toMatch(/x\.yaml:\d+:\d+: /);
    }
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    expect(rig.admin.gateway.gateway.snapshot().version).toBe(before);
    expect(await rig.admin.ask(FILE_KEY)).toBe(200);
  });
});

describe('names of JavaScript', () => {
  it('G-8: are names like others, or refused; they reach no prototype', async () => {
    rig = await startTenants(good);
    await rig.as(ADMIN, 'POST', '/admin/v1/workspaces', { name: 'gamma' });
    for (const name of ['constructor', 'toString', 'hasOwnProperty', 'valueOf']) {
      const made = await rig.as(ADMIN, 'POST', '/admin/v1/keys', { name, workspace: 'gamma' });
      const key = String(made.body['secret']);
      expect((await rig.ask(key)).status).toBe(200);
      expect((await rig.as('beta', 'GET', `/admin/v1/keys/${name}`)).status).toBe(404);
      expect((await rig.as('acme', 'GET', `/admin/v1/credentials/${name}`)).status).toBe(404);
      const at = `/admin/v1/virtual-models/gamma/${name}`;
      expect((await rig.as(ADMIN, 'DELETE', at)).status).toBe(404);
      expect((await rig.as(ADMIN, 'PUT', at, { models: ['ok'] })).status).toBe(200);
      expect((await rig.ask(key, { model: name })).status).toBe(200);
    }
    for (const model of ['__proto__', 'isPrototypeOf']) {
      expect((await rig.ask(await rig.newKey('beta', `b${model.length}`), { model })).status).toBe(404);
    }
    expect((await rig.as('acme', 'POST', '/admin/v1/keys', { name: '__proto__' })).status).toBe(400);
  });
});

describe('counts that an upstream makes up', () => {
  it.each([
    '{"prompt_tokens":1e308,"completion_tokens":1e308}',
    '{"prompt_tokens":-5,"completion_tokens":-1000000000}',
    '{"prompt_tokens":1.5,"completion_tokens":2.5}',
    '{"prompt_tokens":"7","completion_tokens":null}',
    '{"prompt_tokens":9007199254740993,"completion_tokens":9223372036854775808}',
    '{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":-100}}',
    '[1]',
  ])('G-4: %s costs what an answer of its size does, never less than nothing', async (usage) => {
    rig = await startTenants(
      ({ socket }) => void socket.write(http(200, okAnswer('hi').replace(/"usage":\{[^}]*\}/, `"usage":${usage}`))),
      {
        models: {
          ok: {
            price: { input: 1, output: 2 },
            max_output_tokens: 50,
            context_window: 4000,
            channels: [{ provider: 'up' }],
          },
        },
        workspaces: { filed: {}, acme: { balance_usd: 1 }, beta: {} },
      },
    );
    const key = await rig.newKey('acme', 'k', { limits: { tokens_per_day: 1_000_000 } });
    const answer = await rig.ask(key);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain(usage.slice(0, 5));
    const { body } = await rig.admin.admin('GET', '/workspaces/acme/balance');
    const left = Number(body['balance_nano_usd']);
    expect(left).toBeLessThan(1_000_000_000);
    expect(left).toBeGreaterThan(999_900_000);
    expect(body['available_nano_usd']).toBe(body['balance_nano_usd']);
    expect((await rig.ask(key)).status).toBe(200);
  });
});

describe('secrets', () => {
  it('E-5, G-9: lie in no file, log line, dump of the configuration, metric or argument', async () => {
    rig = await startTenants(good);
    const sealed = 'sk-own-Mn7Bv6Cx5Zl4Kj3Hg2';
    const made = { name: 'own', provider: 'up', secret: sealed };
    expect((await rig.as('acme', 'POST', '/admin/v1/credentials', made)).status).toBe(201);
    const key = await rig.newKey('acme', 'k');
    expect((await rig.ask(key)).status).toBe(200);
    // Keys may come in a query: SDKs do that.
    for (const path of ['/v1/nothing', '/admin/v1/nothing', '/v1/models/none', '/%ff']) {
      await rig.as('nobody', 'GET', `${path}?key=${key}&token=${ADMIN}`);
    }
    await rig.admin.admin('POST', '/seal/rotate', {});
    const { gateway, dataDir } = rig.admin.gateway;
    await gateway.records.flush();
    const snapshot = gateway.snapshot();
    const metrics = (await rig.as(ADMIN, 'GET', '/metrics')).text;
    expect(metrics).toContain('understudy_');
    const texts: Record<string, string> = {
      log: rig.admin.logged.join(''),
      inspected: inspect(snapshot, { depth: 12, showHidden: true, maxArrayLength: null }),
      written: JSON.stringify(snapshot, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
      metrics,
      arguments: [process.title, ...process.argv].join(' '),
    };
    for (const file of readdirSync(dataDir)) texts[file] = readFileSync(join(dataDir, file)).toString('latin1');
    expect(Object.keys(texts)).toContain('state.db');
    // Its runs of six are words that stand everywhere.
    for (const [where, text] of Object.entries(texts)) expect([where, text.includes(ADMIN)]).toEqual([where, false]);
    // Without what is on every key: `us-`, `sk-`.
    for (const secret of [sealed.slice(6), PLATFORM_SECRET.slice(8), key.slice(3)]) {
      for (const [where, text] of Object.entries(texts)) {
        for (let at = 0; at + 6 <= secret.length; at += 1) {
          const run = secret.slice(at, at + 6);
          expect([where, run, text.includes(run)]).toEqual([where, run, false]);
        }
      }
    }
  });
});
