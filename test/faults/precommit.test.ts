import { describe, expect, it } from 'vitest';
import type { Step } from '../../sim/index.ts';
import { chunk, DONE, delta, event, finish, okBody, okStream, role, sseStep } from './answers.ts';
import { faultCase, stepAt, stepsOf } from './fault-case.ts';
import { errorOf } from './invariants.ts';
import { contentOf, until, withRig } from './rig.ts';
import { expectWholeStream, readStream } from './stream-reader.ts';

const STREAM = { stream: true };

describe.concurrent('before the first content', () => {
  it('T-1, T-2 pre-first-event-is-error-under-200: the first event with meaning decides', async () => {
    const one = faultCase('pre-first-event-is-error-under-200');
    const B = stepsOf(one, 'B');
    const given = stepAt(one, 0);
    const error = 'data: {"error":{"code":"1302","message":"High concurrency"}}\n\n';
    const routes = {
      given: [given],
      nameless: [sseStep([error, DONE])],
      behind: [sseStep([': one moment\n\n', '\n\n', ': still\n\n', role(), error])],
      split: [{ ...given, split: 'every byte' as const }],
      only: [sseStep([error])],
      crlf: [sseStep([error.replaceAll('\n', '\r\n')])],
    };
    await withRig(
      Object.fromEntries(Object.entries(routes).map(([name, A]) => [name, { up: { A, B } }])),
      async (rig) => {
        for (const route of Object.keys(routes)) {
          const answer = await rig.ask(route, STREAM);
          expectWholeStream(answer, 'ok-b');
          expect(answer.text, route).not.toContain('1302');
          expect(rig.who(route), route).toBe('A B');
          expect((await rig.record(answer)).attempts[0], route).toMatchObject({ result: 'failed' });
        }
      },
    );
  });

  it('F-5 pre-buffered-prelude-flushed-on-clean-end: an empty answer is whole', async () => {
    const one = faultCase('pre-buffered-prelude-flushed-on-clean-end');
    await withRig({ m: { up: { A: stepsOf(one, 'A') } } }, async (rig) => {
      const plain = expectWholeStream(await rig.ask('m', STREAM), '');
      expect(plain.data).toHaveLength(3);
      const counted = expectWholeStream(await rig.ask('m', { ...STREAM, stream_options: { include_usage: true } }), '');
      expect(counted.chunks.filter((one) => one.usage)).toHaveLength(1);
    });
  });

  it('T-2, E-1 pre-fallback-also-fails-before-content: the rule holds for every attempt', async () => {
    const one = faultCase('pre-fallback-also-fails-before-content');
    await withRig({ m: { up: { A: stepsOf(one, 'A'), B: stepsOf(one, 'B') } } }, async (rig) => {
      const answer = await rig.ask('m', STREAM);
      expect([503, 529]).toContain(answer.status);
      expect(errorOf(answer)['message']).toContain('overloaded too');
      expect(answer.text).not.toContain('data:');
      expect(rig.who('m')).toBe('A B');
    });
  });

  it('T-2 pre-attempt-state-leaks-into-next-attempt: nothing of A touches B', async () => {
    const one = faultCase('pre-attempt-state-leaks-into-next-attempt');
    const B = stepsOf(one, 'B');
    const variants: Record<string, Step> = {
      error: stepAt(one, 0),
      silence: sseStep([role()], { end: 'hang' }),
      reset: sseStep([role()], { end: 'rst' }),
      half: sseStep([role(), 'data: {"id":"c","choices":[{"index":0,"delta":{"content":"ha'], { end: 'fin' }),
      character: sseStep([Buffer.concat([Buffer.from('data: {"x":"'), Buffer.from([0xe4, 0xbd])])], { end: 'rst' }),
    };
    await withRig(
      Object.fromEntries(Object.entries(variants).map(([name, A]) => [name, { up: { A: [A], B } }])),
      async (rig) => {
        const names = Object.keys(variants);
        const answers = await Promise.all(names.map((name) => rig.ask(name, STREAM)));
        for (const [i, answer] of answers.entries()) {
          expectWholeStream(answer, 'onetwo');
          expect(rig.who(names[i] ?? ''), names[i]).toBe('A B');
        }
      },
      { redundancy: { first_token_timeout_ms: 1000 } },
    );
  });

  it('T-3, T-8 pre-comments-are-not-tokens: a beating heart is no answer', async () => {
    const one = faultCase('pre-comments-are-not-tokens');
    const B = stepsOf(one, 'B');
    const beats: Record<string, string> = {
      comment: ': PROCESSING\n\n',
      ping: 'event: ping\ndata: {"type":"ping"}\n\n',
      bare: 'data:\n\n',
      empty: chunk({ delta: { content: '' } }),
      role: role(),
      nochoices: event({ id: 'c-up', object: 'chat.completion.chunk', created: 1, model: 'up', choices: [] }),
    };
    const beating = (send: string) => sseStep([send, { wait_ms: 100, repeat: 60, send }], { end: 'hang' });
    await withRig(
      {
        given: { up: { A: stepsOf(one, 'A'), B } },
        ...Object.fromEntries(Object.entries(beats).map(([name, send]) => [name, { up: { A: [beating(send)], B } }])),
        // At the last target the beats may go on, and the answer comes behind them unharmed.
        alive: {
          up: {
            A: [
              sseStep([
                beats['comment'] ?? '',
                beats['ping'] ?? '',
                beats['bare'] ?? '',
                role(),
                delta('x'),
                finish(),
                DONE,
              ]),
            ],
          },
        },
      },
      async (rig) => {
        const names = ['given', ...Object.keys(beats)];
        const answers = await Promise.all(names.map((name) => rig.ask(name, STREAM)));
        for (const [i, name] of names.entries()) {
          expectWholeStream(answers[i] as (typeof answers)[0], 'ok-b');
          expect(rig.who(name), name).toBe('A B');
          const lost = rig.calls(name)[0];
          await until(() => lost?.closedByPeerAt !== null, `${name}: A is aborted`);
          expect((lost?.closedByPeerAt ?? 0) - (lost?.at ?? 0), name).toBeGreaterThan(200);
          expect((lost?.closedByPeerAt ?? 0) - (lost?.at ?? 0), name).toBeLessThan(4000);
        }
        expectWholeStream(await rig.ask('alive', STREAM), 'x');
      },
      { redundancy: { first_token_timeout_ms: 800 } },
    );
  });

  it('T-11 pre-own-heartbeat-must-not-disable-failover: comments commit the 200, not the target', async () => {
    const one = faultCase('pre-own-heartbeat-must-not-disable-failover');
    const silent: Step = { socket: 'accept_then_silence' };
    await withRig(
      { m: { up: { A: stepsOf(one, 'A'), B: stepsOf(one, 'B') } }, dead: { up: { A: [silent], B: [silent] } } },
      async (rig) => {
        const answer = await rig.ask('m', STREAM);
        const stream = expectWholeStream(answer, 'ok-b');
        expect(stream.comments.length).toBeGreaterThan(1);
        expect(answer.text.slice(0, answer.text.indexOf('data:')).replaceAll(/: .*\n\n/g, '')).toBe('');
        expect(rig.who('m')).toBe('A B');
        expect(answer.headers['x-understudy-served-model']).toBeUndefined();

        const dead = await rig.ask('dead', STREAM);
        expect(dead.status).toBe(200);
        const told = readStream(dead);
        expect(told.errors).toHaveLength(1);
        expect([told.done, told.chunks.length, rig.who('dead')]).toEqual([0, 0, 'A B']);
      },
      {
        redundancy: { first_token_timeout_ms: 900 },
        streaming: { keep_alive_after_ms: 100, keep_alive_every_ms: 100 },
      },
    );
  });

  // Reasoning commits a stream (T-1); a complete answer without content moves on only under `on: empty` (F-5).
  it('F-5, D-12 pre-reasoning-without-answer: thoughts alone', async () => {
    const one = faultCase('pre-reasoning-without-answer');
    const stop = stepAt(one, 0);
    const length = { ...stop, body: JSON.parse(JSON.stringify(stop.body).replace('"stop"', '"length"')) };
    const thinking = (reason: string) =>
      sseStep([role(), chunk({ delta: { reasoning_content: 'long thoughts' } }), finish(reason), DONE]);
    const hollow = sseStep([role(), finish('stop'), DONE]);
    await withRig(
      {
        stop: { up: { A: [stop], B: [okBody('ok-b')] } },
        length: { up: { A: [length], B: [okBody('ok-b')] } },
        'stop-s': { up: { A: [thinking('stop')], B: [okStream('ok-b')] } },
        'length-s': { up: { A: [thinking('length')], B: [okStream('ok-b')] } },
        'hollow-s': { up: { A: [hollow], B: [okStream('ok-b')] } },
      },
      async (rig) => {
        const guard = { redundancy: { on: ['empty'] } };
        for (const [route, reason] of [
          ['stop', 'stop'],
          ['length', 'length'],
        ] as const) {
          const whole = JSON.parse((await rig.ask(route)).text);
          expect(whole.choices[0], route).toMatchObject({
            finish_reason: reason,
            message: { content: '', reasoning_content: 'long thoughts' },
          });
          expect(whole.usage.completion_tokens, route).toBe(199);
          expect(rig.who(route)).toBe('A');
          const stream = expectWholeStream(await rig.ask(`${route}-s`, { ...STREAM, ...guard }), '', reason);
          expect(stream.chunks.some((part) => part.choices[0]?.delta.reasoning_content === 'long thoughts')).toBe(true);
          expect(rig.who(`${route}-s`)).toBe('A');
        }
        expect(contentOf(await rig.ask('stop', guard))).toBe('ok-b');
        expectWholeStream(await rig.ask('hollow-s', { ...STREAM, ...guard }), 'ok-b');
        expect([rig.who('stop'), rig.who('hollow-s')]).toEqual(['A A B', 'A B']);
      },
    );
  });

  it('T-2, D-9 conn-reset-after-headers-before-content: a lost body is a lost call', async () => {
    const one = faultCase('conn-reset-after-headers-before-content');
    const lost = stepAt(one, 0);
    await withRig(
      {
        m: { up: { A: [lost], B: stepsOf(one, 'B') } },
        alone: { up: { A: [lost, okStream('ok-a')] } },
      },
      async (rig) => {
        expectWholeStream(await rig.ask('m', STREAM), 'ok-b');
        expect(rig.who('m')).toBe('A B');
        expectWholeStream(await rig.ask('alone', { ...STREAM, redundancy: { retries: 1 } }), 'ok-a');
        expect(rig.who('alone')).toBe('A A');
      },
    );
  });

  it('D-9, F-2 conn-reset-after-headers-before-content: a reset on a reused connection is no licence to send again', () =>
    withRig(
      { m: { up: { A: [{ socket: 'rst_on_reuse_before_response' }, okBody('second')], B: [okBody('ok-b')] } } },
      async (rig) => {
        expect((await rig.ask('m')).headers['x-understudy-attempts']).toBe('1');
        const struck = await rig.ask('m');
        expect(contentOf(struck)).toBe('ok-b');
        expect(struck.headers['x-understudy-attempts']).toBe('2');
        expect(rig.who('m')).toBe('A A B');
        expect((await rig.record(struck)).attempts[0]).toMatchObject({
          class: 'connection_error',
          maybe_executed: true,
        });
      },
    ));
});
