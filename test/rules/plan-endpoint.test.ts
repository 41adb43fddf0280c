/** the dry run says what then happens, and changes nothing. */
import { afterEach, describe, expect, it } from 'vitest';
import { errorStep, okBody } from '../faults/answers.ts';
import { errorOf } from '../faults/invariants.ts';
import type { RawAnswer } from '../faults/raw-client.ts';
import { JumpingClock } from '../support/jumping-clock.ts';
import { drawSettings, ROUTES } from './drawn-routing.ts';
import { jsonOf, MESSAGES, type RulesRig, type RulesSettings, startRules } from './rules-rig.ts';

type Json = Record<string, unknown>;

interface Plan extends Json {
  readonly would: { readonly outcome: string; readonly rank: number | null; readonly error: Json | null };
  readonly chain: readonly string[];
  readonly models: readonly Json[];
  readonly targets: readonly Json[];
  readonly left_out: readonly Json[];
  readonly budgets: Json;
  readonly if_all_fail: Readonly<Record<string, { readonly attempts: readonly Json[]; readonly ends: Json | null }>>;
}

/** Its answers are not held against those headers that are known where nothing is limited. */
const CHAT = '/openai/v1/chat/completions';
const KEY = 'rehearsing-key-0123456789';
const KEYS = [{ name: 'rehearser', workspace: 'main', secret: KEY, allow_rehearse: true }];
const fine = [okBody('fine')];
const DOWN = errorStep(500, { message: 'down' });

let rig: RulesRig;
let clock: JumpingClock;
afterEach(() => rig.close());

async function start(settings: RulesSettings = {}, routes: Parameters<typeof startRules>[0] = ROUTES): Promise<void> {
  clock = new JumpingClock();
  rig = await startRules(routes, { keys: KEYS, clock, random: () => 0.5, ...settings });
}

const ask = (path: string, body: Json, headers: Record<string, string> = {}) =>
  rig.post({ messages: MESSAGES, ...body }, { path, key: KEY, headers });

async function planOf(body: Json, headers: Record<string, string> = {}): Promise<Plan> {
  const answer = await ask('/v1/plan', body, headers);
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"object":"plan"')]);
  return jsonOf(answer) as Plan;
}

/** With names, as an operator sees it. */
async function namedPlanOf(request: Json): Promise<Plan> {
  const answer = await adminPlan({ key: 'rehearser', request: { messages: MESSAGES, ...request } });
  expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"object":"plan"')]);
  return jsonOf(answer) as Plan;
}

function adminPlan(body: unknown, token = 'admin-token-0123456789abcdef'): Promise<RawAnswer> {
  return rig.post(body as Json, { path: '/admin/v1/plan', key: token });
}

const where = ({ model, channel, credential }: Json) => `${model}/${channel}/${credential}`;
const ranked = ({ targets }: Plan, rank: unknown): Json => targets.find((one) => one['rank'] === rank) ?? {};
const place = ({ model, channel }: Json) => `${model}/${channel}`;

/** Everything that lives longer than a request. */
function state(now: number): unknown {
  const { rotation, board, limits, accounts, keyBreaker, measurements, retryBudget } = rig.gateway.inside;
  const wall = 0;
  return {
    turns: [0, 1, 2, 3, 4, 5].map((channel) => rotation.standing().ofChannel(channel)),
    models: ['one', 'two', 'three'].map((model) => rotation.standing().ofModel(`main\u0000${model}`)),
    targets: board.list(now, now),
    limits: ['credential', 'key', 'workspace', 'channel'].map((kind) =>
      limits.usage({ kind: kind as 'key', id: kind === 'key' ? 'rehearser' : 'main' }, now, wall),
    ),
    balance: [accounts.balance('main'), accounts.available('main')],
    rest: keyBreaker.rest('rehearser', now, wall),
    busy: measurements.inFlight('two#a0'),
    repeats: retryBudget.mayRepeat('two#a0', now),
  };
}

