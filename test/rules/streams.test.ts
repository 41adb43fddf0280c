/** Section 6 over the wire: its three timers, its endings, what is held and what is shown. */
import { describe, expect, it } from 'vitest';
import { chunk, DONE, delta, errorStep, event, finish, okBody, okStream, role, sseStep } from '../faults/answers.ts';
import { errorOf } from '../faults/invariants.ts';
import { until } from '../faults/rig.ts';
import { expectInterrupted, expectWholeStream, readStream } from '../faults/stream-reader.ts';
import { jsonOf, MESSAGES, withRules } from './rules-rig.ts';

const STREAM = { stream: true };
const DOWN = errorStep(503, { message: 'down' });
/** Headers and a role at once, the content late. */
const late = (ms: number) => sseStep([role(), { wait_ms: ms }, delta('late'), finish(), DONE]);

describe('timers', () => {
  it('T-3: an asked first-token timeout leaves a silent target, and applies at the last one too', async () => {
    const routes = { m: { up: { A: [late(5000)], B: [okStream('b')] } }, alone: { up: { A: [late(5000)] } } };
    await withRules(routes, async (rig) => {
      const redundancy = { first_token_timeout_ms: 500, retries: 0 };
      const moved = await rig.ask('m', { ...STREAM, redundancy });
      expectWholeStream(moved, 'b');
      expect((await rig.record(moved)).attempts[0]).toMatchObject({
        class: 'timeout',
        trigger: 'timeout',
        maybe_executed: true,
        result: 'failed',
      });
      const last = await rig.ask('alone', { ...STREAM, redundancy });
      expect([last.status, errorOf(last)['code']]).toEqual([504, 'upstream_timeout']);
    });
  });

  it('T-3: one that nobody asked for does not apply at the last target', async () => {
    const routes = { m: { up: { A: [late(600)], B: [late(600)] } } };
    await withRules(
      routes,
      async (rig) => {
        const answer = await rig.ask('m', STREAM);
        expectWholeStream(answer, 'late');
        expect(rig.called()).toEqual(['A:m', 'B:m']);
      },
      { redundancy: { first_token_timeout_ms: 200 } },
    );
  });

  it('T-3: a model that reasons has timeout_ms in its place', async () => {
    const routes = {
      thinker: { up: { A: [late(600)], B: [okStream('b')] }, capabilities: { features: ['reasoning'] } },
    };
    await withRules(
      routes,
      async (rig) => {
        expectWholeStream(await rig.ask('thinker', STREAM), 'late');
        expect(rig.called()).toEqual(['A:thinker']);
      },
      { redundancy: { first_token_timeout_ms: 200 } },
    );
  });

  it('T-3: an entry’s own beats the request’s', async () => {
    const routes = { a: { up: { A: [late(900)] } }, b: { up: { A: [okStream('b')] } } };
    await withRules(routes, async (rig) => {
      const redundancy = { first_token_timeout_ms: 500 };
      const patient = { model: 'a', first_token_timeout_ms: 5000 };
      const body = { messages: MESSAGES, ...STREAM, redundancy };
      expectWholeStream(await rig.post({ ...body, models: [patient, 'b'] }), 'late');
      expectWholeStream(await rig.post({ ...body, models: ['a', 'b'] }), 'b');
    });
  });

  it('T-3: it is no limit of whole answers, timeout_ms is: until their whole body', async () => {
    const slow = { ...okBody('slow'), delay_ms: 700 };
    await withRules({ m: { up: { A: [slow] } }, n: { up: { A: [{ ...slow, delay_ms: 3000 }] } } }, async (rig) => {
      const redundancy = { first_token_timeout_ms: 500, timeout_ms: 2000, retries: 0 };
      expect((await rig.ask('m', { redundancy })).status).toBe(200);
      const answer = await rig.ask('n', { redundancy });
      expect([answer.status, errorOf(answer)['code']]).toEqual([504, 'upstream_timeout']);
    });
  });

  it('T-3, D-4: neither timeout_ms nor deadline_ms cut a committed stream', async () => {
    const pieces = Array.from({ length: 5 }, (_, i) => [delta(String(i)), { wait_ms: 400 }]).flat();
    const long = sseStep([role(), ...pieces, finish(), DONE]);
    await withRules({ m: { up: { A: [long] } } }, async (rig) => {
      const answer = await rig.ask('m', { ...STREAM, redundancy: { timeout_ms: 1000, deadline_ms: 1000 } });
      expectWholeStream(answer, '01234');
      expect(answer.endedAt).toBeGreaterThan(1500);
    });
  });
});

