import { describe, expect, it } from 'vitest';
import { jsonStep, ok, okBody } from './answers.ts';
import { faultCase, stepAt, stepsOf } from './fault-case.ts';
import { errorOf } from './invariants.ts';
import { contentOf, withRig } from './rig.ts';
import { expectWholeStream } from './stream-reader.ts';

describe.concurrent('answers that are none', () => {
  it('F-5 ok200-empty-choices: no choices move on; null and blank content are answers', async () => {
    // Where the case says otherwise §4 decides: content null or blank with a finish reason is complete (F-5), and
    // when all are empty the code is upstream_malformed (E-1).
    const one = faultCase('ok200-empty-choices');
    const message = (content: unknown, more = {}, reason = 'stop') =>
      jsonStep(200, {
        id: 'r',
        object: 'chat.completion',
        created: 1,
        model: 'up-a',
        choices: [{ index: 0, message: { role: 'assistant', content, ...more }, finish_reason: reason }],
        usage: { prompt_tokens: 3, completion_tokens: 0, total_tokens: 3 },
      });
    const tool_calls = [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }];
    await withRig(
      {
        m: { up: { A: stepsOf(one, 'A'), B: stepsOf(one, 'B') } },
        none: { up: { A: stepsOf(one, 'A'), B: [stepAt(one, 0)] } },
        blank: { up: { A: [message('   ')], B: [okBody('ok-b')] } },
        nothing: { up: { A: [message(null)], B: [okBody('ok-b')] } },
        guarded: { up: { A: [message(null)], B: [okBody('ok-b')] } },
        calls: { up: { A: [message(null, { tool_calls }, 'tool_calls')], B: [okBody('ok-b')] } },
      },
      async (rig) => {
        expect(contentOf(await rig.ask('m'))).toBe('ok-b');
        expect(rig.who('m')).toBe('A B');
        const none = await rig.ask('none');
        expect([none.status, errorOf(none)['code']]).toEqual([502, 'upstream_malformed']);
        expect(contentOf(await rig.ask('blank'))).toBe('   ');
        expect(contentOf(await rig.ask('nothing'))).toBeNull();
        expect(rig.who('blank') + rig.who('nothing')).toBe('AA');
        expect(contentOf(await rig.ask('guarded', { redundancy: { on: ['empty'] } }))).toBe('ok-b');
        const calls = await rig.ask('calls', { redundancy: { on: ['empty'] } });
        expect(JSON.parse(calls.text).choices[0].message.tool_calls).toEqual(tool_calls);
        expect(rig.who('calls')).toBe('A');
      },
    );
  });

  it('F-5, E-1 ok200-html-page: a page under 200 is a failure, streaming or not', async () => {
    const one = faultCase('ok200-html-page');
    const page = stepsOf(one, 'A');
    const variants = [true, false];
    const routes = Object.fromEntries(
      variants.flatMap((stream) => [
        [`m-${stream}`, { up: { A: page, B: [ok('ok-b', stream)] } }],
        [`alone-${stream}`, { up: { A: page } }],
      ]),
    );
    await withRig({ ...routes, json: { up: { A: [okBody('whole')] } } }, async (rig) => {
      for (const stream of variants) {
        const answer = await rig.ask(`m-${stream}`, { stream });
        if (stream) expectWholeStream(answer, 'ok-b');
        else expect(contentOf(answer)).toBe('ok-b');
        expect(rig.who(`m-${stream}`)).toBe('A B');
        expect((await rig.record(answer)).attempts[0]).toMatchObject({ class: 'malformed', result: 'failed' });
        const failed = await rig.ask(`alone-${stream}`, { stream });
        expect([failed.status, errorOf(failed)['code']]).toEqual([502, 'upstream_malformed']);
        expect(failed.text).not.toContain('suspended</');
      }
      // A whole JSON answer to a stream request becomes a stream.
      expectWholeStream(await rig.ask('json', { stream: true }), 'whole');
    });
  });

  it('D-2 ok200-truncated-json: half an answer is none of it', async () => {
    const one = faultCase('ok200-truncated-json');
    const half = stepAt(one, 0);
    const huge = okBody('x'.repeat(200_000));
    await withRig(
      {
        length: { up: { A: [half], B: stepsOf(one, 'B') } },
        chunked: { up: { A: [{ ...half, headers: { 'content-type': 'application/json' } }], B: stepsOf(one, 'B') } },
        reset: { up: { A: [{ ...half, end: 'rst' }], B: stepsOf(one, 'B') } },
        whole: {
          up: { A: [{ ...half, headers: { 'content-type': 'application/json' }, end: 'clean' }], B: stepsOf(one, 'B') },
        },
        huge: { up: { A: [huge], B: stepsOf(one, 'B') } },
      },
      async (rig) => {
        for (const route of ['length', 'chunked', 'reset', 'whole', 'huge']) {
          const answer = await rig.ask(route);
          expect(contentOf(answer), route).toBe('ok-b');
          expect(answer.text, route).not.toContain('half');
          expect(rig.who(route), route).toBe('A B');
        }
      },
      { server: { max_answer_bytes: 100_000 } },
    );
  });
});
