/** D-5 over the wire: an answer cut by its length is asked for once more, longer. */
import { describe, expect, it } from 'vitest';
import type { Step } from '../../sim/index.ts';
import { errorStep, jsonStep, okBody, okStream } from '../faults/answers.ts';
import type { RouteSpec } from '../faults/gateway-config.ts';
import { jsonOf, type RulesRig, withRules } from './rules-rig.ts';

const EXTEND = { on_truncated: 'extend' };
const PRICE = { input: 1, output: 10 };

/** A whole answer that says `content` and was cut by its length. */
function cut(content: string, output = 100): Step {
  return jsonStep(200, {
    id: 'r-cut',
    object: 'chat.completion',
    created: 1,
    model: 'up',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'length' }],
    usage: { prompt_tokens: 3, completion_tokens: output, total_tokens: 3 + output },
  });
}

function route(steps: readonly Step[], more: Record<string, unknown> = {}): Record<string, RouteSpec> {
  return { m: { channels: [{ up: 'A', more: { price: PRICE, ...more } }], up: { A: steps.map(once) } } };
}
const once = (step: Step): Step => ({ ...step, times: 1 });

const content = (answer: { text: string }): unknown =>
  (JSON.parse(answer.text) as { choices: { message: { content: string } }[] }).choices[0]?.message.content;
const limits = (rig: RulesRig) => rig.bodies().map((body) => body['max_tokens'] ?? body['max_completion_tokens']);