describe('endings', () => {
  it('T-4: one event of exactly this shape, then the end', async () => {
    const cut = sseStep([role(), delta('half')], { end: 'fin' });
    await withRules({ m: { up: { A: [cut], B: [okStream('never')] } } }, async (rig) => {
      const answer = await rig.ask('m', STREAM);
      expectInterrupted(answer, 'half');
      const last = answer.text.trimEnd().split('\n\n').at(-1) ?? '';
      expect(last.startsWith('data: {"error":{')).toBe(true);
      const { error } = JSON.parse(last.slice('data: '.length)) as { error: Record<string, unknown> };
      expect(error).toEqual({
        message: expect.stringContaining('not complete'),
        type: 'upstream_error',
        code: 'stream_interrupted',
        param: null,
        request_id: answer.headers['x-request-id'],
      });
      expect(rig.called()).toEqual(['A:m']);
      const record = await rig.record(answer);
      expect(record).toMatchObject({
        ending: 'interrupted',
        status: 200,
        error_code: 'stream_interrupted',
        served_model: 'm',
      });
      expect(record.attempts).toMatchObject([
        { result: 'interrupted', decision: 'stop', class: 'server_error', maybe_executed: true },
      ]);
    });
  });

  it('T-4: the same after a failover, with nothing of the report', async () => {
    const routes = { a: { up: { A: [DOWN] } }, b: { up: { A: [sseStep([role(), delta('half')], { end: 'rst' })] } } };
    await withRules(routes, async (rig) => {
      const answer = await rig.post({ models: ['a', 'b'], messages: MESSAGES, ...STREAM });
      expectInterrupted(answer, 'half');
      expect(answer.headers['x-understudy-served-model']).toBe('b');
    });
  });

  it('T-4, F-6: a finish reason that says failure interrupts, and is not shown', async () => {
    const failed = sseStep([role(), delta('half'), finish('network_error'), DONE]);
    await withRules({ m: { up: { A: [failed] } } }, async (rig) => {
      const answer = await rig.ask('m', STREAM);
      expectInterrupted(answer, 'half');
      expect(answer.text).not.toContain('network_error"');
    });
  });

  it('T-2, F-6: before content it fails over', async () => {
    const failed = sseStep([role(), finish('error'), DONE]);
    await withRules({ m: { up: { A: [failed], B: [okStream('b')] } } }, async (rig) => {
      expectWholeStream(await rig.ask('m', STREAM), 'b');
    });
  });

  it('T-5: [DONE] without finish reason after content is relayed and suspicious', async () => {
    const odd = sseStep([role(), delta('all'), DONE]);
    await withRules({ m: { up: { A: [odd] } } }, async (rig) => {
      const answer = await rig.ask('m', STREAM);
      const stream = readStream(answer);
      expect([stream.content, stream.done, stream.errors]).toEqual(['all', 1, []]);
      expect((await rig.record(answer)).attempts[0]).toMatchObject({ result: 'served', suspicious: true });
    });
  });

  it('T-5: finish reason and end without [DONE]: complete, the terminator is added', async () => {
    const odd = sseStep([role(), delta('all'), finish()]);
    await withRules({ m: { up: { A: [odd] } } }, async (rig) => {
      expectWholeStream(await rig.ask('m', STREAM), 'all');
    });
  });

  it('T-5: an answer that is all there is not undone by a silence in place of its end', async () => {
    const mute = sseStep([role(), delta('all'), finish()], { end: 'hang' });
    await withRules(
      { m: { up: { A: [mute] } } },
      async (rig) => {
        expectWholeStream(await rig.ask('m', STREAM), 'all');
      },
      { redundancy: { idle_timeout_ms: 300 } },
    );
  });

  it('F-5: a whole JSON answer to a stream request becomes a stream, with the report where it belongs', async () => {
    const routes = { a: { up: { A: [DOWN] } }, b: { up: { A: [okBody('whole')] } } };
    await withRules(routes, async (rig) => {
      const answer = await rig.post({ models: ['a', 'b'], messages: MESSAGES, ...STREAM });
      const stream = expectWholeStream(answer, 'whole');
      expect(stream.chunks.at(-1)).toMatchObject({ understudy: { served_model: 'b' } });
    });
  });

  it('F-5: a refusal inside an answer is served, and moves on only if `on` names content_policy', async () => {
    const body = {
      id: 'r',
      object: 'chat.completion',
      created: 1,
      model: 'up',
      choices: [{ index: 0, message: { role: 'assistant', content: null, refusal: 'no' }, finish_reason: 'stop' }],
    };
    const refusal = { status: 200, headers: { 'content-type': 'application/json' }, body };
    const routes = { a: { up: { A: [refusal] } }, b: { up: { A: [okBody('b')] } } };
    await withRules(routes, async (rig) => {
      const served = await rig.post({ models: ['a', 'b'], messages: MESSAGES });
      expect(jsonOf(served)['model']).toBe('a');
      expect((await rig.record(served)).outcome).toBe('safety_refusal');
      const redundancy = { on: ['content_policy'] };
      const moved = await rig.post({ models: ['a', 'b'], messages: MESSAGES, redundancy });
      expect(jsonOf(moved)['model']).toBe('b');
      expect((await rig.record(moved)).attempts[0]).toMatchObject({ result: 'failed', class: 'content_policy' });
      const refused = await rig.post({ models: ['a'], messages: MESSAGES, redundancy });
      expect(refused.status).toBe(400);
      expect((await rig.record(refused)).outcome).toBe('safety_refusal');
    });
  });

  it('F-5: filtered without any answer is content_policy, ended as 400', async () => {
    const filtered = sseStep([role(), finish('content_filter'), DONE]);
    await withRules({ m: { up: { A: [filtered], B: [okStream('never')] } } }, async (rig) => {
      const answer = await rig.ask('m', STREAM);
      expect(answer.status).toBe(400);
      expect(rig.called()).toEqual(['A:m']);
      expect((await rig.record(answer)).outcome).toBe('safety_refusal');
    });
  });
});

