/** Section 5 over the wire: what follows a failure, under which policy, within which budget. */
import { describe, expect, it } from 'vitest';
import type { Step } from '../../sim/index.ts';
import { errorStep, jsonStep, okBody } from '../faults/answers.ts';
import type { RouteSpec } from '../faults/gateway-config.ts';
import { errorOf } from '../faults/invariants.ts';
import { sleep } from '../faults/rig.ts';
import { MESSAGES, type RulesRig, type RulesSettings, withRules } from './rules-rig.ts';

const CALM: RulesSettings = {
  health: { circuit: { consecutive: 1_000_000, min_calls: 1_000_000 } },
  // The operator's defaults of the rig would be explicit retries: here the policies' own counts rule.
  over: { defaults: { redundancy: { timeout_ms: 20_000 } } },
};

const FAULTS: Readonly<Record<string, Step>> = {
  rate_limit: errorStep(429, { message: 'slow down', code: 'rate_limit_exceeded' }),
  quota_exhausted: errorStep(402, { message: 'pay' }),
  overloaded: errorStep(529, { message: 'overloaded', code: 'overloaded_error' }),
  server_error: errorStep(500, { message: 'broken', code: 'server_error' }),
  malformed: { status: 200, headers: { 'content-type': 'text/html' }, body: '<html></html>' },
  connection_error: { socket: 'refused' },
  auth: errorStep(401, { message: 'bad key' }),
  permission: errorStep(403, { message: 'not you' }),
  model_not_found: errorStep(404, { message: 'no model', code: 'model_not_found' }),
  context_length: errorStep(400, { message: 'too long', code: 'context_length_exceeded' }),
  content_policy: errorStep(400, { message: 'no', code: 'content_policy_violation' }),
  payload_too_large: errorStep(413, { message: 'too large' }),
  invalid_request: errorStep(400, { message: 'bad', type: 'invalid_request_error' }),
  maybe_executed: errorStep(504, { message: 'late' }),
};

/** Channel A with two keys fails, channel B fails, then model `n` serves. */
function routes(step: Step, name = 'm'): Record<string, RouteSpec> {
  return {
    [name]: {
      channels: [{ up: 'A', keys: [`sk-${name}-one`, `sk-${name}-two`] }, { up: 'B' }],
      up: { A: [step], B: [step] },
    },
    n: { up: { C: [okBody('n')] } },
  };
}

interface Case {
  readonly fault: Step;
  readonly redundancy: Record<string, unknown>;
}

/** Who was called in each case, e.g. `AAB` and `C` for model `n`: one gateway, a model of its own for each case. */
async function pathsOf(cases: readonly Case[], settings = CALM): Promise<string[]> {
  const all = Object.assign({}, ...cases.map(({ fault }, at) => routes(fault, `m${at}`))) as Record<string, RouteSpec>;
  const paths: string[] = [];
  await withRules(
    all,
    async (rig) => {
      for (const [at, { redundancy }] of cases.entries()) {
        const before = rig.called().length;
        await rig.post({ models: [`m${at}`, 'n'], messages: MESSAGES, redundancy });
        paths.push(
          rig
            .called()
            .slice(before)
            .map((call) => call[0])
            .join(''),
        );
      }
    },
    settings,
  );
  return paths;
}

async function path(fault: Step, redundancy: Record<string, unknown>, settings = CALM): Promise<string> {
  return (await pathsOf([{ fault, redundancy }], settings))[0]!;
}

/** Row → path, for every row of an expectation under one policy. */
async function tableOf(rows: Readonly<Record<string, string>>, redundancy: Record<string, unknown>) {
  const names = Object.keys(rows);
  const paths = await pathsOf(names.map((name) => ({ fault: FAULTS[name]!, redundancy })));
  return Object.fromEntries(names.map((name, at) => [name, paths[at]]));
}

const STANDARD: Readonly<Record<string, string>> = {
  rate_limit: 'AABC',
  quota_exhausted: 'AABC',
  overloaded: 'ABC',
  server_error: 'ABC',
  malformed: 'ABC',
  auth: 'AAB',
  permission: 'AAB',
  model_not_found: 'AAB',
  context_length: 'A',
  content_policy: 'A',
  payload_too_large: 'AB',
  invalid_request: 'A',
  maybe_executed: 'ABC',
};