describe('the plan is what then happens', () => {
  const HOW = {
    rate_limit: 'status=429',
    server_error: 'status=500',
    timeout: 'fault=timeout',
    connection_error: 'fault=refused',
  } as const;

  it.each([1, 2, 3, 4, 5, 6, 7, 8])(
    'X-4, P-1, P-2, D-1, D-2: configuration %i: every attempt of a request that fails throughout, and its end',
    async (seed) => {
      const { settings, requests } = drawSettings(seed);
      await start(settings);
      for (const request of requests) {
        for (const [trigger, how] of Object.entries(HOW)) {
          const plan = await namedPlanOf(request);
          const answer = await ask('/v1/chat/completions', request, { 'x-understudy-rehearse': `${how};times=20` });
          const record = await rig.record(answer);
          const { attempts, ends } = plan.if_all_fail[trigger]!;
          const told = [attempts.map(where), attempts.map(({ decision }) => decision)];
          const made = [record.attempts.map((one) => where(one as never)), record.attempts.map((one) => one.decision)];
          expect([trigger, request, made]).toEqual([trigger, request, told]);
          expect([answer.status, errorOf(answer)['code']]).toEqual([ends?.['status'], ends?.['code']]);
          expect(attempts.map(({ reason }) => reason)).toEqual(record.attempts.map(({ reason }) => reason));
          expect(attempts.map(({ rank }) => where(ranked(plan, rank)))).toEqual(attempts.map(where));
        }
      }
      expect(rig.called()).toEqual([]);
    },
  );

  it('X-4: real failures take the way that was told', async () => {
    const routes = { two: { up: { A: [DOWN], B: [DOWN] } }, backup: { up: { C: [DOWN] } } };
    await start({}, routes);
    const request = { model: 'two', fallback_models: ['backup'] };
    const plan = await namedPlanOf(request);
    const answer = await ask('/v1/chat/completions', request);
    expect(rig.called()).toEqual(['A:two', 'B:two', 'C:backup']);
    const record = await rig.record(answer);
    const { attempts, ends } = plan.if_all_fail['server_error']!;
    expect(record.attempts.map((one) => where(one as never))).toEqual(attempts.map(where));
    expect(ends).toEqual({ status: answer.status, code: errorOf(answer)['code'] });
  });

  it('X-4: what goes out first is what `would` names', async () => {
    await start();
    const plan = await planOf({ model: 'two' });
    expect(plan.would).toEqual({ outcome: 'call', rank: 1, error: null });
    const answer = await ask('/v1/chat/completions', { model: 'two' });
    expect(place((await rig.record(answer)).attempts[0] as never)).toBe(place(plan.targets[0]!));
  });

  it('D-3, D-4: waits and timeouts of each attempt', async () => {
    const settings = {
      redundancy: { timeout_ms: 30_000, first_token_timeout_ms: 2000 },
      backoff: { base_ms: 100, cap_ms: 8000 },
    };
    await start(settings);
    const whole = await planOf({ model: 'one', redundancy: { retries: 2 } });
    const { attempts } = whole.if_all_fail['server_error']!;
    expect(attempts.map(({ wait_ms }) => wait_ms)).toEqual([0, 75, 150]);
    expect(attempts.map(({ timeout_ms }) => timeout_ms)).toEqual([30_000, 30_000, 30_000]);
    expect(attempts.map((one) => one['first_token_timeout_ms'])).toEqual([null, null, null]);
    const stream = await planOf({ model: 'two', stream: true });
    const [first, last] = stream.if_all_fail['timeout']!.attempts;
    expect([first?.['first_token_timeout_ms'], last?.['first_token_timeout_ms']]).toEqual([2000, null]);
  });

  it('D-4: a deadline that timeouts use up ends the walk as it ends the request', async () => {
    await start({ redundancy: { timeout_ms: 20_000 } });
    const plan = await planOf({ model: 'two', redundancy: { deadline_ms: 1000, retries: 5 } });
    expect(plan.budgets).toMatchObject({ deadline_ms: 1000, retries: 5, timeout_ms: 20_000 });
    const { attempts, ends } = plan.if_all_fail['timeout']!;
    expect(attempts.map(({ timeout_ms }) => timeout_ms)).toEqual([500, 500]);
    expect(ends).toEqual({ status: 504, code: 'retry_exhausted' });
  });

  it('X-4: an operator’s endless repeats are told as far as anybody reads', async () => {
    await start({ redundancy: { max_attempts: 100, retries: 100 } });
    const { attempts, ends } = (await planOf({ model: 'one' })).if_all_fail['server_error']!;
    expect([attempts.length, ends]).toEqual([50, null]);
    expect(attempts.at(-1)).toMatchObject({ no: 50, decision: 'retry' });
  });
});

