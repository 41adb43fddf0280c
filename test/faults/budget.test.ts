import { describe, expect, it } from 'vitest';
import type { Step } from '../../sim/index.ts';
import { errorStep, okBody, okStream } from './answers.ts';
import { faultCase, fieldsOf, stepAt, stepsOf } from './fault-case.ts';
import { errorOf } from './invariants.ts';
import { contentOf, withRig } from './rig.ts';
import { expectWholeStream } from './stream-reader.ts';

describe.concurrent('retries and budgets', () => {
  it('D-9 budget-exact-attempt-count: N retries are N + 1 calls, whatever fails', async () => {
    const failures: Record<string, Step> = {
      '429': errorStep(429, { message: 'no' }),
      '500': errorStep(500, { message: 'no' }),
      '503': errorStep(503, { message: 'no' }),
      '529': errorStep(529, { message: 'no', type: 'overloaded_error' }),
      '502-without-body': { status: 502, body: '' },
      '408': errorStep(408, { message: 'no' }),
      rst: { chunks: [], end: 'rst' },
      fin: { chunks: [], end: 'fin' },
      html: { headers: { 'content-type': 'text/html' }, body: '<html></html>' },
    };
    const variants = Object.keys(failures).flatMap((kind) =>
      [0, 1, 3].flatMap((retries) => [true, false].map((stream) => ({ kind, retries, stream }))),
    );
    const name = (variant: (typeof variants)[number]) => `m-${variant.kind}-${variant.retries}-${variant.stream}`;
    const routes = Object.fromEntries(
      variants.map((variant) => [name(variant), { up: { A: [failures[variant.kind] ?? {}] } }]),
    );
    await withRig(
      { ...routes, stop: { up: { A: [errorStep(400, { message: 'Invalid value', type: 'invalid_request_error' })] } } },
      async (rig) => {
        const wrong: string[] = [];
        for (const variant of variants) {
          const { retries, stream } = variant;
          const answer = await rig.ask(name(variant), { stream, redundancy: { retries } });
          const calls = rig.calls(name(variant)).length;
          const told = Number(answer.headers['x-understudy-attempts']);
          if (calls !== retries + 1 || told !== calls) wrong.push(`${name(variant)}: ${calls} calls, told ${told}`);
        }
        expect(wrong).toEqual([]);
        await rig.ask('stop', { redundancy: { retries: 3 } });
        expect(rig.who('stop')).toBe('A');
      },
    );
  });

  it('D-9, T-3 budget-zero-output-timeouts-not-multiplied: a silent target is left, not asked again', async () => {
    const one = faultCase('budget-zero-output-timeouts-not-multiplied');
    await withRig(
      { m: { up: { A: stepsOf(one, 'A'), B: stepsOf(one, 'B') } } },
      async (rig) => {
        const answer = await rig.ask('m', { stream: true, redundancy: { retries: 2 } });
        expectWholeStream(answer, 'ok-b');
        expect(rig.who('m'), 'not three waits at A').toBe('A B');
      },
      { redundancy: { first_token_timeout_ms: 800 } },
    );
  });

  it('F-1, D-3 budget-daily-quota-vs-per-minute: the window wins over the delay', async () => {
    const one = faultCase('budget-daily-quota-vs-per-minute');
    const daily = stepAt(one, 0);
    const minute = { ...daily, body: JSON.parse(JSON.stringify(daily.body).replace('PerDay', 'PerMinute')) };
    await withRig({ day: { up: { A: [daily] } }, minute: { up: { A: [minute, okBody('ok-a')] } } }, async (rig) => {
      const asked = { redundancy: { retries: 2 } };
      const spent = await rig.ask('day', asked);
      expect([spent.status, errorOf(spent)['code'], rig.who('day')]).toEqual([429, 'insufficient_quota', 'A']);
      expect(contentOf(await rig.ask('minute', asked))).toBe('ok-a');
      const [first, second] = rig.calls('minute');
      expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(990);
    });
  });

  it('D-3 budget-never-sleep-past-the-client: a long wait is handed back, a short one waited', async () => {
    const one = faultCase('budget-never-sleep-past-the-client');
    const long = stepAt(one, 0);
    const short = { ...long, headers: { 'content-type': 'application/json', 'retry-after': '1' } };
    await withRig(
      { m: { up: { A: [long] } }, short: { up: { A: [short, okBody('ok-a')] } } },
      async (rig) => {
        const asked = { redundancy: { retries: 2 } };
        const refused = await rig.ask('m', asked);
        expect([refused.status, rig.who('m')]).toEqual([429, 'A']);
        // min(true wait, 60); the true instant is in the body.
        expect(refused.headers['retry-after']).toBe('60');
        const retryAt = Date.parse(String(errorOf(refused)['retry_at']));
        expect(Math.abs(retryAt - Date.now() - 4_236_000)).toBeLessThan(60_000);
        expect(refused.headers['x-should-retry']).toBe('false');
        expect(contentOf(await rig.ask('short', asked))).toBe('ok-a');
        expect(rig.who('short')).toBe('A A');
      },
      { redundancy: { max_wait_ms: 2000 } },
    );
  });

  it('D-4 budget-slow-first-attempt-leaves-one-hop: room is kept for what comes after', async () => {
    const one = faultCase('budget-slow-first-attempt-leaves-one-hop');
    const [slow, good] = [stepAt(one, 0), stepAt(one, 1)];
    await withRig(
      {
        a: { up: { A: [slow] } },
        b: { up: { B: [good] } },
        m: { up: { A: [slow], B: [good] } },
      },
      async (rig) => {
        const asked = fieldsOf(one);
        expectWholeStream(await rig.ask('a', { ...asked, models: ['a', 'b'] }), 'ok-b');
        expect(rig.who('a') + rig.who('b')).toBe('AB');
        // Channels of one model: the same, and after a few timeouts A is no longer first.
        for (let i = 0; i < 3; i += 1) expectWholeStream(await rig.ask('m', asked), 'ok-b');
        expect(rig.who('m')).toBe('A B A B B');
      },
      {
        redundancy: { deadline_ms: 2000, timeout_ms: 3000, first_token_timeout_ms: 10_000 },
        health: { circuit: { consecutive: 2, open_ms: 60_000 } },
      },
    );
  });
});

