/** Four ways in which retries have gone wrong for others, played again: here they do not. */
import OpenAI, { APIError } from 'openai';
import { describe, expect, it } from 'vitest';
import { layout, optionsOf } from '../../sim/virtual/layout.ts';
import { failing } from '../../sim/virtual/outcome.ts';
import { runVirtually } from '../../sim/virtual/virtual-run.ts';
import { backoffMs } from '../../src/core/failover/backoff.ts';
import { errorStep, okBody } from '../faults/answers.ts';
import { CLIENT_KEY } from '../faults/gateway-config.ts';
import { errorOf } from '../faults/invariants.ts';
import { MESSAGES, type RulesRig, type RulesSettings, withRules } from './rules-rig.ts';

const CALM: RulesSettings = {
  health: { circuit: { consecutive: 1_000_000, min_calls: 1_000_000 } },
  over: { defaults: { redundancy: { timeout_ms: 20_000 } } },
};

/** Business code that tries three times whatever comes back, over an SDK that repeats by its own rules. */
async function businessCode(rig: RulesRig, redundancy: object): Promise<number> {
  const client = new OpenAI({ apiKey: CLIENT_KEY, baseURL: `${rig.url}/v1`, maxRetries: 2 });
  let failures = 0;
  for (let turn = 0; turn < 3; turn += 1) {
    try {
      const body = { model: 'm', messages: MESSAGES, redundancy };
      await client.chat.completions.create(body as OpenAI.ChatCompletionCreateParamsNonStreaming);
      return failures;
    } catch (error) {
      if (!(error instanceof APIError)) throw error;
      failures += 1;
    }
  }
  return failures;
}

interface Sum {
  readonly name: string;
  readonly requests: number;
  readonly upstream_calls: number;
  readonly client_retries: number;
}

async function usageOf(rig: RulesRig): Promise<Sum | undefined> {
  const { data } = (await rig.admin('/v1/usage?by=key')) as unknown as { data: Sum[] };
  return data.find(({ name }) => name === 'test');
}

describe('three layers that each retry: 18 calls for one request', () => {
  const down = { m: { up: { A: [errorStep(503, { message: 'down' })] } } };

  it('D-7, D-9: 3 by the code × 3 by the SDK × 2 by the gateway would be 18; the SDK is told not to, and it shows', () =>
    withRules(
      down,
      async (rig) => {
        expect(await businessCode(rig, { retries: 1 })).toBe(3);
        // The SDK obeys x-should-retry: false, so its factor of three is gone: 3 × 1 × 2.
        expect(rig.called()).toHaveLength(6);
        const { data } = (await rig.admin('/v1/requests?limit=10')) as unknown as {
          data: { client_retry: object; upstream_calls: number }[];
        };
        expect(data.map(({ client_retry }) => client_retry)).toEqual([
          { count: 2, how: 'fingerprint', upstream_calls: 6 },
          { count: 1, how: 'fingerprint', upstream_calls: 4 },
          { count: 0, how: null, upstream_calls: 2 },
        ]);
        expect(await usageOf(rig)).toMatchObject({ requests: 3, upstream_calls: 6, client_retries: 2 });
      },
      CALM,
    ));

  it('D-9: one layer alone: with no retries asked for, a request is one call, and so is the code’s repeat of it', () =>
    withRules(
      down,
      async (rig) => {
        expect(await businessCode(rig, { retries: 0 })).toBe(3);
        expect(rig.called()).toHaveLength(3);
      },
      CALM,
    ));

  it('D-7: a repeat that succeeds ends the count', () =>
    withRules(
      { m: { up: { A: [{ ...errorStep(503, { message: 'down' }), times: 2 }, okBody('up again')] } } },
      async (rig) => {
        expect(await businessCode(rig, { retries: 1 })).toBe(1);
        expect(rig.called()).toHaveLength(3);
        const next = await rig.ask('m');
        expect((await rig.record(next)).client_retry).toEqual({ count: 0, how: null, upstream_calls: 1 });
      },
      CALM,
    ));
});

describe('a refusal that was retried', () => {
  it.each(['standard', 'strict'])('F-1, D-9: %s asks once, however many retries are asked for', (policy) =>
    withRules(
      {
        m: {
          up: {
            A: [errorStep(400, { message: 'filtered', code: 'content_filter' })],
            B: [errorStep(400, { message: 'filtered', code: 'content_filter' })],
          },
        },
      },
      async (rig) => {
        const answer = await rig.ask('m', { redundancy: { policy, retries: 5 } });
        expect(answer.status).toBe(400);
        expect(errorOf(answer)['code']).toBe('content_filter');
        expect(answer.headers['x-should-retry']).toBe('false');
        expect(rig.called()).toEqual(['A:m']);
        expect(await rig.record(answer)).toMatchObject({ outcome: 'safety_refusal', upstream_calls: 1 });
      },
      CALM,
    ),
  );
});

describe('a backoff without a cap', () => {
  it('D-3: the tenth wait is no longer than the fifth: 8 s by default, 60 s where that is configured', () => {
    const longest = (baseMs: number, capMs: number) =>
      Math.max(...Array.from({ length: 40 }, (_, made) => backoffMs({ baseMs, capMs }, made, 1 - Number.EPSILON)));
    expect(longest(500, 8000)).toBeLessThanOrEqual(8000);
    expect(longest(1000, 60_000)).toBeLessThanOrEqual(60_000);
  });

  it('D-3, D-4: an outage holds a request for no longer than its deadline, waits included', () => {
    const run = (deadlineMs: number) =>
      runVirtually({
        plan: layout('a:A1'),
        options: optionsOf({
          policy: 'strict',
          retries: 20,
          maxAttempts: 20,
          deadlineMs,
          backoff: { baseMs: 1000, capMs: 60_000 },
        }),
        keyed: true,
        actsUpstream: false,
        attemptOffset: 0,
        script: () => failing({ class: 'overloaded', status: 503 }),
        random: () => 1 - Number.EPSILON,
      });
    const short = run(100_000);
    expect(short.state.verdict).toEqual({ kind: 'retry_exhausted', budget: 'deadline' });
    expect(short.tookMs).toBeLessThanOrEqual(100_000);
    const waits = run(3_600_000).actions.flatMap((action) => (action.type === 'wait' ? [action.ms] : []));
    expect(waits.slice(0, 4).map(Math.round)).toEqual([1000, 2000, 4000, 8000]);
    expect(Math.max(...waits)).toBeLessThanOrEqual(60_000);
    // Uncapped, the twentieth wait alone would be six days.
    expect(waits).toHaveLength(19);
  });

  it('D-4: over the wire: 504 that names the deadline', () =>
    withRules(
      { m: { up: { A: [errorStep(503, { message: 'down' })] } } },
      async (rig) => {
        const answer = await rig.ask('m', { redundancy: { policy: 'strict', retries: 5, deadline_ms: 1500 } });
        expect([answer.status, errorOf(answer)]).toMatchObject([504, { code: 'retry_exhausted', budget: 'deadline' }]);
      },
      { ...CALM, backoff: { base_ms: 1000, cap_ms: 60_000 } },
    ));
});