describe('what it says beside the order', () => {
  it('C-4, C-6, C-7: chain, origin, budgets and what the ceilings changed', async () => {
    const main = {
      ceilings: { max_attempts: 3 },
      default_model: 'one',
      virtual_models: { smart: { models: ['two', 'three'], redundancy: { policy: 'permissive' } } },
    };
    await start({ over: { workspaces: { main } } });
    const plan = await planOf({ model: 'smart', redundancy: { max_attempts: 9, on: ['timeout'] } });
    expect(plan).toMatchObject({
      requested_model: 'two',
      virtual_model: 'smart',
      chain: ['two', 'three', 'one'],
      explicit: false,
      policy: 'permissive',
      on: ['timeout'],
      clamped: [{ field: 'max_attempts', asked: 9, given: 3 }],
      budgets: { max_attempts: 3, max_cost_nano_usd: null },
      options: { cross_model: true, priority: 'normal', privacy_level: null, skip_incapable: false },
    });
    expect(plan.models.map(({ origin }) => origin)).toEqual(['virtual', 'virtual', 'default_model']);
  });

  it('C-8, D-1: models that no failure leads to are marked', async () => {
    await start();
    const plan = await planOf({ models: ['one', 'two'], redundancy: { cross_model: false } });
    expect(plan.models.map(({ model, reachable }) => [model, reachable])).toEqual([
      ['one', true],
      ['two', false],
    ]);
    for (const { attempts } of Object.values(plan.if_all_fail)) {
      expect(attempts.filter(({ model }) => model === 'two')).toEqual([]);
    }
  });

  it('P-4, P-5, P-7: what rests is left out with its reason and return, an open circuit goes to the back', async () => {
    const routes = {
      m: { up: { A: [errorStep(429, { message: 'slow' }, { 'retry-after': '100' })], B: [DOWN], C: fine } },
    };
    await start({ health: { circuit: { consecutive: 1 } } }, routes);
    await ask('/v1/chat/completions', { model: 'm' });
    const plan = await planOf({ model: 'm' });
    expect(plan.targets.map(({ channel, state: how }) => [channel, how])).toEqual([
      ['c2', 'ok'],
      ['b1', 'circuit_open'],
    ]);
    expect(plan.left_out).toMatchObject([{ channel: 'a0', reason: 'cooling_rate_limit' }]);
    const back = Date.parse(String(plan.left_out[0]?.['available_at']));
    expect(Math.abs(back - clock.wall() - 100_000)).toBeLessThan(5000);
  });

  it('P-6: what a target can not do is said before its turn', async () => {
    const none = { features: [] as string[] };
    const routes = { blind: { up: { A: fine }, capabilities: none }, able: { up: { B: fine } } };
    await start({}, routes);
    const tools = [{ type: 'function', function: { name: 'f', parameters: {} } }];
    const plan = await planOf({ models: ['able', 'blind'], tools });
    expect(plan.targets.map(({ model, incapable }) => [model, incapable])).toEqual([
      ['able', null],
      ['blind', 'unsupported_model_input'],
    ]);
    expect(plan.if_all_fail['server_error']?.ends).toEqual({ status: 400, code: 'unsupported_model_input' });
    const alone = await planOf({ model: 'blind', tools });
    expect(alone.would).toMatchObject({ outcome: 'refuse', error: { status: 400, code: 'unsupported_model_input' } });
  });

  it('D-4, G-4: the worst case of every target; unknown is null', async () => {
    const channels = (up: string) => [{ id: up, provider: `p-two-${up}`, model: 'two', max_output_tokens: 1000 }];
    const models = {
      two: { price: { input: 1, output: 2 }, channels: channels('a') },
      dark: { channels: channels('b') },
    };
    await start({ over: { models } });
    const plan = await planOf({ models: ['two', 'dark'], max_tokens: 1000 });
    const [priced, dark] = plan.targets.map((one) => one['worst_cost_nano_usd'] as number | null);
    expect(priced).toBeGreaterThan(2_000_000);
    expect(priced).toBeLessThan(3_000_000);
    expect(dark).toBeNull();
    const capped = await planOf({ models: ['two', 'dark'], max_tokens: 1000, redundancy: { max_cost_usd: 1 } });
    expect(capped.left_out.map(({ model, reason }) => [model, reason])).toEqual([['dark', 'price_unknown']]);
    expect(capped.budgets['max_cost_nano_usd']).toBe(1e9);
  });
});

