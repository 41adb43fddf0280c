import { describe, expect, it } from 'vitest';
import type { Step } from '../../sim/index.ts';
import { chunk, DONE, finish, jsonStep, okBody, role, sseStep } from './answers.ts';
import { faultCase, fieldsOf, stepsOf } from './fault-case.ts';
import { contentOf, withRig } from './rig.ts';
import { expectWholeStream } from './stream-reader.ts';

const STREAM = { stream: true };

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
        unfit: { channels: ['A', { up: 'B', capabilities: { features: ['tools'] } }], up: { A: stepsOf(one, 'A') } },
      },
      async (rig) => {
        // B is declared without logprobs: it is passed over, and A's own error is the answer.
        const refused = await rig.ask('unfit', asked);
        expect(refused.status).toBe(503);
        expect(rig.who('unfit')).toBe('A');
        const trail = (await rig.record(refused)).candidates;
        expect(trail.map((one) => one.skip_reason)).toEqual([null, 'incapable']);
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
