import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type AdminRig,
  type AdminState,
  type FakeRecords,
  recordOf,
  startAdminRig,
  ADMIN_TOKEN as TOKEN,
  WALL,
} from '../../../test/support/admin-rig.ts';
import { sampleAt } from '../../../test/support/sample-draft.ts';
import { Secret } from '../../config/snapshot.ts';
import { ClientError, gatewayError } from '../../core/errors/catalogue.ts';
import { makeFailure } from '../../core/failure.ts';
import type { HealthBoard } from '../../core/health/board.ts';
import { healthKeys } from '../../core/health/keys.ts';
import { adminRoutes } from './admin-routes.ts';
import { tokenHash } from './bearer-token.ts';
import { CALLER_ROUTES } from './caller-routes.ts';
import { OPS_ROUTES } from './register-ops.ts';
import { SESSION_METHODS } from './session-routes.ts';

let rig: AdminRig;
let app: FastifyInstance;
let records: FakeRecords;
let board: HealthBoard;
let state: AdminState;

beforeEach(async () => {
  rig = await startAdminRig();
  ({ app, records, board, state } = rig);
});
afterEach(() => rig.close());

async function call(
  method: string,
  url: string,
  headers: Record<string, string> = { authorization: `Bearer ${TOKEN}` },
) {
  return rig.call(method, url, { token: null, headers });
}
const get = (path: string) => call('GET', `/admin${path}`);

function addTarget(model: string, credential: string | null = 'k1') {
  const keys = healthKeys({ model, channelId: 'direct', channel: `${model}#direct`, credential, upstreamModel: 'up' });
  board.configureTargets([...targets, keys], 1000);
  targets.push(keys);
  return keys;
}
let targets: ReturnType<typeof healthKeys>[];
beforeEach(() => {
  targets = [];
});

describe('lists', () => {
  it('are pages, the decision tables too', async () => {
    const first = await get('/v1/policies?limit=2');
    expect(first.body).toMatchObject({ data: [{ name: 'standard' }, { name: 'strict' }] });
    const cursor = (first.body as { next_cursor: string }).next_cursor;
    const last = await get(`/v1/policies?limit=2&cursor=${cursor}`);
    expect(last.body).toMatchObject({ data: [{ name: 'permissive' }], next_cursor: null });
  });
});

describe('the admin token', () => {
  it('G-8: without a token 401 missing_api_key, with a wrong one invalid_api_key, and no route is reached', async () => {
    const missing = await call('GET', '/admin/v1/requests', {});
    expect(missing).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': 'Bearer', 'x-request-id': 'req_1', 'x-should-retry': 'false' },
      body: { error: { code: 'missing_api_key', type: 'authentication_error', param: null, request_id: 'req_1' } },
    });
    for (const wrong of [`${TOKEN}x`, TOKEN.slice(1), 'x', state.adminTokenHash!]) {
      const answer = await call('GET', '/admin/v1/requests', { authorization: `Bearer ${wrong}` });
      expect(answer).toMatchObject({ status: 401, body: { error: { code: 'invalid_api_key' } } });
    }
    for (const other of [TOKEN, `Basic ${TOKEN}`, 'Bearer', `Bearer ${TOKEN} x`]) {
      expect((await call('GET', '/admin/v1/requests', { authorization: other })).status).toBe(401);
    }
    expect(records.asked).toEqual([]);
  });

  it('G-8: the right token opens; the scheme is read in any case', async () => {
    expect((await get('/v1/requests')).status).toBe(200);
    expect((await call('GET', '/admin/v1/requests', { authorization: `bearer ${TOKEN}` })).status).toBe(200);
  });

  it('G-8: with no token configured the plane is closed and says how to open it', async () => {
    state.adminTokenHash = null;
    expect(await get('/v1/requests')).toMatchObject({
      status: 401,
      body: { error: { message: expect.stringMatching(/closed: no admin token is configured. Set `admin.token`/) } },
    });
  });

  it('G-8: a new token counts from the moment the configuration names it', async () => {
    state.adminTokenHash = tokenHash('another').toString('hex');
    expect((await get('/v1/requests')).status).toBe(401);
    expect((await call('GET', '/admin/v1/requests', { authorization: 'Bearer another' })).status).toBe(200);
  });

  it('G-8: every admin route asks for it, unknown paths too', async () => {
    const paths = adminRoutes(rig.deps).map(({ method, path }) => [method, path.replaceAll(/\{\w+\}/g, 'x')] as const);
    for (const [method, path] of [...paths, ['GET', '/v1/nothing'] as const]) {
      expect((await call(method, `/admin${path}`, {})).status, path).toBe(401);
    }
    expect(paths.length).toBeGreaterThanOrEqual(6);
  });

  it('E-5: the token is not in any answer', async () => {
    const answers = [
      await get('/v1/requests?key='),
      await get('/v1/x'),
      await get(`/v1/requests/${TOKEN.slice(0, 3)}`),
    ];
    expect(JSON.stringify(answers)).not.toContain(TOKEN);
  });
});