/** Told at two moments, from clocks that are read apart: the same instant but for a little. */
function expectSameReturn(one: Json | null, other: Json): void {
  const [told, real] = [one, other].map((error) => Date.parse(String(error?.['retry_at'])));
  expect(Math.abs(told! - real!)).toBeLessThan(100);
}

describe('whether it would be refused', () => {
  const refused = (status: number, code: string) => ({ outcome: 'refuse', rank: null, error: { status, code } });

  it('G-11: over a limit of its key, and of its workspace; nothing of them is used up by asking', async () => {
    await start({ over: { workspaces: { main: { limits: { rpm: 2 } } } } });
    expect((await planOf({ model: 'one' })).would.outcome).toBe('call');
    await ask(CHAT, { model: 'one' });
    await ask(CHAT, { model: 'one' });
    const { would } = await planOf({ model: 'one' });
    const real = await ask(CHAT, { model: 'one' });
    expect(would).toMatchObject(refused(429, 'key_rate_limited'));
    expect(would.error?.['message']).toBe(errorOf(real)['message']);
    expectSameReturn(would.error, errorOf(real));
  });

  it.each(['key', 'workspace'])(
    'X-4, G-11: asking is as often allowed as sending, by the rpm of its %s',
    async (whose) => {
      const limits = { rpm: 3, tpm: 1_000_000 };
      const over =
        whose === 'key' ? { keys: KEYS.map((key) => ({ ...key, limits })) } : { workspaces: { main: { limits } } };
      await start({ over });
      for (let i = 0; i < 3; i += 1) expect((await planOf({ model: 'one' })).would.outcome).toBe('call');
      const refusal = await ask('/v1/plan', { model: 'one' });
      expect([refusal.status, errorOf(refusal)['code']]).toEqual([429, 'key_rate_limited']);
      expect(Number(refusal.headers['retry-after'])).toBeGreaterThan(50);
      for (let i = 0; i < 3; i += 1) expect((await ask(CHAT, { model: 'one' })).status).toBe(200);
      expect((await ask(CHAT, { model: 'one' })).status).toBe(429);
      clock.jump(61_000);
      expect((await planOf({ model: 'one' })).would.outcome).toBe('call');
    },
  );

  it('G-6: a suspended key is told so, by a plan that is answered all the same', async () => {
    await start();
    const { keyBreaker } = rig.gateway.inside;
    for (let i = 0; i < 100; i += 1) keyBreaker.observe('rehearser', 'caller_fault', clock.now(), clock.wall());
    expect((await planOf({ model: 'one' })).would).toMatchObject(refused(429, 'api_key_suspended'));
  });

  it('G-2, G-4: by a guardrail at the first model, by an empty balance', async () => {
    const price = { input: 1, output: 2 };
    const channels = (up: string) => [{ id: up, provider: `p-two-${up}`, model: 'two', max_output_tokens: 10 }];
    const models = { one: { price, channels: channels('a') }, two: { price, channels: channels('b') } };
    const main = { guardrails: { deny_models: ['two'] }, balance_usd: 0 };
    await start({ over: { models, workspaces: { main } } });
    expect((await planOf({ model: 'two' })).would).toMatchObject(refused(403, 'guardrail_blocked'));
    expect((await planOf({ model: 'one' })).would).toMatchObject(refused(402, 'insufficient_balance'));
    expect((await ask('/v1/chat/completions', { model: 'one' })).status).toBe(402);
  });

  it('P-4: with everything at rest, in the words and with the return of the refusal', async () => {
    const routes = { m: { up: { A: [errorStep(429, { message: 'slow' }, { 'retry-after': '30' })] } } };
    await start({}, routes);
    await ask('/v1/chat/completions', { model: 'm' });
    const plan = await planOf({ model: 'm' });
    const real = await ask('/v1/chat/completions', { model: 'm' });
    expect(plan.would).toMatchObject(refused(429, 'rate_limited'));
    expect(plan.would.error?.['message']).toBe('all upstream credentials for this model are rate limited');
    expectSameReturn(plan.would.error, errorOf(real));
  });

  it('X-4: a gateway that drains says so', async () => {
    await start();
    rig.gateway.inside.draining = true;
    expect((await planOf({ model: 'one' })).would).toMatchObject(refused(503, 'draining'));
    rig.gateway.inside.draining = false;
  });

  it.each([
    ['an unknown model', { model: 'nobody' }, 404, 'model_not_found'],
    ['a broken chain', { models: [] }, 400, 'invalid_chain'],
    ['a wish out of range', { model: 'one', redundancy: { timeout_ms: 1 } }, 400, 'invalid_redundancy'],
    ['no messages', { model: 'one', messages: undefined }, 400, 'missing_required_parameter'],
  ] as const)('C-2, C-4: %s is answered as the request would be', async (_what, body, status, code) => {
    await start();
    const [dry, real] = [await ask('/v1/plan', { ...body }), await ask('/v1/chat/completions', { ...body })];
    expect([dry.status, errorOf(dry)['code'], errorOf(dry)['message']]).toEqual([
      real.status,
      errorOf(real)['code'],
      errorOf(real)['message'],
    ]);
    expect([dry.status, errorOf(dry)['code']]).toEqual([status, code]);
  });

  it('E-5: keys, methods and bodies are judged as everywhere', async () => {
    await start();
    const send = (more: object) => rig.post({ model: 'one', messages: MESSAGES }, { path: '/v1/plan', ...more });
    expect((await send({ key: 'nobody' })).status).toBe(401);
    expect((await send({ method: 'GET' })).status).toBe(405);
    expect((await send({ headers: { 'content-type': 'text/plain' } })).status).toBe(415);
    expect((await rig.post('{broken', { path: '/v1/plan' })).status).toBe(400);
    const rehearsed = await send({ key: KEY, headers: { 'x-understudy-rehearse': 'status=503' } });
    expect([rehearsed.status, errorOf(rehearsed)['param']]).toEqual([400, 'X-Understudy-Rehearse']);
    const good = await send({});
    expect(good.headers['x-request-id']).toMatch(/^req_/);
    expect(good.headers['cache-control']).toBe('no-store');
  });
});

