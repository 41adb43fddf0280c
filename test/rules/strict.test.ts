/** `strict` and calls that act upstream, over the wire: what may have been executed, alerts, money. */
import { describe, expect, it } from 'vitest';
import type { Step } from '../../sim/index.ts';
import { errorStep, okBody } from '../faults/answers.ts';
import type { RouteSpec } from '../faults/gateway-config.ts';
import { errorOf } from '../faults/invariants.ts';
import { MESSAGES, type RulesSettings, withRules } from './rules-rig.ts';

const CALM: RulesSettings = {
  health: { circuit: { consecutive: 1_000_000, min_calls: 1_000_000 } },
  over: { defaults: { redundancy: { timeout_ms: 20_000 } } },
};
const STRICT = { policy: 'strict' };
const LATE = errorStep(504, { message: 'late' });

const routes = (a: Step, b: Step = okBody('b')): Record<string, RouteSpec> => ({
  m: { up: { A: [a], B: [b] } },
  n: { up: { C: [okBody('n')] } },
});

describe('what may have been executed', () => {
  it.each([
    ['a lost connection', { ...okBody('lost'), end: 'rst', delay_ms: 5 }],
    ['a gateway timeout', LATE],
    ['an empty 200', { status: 200, headers: { 'content-type': 'application/json' }, body: '' }],
  ] as [string, Step][])('D-10: strict without a key stops at %s: 504 that says so', (_name, step) =>
    withRules(
      routes(step),
      async (rig) => {
        const answer = await rig.post({ models: ['m', 'n'], messages: MESSAGES, redundancy: STRICT });
        expect([answer.status, errorOf(answer)]).toMatchObject([
          504,
          { code: 'upstream_outcome_unknown', maybe_executed: true },
        ]);
        expect(answer.headers['x-should-retry']).toBe('false');
        expect(rig.called()).toEqual(['A:m']);
        const record = await rig.record(answer);
        expect(record).toMatchObject({ outcome: 'network_unknown', attempts: [{ maybe_executed: true }] });
      },
      CALM,
    ),
  );

  it('D-11: a call that acts upstream stops there under standard too, another one goes on', () =>
    withRules(
      routes(LATE),
      async (rig) => {
        const acts = await rig.ask('m', { tools: [{ type: 'web_search' }] });
        expect([acts.status, errorOf(acts)]).toMatchObject([504, { code: 'upstream_outcome_unknown' }]);
        expect(rig.called()).toEqual(['A:m']);
        expect((await rig.ask('m', { tools: [{ type: 'function', function: { name: 'f' } }] })).status).toBe(200);
        expect(rig.called()).toEqual(['A:m', 'A:m', 'B:m']);
      },
      CALM,
    ));

  it('D-11: what is known not to have run goes on as ever', () =>
    withRules(
      routes(errorStep(500, { message: 'broken' })),
      async (rig) => {
        expect((await rig.ask('m', { web_search_options: {} })).status).toBe(200);
        expect(rig.called()).toEqual(['A:m', 'B:m']);
      },
      CALM,
    ));
});

describe('faults of configuration', () => {
  it.each([
    ['auth', errorStep(401, { message: 'bad key' })],
    ['permission', errorStep(403, { message: 'not you' })],
    ['model_not_found', errorStep(404, { message: 'none', code: 'model_not_found' })],
    ['context_length', errorStep(400, { message: 'too long', code: 'context_length_exceeded' })],
    ['invalid_request', errorStep(400, { message: 'bad', type: 'invalid_request_error' })],
    ['quota_exhausted', errorStep(402, { message: 'pay' })],
  ] as const)('D-12: strict tells an operator of %s, and no other model hides it', (failureClass, step) =>
    withRules(
      routes(step, step),
      async (rig) => {
        const raised: string[] = [];
        const { alerts } = rig.gateway.inside;
        Object.assign(alerts, { raise: ({ kind }: { kind: string }) => void raised.push(kind) });
        const answer = await rig.post({ models: ['m', 'n'], messages: MESSAGES, redundancy: STRICT });
        expect(answer.status).toBeGreaterThanOrEqual(400);
        expect(rig.called()).not.toContain('C:n');
        expect(rig.called()).toHaveLength(failureClass === 'quota_exhausted' ? 2 : 1);
        expect(raised).toEqual(rig.called().map(() => `upstream.${failureClass}`));
      },
      CALM,
    ),
  );
});

describe('budgets', () => {
  it('D-4: cost: 502 retry_exhausted naming it, with what was tried', () => {
    const priced = (up: string, output: number) => ({ up, more: { price: { input: 0, output } } });
    const channels = [priced('A', 1), priced('B', 1000)];
    return withRules(
      { m: { channels, up: { A: [errorStep(500, { message: 'broken' })], B: [okBody('b')] } } },
      async (rig) => {
        const answer = await rig.ask('m', { max_tokens: 1000, redundancy: { max_cost_usd: 0.01 } });
        expect([answer.status, errorOf(answer)]).toMatchObject([
          502,
          { code: 'retry_exhausted', budget: 'cost', attempts: [{ status: 'failed', class: 'server_error' }] },
        ]);
        expect(rig.called()).toEqual(['A:m']);
      },
      CALM,
    );
  });
});