// Two repeats at each target; maybe executed: stop.
const STRICT: Readonly<Record<string, string>> = {
  quota_exhausted: 'AAB',
  overloaded: 'AAABBBC',
  server_error: 'AAABBBC',
  auth: 'A',
  permission: 'A',
  model_not_found: 'A',
  context_length: 'A',
  content_policy: 'A',
  payload_too_large: 'A',
  invalid_request: 'A',
  maybe_executed: 'A',
};

const PERMISSIVE: Readonly<Record<string, string>> = {
  rate_limit: 'AABC',
  quota_exhausted: 'AABC',
  overloaded: 'AABC',
  server_error: 'AABC',
  malformed: 'AABC',
  auth: 'AABC',
  permission: 'AABC',
  model_not_found: 'AABC',
  context_length: 'AABC',
  content_policy: 'ABC',
  payload_too_large: 'AABC',
  invalid_request: 'AABC',
  maybe_executed: 'AABC',
};

describe('the table', () => {
  it('D-1, D-2: standard', async () => {
    expect(await tableOf(STANDARD, { max_attempts: 20 })).toEqual(STANDARD);
  });

  it('D-1, D-9: strict', async () => {
    expect(await tableOf(STRICT, { policy: 'strict', max_attempts: 20 })).toEqual(STRICT);
  });

  it('D-1, D-2: permissive', async () => {
    expect(await tableOf(PERMISSIVE, { policy: 'permissive', max_attempts: 20 })).toEqual(PERMISSIVE);
  });

  it.each([
    ['standard', ['a0', 'b1', 'c0']],
    ['strict', ['a0', 'a0', 'b1', 'b1', 'c0']],
    ['permissive', ['a0', 'a0', 'b1', 'c0']],
  ] as const)('D-1, D-9: %s, connection_error', async (policy, channels) => {
    // A port of its own: a closed one is closed to every model.
    await withRules(
      routes(FAULTS['connection_error']!),
      async (rig) => {
        const answer = await rig.post({ models: ['m', 'n'], messages: MESSAGES, redundancy: { policy } });
        const { attempts } = await rig.record(answer);
        expect(attempts.map(({ channel }) => channel)).toEqual(channels);
        expect(attempts[0]).toMatchObject({ class: 'connection_error', sent_at: null, maybe_executed: false });
        expect(attempts[1]?.credential === attempts[0]?.credential).toBe(policy === 'strict');
      },
      CALM,
    );
  });

  const OPTED = [
    ['auth', ['auth'], 'AABC'],
    ['permission', ['auth'], 'AABC'],
    ['model_not_found', ['model_not_found'], 'AABC'],
    ['context_length', ['context_length'], 'AC'],
    ['content_policy', ['content_policy'], 'AC'],
    ['server_error', ['rate_limit', 'timeout', 'connection_error'], 'AB'],
    ['rate_limit', ['server_error'], 'AAB'],
    ['invalid_request', ['server_error', 'rate_limit'], 'A'],
  ] as const;

  it('D-1, C-4: an opted-in class goes to another model; inside the model `on` plays no part', async () => {
    const paths = await pathsOf(OPTED.map(([name, on]) => ({ fault: FAULTS[name]!, redundancy: { on } })));
    expect(paths).toEqual(OPTED.map(([, , expected]) => expected));
  });

  it('D-1: permissive with `on` sent: a class without trigger keeps to the model', async () => {
    expect(await path(FAULTS['invalid_request']!, { policy: 'permissive', on: ['server_error'] })).toBe('AAB');
  });

  it('F-4: any 5xx is a server_error, whatever its class', async () => {
    expect(await path(FAULTS['maybe_executed']!, { on: ['server_error'] })).toBe('ABC');
    expect(await path(FAULTS['maybe_executed']!, { on: ['rate_limit'] })).toBe('AB');
  });

  it('D-1: under strict the key’s defaults name no other model', async () => {
    const key = 'strict-key-0123456789';
    const keys = [{ name: 's', workspace: 'main', secret: key, failover_defaults: { models: ['m', 'n'] } }];
    await withRules(
      routes(FAULTS['server_error']!),
      async (rig) => {
        await rig.ask('m', { redundancy: { policy: 'strict', retries: 0 } }, { key });
        expect(rig.called()).toEqual(['A:m', 'B:m']);
        await rig.ask('m', {}, { key });
        expect(rig.called().slice(2)).toEqual(['A:m', 'B:m', 'C:n']);
      },
      { ...CALM, keys },
    );
  });
});