describe('the list of requests', () => {
  it('O-5: hands every filter on', async () => {
    const query =
      'from=2026-11-29T10:00:00Z&to=1796000000000&key=dev&model=a/b&status=502&outcome=network_unknown' +
      '&failover=true&degraded=false&idempotency=cafe&limit=7&cursor=abc';
    expect(await get(`/v1/requests?${query}`)).toMatchObject({ status: 200, body: { data: [], next_cursor: 'next' } });
    expect(records.asked).toEqual([
      {
        from: sampleAt(0),
        to: 1_796_000_000_000,
        key: 'dev',
        model: 'a/b',
        status: 502,
        outcome: 'network_unknown',
        failover: true,
        degraded: false,
        idempotency: 'cafe',
        limit: 7,
        cursor: 'abc',
      },
    ]);
  });

  it('O-5: without parameters it asks for the newest 50', async () => {
    await get('/v1/requests');
    expect(records.asked).toEqual([{ limit: 50 }]);
  });

  it.each([
    ['2026-11-29', Date.UTC(2026, 10, 29)],
    ['2026-11-29T11:00:00%2B01:00', WALL],
    ['2026-11-29T11:00:00+01:00', WALL],
    ['2026-11-29t10:00z', WALL],
    ['2026-11-29T10:00:00.250Z', WALL + 250],
    [String(WALL), WALL],
  ])('O-5: reads the instant %s', async (text, expected) => {
    await get(`/v1/requests?from=${text}`);
    expect(records.asked[0]?.from).toBe(expected);
  });

  it.each([
    ['from=yesterday', 'from'],
    ['from=2026-11-29T10:00:00', 'from'],
    ['from=2026-13-29', 'from'],
    ['to=', 'to'],
    ['from=2026-11-30&to=2026-11-29', 'from'],
    ['key=', 'key'],
    [`model=${'m'.repeat(513)}`, 'model'],
    ['status=99', 'status'],
    ['status=600', 'status'],
    ['status=5xx', 'status'],
    ['outcome=good', 'outcome'],
    ['failover=1', 'failover'],
    ['degraded=TRUE', 'degraded'],
    ['idempotency=', 'idempotency'],
    ['limit=0', 'limit'],
    ['limit=501', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=99999999999', 'limit'],
    ['modle=x', 'modle'],
    ['key=a&key=b', 'key'],
    ['__proto__=x', '__proto__'],
  ])('O-5: %s is 400 and names the parameter', async (query, param) => {
    const answer = await get(`/v1/requests?${query}`);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_parameter', param } } });
    expect((answer.body as { error: { message: string } }).error.message).toContain(`\`${param}\``);
    expect(records.asked).toEqual([]);
  });

  it('O-5: what the store says of a bad cursor goes to the caller', async () => {
    records.fault = new ClientError(gatewayError('invalid_parameter', 'bad cursor', { param: 'cursor' }));
    expect(await get('/v1/requests?cursor=x')).toMatchObject({ status: 400, body: { error: { param: 'cursor' } } });
  });

  it('H-5: a log that can not be read is 503 with Retry-After: 1', async () => {
    records.fault = new ClientError(gatewayError('store_unavailable', 'the disk is gone', { shouldRetry: true }));
    expect(await get('/v1/requests')).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1', 'x-should-retry': 'true' },
      body: { error: { code: 'store_unavailable' } },
    });
  });

  it('E-5: a bug is 500 internal_error without its text, and reported', async () => {
    records.fault = new Error('secret detail at /home/x');
    const answer = await get('/v1/requests');
    expect(answer).toMatchObject({ status: 500, body: { error: { code: 'internal_error' } } });
    expect(JSON.stringify(answer.body)).not.toContain('secret detail');
    expect(rig.bugs).toEqual([records.fault]);
  });
});

