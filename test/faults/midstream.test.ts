import { describe, expect, it } from 'vitest';
import type { Step } from '../../sim/index.ts';
import { event, okBody, okStream, role } from './answers.ts';
import { faultCase, fieldsOf, stepAt, stepsOf } from './fault-case.ts';
import { errorOf } from './invariants.ts';
import { contentOf, withRig } from './rig.ts';
import { expectInterrupted, expectWholeStream, readStream } from './stream-reader.ts';

const STREAM = { stream: true };

describe.concurrent('after the first content', () => {
  it('T-4, T-5 mid-cut-without-terminal: a cut is told, however it comes', async () => {
    const one = faultCase('mid-cut-without-terminal');
    const ends = ['clean', 'fin', 'rst'] as const;
    await withRig(
      Object.fromEntries(ends.map((end) => [end, { up: { A: [{ ...stepAt(one, 0), end }], B: [okStream('never')] } }])),
      async (rig) => {
        for (const end of ends) {
          const answer = await rig.ask(end, STREAM);
          expectInterrupted(answer, 'partial');
          expect(rig.who(end), end).toBe('A');
          const record = await rig.record(answer);
          expect(record, end).toMatchObject({ ending: 'interrupted', attempts: [{ result: 'interrupted' }] });
        }
      },
    );
  });

  it('T-5 mid-done-without-finish-reason: relayed as it is, and marked', () => {
    const one = faultCase('mid-done-without-finish-reason');
    return withRig({ m: { up: { A: stepsOf(one, 'A') } } }, async (rig) => {
      const answer = await rig.ask('m', STREAM);
      const stream = readStream(answer);
      expect([stream.content, stream.done, stream.finishes, stream.errors]).toEqual(['hel', 1, [], []]);
      expect((await rig.record(answer)).attempts[0]).toMatchObject({ suspicious: true, result: 'served' });
    });
  });

  it('T-4, T-3 mid-no-replay-after-visible-text: what was shown stands, and nothing is told twice', async () => {
    const one = faultCase('mid-no-replay-after-visible-text');
    const given = stepAt(one, 0);
    const variants: Record<string, Step> = {
      reset: given,
      silence: { ...given, end: 'hang' },
      error: {
        ...given,
        chunks: [...(given.chunks ?? []), event({ error: { message: 'boom', code: 500 } })],
        end: 'clean',
      },
      comments: {
        ...given,
        chunks: [...(given.chunks ?? []), { wait_ms: 200, repeat: 60, send: ': still here\n\n' }],
        end: 'hang',
      },
    };
    await withRig(
      {
        ...Object.fromEntries(
          Object.entries(variants).map(([name, A]) => [name, { up: { A: [A], B: [okStream('never')] } }]),
        ),
        healthy: { up: { A: [okBody('fine')] } },
      },
      async (rig) => {
        const names = Object.keys(variants);
        const answers = await Promise.all(names.map((name) => rig.ask(name, STREAM)));
        for (const [i, name] of names.entries()) {
          const answer = answers[i] as (typeof answers)[0];
          const stream = expectInterrupted(answer, 'one two ');
          expect(stream.errors[0]?.message, name).not.toMatch(/prefill/);
          expect(answer.endedAt, name).toBeLessThan(8000);
          expect(rig.who(name), name).toBe('A');
        }
        expect(contentOf(await rig.ask('healthy'))).toBe('fine');
      },
      { redundancy: { idle_timeout_ms: 1000, stall_timeout_ms: 2000 } },
    );
  });

  it('T-4, T-10 mid-error-event-merges-with-partial-event: half an event is never relayed', async () => {
    const one = faultCase('mid-error-event-merges-with-partial-event');
    const given = stepAt(one, 0);
    await withRig(
      { m: { up: { A: [given] } }, bytes: { up: { A: [{ ...given, split: 'every byte' }] } } },
      async (rig) => {
        for (const route of ['m', 'bytes']) {
          const stream = expectInterrupted(await rig.ask(route, STREAM), 'a');
          expect(stream.data, route).toHaveLength(3);
          expect(stream.data.join('')).not.toContain('hal');
        }
      },
    );
  });

  // The code is T-4's; the upstream's own words go to the record.
  it('T-5, F-1 mid-trailing-raw-json-error: a bare error behind the events is no text', async () => {
    const one = faultCase('mid-trailing-raw-json-error');
    const given = stepAt(one, 0);
    const raw = given.chunks?.at(-1) ?? '';
    await withRig(
      {
        m: { up: { A: [given] } },
        early: { up: { A: [{ ...given, chunks: [raw] }], B: [okStream('ok-b')] } },
        behind: { up: { A: [{ ...given, chunks: [role(), raw] }], B: [okStream('ok-b')] } },
      },
      async (rig) => {
        const answer = await rig.ask('m', STREAM);
        const stream = expectInterrupted(answer, 'part');
        expect(stream.data).toHaveLength(3);
        expect((await rig.record(answer)).attempts[0]?.provider_message).toContain('high demand');
        for (const route of ['early', 'behind']) {
          expectWholeStream(await rig.ask(route, STREAM), 'ok-b');
          expect(rig.who(route), route).toBe('A B');
        }
      },
    );
  });

  it('T-10 mid-malformed-event: the stream stops there, once', async () => {
    const one = faultCase('mid-malformed-event');
    await withRig(
      { m: { up: { A: stepsOf(one, 'A'), B: [okStream('never')] } }, fine: { up: { A: [okBody('fine')] } } },
      async (rig) => {
        const answer = await rig.ask('m', STREAM);
        const stream = expectInterrupted(answer, 'a');
        expect(stream.data).toHaveLength(3);
        expect(rig.who('m')).toBe('A');
        expect(await rig.record(answer)).toMatchObject({ ending: 'interrupted' });
        expect(contentOf(await rig.ask('fine'))).toBe('fine');
      },
    );
  });

  // T-10 decides: an event that can't be read ends the stream, here before content, so it fails over.
  it('T-10 mid-two-events-glued-on-one-line: glued events are one unreadable event', async () => {
    const one = faultCase('mid-two-events-glued-on-one-line');
    const A = stepsOf(one, 'A');
    await withRig({ alone: { up: { A } }, m: { up: { A, B: [okStream('ok-b')] } } }, async (rig) => {
      const alone = await rig.ask('alone', STREAM);
      expect([alone.status, errorOf(alone)['code']]).toEqual([502, 'upstream_malformed']);
      expectWholeStream(await rig.ask('m', STREAM), 'ok-b');
      expect(rig.who('m')).toBe('A B');
    });
  });

  it('T-1, T-4 mid-tool-call-arguments-cut: a named call is content, an unnamed one is not yet', async () => {
    const one = faultCase('mid-tool-call-arguments-cut');
    const given = stepAt(one, 0);
    await withRig(
      {
        m: { up: { A: [given], B: [okStream('never')] } },
        early: { up: { A: [{ ...given, chunks: (given.chunks ?? []).slice(0, 1) }], B: [okStream('ok-b')] } },
      },
      async (rig) => {
        const stream = expectInterrupted(await rig.ask('m', fieldsOf(one)), '');
        expect(
          stream.chunks.flatMap((part) => part.choices.flatMap((choice) => choice.delta.tool_calls ?? [])),
        ).toHaveLength(1);
        expect(rig.who('m')).toBe('A');
        expectWholeStream(await rig.ask('early', fieldsOf(one)), 'ok-b');
        expect(rig.who('early')).toBe('A B');
      },
    );
  });
});