describe('cells by configuration', () => {
  it('D-12: an overridden cell means exactly its steps, others stay', async () => {
    const settings = {
      ...CALM,
      over: {
        ...CALM.over,
        policies: { standard: { server_error: ['next_model'], invalid_request: ['next_channel'] } },
      },
    };
    expect(await path(FAULTS['server_error']!, {}, settings)).toBe('AC');
    expect(await path(FAULTS['invalid_request']!, {}, settings)).toBe('AB');
    expect(await path(FAULTS['overloaded']!, {}, settings)).toBe('ABC');
    expect(await path(FAULTS['invalid_request']!, { policy: 'strict' }, settings)).toBe('A');
  });

  it('D-12, D-9: a cell that names a repeat repeats each target once, an explicit count replaces it', async () => {
    const policies = { standard: { overloaded: ['retry', 'next_channel', 'next_model'] } };
    const settings = { ...CALM, over: { ...CALM.over, policies } };
    expect(await path(FAULTS['overloaded']!, {}, settings)).toBe('AABBC');
    expect(await path(FAULTS['overloaded']!, { retries: 0 }, settings)).toBe('ABC');
    expect(await path(FAULTS['server_error']!, {}, settings)).toBe('ABC');
  });

  it('D-12: the row of empty answers', async () => {
    const empty = jsonStep(200, {
      id: 'e',
      object: 'chat.completion',
      created: 1,
      model: 'up',
      choices: [{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'stop' }],
    });
    expect(await path(empty, {})).toBe('A');
    expect(await path(empty, { on: ['empty'] })).toBe('ABC');
    const settings = { ...CALM, over: { ...CALM.over, policies: { standard: { empty: ['next_model'] } } } };
    expect(await path(empty, { on: ['empty'] }, settings)).toBe('AC');
  });

  it('D-12: the row maybe_executed', async () => {
    const settings = { ...CALM, over: { ...CALM.over, policies: { standard: { maybe_executed: ['stop'] } } } };
    await withRules(
      routes(FAULTS['maybe_executed']!),
      async (rig) => {
        const answer = await rig.post({ models: ['m', 'n'], messages: MESSAGES });
        expect([answer.status, errorOf(answer)['code']]).toEqual([504, 'upstream_outcome_unknown']);
        expect(rig.called()).toEqual(['A:m']);
      },
      settings,
    );
  });
});