describe('it changes nothing', () => {
  it.each(['round_robin', 'weighted', 'least_busy', 'priority'])(
    'X-4, P-1, P-2: turns, limits, balance, health stay as they were: %s',
    async (strategy) => {
      const main = { routing: { strategy, affinity: 'user' }, balance_usd: 5, limits: { rpm: 100, tpm: 100_000 } };
      const channels = ['a', 'b'].map((up) => ({
        id: `${up}0`,
        provider: `p-two-${up}`,
        model: 'two',
        max_output_tokens: 10,
      }));
      const credentials = Object.fromEntries(
        [1, 2, 3].map((n) => [`k${n}`, { provider: 'p-two-a', secret: `sk-equal-${n}`, limits: { rpm: 50 } }]),
      );
      const models = { two: { price: { input: 1, output: 2 }, channels } };
      await start({ over: { workspaces: { main }, models, credentials } });
      await ask(CHAT, { model: 'two', user: 'u1' });
      await rig.gateway.inside.records.flush();
      const now = clock.now();
      const before = state(now);
      const first = await planOf({ model: 'two', user: 'u2' });
      for (let i = 0; i < 6; i += 1) expect(await planOf({ model: 'two', user: 'u2' })).toEqual(first);
      expect(state(now)).toEqual(before);
      expect(rig.called()).toHaveLength(1);
      expect(await rig.gateway.records(10)).toHaveLength(1);
      const answer = await ask(CHAT, { model: 'two', user: 'u2' });
      expect(place((await rig.record(answer)).attempts[0] as never)).toBe(place(first.targets[0]!));
    },
  );
});