describe('one request', () => {
  it('O-5: is shown whole, its events only when asked for', async () => {
    const { events, setup: _setup, ...shown } = recordOf(1);
    expect((await get(`/v1/requests/${shown.id}`)).body).toEqual(JSON.parse(JSON.stringify(shown)));
    expect((await get(`/v1/requests/${shown.id}?include=events`)).body).toMatchObject({ events });
    expect(await get(`/v1/requests/${shown.id}?include=x`)).toMatchObject({
      status: 400,
      body: { error: { param: 'include' } },
    });
  });

  it('O-5: an unknown one is 404 not_found', async () => {
    expect(await get('/v1/requests/req_none')).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found', message: expect.stringContaining('req_none'), request_id: 'req_1' } },
    });
  });
});

describe('the health board', () => {
  it('H-3: lists targets by id, instants as text', async () => {
    const slow = addTarget('b/slow');
    addTarget('a/fine', null);
    const admission = board.admit(slow, 1000, { throughOpen: false });
    if (!admission.ok) throw new Error('refused');
    const failure = makeFailure({
      class: 'rate_limit',
      message: 'x',
      status: 429,
      hint: { ms: 30_000, source: 'header' },
    });
    board.settle(admission.permit, { kind: 'failure', failure }, 1000);
    expect((await get('/v1/health/targets')).body).toEqual({
      data: [
        expect.objectContaining({ model: 'a/fine', credential: null, state: 'ok', until: null, class: null, calls: 0 }),
        {
          id: slow.id,
          model: 'b/slow',
          channel: 'direct',
          credential: 'k1',
          state: 'cooling',
          class: 'rate_limit',
          since: '2026-11-29T10:00:00.000Z',
          until: '2026-11-29T10:00:30.000Z',
          probe_at: null,
          level: expect.any(Number),
          calls: expect.any(Number),
          failures: expect.any(Number),
        },
      ],
      next_cursor: null,
    });
  });

  it('H-3: pages without duplicates or holes', async () => {
    for (let n = 0; n < 7; n += 1) addTarget(`m/${n}`);
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await get(`/v1/health/targets?limit=3${cursor === null ? '' : `&cursor=${cursor}`}`);
      const body = page.body as { data: { model: string }[]; next_cursor: string | null };
      seen.push(...body.data.map(({ model }) => model));
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual(Array.from({ length: 7 }, (_, n) => `m/${n}`));
    expect(await get('/v1/health/targets?cursor=zzz')).toMatchObject({
      status: 400,
      body: { error: { param: 'cursor' } },
    });
  });

  it('H-3: drain, undrain and reset act on the board and answer the target as it is then', async () => {
    const keys = addTarget('openai/gpt-5 nano#x', 'k/1');
    const act = (action: string) => call('POST', `/admin/v1/health/targets/${encodeURIComponent(keys.id)}/${action}`);
    expect(await act('drain')).toMatchObject({ status: 200, body: { id: keys.id, state: 'drained' } });
    expect(board.standing(keys, 1000)).toMatchObject({ state: 'drained' });
    expect(await act('undrain')).toMatchObject({ status: 200, body: { state: 'ok' } });
    const admission = board.admit(keys, 1000, { throughOpen: false });
    if (!admission.ok) throw new Error('refused');
    const failure = makeFailure({ class: 'auth', message: 'x', status: 401 });
    board.settle(admission.permit, { kind: 'failure', failure }, 1000);
    expect(await get('/v1/health/targets')).toMatchObject({ body: { data: [{ state: 'cooling', class: 'auth' }] } });
    expect(await act('reset')).toMatchObject({ status: 200, body: { state: 'ok', class: null, until: null } });
  });

  it('H-3: an empty body of any announced type is fine', async () => {
    const keys = addTarget('a/b');
    const url = `/admin/v1/health/targets/${keys.id}/reset`;
    for (const type of ['application/json', 'application/x-www-form-urlencoded', 'text/plain']) {
      const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': type };
      expect((await call('POST', url, headers)).status).toBe(200);
      const answer = await app.inject({ method: 'POST', url, headers, payload: '{}' });
      expect(answer.statusCode).toBe(200);
    }
  });

  it('H-3: an unknown target is 404, and an unknown action no path', async () => {
    addTarget('a/b');
    expect(await call('POST', '/admin/v1/health/targets/none/drain')).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found', message: expect.stringContaining('`none`') } },
    });
    expect((await call('POST', '/admin/v1/health/targets/none/explode')).status).toBe(404);
  });
});