describe('repeats', () => {
  const COUNTS = [
    ['server_error', {}, 2],
    ['overloaded', {}, 2],
    ['malformed', {}, 2],
    ['rate_limit', {}, 2],
    ['quota_exhausted', {}, 1],
    ['maybe_executed', {}, 1],
    ['server_error', { retries: 0 }, 1],
    ['server_error', { retries: 3 }, 4],
    ['rate_limit', { retries: 2 }, 3],
    ['maybe_executed', { retries: 2 }, 3],
    ['invalid_request', { retries: 3 }, 1],
    ['auth', { retries: 3 }, 1],
    ['server_error', { policy: 'strict' }, 3],
    ['rate_limit', { policy: 'strict' }, 3],
    ['server_error', { policy: 'strict', retries: 1 }, 2],
    ['maybe_executed', { policy: 'strict', retries: 3 }, 1],
    ['server_error', { policy: 'permissive' }, 1],
    ['server_error', { policy: 'permissive', retries: 2 }, 3],
  ] as const;

  it('D-9: N retries of a lone target are N + 1 calls; stop rows stay at one', async () => {
    const lone = COUNTS.map(([name], at): [string, RouteSpec] => [`m${at}`, { up: { A: [FAULTS[name]!] } }]);
    await withRules(
      Object.fromEntries(lone),
      async (rig) => {
        for (const [at, [, redundancy]] of COUNTS.entries()) await rig.ask(`m${at}`, { redundancy });
        const calls = COUNTS.map((_, at) => rig.called().filter((call) => call === `A:m${at}`).length);
        expect(calls).toEqual(COUNTS.map(([, , expected]) => expected));
      },
      CALM,
    );
  });

  it('D-9: standard with retries repeats the last target left, strict each', async () => {
    expect(await path(FAULTS['server_error']!, { retries: 1, on: [] })).toBe('ABB');
    expect(await path(FAULTS['server_error']!, { policy: 'strict', retries: 1, on: [] })).toBe('AABB');
  });

  it('T-6, D-9: a client that leaves while a repeat is waited for is not repeated for', async () => {
    const settings = { ...CALM, backoff: { base_ms: 800, cap_ms: 800 } };
    await withRules(
      { m: { up: { A: [FAULTS['server_error']!] } } },
      async (rig) => {
        await rig.ask('m', { redundancy: { retries: 3 } }, { leaveAfterMs: 200 });
        await sleep(1200);
        expect(rig.called()).toEqual(['A:m']);
        const [last] = await rig.gateway.records(1);
        expect(last).toMatchObject({ ending: 'client_closed', status: 499 });
      },
      settings,
    );
  });

  it('D-3: the wait between repeats lies between half and the whole of base · 2ⁿ, up to the cap', async () => {
    const settings = { ...CALM, backoff: { base_ms: 200, cap_ms: 300 } };
    await withRules(
      { m: { up: { A: [FAULTS['server_error']!] } } },
      async (rig) => {
        const answer = await rig.ask('m', { redundancy: { retries: 3 } });
        const { attempts } = await rig.record(answer);
        const waits = attempts.slice(1).map((attempt, at) => {
          const before = attempts[at]!;
          return Date.parse(attempt.started_at) - Date.parse(before.started_at) - before.latency_ms;
        });
        for (const [at, [least, most]] of [
          [100, 200],
          [150, 300],
          [150, 300],
        ].entries()) {
          expect(waits[at]).toBeGreaterThan(least! - 5);
          // Upwards a busy machine only adds.
          expect(waits[at]).toBeLessThan(most! + 500);
        }
        expect(attempts[0]?.reason).toMatch(/same target again in (1\d\d|200) ms/);
      },
      settings,
    );
  });

  it('D-3: a stated wait that does not fit leaves the target, one that fits is waited for', async () => {
    const long = errorStep(429, { message: 'w', code: 'rate_limit_exceeded' }, { 'retry-after': '30' });
    const short = errorStep(429, { message: 'w', code: 'rate_limit_exceeded' }, { 'retry-after-ms': '300' });
    await withRules(
      { long: { up: { A: [long] } }, short: { up: { A: [short, okBody('s')] } } },
      async (rig) => {
        await rig.ask('long');
        expect(rig.called()).toEqual(['A:long']);
        const answer = await rig.ask('short');
        expect(answer.status).toBe(200);
        expect(answer.endedAt).toBeGreaterThanOrEqual(300);
        const none = await rig.ask('long', { redundancy: { max_wait_ms: 0 } });
        expect(none.status).toBe(429);
      },
      CALM,
    );
  });

  it('D-3: x-should-retry: false of an upstream forbids its repeat, in `strict` and as the last target', async () => {
    const no = errorStep(503, { message: 'no' }, { 'x-should-retry': 'false' });
    expect(await path(no, { retries: 2, on: [] })).toBe('AB');
    expect(await path(no, { policy: 'strict', on: [] })).toBe('AB');
  });
});