describe('who learns what', () => {
  const main = { virtual_models: { v: { models: ['one', 'two'] } } };
  const own = { provider: 'p-one-a', secret: 'sk-own', kind: 'byok', workspace: 'main' };
  const other = { provider: 'p-one-a', secret: 'sk-other', kind: 'byok', workspace: 'other' };
  const credentials = {
    'own-cred': own,
    'platform-cred': { provider: 'p-one-a', secret: 'sk-p' },
    'other-cred': other,
  };
  const over = { workspaces: { main, other: {} }, credentials };
  const narrow = { name: 'narrow', workspace: 'main', secret: 'narrow-key-0123456789', models: ['one'] };
  const settings = { over, keys: [...KEYS, narrow] };

  it('G-8, G-3: a client key sees channels and the kind of credential, no names, nothing it may not call', async () => {
    await start(settings);
    const answer = await rig.post({ model: 'v', messages: MESSAGES }, { path: '/v1/plan', key: narrow.secret });
    const plan = jsonOf(answer) as Plan;
    expect(plan.targets.map(({ channel, credential_kind }) => [channel, credential_kind])).toEqual([
      ['a0', 'byok'],
      ['a0', 'platform'],
    ]);
    for (const secret of ['-cred', 'sk-', 'p-one-a', 'two', '127.0.0.1']) expect(answer.text).not.toContain(secret);
  });

  it('G-8: an operator sees names and every candidate, of any key by its name', async () => {
    await start(settings);
    const answer = await adminPlan({ key: 'narrow', request: { model: 'v', messages: MESSAGES } });
    const plan = jsonOf(answer) as Plan;
    expect(plan.targets.map(where)).toEqual(['one/a0/own-cred', 'one/a0/platform-cred']);
    expect(plan.targets[0]).toMatchObject({ provider: 'p-one-a', upstream_model: 'one' });
    expect(plan.left_out.map(({ model, reason }) => [model, reason])).toContainEqual(['two', 'model_not_allowed']);
    for (const secret of ['other-cred', 'sk-']) expect(answer.text).not.toContain(secret);
  });

  it('G-8: the admin plane answers what is wrong by its field, and a wrong request as its key would be', async () => {
    await start(settings);
    const body = { key: 'narrow', request: { model: 'v', messages: MESSAGES } };
    const status = async (asked: unknown, token?: string) => {
      const answer = await adminPlan(asked, token);
      return [answer.status, errorOf(answer)['code'], errorOf(answer)['param']];
    };
    expect(await status({ ...body, key: 'nobody' })).toEqual([404, 'not_found', null]);
    expect(await status({ key: 'narrow' })).toEqual([400, 'missing_required_parameter', 'request']);
    expect(await status({ ...body, headers: { a: 1 } })).toEqual([400, 'invalid_parameter', 'headers.a']);
    expect(await status({ ...body, request: { messages: MESSAGES, model: 'two' } })).toEqual([
      403,
      'model_not_allowed',
      'model',
    ]);
    expect((await adminPlan(body, narrow.secret)).status).toBeGreaterThan(400);
  });

  it('C-4: headers count as for the request', async () => {
    await start(settings);
    const headers = { 'X-Understudy-Redundancy': '{"max_attempts": 2}', 'X-Understudy-Models': 'two,one' };
    const plan = jsonOf(await adminPlan({ key: 'rehearser', request: { messages: MESSAGES }, headers })) as Plan;
    expect([plan.chain, plan.budgets['max_attempts']]).toEqual([['two', 'one'], 2]);
    expect((await planOf({}, headers)).chain).toEqual(['two', 'one']);
  });
});
