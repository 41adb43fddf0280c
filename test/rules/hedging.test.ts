/** D-8 over the wire: a second target in parallel, one answer, everything accounted for. */
import { describe, expect, it } from 'vitest';
import type { Step } from '../../sim/index.ts';
import type { RequestRecord } from '../../src/core/record.ts';
import { delta, errorStep, finish, okBody, okStream, role, sseStep } from '../faults/answers.ts';
import type { RouteSpec } from '../faults/gateway-config.ts';
import { jsonOf, type RulesSettings, withRules } from './rules-rig.ts';

const PRICE = { input: 1, output: 10 };
/** Long enough that only a hedge can be the one to answer. */
const LONG_MS = 20_000;
const late = (step: Step, delay_ms = LONG_MS): Step => ({ ...step, delay_ms });

/** Model `m` over channels A and B, model `n` over C. */
function routes(a: Step, b: Step, c: Step = okBody('n')): Record<string, RouteSpec> {
  const channel = (up: string) => ({ up, more: { price: PRICE } });
  return { m: { channels: [channel('A'), channel('B')], up: { A: [a], B: [b] } }, n: { up: { C: [c] } } };
}

const HEDGE = { hedge_after_ms: 100 };
const shown = ({ attempts }: RequestRecord) =>
  attempts.map(({ no, channel, result, hedge }) => `${no} ${channel} ${result}${hedge ? ' hedge' : ''}`);
const text = (answer: { text: string }): unknown => {
  const [choice] = jsonOf(answer as Parameters<typeof jsonOf>[0])['choices'] as { message: { content: string } }[];
  return choice?.message.content;
};

describe('hedging', () => {
  it('D-8: without an answer in time the next target starts; the first to answer is served, the other is waste', () =>
    withRules(routes(late(okBody('slow')), okBody('fast')), async (rig) => {
      const answer = await rig.ask('m', { redundancy: HEDGE });
      expect([answer.status, text(answer)]).toEqual([200, 'fast']);
      expect(answer.headers['x-understudy-attempts']).toBe('2');
      expect(answer.headers['x-understudy-degraded']).toBe('false');
      const record = await rig.record(answer);
      expect(shown(record)).toEqual(['1 a0 cancelled', '2 b1 served hedge']);
      const [lost, won] = record.attempts;
      expect(lost).toMatchObject({ class: null, decision: 'stop', reason: 'cancelled: attempt 2 answered first' });
      // It was sent and is not waited for: the provider may charge for it all the same.
      expect(lost).toMatchObject({ maybe_executed: true, usage: { estimated: true } });
      expect(lost!.cost_nano_usd).toBeGreaterThan(0);
      expect(won).toMatchObject({ maybe_executed: false, usage: { input_tokens: 3, output_tokens: 2 } });
      expect([record.waste_nano_usd, record.cost_nano_usd]).toEqual([lost!.cost_nano_usd, won!.cost_nano_usd]);
      await expect.poll(() => rig.aborted().length).toBe(1);
    }));

  it('D-8: streams too; not a byte of the other one reaches the client', () =>
    withRules(routes(late(okStream('slow')), okStream('fa', 'st')), async (rig) => {
      const answer = await rig.ask('m', { stream: true, redundancy: HEDGE });
      expect(answer.text).toContain('"fa"');
      expect(answer.text).not.toContain('slow');
      expect(answer.text.match(/\[DONE\]/g)).toHaveLength(1);
      expect(shown(await rig.record(answer))).toEqual(['1 a0 cancelled', '2 b1 served hedge']);
    }));

  it('D-8: the first one may still win; then the hedge is the one that is broken off', () =>
    withRules(routes(late(okBody('first'), 1200), late(okBody('second'))), async (rig) => {
      const answer = await rig.ask('m', { redundancy: HEDGE });
      expect(text(answer)).toBe('first');
      expect(shown(await rig.record(answer))).toEqual(['1 a0 served', '2 b1 cancelled hedge']);
      await expect.poll(() => rig.aborted().length).toBe(1);
    }));

  it('D-8: a hedge that fails leaves the first one running', () =>
    withRules(routes(late(okBody('first'), 1200), errorStep(500, { message: 'broken' })), async (rig) => {
      const answer = await rig.ask('m', { redundancy: HEDGE });
      expect(text(answer)).toBe('first');
      const record = await rig.record(answer);
      expect(shown(record)).toEqual(['1 a0 served', '2 b1 failed hedge']);
      expect(record.attempts[1]).toMatchObject({ decision: 'next_channel' });
      expect(record.attempts[1]!.reason).toContain('attempt 1 is still running');
    }));

  it('D-8: a hedge whose rival fails takes over as the only attempt', () =>
    withRules(routes(late(errorStep(503, { message: 'down' }), 600), late(okBody('second'), 1500)), async (rig) => {
      const answer = await rig.ask('m', { redundancy: HEDGE });
      expect(text(answer)).toBe('second');
      expect(shown(await rig.record(answer))).toEqual(['1 a0 failed', '2 b1 served hedge']);
    }));

  it('D-8: when both fail the request goes on, and nobody is asked twice', () =>
    withRules(
      routes(late(errorStep(503, { message: 'down' }), 900), late(errorStep(500, { message: 'broken' }), 300)),
      async (rig) => {
        const answer = await rig.post({
          models: ['m', 'n'],
          messages: [{ role: 'user', content: 'hi' }],
          redundancy: HEDGE,
        });
        expect(text(answer)).toBe('n');
        expect(rig.called()).toEqual(['A:m', 'B:m', 'C:n']);
        const report = jsonOf(answer)['understudy'] as { failover: { attempts: { status: string }[] } };
        expect(report.failover.attempts.map(({ status }) => status)).toEqual(['failed', 'failed', 'served']);
      },
    ));

  it('D-8, R-2: another model, where timeout opens it; a hedge that lost is told as cancelled', () =>
    withRules({ m: { up: { A: [late(okBody('slow'))] } }, n: { up: { C: [okBody('n')] } } }, async (rig) => {
      const answer = await rig.post({
        models: ['m', 'n'],
        messages: [{ role: 'user', content: 'hi' }],
        redundancy: HEDGE,
      });
      expect([text(answer), answer.headers['x-understudy-degraded']]).toEqual(['n', 'true']);
      expect(jsonOf(answer)['understudy']).toMatchObject({
        attempts: 2,
        served_model: 'n',
        failover: {
          attempts: [
            { model: 'm', status: 'cancelled' },
            { model: 'n', status: 'served' },
          ],
        },
      });
    }));
});