describe.concurrent('stated waits', () => {
  it('D-3, F-6 ra-garbage-values: an unusable wait is no wait', async () => {
    const one = faultCase('ra-garbage-values');
    const values = ['soon', 'NaN', 'Infinity', '1e999', '', '5, 10', '99999999999999999999', '-5', '0x10', '1 2'];
    const failing = (value: string): Step => ({
      ...stepAt(one, 0),
      headers: { 'content-type': 'application/json', 'retry-after': value },
    });
    const routes = Object.fromEntries(
      values.flatMap((value, i) => [
        [`m${i}`, { up: { A: [failing(value), okBody('ok-a')] } }],
        [`dead${i}`, { up: { A: [failing(value)] } }],
      ]),
    );
    await withRig(routes, async (rig) => {
      await Promise.all(
        values.map(async (value, i) => {
          const asked = { redundancy: { retries: 1 } };
          const answer = await rig.ask(`m${i}`, asked);
          expect(contentOf(answer), value).toBe('ok-a');
          expect(rig.who(`m${i}`), value).toBe('A A');
          expect(answer.endedAt, value).toBeLessThan(5000);
          const dead = await rig.ask(`dead${i}`, asked);
          expect([dead.status, rig.who(`dead${i}`)], value).toEqual([503, 'A A']);
          if (value !== '') expect(JSON.stringify(dead.headers), value).not.toContain(`"${value}"`);
        }),
      );
    });
  });

  it('F-2, H-1 ra-x-ratelimit-reset-formats: four formats, one meaning', async () => {
    const one = faultCase('ra-x-ratelimit-reset-formats');
    const now = Date.now();
    const second = Math.ceil(now / 1000) + 60;
    const values: [string, number, number][] = [
      ['1s', 1000, 1000],
      ['1m30s', 90_000, 90_000],
      ['6m0s', 360_000, 360_000],
      ['250ms', 250, 250],
      ['2', 2000, 2000],
      [String(second), 30_000, 62_000],
      [String(second * 1000), 30_000, 62_000],
      [String(Math.floor(now / 1000) - 60), 0, 0],
    ];
    const variants = values.flatMap(([value, least, most]) =>
      ['x-ratelimit-reset-requests', 'x-ratelimit-reset'].map((header) => ({ value, least, most, header })),
    );
    const name = (variant: (typeof variants)[number]) => `${variant.header}-${variant.value}`;
    const routes = Object.fromEntries(
      variants.map((variant) => [
        name(variant),
        {
          up: {
            A: [
              {
                ...stepAt(one, 0),
                headers: {
                  'content-type': 'application/json',
                  'x-ratelimit-remaining-requests': '0',
                  [variant.header]: variant.value,
                },
              },
            ],
            B: [okBody('ok-b')],
          },
        },
      ]),
    );
    await withRig(routes, async (rig) => {
      for (const variant of variants) {
        const answer = await rig.ask(name(variant));
        expect(contentOf(answer)).toBe('ok-b');
        expect(rig.who(name(variant))).toBe('A B');
        const read = (await rig.record(answer)).attempts[0]?.retry_after_ms ?? 0;
        expect(read, name(variant)).toBeGreaterThanOrEqual(variant.least);
        expect(read, name(variant)).toBeLessThanOrEqual(variant.most);
        if (variant.least < 30_000) continue;
        // Long enough to see that A rests.
        expect(contentOf(await rig.ask(name(variant)))).toBe('ok-b');
        expect(rig.who(name(variant)), name(variant)).toBe('A B B');
      }
    });
  });
});

