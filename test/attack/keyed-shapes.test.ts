/** Every way in which an answer may come about, under a key: told once, kept whole, replayed as it was. */
import { describe, expect, it } from 'vitest';
import type { Step } from '../../sim/index.ts';
import { DONE, delta, errorStep, finish, jsonStep, okBody, okStream, role, sseStep } from '../faults/answers.ts';
import { runsAlone } from '../faults/gateway.ts';
import type { RouteSpec } from '../faults/gateway-config.ts';
import { errorOf } from '../faults/invariants.ts';
import { until } from '../faults/rig.ts';
import { expectInterrupted, expectWholeStream, readStream } from '../faults/stream-reader.ts';
import { jsonOf, type RulesRig, withRules } from '../rules/rules-rig.ts';
import { attemptsOf, expectOrderly } from './keyed-audit.ts';

/** What asks a gateway for its parts, or needs it to know at once what another was told. */
const alone = it.runIf(runsAlone());
const key = (name = 'k') => ({ headers: { 'idempotency-key': name } });
const late = (step: Step, delay_ms: number): Step => ({ ...step, delay_ms });
const calls = (rig: RulesRig, count: number) => until(() => rig.called().length >= count, `${count} calls`);
const two = (a: readonly Step[], b: readonly Step[]): Record<string, RouteSpec> => ({ m: { up: { A: a, B: b } } });
const HEADERS = ['content-type', 'x-understudy-served-model', 'x-understudy-attempts', 'x-understudy-degraded'];

/** Asks twice at once and once more; the same answer thrice. */
async function askThrice(rig: RulesRig, fields: Record<string, unknown>, path = '/v1/chat/completions') {
  const first = rig.ask('m', fields, { ...key(), path });
  await calls(rig, 1);
  const [leader, joiner] = await Promise.all([first, rig.ask('m', fields, { ...key(), path })]);
  const before = rig.called().length;
  const replay = await rig.ask('m', fields, { ...key(), path });
  expect(replay.headers['idempotent-replayed']).toBe('true');
  expect([joiner.status, replay.status]).toEqual([leader.status, leader.status]);
  expect(joiner.text).toBe(leader.text);
  expect(replay.text).toBe(leader.text);
  for (const name of HEADERS) {
    expect([name, joiner.headers[name]]).toEqual([name, leader.headers[name]]);
    expect([name, replay.headers[name]]).toEqual([name, leader.headers[name]]);
  }
  expect(rig.called()).toHaveLength(before);
  return leader;
}

describe('I-2, I-4, D-8: hedged', () => {
  it.each([false, true])('I-3: one of two live attempts is the success, the other is closed (stream: %s)', (stream) => {
    const ok = (text: string): Step => (stream ? okStream(text) : okBody(text));
    return withRules(two([late(ok('slow'), 20_000)], [late(ok('fast'), 200)]), async (rig) => {
      const answer = await askThrice(rig, { stream, redundancy: { hedge_after_ms: 100 } });
      expect(answer.text).toContain('fast');
      const [kept] = await expectOrderly(rig);
      expect(attemptsOf(kept!)).toEqual(['1 cancelled maybe', '2 served']);
      expect(kept!.row).toMatchObject({ state: 'succeeded', attempts: 2, maybeExecuted: true });
    });
  });

  alone('I-7: a hedge that came too late to be sent costs the key nothing, and its number goes to the next', () =>
    withRules(
      two([late(errorStep(503, { message: 'down' }), 300)], [errorStep(503, { message: 'down too' })]),
      async (rig) => {
        const { store } = rig.gateway.inside.keyed;
        const start = store.startAttempt.bind(store);
        const numbers: string[] = [];
        store.startAttempt = async (attempt) => {
          numbers.push(`${attempt.no} ${attempt.target}`);
          await start(attempt);
          // The disk takes so long over the first one's hedge that its rival has failed meanwhile.
          if (numbers.length === 2) await new Promise((resolve) => setTimeout(resolve, 500));
        };
        await rig.ask('m', { redundancy: { hedge_after_ms: 100 } }, key());
        const [kept] = await expectOrderly(rig);
        expect(kept!.row.attempts).toBe(rig.called().length);
        expect(kept!.attempts).toHaveLength(rig.called().length);
        expect(numbers.length).toBeGreaterThan(1);
      },
    ),
  );

  alone(
    'I-7: hedges count in the key’s lifetime, and the last one allowed ends with a budget, not with a lost round',
    () => {
      const down = late(errorStep(503, { message: 'down' }), 300);
      const settings = { over: { idempotency: { max_attempts_per_key: 3 } } };
      return withRules(
        two([down], [down]),
        async (rig) => {
          const fields = { redundancy: { hedge_after_ms: 100 } };
          const codes = [];
          for (let round = 0; round < 3; round += 1) codes.push(errorOf(await rig.ask('m', fields, key()))['code']);
          expect(codes.slice(1)).toEqual(['retry_exhausted', 'key_attempts_exhausted']);
          expect(rig.called()).toHaveLength(3);
          const [kept] = await expectOrderly(rig);
          expect(kept!.row).toMatchObject({ attempts: 3, state: 'failed_retry_exhausted' });
        },
        settings,
      );
    },
  );
});

