import { describe, expect, it } from 'vitest';
import type { Step } from '../../sim/index.ts';
import { chunk, DONE, delta, errorStep, event, finish, jsonStep, okBody, okStream, role, sseStep } from './answers.ts';
import { faultCase, fieldsOf, stepAt, stepsOf } from './fault-case.ts';
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

describe.concurrent('error answers', () => {
  it('E-1 err-insufficient-quota-identity-kept: quota stays quota', async () => {
    const one = faultCase('err-insufficient-quota-identity-kept');
    const A = stepsOf(one, 'A');
    await withRig({ whole: { up: { A } }, stream: { up: { A } } }, async (rig) => {
      for (const [route, fields] of [
        ['whole', {}],
        ['stream', STREAM],
      ] as const) {
        const answer = await rig.ask(route, fields);
        expect([answer.status, errorOf(answer)['code']], route).toEqual([429, 'insufficient_quota']);
        expect(answer.headers['x-should-retry']).toBe('false');
      }
    });
  });

  it('F-3, E-1 err-gzip-error-body: compressed bodies are read, and never passed on as if they were not', async () => {
    const one = faultCase('err-gzip-error-body');
    const A = stepsOf(one, 'A');
    const packed = (encoding: string): Step => ({ random: { [encoding]: 1 } });
    await withRig(
      {
        m: { up: { A, B: stepsOf(one, 'B') } },
        alone: { up: { A } },
        gzip: { up: { A: [packed('gzip')] } },
        br: { up: { A: [packed('br')] } },
        deflate: { up: { A: [packed('deflate')] } },
        lying: { up: { A: [packed('lying-gzip')], B: [okBody('ok-b')] } },
        lyingError: {
          up: { A: [errorStep(503, { message: 'x' }, { 'content-encoding': 'gzip' })], B: [okBody('ok-b')] },
        },
      },
      async (rig) => {
        for (const headers of [{}, { 'accept-encoding': 'gzip, br' }] as Record<string, string>[]) {
          expect(contentOf(await rig.ask('m', {}, { headers }))).toBe('ok-b');
          const alone = await rig.ask('alone', {}, { headers });
          expect(alone.headers['content-encoding']).toBeUndefined();
          expect(alone.status).toBe(404);
          expect(errorOf(alone)['code']).toBe('model_not_found');
          for (const route of ['gzip', 'br', 'deflate']) {
            const answer = await rig.ask(route, {}, { headers });
            expect(answer.headers['content-encoding'], route).toBeUndefined();
            expect(contentOf(answer), route).toBeTypeOf('string');
            const stream = await rig.ask(route, STREAM, { headers });
            expect(readStream(stream).done, route).toBe(1);
          }
        }
        // A false header: read for what it is, or left for the sibling; never passed on.
        const lying = await rig.ask('lying');
        expect(contentOf(lying)).toBeTypeOf('string');
        expect(lying.headers['content-encoding']).toBeUndefined();
        expect(contentOf(await rig.ask('lyingError'))).toBe('ok-b');
        expect(rig.who('m')).toBe('A B B');
      },
    );
  });

  it('E-5 leak-upstream-401-echoes-key: no six characters of a secret leave the gateway', async () => {
    const secret = 'sk-test-AAAABBBBCCCC1234';
    const one = faultCase('leak-upstream-401-echoes-key');
    const channels = [{ up: 'A', keys: [secret] }];
    const full = `Your key ${secret} is wrong (Authorization: Bearer ${secret})`;
    const partial = 'Incorrect API key provided: sk-test-AAAA***1234.';
    const broken = (message: string) =>
      sseStep([role(), delta('x'), event({ error: { message, type: 'server_error' } })]);
    const routes = {
      given: { channels, up: { A: stepsOf(one, 'A') } },
      full: { channels, up: { A: [errorStep(401, { code: 'invalid_api_key', message: full })] } },
      bad: { channels, up: { A: [errorStep(400, { message: full, param: secret, type: 'invalid_request_error' })] } },
      down: { channels, up: { A: [errorStep(503, { message: full, code: secret })] } },
      early: { channels, up: { A: [sseStep([event({ error: { message: full } })])] } },
      mid: { channels, up: { A: [broken(full)] } },
      midPartial: { channels, up: { A: [broken(partial)] } },
      text: { channels, up: { A: [{ status: 500, headers: { 'content-type': 'text/plain' }, body: full }] } },
      last: { channels, up: { A: [errorStep(500, { message: full })] } },
    };
    await withRig(routes, async (rig) => {
      const pieces = Array.from({ length: secret.length - 5 }, (_, i) => secret.slice(i, i + 6));
      const leaks = (text: string): string[] => pieces.filter((piece) => text.includes(piece));
      const checked: [string, string][] = [];
      for (const route of Object.keys(routes)) {
        const answer = await rig.ask(route, route === 'early' || route.startsWith('mid') ? STREAM : {});
        if (route === 'given' || route === 'full') expect(answer.status, route).toBe(502);
        checked.push([route, answer.text + JSON.stringify(answer.headers)]);
        checked.push([`${route}: record`, JSON.stringify(await rig.record(answer))]);
      }
      const trail = await rig.ask('down', { models: ['down', 'last'] });
      checked.push(['trail', trail.text], ['trail: record', JSON.stringify(await rig.record(trail))]);
      expect(checked.filter(([, text]) => leaks(text).length > 0).map(([where, text]) => [where, leaks(text)])).toEqual(
        [],
      );
      expect(rig.calls('given')[0]?.credential).toBe(secret);
    });
  });
});