describe('budgets', () => {
  const stop = async (
    steps: Record<string, RouteSpec>,
    body: Record<string, unknown>,
    look: (rig: RulesRig, error: Record<string, unknown>, status: number | null) => void,
  ): Promise<void> => {
    await withRules(
      steps,
      async (rig) => {
        const answer = await rig.post({ messages: MESSAGES, ...body });
        look(rig, errorOf(answer), answer.status);
      },
      CALM,
    );
  };

  it('D-4: attempts: 502 retry_exhausted with budget and attempts', async () => {
    await stop(
      routes(FAULTS['server_error']!),
      { model: 'm', redundancy: { max_attempts: 1 } },
      (rig, error, status) => {
        expect(status).toBe(502);
        expect(error).toMatchObject({
          code: 'retry_exhausted',
          budget: 'attempts',
          attempts: [{ model: 'm', status: 'failed' }],
        });
        expect(rig.called()).toEqual(['A:m']);
      },
    );
  });

  it('D-4: 429 if every failure was a rate limit', async () => {
    await stop(
      routes(FAULTS['rate_limit']!),
      { model: 'm', redundancy: { max_attempts: 1 } },
      (_rig, error, status) => {
        expect([status, error['code'], error['budget']]).toEqual([429, 'retry_exhausted', 'attempts']);
      },
    );
  });

  it('D-4: with nothing left to try it is E-1, however few attempts were allowed', async () => {
    const alone = { m: { up: { A: [FAULTS['server_error']!] } } };
    await stop(alone, { model: 'm', redundancy: { max_attempts: 1, retries: 0 } }, (_rig, error, status) => {
      expect([status, error['code'], error['budget']]).toEqual([500, 'server_error', undefined]);
    });
  });

  it('D-4: the deadline, with repeats left: 504', async () => {
    const slow = { ...FAULTS['server_error']!, delay_ms: 600 };
    const redundancy = { deadline_ms: 1000, retries: 5 };
    await stop({ m: { up: { A: [slow] } } }, { model: 'm', redundancy }, (_rig, error, status) => {
      expect([status, error['code'], error['budget']]).toEqual([504, 'retry_exhausted', 'deadline']);
    });
  });

  it('D-4: room is kept: a model never uses the attempts of the models after it', async () => {
    const down = FAULTS['server_error']!;
    const three = {
      a: { up: { A: [down], B: [down], C: [down] } },
      b: { up: { A: [down], B: [down] } },
      c: { up: { A: [okBody('c')] } },
    };
    await withRules(
      three,
      async (rig) => {
        const models = ['a', 'b', 'c'];
        await rig.post({ models, messages: MESSAGES, redundancy: { max_attempts: 3 } });
        expect(rig.called()).toEqual(['A:a', 'A:b', 'A:c']);
        await rig.post({ models, messages: MESSAGES, redundancy: { max_attempts: 4 } });
        expect(rig.called().slice(3)).toEqual(['A:a', 'B:a', 'A:b', 'A:c']);
      },
      CALM,
    );
  });

  it('D-4: the default is raised to the chain’s length, an asked one is not', async () => {
    const down = FAULTS['server_error']!;
    const three = { a: { up: { A: [down] } }, b: { up: { A: [down] } }, c: { up: { A: [okBody('c')] } } };
    const settings = { ...CALM, over: { defaults: { redundancy: { max_attempts: 1 } } } };
    await withRules(
      three,
      async (rig) => {
        const models = ['a', 'b', 'c'];
        expect((await rig.post({ models, messages: MESSAGES })).status).toBe(200);
        const asked = await rig.post({ models, messages: MESSAGES, redundancy: { max_attempts: 2 } });
        expect(errorOf(asked)).toMatchObject({ code: 'retry_exhausted', budget: 'attempts' });
        expect(rig.called().slice(3)).toEqual(['A:a', 'A:b']);
      },
      settings,
    );
  });

  it.each([
    ['x-stainless-timeout', '3', 1500],
    ['x-stainless-read-timeout', '3', 1500],
    ['x-server-timeout', '2', 1000],
  ] as const)('D-4: %s: %s s bounds the deadline at %i ms', async (header, seconds, ms) => {
    await withRules(
      { m: { up: { A: [{ socket: 'accept_then_silence' }] } } },
      async (rig) => {
        const answer = await rig.ask('m', {}, { headers: { [header]: seconds } });
        expect(answer.status).toBe(504);
        expect(answer.endedAt).toBeGreaterThanOrEqual(ms - 50);
        expect(answer.endedAt).toBeLessThan(Number(seconds) * 1000);
      },
      CALM,
    );
  });

  it('D-6: refused repeats are told in the trace, and the request ends as E-1', async () => {
    await withRules(
      { m: { up: { A: [FAULTS['server_error']!] } } },
      async (rig) => {
        const answers = [];
        for (let i = 0; i < 3; i += 1) answers.push(await rig.ask('m', { redundancy: { retries: 1 } }));
        expect(rig.called()).toHaveLength(5);
        expect(answers.map(({ status }) => status)).toEqual([500, 500, 500]);
        const record = await rig.record(answers[2]!);
        expect(record.attempts.at(-1)?.reason).toContain('retry_budget_exhausted');
      },
      { ...CALM, over: { ...CALM.over, retry_budget: { min: 2, ratio: 0 } } },
    );
  });

  it('D-6: moving to another channel never draws on it', async () => {
    await withRules(
      { m: { up: { A: [FAULTS['server_error']!], B: [okBody('b')] } } },
      async (rig) => {
        for (let i = 0; i < 3; i += 1) expect((await rig.ask('m')).status).toBe(200);
      },
      { ...CALM, over: { ...CALM.over, retry_budget: { min: 0, ratio: 0 } } },
    );
  });

  it('D-10: strict, maybe executed: 504 that says so', async () => {
    await withRules(routes(FAULTS['maybe_executed']!), async (rig) => {
      const answer = await rig.ask('m', { redundancy: { policy: 'strict' } });
      expect(answer.status).toBe(504);
      expect(errorOf(answer)).toMatchObject({ code: 'upstream_outcome_unknown', maybe_executed: true });
      expect(answer.headers['x-should-retry']).toBe('false');
    });
  });
});