describe('commit: complete', () => {
  const redundancy = { commit: 'complete', idle_timeout_ms: 1000, stall_timeout_ms: 1000, retries: 0 };

  it('T-9: a silence after content fails over unseen, within idle_timeout_ms', async () => {
    const silent = sseStep([role(), delta('half'), { wait_ms: 20_000 }], { end: 'hang' });
    await withRules({ m: { up: { A: [silent], B: [okStream('b')] } } }, async (rig) => {
      const answer = await rig.ask('m', { ...STREAM, redundancy });
      expectWholeStream(answer, 'b');
      expect(answer.endedAt).toBeLessThan(5000);
    });
  });

  it('T-9: so does a stall behind comments', async () => {
    const beats = sseStep([role(), delta('half'), { repeat: 100, wait_ms: 100, send: ': beat\n\n' }], { end: 'hang' });
    await withRules({ m: { up: { A: [beats], B: [okStream('b')] } } }, async (rig) => {
      const answer = await rig.ask('m', { ...STREAM, redundancy });
      expectWholeStream(answer, 'b');
      expect(answer.endedAt).toBeLessThan(5000);
    });
  });

  it('T-9: an error event after content fails over unseen', async () => {
    const failed = sseStep([role(), delta('half'), event({ error: { message: 'gone', code: 'server_error' } })]);
    await withRules({ m: { up: { A: [failed], B: [okStream('b')] } } }, async (rig) => {
      const answer = await rig.ask('m', { ...STREAM, redundancy });
      expectWholeStream(answer, 'b');
      expect(answer.text).not.toContain('half');
    });
  });

  it('T-9: nothing leaves before the end', async () => {
    const slow = sseStep([role(), delta('a'), { wait_ms: 500 }, delta('b'), finish(), DONE]);
    await withRules({ m: { up: { A: [slow] } } }, async (rig) => {
      const answer = await rig.ask('m', { ...STREAM, redundancy: { commit: 'complete' } });
      expectWholeStream(answer, 'ab');
      expect(answer.reads[0]!.at).toBeGreaterThan(450);
    });
  });
});