describe('paths and methods', () => {
  it('E-5: an unknown path is 404 in the same shape', async () => {
    expect(await get('/v1/nothing')).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found', request_id: 'req_1' } },
    });
  });

  it.each([
    ['POST', '/v1/requests', 'GET'],
    ['DELETE', '/v1/requests/req_1', 'GET'],
    ['GET', '/v1/health/targets/x/reset', 'POST'],
  ] as const)('E-5: %s %s is 405 and says what is allowed', async (method, path, allow) => {
    expect(await call(method, `/admin${path}`)).toMatchObject({
      status: 405,
      headers: { allow },
      body: { error: { code: 'method_not_allowed' } },
    });
  });

  it('G-10: answers are not to be cached', async () => {
    expect((await get('/v1/requests')).headers['cache-control']).toBe('no-store');
  });
});

describe('the operator’s endpoints', () => {
  it('H-3: /healthz says the process lives, while it drains too', async () => {
    state.draining = true;
    expect(await call('GET', '/healthz', {})).toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  it('H-3: /readyz is 503 with a reason while draining or not ready', async () => {
    expect(await call('GET', '/readyz', {})).toMatchObject({ status: 200, body: { status: 'ready' } });
    state.notReady = 'starting';
    expect(await call('GET', '/readyz', {})).toMatchObject({
      status: 503,
      body: { status: 'not_ready', reason: 'starting' },
    });
    state.draining = true;
    expect(await call('GET', '/readyz', {})).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
      body: { status: 'not_ready', reason: 'draining' },
    });
  });
});

describe('/metrics', () => {
  const scrape = (remoteAddress: string, headers: Record<string, string> = {}) =>
    app.inject({ method: 'GET', url: '/metrics', remoteAddress, headers });

  it.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])('O-3: is open to %s', async (address) => {
    const answer = await scrape(address);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toContain('version=0.0.4');
    expect(answer.body).toBe('understudy_streams_open 0\n');
  });

  it.each(['10.0.0.8', '192.168.1.1', '::ffff:10.0.0.8', '2001:db8::1', '127.0.0.1.evil', '1127.0.0.1'])(
    'O-3: is closed to %s, with and without a configured token',
    async (address) => {
      const closed = await scrape(address, { authorization: 'Bearer x' });
      expect(closed.statusCode).toBe(401);
      expect(closed.json()).toMatchObject({ error: { message: expect.stringContaining('loopback only') } });
      state.metricsToken = new Secret('scrape-me');
      expect((await scrape(address)).statusCode).toBe(401);
      expect((await scrape(address, { authorization: 'Bearer scrape' })).statusCode).toBe(401);
      expect((await scrape(address, { authorization: 'Bearer scrape-me' })).statusCode).toBe(200);
    },
  );

  it.each(['x-forwarded-for', 'x-real-ip', 'forwarded', 'via'])(
    'O-3: what came through a proxy on this machine (%s) is not local',
    async (name) => {
      expect((await scrape('127.0.0.1', { [name]: '127.0.0.1' })).statusCode).toBe(401);
    },
  );

  it('O-3: over a real socket, loopback is seen as such', async () => {
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(200);
  });
});