describe('on_truncated: extend', () => {
  it('D-5: asked once more at twice the output budget; the whole answer is served, the cut one is waste', () =>
    withRules(route([cut('a begin'), okBody('a beginning and an end')]), async (rig) => {
      const answer = await rig.ask('m', { max_tokens: 100, redundancy: EXTEND });
      expect([answer.status, content(answer)]).toEqual([200, 'a beginning and an end']);
      expect(limits(rig)).toEqual([100, 200]);
      expect(answer.headers['x-understudy-attempts']).toBe('2');
      const record = await rig.record(answer);
      expect(record.attempts.map(({ result, changes }) => [result, changes])).toEqual([
        ['cancelled', []],
        ['served', ['max_tokens 100 → 200']],
      ]);
      expect(record.attempts[0]).toMatchObject({ maybe_executed: false, cost_nano_usd: 1_003_000 });
      expect(record.attempts[0]!.reason).toContain('the whole answer, of attempt 2, is served instead');
      expect([record.waste_nano_usd, record.cost_nano_usd]).toEqual([1_003_000, 23_000]);
      // what was asked is not what was asked for to the letter.
      expect(jsonOf(answer)['understudy']).toMatchObject({
        degraded: true,
        degraded_reasons: ['request'],
        attempts: 2,
      });
    }));

  it('D-5: both cut: the longer is served, with what it changed; no third is asked for', () =>
    withRules(route([cut('short'), cut('rather longer'), okBody('never')]), async (rig) => {
      expect(content(await rig.ask('m', { max_tokens: 100, redundancy: EXTEND }))).toBe('rather longer');
      expect(rig.called()).toEqual(['A:m', 'A:m']);
    }));

  it('D-5: both cut, the first the longer: it is served as asked for, nothing degraded', () =>
    withRules(route([cut('rather longer'), cut('short')]), async (rig) => {
      const answer = await rig.ask('m', { max_tokens: 100, redundancy: EXTEND });
      expect([content(answer), answer.headers['x-understudy-degraded']]).toEqual(['rather longer', 'false']);
      expect((await rig.record(answer)).attempts.map(({ result }) => result)).toEqual(['served', 'cancelled']);
    }));

  it('D-5: a second call that fails leaves the first answer, which is served', () =>
    withRules(route([cut('all there is'), errorStep(500, { message: 'broken' })]), async (rig) => {
      const answer = await rig.ask('m', { max_tokens: 100, redundancy: EXTEND });
      expect([answer.status, content(answer)]).toEqual([200, 'all there is']);
      const record = await rig.record(answer);
      expect(record.attempts.map(({ result }) => result)).toEqual(['served', 'failed']);
      expect(record).toMatchObject({
        ending: 'served',
        outcome: 'success',
        cost_nano_usd: 1_003_000,
        waste_nano_usd: 0,
      });
    }));

  it('D-5: up to the model’s limit, and not where that is reached already', () =>
    withRules(route([cut('one'), okBody('two'), cut('three')], { max_output_tokens: 150 }), async (rig) => {
      await rig.ask('m', { max_tokens: 100, redundancy: EXTEND });
      expect(content(await rig.ask('m', { max_tokens: 150, redundancy: EXTEND }))).toBe('three');
      expect(limits(rig)).toEqual([100, 150, 150]);
    }));

  it('D-5: without a limit of the client’s, twice what the answer used', () =>
    withRules(route([cut('one', 64), okBody('two')]), async (rig) => {
      expect(content(await rig.ask('m', { redundancy: EXTEND }))).toBe('two');
      expect(limits(rig)).toEqual([undefined, 128]);
    }));

  it('R-4: an entry that caps the output is not extended beyond its cap', () =>
    withRules(route([cut('one'), okBody('two')]), async (rig) => {
      const models = [{ model: 'm', degrade: { max_output_tokens: 50 } }];
      const answer = await rig.post({
        models,
        messages: [{ role: 'user', content: 'hi' }],
        max_tokens: 100,
        redundancy: EXTEND,
      });
      expect(content(answer)).toBe('one');
      expect(limits(rig)).toEqual([50]);
    }));

  it('D-5: opt-in, and nothing for streams', () =>
    withRules(route([cut('one'), okStream('two')]), async (rig) => {
      expect(content(await rig.ask('m', { max_tokens: 100 }))).toBe('one');
      await rig.ask('m', { max_tokens: 100, stream: true, redundancy: EXTEND });
      expect(rig.called()).toHaveLength(2);
    }));

  it('D-4: attempts or money that forbid it: the first is served', () =>
    withRules(route([cut('one'), cut('two'), okBody('three')]), async (rig) => {
      const few = { max_tokens: 100, redundancy: { ...EXTEND, max_attempts: 1 } };
      expect(content(await rig.ask('m', few))).toBe('one');
      // The first may cost 0.001 USD and a little; the second twice that.
      const dear = { max_tokens: 100, redundancy: { ...EXTEND, max_cost_usd: 0.0025 } };
      expect(content(await rig.ask('m', dear))).toBe('two');
      expect(rig.called()).toHaveLength(2);
    }));

  it('G-4: the longer call is reserved for, and the workspace pays for what it was served alone', () =>
    withRules(
      route([cut('one'), okBody('two')]),
      async (rig) => {
        expect(content(await rig.ask('m', { max_tokens: 100, redundancy: EXTEND }))).toBe('two');
        const { balance } = jsonOf(await rig.get('/v1/key')) as { balance: { balance_usd: number } };
        expect(balance.balance_usd).toBeCloseTo(1 - 0.000023, 9);
      },
      { over: { workspaces: { main: { balance_usd: 1 } } } },
    ));

  it('P-4: a target that takes one call at a time takes the longer one after the first', () =>
    withRules(route([cut('one'), okBody('two')], { limits: { concurrent: 1 } }), async (rig) => {
      expect(content(await rig.ask('m', { max_tokens: 100, redundancy: EXTEND }))).toBe('two');
    }));

  it('D-11: what acts upstream is not made to act twice', () =>
    withRules(route([cut('one'), okBody('two')]), async (rig) => {
      const searching = { max_tokens: 100, web_search_options: {}, redundancy: EXTEND };
      expect(content(await rig.ask('m', searching))).toBe('one');
    }));
});