describe.concurrent('bodies and parameters', () => {
  it('F-2 replay-body-complete-on-second-attempt: every attempt sends the whole request', async () => {
    const one = faultCase('replay-body-complete-on-second-attempt');
    const B = stepsOf(one, 'B');
    const image = `data:image/png;base64,${'iVBORw0KGgo'.repeat(290_000)}`;
    const bodyFor = (route: string): Buffer =>
      Buffer.from(
        JSON.stringify({
          model: route,
          messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: image } }] }],
        }),
      );
    const parts = (body: Buffer, count: number): Buffer[] => {
      const size = Math.ceil(body.byteLength / count);
      return Array.from({ length: count }, (_, i) => body.subarray(i * size, (i + 1) * size));
    };
    await withRig(
      {
        chunked: { up: { A: stepsOf(one, 'A'), B } },
        slowly: { up: { A: stepsOf(one, 'A'), B } },
        reset: { up: { A: [{ chunks: [], end: 'rst' }], B } },
        early: { channels: ['C', 'B'], up: { B } },
        midway: { channels: ['C', 'B'], up: { B } },
      },
      async (rig) => {
        const check = (route: string, who: string): void => {
          const calls = rig.calls(route).filter((call) => call.who === 'B');
          expect(calls, route).toHaveLength(1);
          const [call] = calls;
          expect(JSON.parse(call?.body?.toString() ?? '{}').messages[0].content[0].image_url.url === image, route).toBe(
            true,
          );
          expect(call?.headers['content-length'], route).toBe(String(call?.bodyBytes));
          expect(rig.who(route), route).toBe(who);
        };
        for (const [route, count, writeGapMs] of [
          ['chunked', 50, undefined],
          ['slowly', 10, 30],
          ['reset', 3, undefined],
        ] as const) {
          const body = parts(bodyFor(route), count);
          const answer = await rig.ask(route, {}, { body, ...(writeGapMs === undefined ? {} : { writeGapMs }) });
          expect(contentOf(answer), route).toBe('ok-b');
          check(route, 'A B');
        }
        const [a, b] = rig.calls('chunked');
        expect(a?.bodyDigest).toBe(b?.bodyDigest);
        // C answers, or resets, while the request is still on its way: its model can not be read then.
        const C = rig.upstreams['C'];
        await C?.setScript({ models: { '*': [{ before_body: true, status: 503, times: 1 }] } });
        expect(contentOf(await rig.ask('early', {}, { body: bodyFor('early') }))).toBe('ok-b');
        check('early', 'B');
        await C?.setScript({ models: { '*': [{ before_body: true, socket: 'refused' }], other: [{}] } });
        expect(contentOf(await rig.ask('midway', {}, { body: bodyFor('midway') }))).toBe('ok-b');
        check('midway', 'B');
        expect(C?.calls).toHaveLength(2);
      },
    );
  });

  it('R-3, R-1 fid-model-name-after-fallback: the model that served, in both modes', async () => {
    const one = faultCase('fid-model-name-after-fallback');
    const A = stepsOf(one, 'A');
    await withRig(
      {
        m: { up: { A, B: stepsOf(one, 'B') } },
        w: { up: { A, B: [okBody('ok-b')] } },
        x: { up: { A } },
        y: { up: { B: stepsOf(one, 'B') } },
        z: { up: { B: [okBody('ok-z')] } },
      },
      async (rig) => {
        const streamed = await rig.ask('m', STREAM);
        expect(expectWholeStream(streamed, 'ok-b')).toMatchObject({ models: ['m'], ids: ['c-up-b'] });
        const whole = await rig.ask('w');
        expect(JSON.parse(whole.text).model).toBe('w');
        expect([streamed, whole].map((one) => one.headers['x-understudy-attempts'])).toEqual(['2', '2']);
        // Another model of the chain: the name, the header and the report say so, in both modes.
        const other = await rig.ask('x', { ...STREAM, models: ['x', 'y'] });
        const chunks = expectWholeStream(other, 'ok-b');
        expect(chunks.models).toEqual(['y']);
        expect(chunks.chunks.at(-1)).toMatchObject({ understudy: { served_model: 'y', degraded: true, attempts: 2 } });
        const body = JSON.parse((await rig.ask('x', { models: ['x', 'z'] })).text);
        expect(body).toMatchObject({ model: 'z', understudy: { served_model: 'z', failover: { occurred: true } } });
      },
    );
  });

  it('T-8 fid-tool-call-index-preserved: fragments keep their index', async () => {
    const one = faultCase('fid-tool-call-index-preserved');
    const fragment = (id: string | null, args: string) =>
      chunk({
        delta: {
          tool_calls: [
            id === null
              ? { index: 0, function: { arguments: args } }
              : { index: 0, id, type: 'function', function: { name: 'f', arguments: args } },
          ],
        },
      });
    const clashing = sseStep([
      role(),
      fragment('c1', '{"a":1}'),
      fragment('c2', '{"b":2}'),
      finish('tool_calls'),
      DONE,
    ]);
    const tools = { ...STREAM, tools: one.client_request.body['tools'] };
    await withRig({ m: { up: { A: stepsOf(one, 'A') } }, clash: { up: { A: [clashing] } } }, async (rig) => {
      const stream = expectWholeStream(await rig.ask('m', tools), '', 'tool_calls');
      const calls: { id: string; text: string }[] = [];
      const fragments = stream.chunks.flatMap((part) =>
        part.choices.flatMap((choice) => choice.delta.tool_calls ?? []),
      );
      for (const part of fragments) {
        calls[part.index] ??= { id: '', text: '' };
        const call = calls[part.index] as (typeof calls)[0];
        call.id += part.id ?? '';
        call.text += part.function?.arguments ?? '';
      }
      expect(calls).toEqual([
        { id: 'c1', text: '{"a":1}' },
        { id: 'c2', text: '{"b":2}' },
      ]);
      const clash = expectWholeStream(await rig.ask('clash', tools), '', 'tool_calls');
      const passed = clash.chunks.flatMap((part) => part.choices.flatMap((choice) => choice.delta.tool_calls ?? []));
      expect(passed.map((part) => [part.id, part.function?.arguments])).toEqual([
        ['c1', '{"a":1}'],
        ['c2', '{"b":2}'],
      ]);
    });
  });

  it('R-4, T-2 fid-logprobs-and-unsupported-params-on-fallback: nothing is dropped, nothing of A comes through', async () => {
    const one = faultCase('fid-logprobs-and-unsupported-params-on-fallback');
    const asked = { ...fieldsOf(one), x_unknown: { deep: [1, null, 'ü'] }, seed: 9007199254740991 };
    const scored = (content: string): Step => {
      const { body } = okBody(content) as { body: { choices: Record<string, unknown>[] } };
      const logprobs = { content: [{ token: content, logprob: -0.5, bytes: null, top_logprobs: [] }], refusal: null };
      return jsonStep(200, { ...body, choices: [{ ...body.choices[0], logprobs }] });
    };
    const half = JSON.stringify(scored('abandoned').body).slice(0, -10);
    const abandoned: Step = { status: 200, headers: { 'content-type': 'application/json' }, body: half, end: 'fin' };
    await withRig(
      {
        down: { up: { A: stepsOf(one, 'A'), B: [scored('ok-b')] } },
        half: { up: { A: [abandoned], B: [scored('ok-b')] } },
      },
      async (rig) => {
        for (const route of ['down', 'half']) {
          const answer = await rig.ask(route, asked);
          expect(JSON.parse(answer.text).choices[0].logprobs.content, route).toMatchObject([{ token: 'ok-b' }]);
          expect(answer.text, route).not.toContain('abandoned');
          expect(rig.who(route), route).toBe('A B');
          for (const call of rig.calls(route)) expect(JSON.parse(call.body?.toString() ?? '{}')).toMatchObject(asked);
        }
      },
    );
  });
});