describe('the client leaves', () => {
  it('T-6: the call is aborted at once, recorded with the tokens seen, and nothing is retried', async () => {
    const slow = sseStep([role(), delta('a'), delta('b'), { wait_ms: 20_000 }], { end: 'hang' });
    await withRules({ m: { up: { A: [slow], B: [okStream('never')] } } }, async (rig) => {
      let leftAt = 0;
      await rig.ask('m', STREAM, {
        leaveWhen: (text) => {
          if (!text.includes('"b"')) return false;
          leftAt = Date.now();
          return true;
        },
      });
      await until(() => rig.aborted().length === 1, 'the upstream call closed');
      expect(rig.aborted()[0]! - leftAt, 'a wide guard: 100 ms on a quiet machine').toBeLessThan(1000);
      expect(rig.called()).toEqual(['A:m']);
      const [last] = await rig.gateway.records(1);
      expect(last).toMatchObject({
        ending: 'client_closed',
        status: 499,
        served_model: 'm',
        outcome: 'network_unknown',
      });
      expect(last?.usage).toMatchObject({ output_tokens: 2, estimated: true });
      expect(last?.ttft_ms).toBeTypeOf('number');
      const record = await rig.gateway.record(last!.id);
      expect(record.attempts).toMatchObject([
        {
          result: 'cancelled',
          class: 'client_closed',
          maybe_executed: true,
          usage: { output_tokens: 2, estimated: true },
        },
      ]);
    });
  });
});

describe('T-8', () => {
  it('T-8: repeated usage: the last one, once, to whom asked', async () => {
    const counted = (n: number) =>
      event({
        id: 'c-up',
        object: 'chat.completion.chunk',
        created: 1,
        model: 'up',
        choices: [],
        usage: { prompt_tokens: 3, completion_tokens: n, total_tokens: 3 + n },
      });
    const steps = [sseStep([role(), counted(1), delta('x'), counted(2), finish(), counted(3), DONE])];
    await withRules({ m: { up: { A: steps } } }, async (rig) => {
      const asked = readStream(await rig.ask('m', { ...STREAM, stream_options: { include_usage: true } }));
      const counts = asked.chunks.flatMap(({ usage }) => (usage == null ? [] : [usage['completion_tokens']]));
      expect(counts).toEqual([3]);
      const silent = await rig.ask('m', STREAM);
      expect(silent.text).not.toContain('usage');
      expect((await rig.record(silent)).usage).toMatchObject({ input_tokens: 3, output_tokens: 3 });
    });
  });

  it('T-8, R-3: an upstream’s error event is replaced, its words under our code', async () => {
    const failed = sseStep([role(), delta('half'), 'event: error\ndata: {"error":{"message":"boom","code":"x"}}\n\n']);
    await withRules({ m: { up: { A: [failed] } } }, async (rig) => {
      const answer = await rig.ask('m', STREAM);
      expectInterrupted(answer, 'half');
      expect(answer.text).not.toContain('event: error');
    });
  });

  it('T-1: filter preludes with empty choices, roles and empty deltas commit nothing', async () => {
    const prelude = event({ id: '', object: '', created: 0, model: '', choices: [], prompt_filter_results: [] });
    const quiet = sseStep([prelude, role(), chunk({ delta: {} }), chunk({ delta: { content: '' } })], { end: 'fin' });
    await withRules({ m: { up: { A: [quiet], B: [okStream('b')] } } }, async (rig) => {
      expectWholeStream(await rig.ask('m', STREAM), 'b');
    });
  });
});
