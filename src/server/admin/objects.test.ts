/** Configuration objects over HTTP: what is asked of the objects behind it, and what is shown of them. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AdminRig, type CallOptions, startAdminRig, WALL } from '../../../test/support/admin-rig.ts';
import { UNLIMITED } from '../../core/limits/unlimited.ts';

const CONFIG = `
workspaces: { acme: { balance_usd: 5 }, beta: {} }
providers: { up: { type: sim } }
credentials: { platform: { provider: up, secret: p-secret-000000 } }
models:
  up/one: { price: { input: 0.1, output: 2 }, context_window: 1000, channels: [{ id: a, provider: up, model: x, limits: { rpm: 7, soft: { usd_per_day: 0.5 } } }] }
  up/*: {}
policies: { standard: { overloaded: [retry, next_model] } }
`;

let rig: AdminRig;
beforeEach(async () => {
  rig = await startAdminRig(CONFIG);
});
afterEach(() => rig.close());

const call = (method: string, path: string, body?: unknown, options: CallOptions = {}) =>
  rig.call(method, `/admin/v1${path}`, { ...options, ...(body === undefined ? {} : { body }) });
type Shown = Readonly<Record<string, unknown>>;
const errorOf = (answer: { readonly body: Shown }) =>
  answer.body['error'] as { code: string; param: string; message: string };
const names = (answer: { readonly body: Shown }) => (answer.body['data'] as Shown[]).map((one) => one['name']);

describe('client keys', () => {
  it('G-9: the secret is in the answer of its making and nowhere else', async () => {
    const made = await call('POST', '/keys', { name: 'app', workspace: 'acme', limits: { rpm: 5 } });
    expect(made.status).toBe(201);
    const secret = String(made.body['secret']);
    expect(secret).toMatch(/^us-[0-9A-Za-z]{43}$/);
    expect(rig.objects.puts).toEqual([
      {
        kind: 'key',
        name: 'app',
        body: { workspace: 'acme', limits: { rpm: 5 } },
        options: { by: 'admin', call: { requestId: 'req_1', ip: '127.0.0.1' }, create: true, secret },
      },
    ]);
    rig.objects.have('key', 'leaky', { hash: 'h-h-h', secret: 's-s-s', sealed: 'x-x-x', token: 't-t-t' });
    const shown = JSON.stringify([
      await call('GET', '/keys'),
      await call('GET', '/keys/app'),
      await call('GET', '/keys/leaky'),
    ]);
    for (const hidden of [secret, 'h-h-h', 's-s-s', 'x-x-x', 't-t-t']) expect(shown).not.toContain(hidden);
  });

  it('G-6, G-11: are shown with what they used and whether they rest; lift ends that', async () => {
    rig.objects.have('key', 'app', { workspace: 'acme' });
    const limits = { kind: 'key', id: 'app', limits: {} } as never;
    const admitted = rig.limits.admit(
      [{ ...(limits as object), limits: UNLIMITED } as never],
      { tokens: 1, cost: 1n },
      1000,
      WALL,
    );
    if (!admitted.ok) throw new Error('refused');
    rig.limits.settle(admitted.lease, { tokens: 30, cost: 2_000_000_000n }, 1000, WALL);
    rig.keyBreaker.restore([{ key: 'app', since: WALL }]);
    expect((await call('GET', '/keys/app')).body).toMatchObject({
      usage: {
        day: { requests: 1, tokens: 30, spend_usd: 2 },
        month: { requests: 1, tokens: 30, spend_usd: 2 },
        in_flight: 0,
      },
      breaker: { state: 'banned', since: '2026-11-29T10:00:00.000Z', until: null },
    });
    expect((await call('POST', '/keys/app/lift')).body).toEqual({ name: 'app', lifted: true });
    expect((await call('POST', '/keys/app/lift')).body).toEqual({ name: 'app', lifted: false });
    expect(rig.lifted).toEqual(['app', 'app']);
    expect((await call('GET', '/keys/app')).body).toMatchObject({ breaker: { state: 'ok', since: null } });
    expect((await call('POST', '/keys/none/lift')).status).toBe(404);
  });

  it('G-8: a change keeps what it does not name and takes away what it names null', async () => {
    rig.objects.have('key', 'app', { workspace: 'acme', models: ['a'], limits: { rpm: 5 } });
    const changed = await call('PATCH', '/keys/app', { models: ['b'], limits: null });
    expect(changed).toMatchObject({ status: 200, body: { name: 'app', models: ['b'], workspace: 'acme', version: 2 } });
    expect(changed.body).not.toHaveProperty('limits');
    expect(rig.objects.puts[0]).toMatchObject({
      body: { workspace: 'acme', models: ['b'] },
      options: { by: 'admin', expectedVersion: 1 },
    });
  });

  it('G-8: a change made from an older version is 409 and changes nothing', async () => {
    rig.objects.have('key', 'app', { models: ['a'] });
    const patch = (match: string) => call('PATCH', '/keys/app', { models: ['b'] }, { headers: { 'if-match': match } });
    expect(await patch('"7"')).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    expect(await patch('x')).toMatchObject({ status: 400, body: { error: { param: 'If-Match' } } });
    expect(rig.objects.puts).toEqual([]);
    expect((await patch('"1"')).status).toBe(200);
    expect((await patch('*')).status).toBe(200);
  });

  it('G-8: a taken name is 409; what the file owns is read-only', async () => {
    rig.objects.have('key', 'app');
    rig.objects.have('key', 'of-file', { workspace: 'acme' }, 'file');
    expect((await call('POST', '/keys', { name: 'app' })).status).toBe(409);
    for (const [method, body] of [
      ['PATCH', { models: ['*'] }],
      ['DELETE', undefined],
    ] as const) {
      const answer = await call(method, '/keys/of-file', body);
      expect(answer.status).toBe(409);
      expect(errorOf(answer).message).toContain('belongs to the configuration file');
    }
    expect((await call('GET', '/keys/of-file')).body).toMatchObject({
      managed_by: 'file',
      version: 0,
      created_at: null,
    });
    expect(rig.objects.get('key', 'of-file')).not.toBeNull();
  });

  it('G-8: revoking answers with the name; then it is gone', async () => {
    rig.objects.have('key', 'app');
    expect((await call('DELETE', '/keys/app')).body).toEqual({ name: 'app', removed: true });
    expect((await call('DELETE', '/keys/app')).status).toBe(404);
  });
});

describe('lists', () => {
  it('G-8: page by name without duplicates or holes, by workspace where asked', async () => {
    for (const n of [3, 1, 2, 5, 4]) rig.objects.have('key', `k${n}`, n > 3 ? { workspace: 'acme' } : {});
    const seen: unknown[] = [];
    let cursor: unknown = null;
    do {
      const page = await call('GET', `/keys?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`);
      seen.push(...names(page));
      cursor = page.body['next_cursor'];
    } while (cursor !== null);
    expect(seen).toEqual(['k1', 'k2', 'k3', 'k4', 'k5']);
    expect(names(await call('GET', '/keys?workspace=acme'))).toEqual(['k4', 'k5']);
    expect(names(await call('GET', '/keys?workspace=default'))).toEqual(['k1', 'k2', 'k3']);
    expect(errorOf(await call('GET', '/keys?cursor=zzz')).param).toBe('cursor');
    expect(errorOf(await call('GET', '/keys?limit=1001')).param).toBe('limit');
    expect(errorOf(await call('GET', '/keys?workspac=x')).param).toBe('workspac');
  });
});

describe('credentials', () => {
  it('G-9: the secret goes to its keeper apart from the body, and no answer holds it', async () => {
    const body = { name: 'c', provider: 'up', secret: 'sk-0123456789', kind: 'byok', workspace: 'acme' };
    const made = await call('POST', '/credentials', body);
    expect(made).toMatchObject({ status: 201, body: { name: 'c', kind: 'byok', order: 0 } });
    const changed = await call('PATCH', '/credentials/c', { secret: 'sk-9876543210', order: 4 });
    expect(changed).toMatchObject({ status: 200, body: { order: 4 } });
    expect(rig.objects.puts.map(({ body, options }) => [body, options.secret])).toEqual([
      [{ provider: 'up', kind: 'byok', workspace: 'acme' }, 'sk-0123456789'],
      [{ provider: 'up', kind: 'byok', workspace: 'acme', order: 4 }, 'sk-9876543210'],
    ]);
    expect(JSON.stringify([made, changed, await call('GET', '/credentials')])).not.toMatch(/sk-\d/);
  });

  it('G-9: a wrong secret is not repeated', async () => {
    const answer = await call('POST', '/credentials', { name: 'c', provider: 'up', secret: 'my secret words' });
    expect(answer).toMatchObject({ status: 400, body: { error: { param: 'secret' } } });
    expect(JSON.stringify(answer)).not.toContain('my secret');
    expect((await call('PATCH', '/credentials/c', { secret: null })).status).toBe(400);
  });

  it('P-1: reorder gives rising numbers around those the file fixes', async () => {
    for (const name of ['a', 'b', 'c'])
      rig.objects.have('credential', name, { kind: 'byok', workspace: 'acme', order: 9 });
    rig.objects.have('credential', 'fixed', { kind: 'byok', workspace: 'acme', order: 2 }, 'file');
    rig.objects.have('credential', 'other', { provider: 'up' });
    const order = (list: string[]) => call('POST', '/credentials/reorder', { workspace: 'acme', names: list });
    const done = await order(['b', 'fixed', 'a', 'c']);
    expect((done.body['data'] as Shown[]).map((one) => [one['name'], one['order']])).toEqual([
      ['b', 0],
      ['fixed', 2],
      ['a', 3],
      ['c', 4],
    ]);
    rig.objects.puts.splice(0);
    await order(['b', 'fixed', 'a', 'c']);
    expect(rig.objects.puts).toEqual([]);
    expect((await order(['a', 'b', 'c', 'fixed'])).status).toBe(409);
    for (const wrong of [['a', 'b'], ['a', 'b', 'c', 'fixed', 'other'], ['a', 'a', 'b', 'c', 'fixed'], []]) {
      expect(errorOf(await order(wrong)).param, String(wrong)).toBe('names');
    }
    expect(rig.objects.puts).toEqual([]);
    expect(names(await call('POST', '/credentials/reorder', { names: ['other'] }))).toEqual(['other']);
  });
});

describe('workspaces and virtual models', () => {
  it('G-8: PUT replaces, PATCH changes', async () => {
    rig.objects.have('workspace', 'acme', { auto: ['up/one'], routing: { strategy: 'price' } });
    await call('PATCH', '/workspaces/acme', { routing: { strategy: 'latency' } });
    await call('PUT', '/workspaces/acme', { balance_usd: 7 });
    expect(rig.objects.puts.map(({ body }) => body)).toEqual([
      { auto: ['up/one'], routing: { strategy: 'latency' } },
      { balance_usd: 7 },
    ]);
    expect((await call('POST', '/workspaces', { name: 'new', auto: ['up/one'] })).status).toBe(201);
    expect((await call('PUT', '/workspaces/none', {})).status).toBe(404);
  });

  it('C-6: virtual models are parts of their workspace', async () => {
    rig.objects.have('workspace', 'acme', { auto: ['up/one'], virtual_models: { old: { models: ['up/one'] } } });
    const path = '/virtual-models/acme/my%2Fmodel';
    const made = await call('PUT', path, { models: ['up/one', 'up/two'] });
    expect(made).toMatchObject({
      status: 200,
      body: { workspace: 'acme', name: 'my/model', models: ['up/one', 'up/two'], managed_by: 'store' },
    });
    expect(names(await call('GET', '/virtual-models'))).toEqual(['my/model', 'old']);
    expect(names(await call('GET', '/virtual-models?workspace=beta'))).toEqual([]);
    expect((await call('DELETE', path)).body).toEqual({ name: 'my/model', removed: true });
    expect((await call('DELETE', path)).status).toBe(404);
    expect(rig.objects.get('workspace', 'acme')?.body).toEqual({
      auto: ['up/one'],
      virtual_models: { old: { models: ['up/one'] } },
    });
    expect((await call('PUT', '/virtual-models/none/x', { models: ['up/one'] })).status).toBe(404);
    expect(errorOf(await call('PUT', path, { models: ['up/one'], x: 1 })).param).toBe('x');
  });
});

describe('members', () => {
  it('G-8: the token is in the answer of its making and nowhere else', async () => {
    const made = await call('POST', '/members', { name: 'ann', role: 'workspace_admin', workspace: 'acme' });
    expect(made).toMatchObject({ status: 201, body: { member: { name: 'ann', role: 'workspace_admin' } } });
    const token = String(made.body['token']);
    expect(token).toMatch(/^us-member-/);
    expect(rig.objects.puts[0]).toMatchObject({ kind: 'member', options: { create: true, secret: token } });
    expect(JSON.stringify([await call('GET', '/members'), await call('GET', '/members/ann')])).not.toContain(token);
    const changed = await call('PATCH', '/members/ann', { role: 'account_admin', workspace: null });
    expect(changed.body).toMatchObject({ role: 'account_admin', version: 2 });
    expect(changed.body).not.toHaveProperty('workspace');
  });
});

describe('bodies', () => {
  it.each([
    ['POST', '/keys', { workspace: 'acme' }, 'missing_required_parameter', 'name'],
    ['POST', '/keys', { name: 'a b' }, 'invalid_parameter', 'name'],
    ['POST', '/keys', { name: 5 }, 'invalid_parameter', 'name'],
    ['POST', '/keys', { name: 'x', secret: 'mine' }, 'invalid_parameter', 'secret'],
    ['POST', '/keys', { name: 'x', modles: ['*'] }, 'invalid_parameter', 'modles'],
    ['POST', '/keys', { name: 'x', limits: { rpm: 0 } }, 'invalid_parameter', 'limits.rpm'],
    ['POST', '/keys', { name: 'x', limits: { rpms: 1 } }, 'invalid_parameter', 'limits.rpms'],
    ['POST', '/keys', { name: 'x', models: ['a', 7] }, 'invalid_parameter', 'models.1'],
    ['POST', '/credentials', { name: 'x', secret: 's' }, 'missing_required_parameter', 'provider'],
    ['POST', '/credentials', { name: 'n'.repeat(129), secret: 's', provider: 'up' }, 'invalid_parameter', 'name'],
    ['POST', '/members', { name: 'x', role: 'king' }, 'invalid_parameter', 'role'],
    ['POST', '/members', { name: 'x', role: 'member', token: 't' }, 'invalid_parameter', 'token'],
    ['PATCH', '/workspaces/acme', { balance_usd: -1 }, 'invalid_parameter', 'balance_usd'],
    ['PATCH', '/workspaces/acme', { routing: { strategy: 'best' } }, 'invalid_parameter', 'routing.strategy'],
    ['PATCH', '/workspaces/acme', { name: 'other' }, 'invalid_parameter', 'name'],
    ['POST', '/workspaces/acme/balance', { topup_usd: 0 }, 'invalid_parameter', 'topup_usd'],
    ['POST', '/workspaces/acme/balance', { topup_usd: '5' }, 'invalid_parameter', 'topup_usd'],
    ['POST', '/workspaces/acme/balance', { topup_usd: 1e-10 }, 'invalid_parameter', 'topup_usd'],
    ['POST', '/workspaces/acme/balance', { topup_usd: 2e9 }, 'invalid_parameter', 'topup_usd'],
    ['POST', '/workspaces/acme/balance', { topup_usd: 1, adjust_usd: 1 }, 'invalid_parameter', 'adjust_usd'],
    ['POST', '/workspaces/acme/balance', { note: 'x' }, 'missing_required_parameter', 'topup_usd'],
  ])('E-5: %s %s %j is 400 %s naming %s', async (method, path, body, code, param) => {
    rig.objects.have('workspace', 'acme');
    const answer = await call(method, path, body);
    expect([answer.status, errorOf(answer).code, errorOf(answer).param]).toEqual([400, code, param]);
    expect(errorOf(answer).message).toContain(`\`${param}\``);
    expect(rig.objects.puts).toEqual([]);
  });

  it('E-5: a misspelt field is told the nearest', async () => {
    expect(errorOf(await call('POST', '/keys', { name: 'x', modles: [] })).message).toContain('did you mean `models`?');
  });

  it.each([['{broken'], ['[]'], ['null'], ['"x"'], ['{"name":"x","__proto__":{"role":"account_admin"}}']])(
    'E-5: %s is 400 invalid_json',
    async (body) => {
      expect(errorOf(await call('POST', '/members', body)).code).toBe('invalid_json');
    },
  );

  it('E-5: an empty body, another type and a huge one are told apart', async () => {
    expect(errorOf(await call('POST', '/keys')).code).toBe('invalid_json');
    const form = await call('POST', '/keys', 'name=x', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([form.status, errorOf(form).code]).toEqual([415, 'unsupported_media_type']);
    const huge = await call('POST', '/keys', { name: 'x', models: ['m'.repeat(1_100_000)] });
    expect([huge.status, errorOf(huge).code]).toEqual([413, 'request_too_large']);
    const charset = await call(
      'POST',
      '/keys',
      { name: 'x' },
      { headers: { 'content-type': 'application/json; charset=utf-8' } },
    );
    expect(charset.status).toBe(201);
  });

  it('E-5: names with odd characters in a path are 404, not a fault', async () => {
    for (const name of ['%00', '..%2f..%2f', '%E2%80%AE', `${'n'.repeat(400)}`]) {
      expect((await call('GET', `/keys/${name}`)).status).toBe(404);
    }
    expect(rig.bugs).toEqual([]);
  });
});

describe('balances', () => {
  it('G-4: are read, topped up and adjusted exactly, each change an entry of its maker', async () => {
    rig.objects.have('workspace', 'acme');
    const path = '/workspaces/acme/balance';
    expect((await call('GET', path)).body).toEqual({
      workspace: 'acme',
      prepaid: true,
      balance_usd: 5,
      available_usd: 5,
      balance_nano_usd: '5000000000',
      available_nano_usd: '5000000000',
    });
    expect((await call('POST', path, { topup_usd: 0.1, note: 'invoice 17' })).body).toMatchObject({
      balance_nano_usd: '5100000000',
    });
    expect((await call('POST', path, { adjust_usd: -0.3 })).body).toMatchObject({ balance_nano_usd: '4800000000' });
    const { data } = (await call('GET', `${path}/entries`)).body as { data: Shown[] };
    expect(data.map((one) => [one['kind'], one['amount_usd'], one['amount_nano_usd'], one['note'], one['by']])).toEqual(
      [
        ['adjust', -0.3, '-300000000', null, 'admin'],
        ['topup', 0.1, '100000000', 'invoice 17', 'admin'],
        ['grant', 5, '5000000000', null, '(configuration)'],
      ],
    );
    for (const cursor of ['garbage', '0', '-1', '1e3', '1.5', '9'.repeat(20)]) {
      const refused = await call('GET', `${path}/entries?cursor=${cursor}`);
      expect([refused.status, errorOf(refused).param]).toEqual([400, 'cursor']);
    }
    expect((await call('GET', `${path}/entries?cursor=3`)).status).toBe(200);
    expect(await call('POST', path, { topup_usd: 999_999_999 })).toMatchObject({ status: 200 });
    for (let n = 0; n < 3; n += 1) await call('POST', path, { topup_usd: 999_999_999 });
    expect(errorOf(await call('POST', path, { topup_usd: 999_999_999 })).message).toContain('too large');
  });

  it('G-4: one who is not prepaid has none, and none to top up', async () => {
    rig.objects.have('workspace', 'beta');
    expect((await call('GET', '/workspaces/beta/balance')).body).toMatchObject({ prepaid: false, balance_usd: null });
    const answer = await call('POST', '/workspaces/beta/balance', { topup_usd: 1 });
    expect([answer.status, errorOf(answer).code]).toEqual([409, 'conflict']);
    expect((await call('GET', '/workspaces/none/balance')).status).toBe(404);
  });
});

describe('usage', () => {
  it('O-1: asks for the last 30 days by key, or what the query says, and pages', async () => {
    const sum = {
      requests: 1,
      failed: 0,
      input_tokens: 1,
      output_tokens: 1,
      cost_nano_usd: 1,
      waste_nano_usd: 0,
      unpriced: 0,
      upstream_calls: 1,
      client_retries: 0,
    };
    rig.records.sums = ['c', null, 'a', 'b'].map((name) => ({ name, ...sum }));
    const first = await call('GET', '/usage?limit=3');
    expect(names(first)).toEqual([null, 'a', 'b']);
    expect(names(await call('GET', `/usage?limit=3&cursor=${first.body['next_cursor']}`))).toEqual(['c']);
    await call('GET', '/usage?by=model&from=2026-11-01&to=2026-11-02&workspace=acme');
    expect(rig.records.usageAsked[0]).toEqual({ by: 'key', from: WALL + 1 - 30 * 86_400_000, to: WALL + 1 });
    expect(rig.records.usageAsked[2]).toEqual({
      by: 'model',
      from: Date.UTC(2026, 10, 1),
      to: Date.UTC(2026, 10, 2),
      workspace: 'acme',
    });
    expect(errorOf(await call('GET', '/usage?by=day')).param).toBe('by');
    expect(errorOf(await call('GET', '/usage?from=2026-11-03&to=2026-11-02')).param).toBe('from');
  });
});

describe('models, channels and policies', () => {
  it('P-2: models with channels, prices in USD, limits as in the file; wildcards as such', async () => {
    const { data } = (await call('GET', '/models')).body as { data: Shown[] };
    expect(data.map((one) => [one['id'], one['wildcard']])).toEqual([
      ['up/*', true],
      ['up/one', false],
    ]);
    const channel = {
      id: 'up/one#a',
      channel: 'a',
      provider: 'up',
      upstream_model: 'x',
      price: { input: 0.1, output: 2, cached_input: null },
      limits: { rpm: 7, soft: { usd_per_day: 0.5 } },
      context_window: 1000,
      credentials: ['platform'],
    };
    expect(data[1]).toMatchObject({ price: { input: 0.1 }, channels: [channel] });
    expect((await call('GET', '/channels')).body).toMatchObject({ data: [channel], next_cursor: null });
  });

  it('G-4: figures that are the shipped catalogue’s are named, with their dates', async () => {
    const other = await startAdminRig(
      'providers: { openai: { type: openai } }\nmodels: { openai/gpt-4o: { context_window: 5 } }',
    );
    const { data } = (await other.call('GET', '/admin/v1/models')).body as { data: Shown[] };
    await other.close();
    const date = expect.stringMatching(/^\d{4}-\d\d-\d\d$/);
    expect(data[0]).toMatchObject({
      context_window: 5,
      price: { input: expect.any(Number) },
      channels: [{ catalogued: { price: { date, estimate: null } } }],
    });
    const { channels } = data[0] as unknown as { channels: { catalogued: object }[] };
    expect(channels[0]!.catalogued).not.toHaveProperty('context_window');
    const { data: own } = (await call('GET', '/models')).body as { data: Shown[] };
    expect(own[1]).toMatchObject({ catalogued: null, channels: [{ catalogued: null }] });
  });

  it('D-12: the tables show what is in force beside what is built in', async () => {
    const { data } = (await call('GET', '/policies')).body as { data: { name: string; cells: Shown[] }[] };
    expect(data.map(({ name }) => name)).toEqual(['standard', 'strict', 'permissive']);
    const cell = (policy: number, row: string) => data[policy]!.cells.find((one) => one['row'] === row);
    expect(cell(0, 'overloaded')).toMatchObject({
      steps: ['retry', 'next_model'],
      built_in: ['next_channel', 'next_model', 'retry'],
      overridden: true,
    });
    expect(cell(1, 'overloaded')).toMatchObject({ overridden: false, steps: ['retry', 'next_channel', 'next_model'] });
    expect(cell(1, 'maybe_executed')).toMatchObject({ keyed_reads_class: true });
  });
});

describe('the sealing key', () => {
  it('G-9: rotating tells what was done, and no key', async () => {
    expect((await call('POST', '/seal/rotate')).body).toEqual({
      key_source: 'file',
      key_id: 'k2',
      resealed: 3,
      broken: ['credential old'],
      older_keys: 1,
    });
  });
});