describe('/openapi.json', () => {
  type Operation = { summary: string; responses: Record<string, object>; security?: object[]; parameters?: object[] };
  type Document = {
    openapi: string;
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: Record<string, { required: string[]; properties: Record<string, unknown> }> };
  };
  const read = async () => (await call('GET', '/openapi.json', {})).body as Document;

  it('O-5: describes every route that is registered, and no other; what callers read of themselves beside them', async () => {
    const { paths: all, openapi } = await read();
    const paths = Object.fromEntries(Object.entries(all).filter(([path]) => !path.startsWith('/v1/')));
    expect(Object.keys(all).filter((path) => !(path in paths))).toEqual(CALLER_ROUTES.map(({ path }) => path));
    expect(openapi).toBe('3.1.0');
    const described = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(described.sort()).toEqual(rig.routed.filter((one) => !one.startsWith('HEAD ')).sort());
    expect(described).toHaveLength(adminRoutes(rig.deps).length + SESSION_METHODS.length + OPS_ROUTES.length);
  });

  it('O-5: every reference leads to a schema, and every admin route is marked as needing a token or a session', async () => {
    const document = await read();
    const references = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
      ([, name]) => name!,
    );
    expect(references.filter((name) => !(name in document.components.schemas))).toEqual([]);
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const operation of Object.values(operations)) {
        const needs = path === '/admin/v1/session' ? operation.security : [{ admin: [] }, { session: [] }];
        if (path.startsWith('/admin')) expect(operation.security, path).toEqual(needs);
      }
    }
  });

  it('O-5: every route that reads a body describes it, and who may call it', async () => {
    const { paths } = await read();
    for (const route of adminRoutes(rig.deps)) {
      const operation = paths[`/admin${route.path}`]?.[route.method.toLowerCase()] as Operation & {
        description: string;
        requestBody?: { content: Record<string, { schema: { type: string; properties: Record<string, object> } }> };
      };
      expect(operation.description, route.path).toContain(`(${route.needs})`);
      expect(operation.responses, route.path).toHaveProperty(String(route.status ?? 200));
      const schema = operation.requestBody?.content['application/json']?.schema;
      expect(Object.keys(schema?.properties ?? {}), route.path).toEqual(Object.keys(route.body?.shape ?? {}));
      const named = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const inPath = (operation.parameters as { in: string; name: string }[]).filter((one) => one.in === 'path');
      expect(
        inPath.map(({ name }) => name),
        route.path,
      ).toEqual(named);
    }
  });

  it('O-1: the schemas name exactly the members that records have', async () => {
    const { schemas } = (await read()).components;
    const names = (value: object) => Object.keys(value).sort();
    const record = recordOf(1);
    const { stages, candidates, attempts, clamped, events, setup, ...summary } = record;
    expect([...schemas['RequestSummary']!.required].sort()).toEqual(names(summary));
    expect([...schemas['RequestRecord']!.required].sort()).toEqual(names({ ...summary, stages, candidates, attempts }));
    expect(names(schemas['RequestRecord']!.properties)).toEqual(
      names({ ...record, job: {}, skipped_groups: [], clamped, events, setup }),
    );
    expect([...schemas['Attempt']!.required].sort()).toEqual(names(attempts[0]!));
    expect([...schemas['Candidate']!.required].sort()).toEqual(names(candidates[0]!));
    addTarget('a/b');
    expect([...schemas['HealthTarget']!.required].sort()).toEqual(names(board.list(0, 0)[0]!));
  });
});