describe.concurrent('timeouts', () => {
  it('T-3, D-9 timeout-aborts-the-losing-attempt: the call is over when its time is', async () => {
    const one = faultCase('timeout-aborts-the-losing-attempt');
    // Ten times the case's figures would do; B has to be quick enough on a busy machine.
    const slow = { ...stepAt(one, 0), delay_ms: 10_000 };
    await withRig(
      { m: { up: { A: [slow], B: stepsOf(one, 'B') } } },
      async (rig) => {
        for (let round = 0; round < 5; round += 1) {
          const answers = await Promise.all(Array.from({ length: 20 }, () => rig.ask('m')));
          expect(answers.map((answer) => answer.text).filter((text) => !text.includes('ok-b'))).toEqual([]);
        }
        const lost = rig.calls('m').filter((call) => call.who === 'A');
        expect(lost).toHaveLength(100);
        for (const call of lost) {
          expect(call.closedByPeerAt).not.toBeNull();
          expect((call.closedByPeerAt ?? 0) - call.at).toBeGreaterThan(200);
          expect((call.closedByPeerAt ?? 0) - call.at).toBeLessThan(9000);
        }
        // Fresh idle connections may wait in the pool, as many as calls ran at once; those of lost attempts are gone.
        expect(rig.upstreams['A']?.openSockets()).toBeLessThanOrEqual(20);
      },
      // Circuits would spare A after a few; here every request has to try it.
      { redundancy: { timeout_ms: 2000 }, health: { circuit: { consecutive: 1000, min_calls: 1000 } } },
    );
  });

  it('T-3, C-3 pre-no-first-token-timeout: silence ends in time, whether or not headers came', async () => {
    const one = faultCase('pre-no-first-token-timeout');
    const headersOnly = stepAt(one, 0);
    const B = stepsOf(one, 'B');
    const slow: Step = { ...okStream('slow'), delay_ms: 1500 };
    await withRig(
      {
        headers: { up: { A: [headersOnly], B } },
        nothing: { up: { A: [{ socket: 'accept_then_silence' }], B } },
        only: { up: { A: [headersOnly] } },
        slow: { up: { B: [slow] } },
      },
      async (rig) => {
        for (const route of ['headers', 'nothing']) {
          const answer = await rig.ask(route, { stream: true });
          expectWholeStream(answer, 'ok-b');
          expect(rig.who(route)).toBe('A B');
          // The idle timeout would be 5 s.
          expect(answer.endedAt, route).toBeLessThan(4000);
          expect(rig.calls(route)[0]?.closedByPeerAt, route).not.toBeNull();
        }
        // At the only target the limit holds because the caller asked for it (T-3).
        const only = await rig.ask('only', { stream: true, redundancy: { first_token_timeout_ms: 900 } });
        expect([only.status, errorOf(only)['code']]).toEqual([504, 'upstream_timeout']);
        // An entry's own limit beats the rest: the last model may be slow.
        const models = ['only', { model: 'slow', first_token_timeout_ms: 10_000 }];
        expectWholeStream(await rig.ask('only', { stream: true, models }), 'slow');
      },
      { redundancy: { first_token_timeout_ms: 900 } },
    );
  });
});
