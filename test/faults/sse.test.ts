import { describe, expect, it } from 'vitest';
import type { Step } from '../../sim/index.ts';
import { chunk, DONE, delta, event, finish, okStream, role, sseStep } from './answers.ts';
import { faultCase, stepAt, stepsOf } from './fault-case.ts';
import { withRig } from './rig.ts';
import { expectInterrupted, expectWholeStream, readStream } from './stream-reader.ts';

const STREAM = { stream: true };

describe.concurrent('framing', () => {
  it('F-3 sse-utf8-split-across-reads: characters survive any read', async () => {
    const one = faultCase('sse-utf8-split-across-reads');
    await withRig({ m: { up: { A: stepsOf(one, 'A') } } }, async (rig) => {
      const answer = await rig.ask('m', STREAM);
      expectWholeStream(answer, '你好😀');
      expect(answer.body.includes(Buffer.from('\ufffd'))).toBe(false);
    });
  });

  it('F-3 sse-event-split-mid-json-and-two-per-read: the same events for every split', async () => {
    const one = faultCase('sse-event-split-mid-json-and-two-per-read');
    const given = stepAt(one, 0);
    const length = Buffer.concat((given.chunks ?? []).map((part) => Buffer.from(part as string))).byteLength;
    await withRig(
      {
        m: { up: { A: [{ ...given, split: 'each offset 1..len-1', times: length }] } },
        whole: { up: { A: [{ ...given, split: [] }] } },
      },
      async (rig) => {
        const expected = expectWholeStream(await rig.ask('whole', STREAM), 'alphabeta').data;
        const seen = new Set<string>();
        let left = length - 1;
        const worker = async (): Promise<void> => {
          while (left > 0) {
            left -= 1;
            seen.add(readStream(await rig.ask('m', STREAM)).data.join('\n'));
          }
        };
        await Promise.all(Array.from({ length: 16 }, worker));
        expect(rig.calls('m')).toHaveLength(length - 1);
        expect([...seen]).toEqual([expected.map((text) => text.replaceAll('"whole"', '"m"')).join('\n')]);
      },
    );
  });

  it('F-3, T-8 sse-crlf-and-cr: every line end ends an event at once', async () => {
    const one = faultCase('sse-crlf-and-cr');
    const usage = event({
      id: 'c-up-a',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'up-a',
      choices: [],
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    });
    const texts = (stepAt(one, 0).chunks ?? []).map((part) => String(part).replaceAll('\r\n', '\n'));
    const lines = [...texts.slice(0, 3), usage, ...texts.slice(3)];
    const ends: Record<string, (text: string, i: number) => string[]> = {
      crlf: (text) => [text.replaceAll('\n', '\r\n')],
      cr: (text) => [text.replaceAll('\n', '\r')],
      mixed: (text, i) => [text.replaceAll('\n', ['\r\n', '\r', '\n'][i % 3] ?? '\n')],
      parted: (text) => text.replaceAll('\n', '\r\n').split(/(?<=\r)/),
    };
    const paced = (write: (text: string, i: number) => string[]): Step =>
      sseStep(lines.flatMap((text, i) => [...(i > 0 ? [{ wait_ms: 250 }] : []), ...write(text, i)]));
    const failing = (write: (text: string, i: number) => string[]): Step =>
      sseStep(write('event: error\ndata: {"error":{"message":"High concurrency"}}\n\n', 1));
    await withRig(
      Object.fromEntries(
        Object.entries(ends).flatMap(([name, write]) => [
          [name, { up: { A: [paced(write)] } }],
          [`${name}-error`, { up: { A: [failing(write)], B: [okStream('ok-b')] } }],
        ]),
      ),
      async (rig) => {
        await Promise.all(
          Object.keys(ends).map(async (name) => {
            const answer = await rig.ask(name, { ...STREAM, stream_options: { include_usage: true } });
            const stream = expectWholeStream(answer, 'hi');
            expect(
              stream.chunks.filter((part) => part.usage),
              name,
            ).toHaveLength(1);
            const shown = answer.reads.findIndex((_, i) =>
              Buffer.concat(answer.reads.slice(0, i + 1).map((read) => read.bytes)).includes('"hi"'),
            );
            // Sent 250 ms after the start, with three more pauses behind it.
            expect(answer.endedAt - (answer.reads[shown]?.at ?? 0), name).toBeGreaterThan(500);
            expect((await rig.record(answer)).usage, name).toMatchObject({ input_tokens: 7, output_tokens: 3 });
            expectWholeStream(await rig.ask(`${name}-error`, STREAM), 'ok-b');
            expect(rig.who(`${name}-error`), name).toBe('A B');
          }),
        );
      },
    );
  });

  it('T-5 sse-last-event-without-blank-line: a whole tail counts, a half one is a cut', async () => {
    const one = faultCase('sse-last-event-without-blank-line');
    const given = stepAt(one, 0);
    const done = [...(given.chunks ?? []).slice(0, 2), finish(), 'data: [DONE]'];
    const half = [...(given.chunks ?? []).slice(0, 2), 'data: {"id":"c-up-a","choices":[{"index":0,"del'];
    await withRig(
      {
        m: { up: { A: [given] } },
        done: { up: { A: [{ ...given, chunks: done }] } },
        half: { up: { A: [{ ...given, chunks: half }] } },
        unended: { up: { A: [sseStep([role(), delta('hi'), finish()])] } },
      },
      async (rig) => {
        for (const route of ['m', 'done', 'unended']) {
          const answer = await rig.ask(route, STREAM);
          expectWholeStream(answer, 'hi');
          expect(answer.text, route).toMatch(/\n\ndata: \[DONE\]\n\n$/);
        }
        expectInterrupted(await rig.ask('half', STREAM), 'hi');
      },
    );
  });

  it('T-8, R-2 sse-usage-chunk-shapes: usage once to whom asked for it, and always to the record', async () => {
    const one = faultCase('sse-usage-chunk-shapes');
    const usage = {
      prompt_tokens: 287,
      completion_tokens: 8,
      total_tokens: 295,
      prompt_tokens_details: { cached_tokens: 256 },
    };
    const first = { ...usage, completion_tokens: 1, total_tokens: 288 };
    const shapes: Record<string, Step> = {
      given: stepAt(one, 0),
      'no choices': sseStep([
        role(),
        delta('hi'),
        finish(),
        event({ id: 'c-up', object: 'chat.completion.chunk', created: 1, model: 'up', choices: [], usage }),
        DONE,
      ]),
      'on finish': sseStep([role(), delta('hi'), chunk({ delta: {}, finish_reason: 'stop' }, { usage }), DONE]),
      'on every': sseStep([
        chunk({ delta: { role: 'assistant', content: '' } }, { usage: first }),
        chunk({ delta: { content: 'hi' } }, { usage: first }),
        chunk({ delta: {}, finish_reason: 'stop' }, { usage }),
        DONE,
      ]),
    };
    const name = (shape: string, wanted: boolean | undefined) => `${shape.replaceAll(' ', '-')}-${wanted}`;
    const variants = Object.keys(shapes).flatMap((shape) =>
      [true, false, undefined].map((wanted) => ({ shape, wanted })),
    );
    await withRig(
      Object.fromEntries(
        variants.map(({ shape, wanted }) => [name(shape, wanted), { up: { A: [shapes[shape] ?? {}] } }]),
      ),
      async (rig) => {
        for (const { shape, wanted } of variants) {
          const route = name(shape, wanted);
          const answer = await rig.ask(route, {
            ...STREAM,
            ...(wanted === undefined ? {} : { stream_options: { include_usage: wanted } }),
          });
          const stream = expectWholeStream(answer, 'hi');
          const told = stream.chunks.filter((part) => part.usage !== undefined && part.usage !== null);
          expect(
            told.map((part) => part.usage),
            route,
          ).toEqual(wanted === true ? [usage] : []);
          expect(
            stream.chunks.every((part) => Array.isArray(part.choices)),
            route,
          ).toBe(true);
          if (wanted !== true) expect(answer.text, route).not.toContain('"usage"');
          expect((await rig.record(answer)).usage, route).toMatchObject({
            input_tokens: 287,
            output_tokens: 8,
            cached_tokens: 256,
          });
        }
      },
    );
  });
});