describe('I-3, D-5: asked for once more', () => {
  const cut = (content: string): Step =>
    jsonStep(200, {
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'up',
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'length' }],
      usage: { prompt_tokens: 3, completion_tokens: 9, total_tokens: 12 },
    });
  const fields = { max_tokens: 10, redundancy: { on_truncated: 'extend' } };

  it.each([
    ['the second is served', okBody('a longer one'), 'a longer one', ['1 cancelled maybe', '2 served']],
    ['the first is the longer', cut('x'), 'the first', ['1 served', '2 cancelled maybe']],
    ['the second fails', errorStep(500, { message: 'down' }), 'the first', ['1 served', '2 failed']],
  ] as const)('I-3: one success, the other attempt closed: %s', (_name, second, said, attempts) =>
    withRules({ m: { up: { A: [{ ...late(cut('the first'), 100), times: 1 }, second] } } }, async (rig) => {
      const answer = await askThrice(rig, fields);
      expect(answer.text).toContain(said);
      const [kept] = await expectOrderly(rig);
      expect(attemptsOf(kept!).map((one) => one.replace(' maybe', ''))).toEqual(
        attempts.map((one) => one.replace(' maybe', '')),
      );
    }),
  );
});

describe('I-4, I-6: streams of all kinds', () => {
  it('T-9: commit complete: a cut is unseen, the second answer is the success', () => {
    const broken = sseStep([role(), delta('half'), { wait_ms: 150 }, delta(' of it')], { end: 'rst' });
    return withRules(two([broken], [late(okStream('who', 'le'), 100)]), async (rig) => {
      const answer = await askThrice(rig, { stream: true, redundancy: { commit: 'complete' } });
      expectWholeStream(answer, 'whole');
      expect(attemptsOf((await expectOrderly(rig))[0]!)[1]).toBe('2 served');
    });
  });

  it('F-5: a whole answer to a stream request is one stream for all', () =>
    withRules({ m: { up: { A: [late(okBody('as a stream'), 150)] } } }, async (rig) => {
      expectWholeStream(await askThrice(rig, { stream: true }), 'as a stream');
      await expectOrderly(rig);
    }));

  it('I-4: the classic endpoint, whole and as a stream', () =>
    withRules({ m: { up: { A: [late(okBody('whole'), 150)] } } }, async (rig) => {
      const answer = await askThrice(rig, {}, '/chat/completions');
      expect(jsonOf(answer)).toMatchObject({ success: true, metadata: { served_model: 'm' } });
      await expectOrderly(rig);
    }));

  it('T-11, I-4: keep-alives are each reader’s own, and no part of the answer', () =>
    withRules(
      { m: { up: { A: [late(okStream('after a while'), 400)] } } },
      async (rig) => {
        const first = rig.ask('m', { stream: true }, key());
        await calls(rig, 1);
        const [leader, joiner] = await Promise.all([first, rig.ask('m', { stream: true }, key())]);
        const replay = await rig.ask('m', { stream: true }, key());
        expect(readStream(leader).comments.length).toBeGreaterThan(0);
        expect(readStream(joiner).comments.length).toBeGreaterThan(0);
        expect(readStream(replay).comments).toEqual([]);
        expect(readStream(replay).data).toEqual(readStream(leader).data);
        expect(readStream(joiner).data).toEqual(readStream(leader).data);
        // What headers could not tell, the report does (T-11); a replay has both.
        expect(leader.headers['x-understudy-served-model']).toBeUndefined();
        expect(replay.headers['x-understudy-served-model']).toBe('m');
        expect(replay.text).toContain('"served_model":"m"');
        await expectOrderly(rig);
      },
      { streaming: { keep_alive_after_ms: 100, keep_alive_every_ms: 100 } },
    ));

  it('T-11: a failure after keep-alives is one event for each, by its own id, and nothing is kept', () =>
    withRules(
      { m: { up: { A: [late(errorStep(503, { message: 'down' }), 400), okStream('now')] } } },
      async (rig) => {
        const first = rig.ask('m', { stream: true }, key());
        await calls(rig, 1);
        for (const got of await Promise.all([first, rig.ask('m', { stream: true }, key())])) {
          const { errors, done } = readStream(got);
          expect([got.status, errors.length, done]).toEqual([200, 1, 0]);
          expect(got.text).toContain(String(got.headers['x-request-id']));
        }
        expectWholeStream(await rig.ask('m', { stream: true }, key()), 'now');
        await expectOrderly(rig);
      },
      { streaming: { keep_alive_after_ms: 100, keep_alive_every_ms: 100 } },
    ));

  it.each([
    ['an error event', [role(), delta('a'), 'data: {"error":{"message":"overloaded","code":503}}\n\n']],
    ['garbage', [role(), delta('a'), 'data: {nonsense\n\n']],
    ['a finish reason that is a failure', [role(), delta('a'), finish('error'), DONE]],
    ['no end at all', [role(), delta('a')]],
    ['[DONE] without a finish reason', [role(), delta('a'), DONE]],
  ])('I-9, T-4: %s in the middle is a success for nobody', (_name, chunks) =>
    withRules({ m: { up: { A: [sseStep(chunks), okStream('whole')] } } }, async (rig) => {
      expectInterrupted(await rig.ask('m', { stream: true }, key()), 'a');
      const [failed] = await expectOrderly(rig);
      expect([failed!.row.state, failed!.answer.kind]).toEqual(['failed', 'none']);
      const again = await rig.ask('m', { stream: true }, key());
      expectWholeStream(again, 'whole');
      expect(again.headers['idempotent-replayed']).toBeUndefined();
      await expectOrderly(rig);
    }),
  );

  it('I-9, F-5: a refusal, a filter and a cut by length are answers, and stay what they were', () =>
    withRules(
      { m: { up: { A: [sseStep([role(), delta('par'), { wait_ms: 150 }, delta('t'), finish('length'), DONE])] } } },
      async (rig) => {
        const answer = await askThrice(rig, { stream: true });
        expect(readStream(answer)).toMatchObject({ content: 'part', finishes: ['length'], done: 1 });
        await expectOrderly(rig);
      },
    ));
});

describe('I-4: what cannot be kept', () => {
  it('I-4: a stream past 32 MiB is delivered whole to all who wait, and told to those who come later', () => {
    const piece = 'x'.repeat(1_000_000);
    const stream = okStream(...Array.from({ length: 36 }, () => piece));
    return withRules({ m: { up: { A: [late(stream, 200)] } } }, async (rig) => {
      const first = rig.ask('m', { stream: true }, key());
      await calls(rig, 1);
      const answers = await Promise.all([first, rig.ask('m', { stream: true }, key())]);
      expect(answers[1].body.equals(answers[0].body)).toBe(true);
      expect([answers[0].text.endsWith('data: [DONE]\n\n'), answers[0].body.length > 36_000_000]).toEqual([true, true]);
      const again = await rig.ask('m', { stream: true }, key());
      expect([again.status, errorOf(again)['code'], again.headers['x-should-retry']]).toEqual([
        409,
        'result_not_stored',
        'false',
      ]);
      expect(rig.called()).toHaveLength(1);
      await expectOrderly(rig);
    });
  });
});