describe('no hedge', () => {
  it('D-8: off by default; none where the first token came in time', () =>
    withRules(routes(late(okBody('first'), 400), okBody('second')), async (rig) => {
      expect(text(await rig.ask('m'))).toBe('first');
      expect(text(await rig.ask('m', { redundancy: { hedge_after_ms: 10_000 } }))).toBe('first');
      expect(rig.called()).toEqual(['A:m', 'A:m']);
    }));

  it('D-8, T-9: a stream held until its end has shown its first token all the same', () => {
    const pieces = [role(), delta('one'), { wait_ms: 900 }, delta('two'), finish(), 'data: [DONE]\n\n'];
    return withRules(routes(sseStep(pieces as never), okStream('other')), async (rig) => {
      const answer = await rig.ask('m', { stream: true, redundancy: { hedge_after_ms: 300, commit: 'complete' } });
      expect(answer.text).toContain('two');
      expect(rig.called()).toEqual(['A:m']);
    });
  });

  it('D-8, D-10: none under strict without a key, none for what acts upstream (D-11)', () =>
    withRules(routes(late(okBody('first'), 700), okBody('second')), async (rig) => {
      expect(text(await rig.ask('m', { redundancy: { ...HEDGE, policy: 'strict' } }))).toBe('first');
      const searching = { web_search_options: {}, redundancy: HEDGE };
      expect(text(await rig.ask('m', searching))).toBe('first');
      expect(rig.called()).toEqual(['A:m', 'A:m']);
    }));

  it('D-4: a hedge is an attempt: max_attempts counts it', () =>
    withRules(routes(late(okBody('first'), 700), okBody('second')), async (rig) => {
      expect(text(await rig.ask('m', { redundancy: { ...HEDGE, max_attempts: 1 } }))).toBe('first');
      expect(rig.called()).toEqual(['A:m']);
    }));
});

describe('what a hedge holds', () => {
  it('P-4: permits of the one that lost go back: its target is free for the next request', () => {
    const limited = { a: 1 };
    const settings: RulesSettings = {};
    const spec = routes(late(okBody('slow')), okBody('fast'));
    const channels = (spec['m']!.channels as { up: string; more: object }[]).map((one) => ({
      ...one,
      more: { ...one.more, limits: { concurrent: limited.a } },
    }));
    return withRules(
      { ...spec, m: { ...spec['m']!, channels } },
      async (rig) => {
        for (let turn = 0; turn < 3; turn += 1) {
          expect(text(await rig.ask('m', { redundancy: HEDGE }))).toBe('fast');
        }
        expect(rig.called()).toEqual(['A:m', 'B:m', 'A:m', 'B:m', 'A:m', 'B:m']);
      },
      settings,
    );
  });

  it('G-4: a balance that pays for one call alone refuses the hedge and never the call that runs', () =>
    withRules(
      routes(late(okBody('first'), 700), okBody('second')),
      async (rig) => {
        // Worst case of one call: 1000 output tokens at 10 USD a million, and a little input.
        const answer = await rig.ask('m', { max_tokens: 1000, redundancy: HEDGE });
        expect([answer.status, text(answer)]).toEqual([200, 'first']);
        expect(shown(await rig.record(answer))).toEqual(['1 a0 served']);
      },
      { over: { workspaces: { main: { balance_usd: 0.005 } } } },
    ));
});
