/** The page, fourth part, row by row: the cases in which nobody else is tried. */
import { APIError } from 'openai';
import { describe, expect, it } from 'vitest';
import type { Step } from '../../../sim/index.ts';
import { delta, errorStep, event, okStream, role, sseStep } from '../../faults/answers.ts';
import { errorOf } from '../../faults/invariants.ts';
import { expectInterrupted, expectWholeStream } from '../../faults/stream-reader.ts';
import { ALL, DOWN, FINE, HI, LIMITED, refusal, withPage } from './page.ts';

const fine = { a: [FINE], b: [FINE] };
const down = { a: [DOWN], b: [DOWN] };

describe('a stream that has begun', () => {
  const begun = (more: Step): Step => sseStep([role(), delta('so '), delta('far ')], more);
  const broken: [string, Step][] = [
    ['is cut', begun({ end: 'rst' })],
    ['falls silent', begun({ end: 'hang' })],
    ['tells of an error', sseStep([role(), delta('so '), delta('far '), event({ error: { message: 'boom' } })])],
  ];
  const redundancy = { idle_timeout_ms: 1000, policy: 'permissive' };

  it.each(broken)('T-4: that %s stays on its channel: an error event, and the end', async (_how, step) => {
    const world = { models: { m: { a: [step], b: [okStream('never')] } }, last: [okStream('never')] };
    await withPage(world, async (page) => {
      const answer = await page.ask('m', { stream: true, redundancy });
      expectInterrupted(answer, 'so far ');
      expect(page.tried()).toEqual(['m/a-own1']);
      expect(await page.record(answer)).toMatchObject({ status: 200, ending: 'interrupted', served_model: 'm' });
    });
  });

  it('T-4: the official client raises it as an error and does not repeat the call', async () => {
    await withPage({ models: { m: { a: [begun({ end: 'fin' })], b: [okStream('never')] } } }, async (page) => {
      const { openai, statuses } = page.client(3);
      let text = '';
      const reading = async (): Promise<void> => {
        for await (const part of await openai.chat.completions.create({ model: 'm', messages: HI, stream: true })) {
          text += part.choices[0]?.delta.content ?? '';
        }
      };
      const error = await reading().then(
        () => null,
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(APIError);
      expect([(error as APIError).code, text]).toEqual(['stream_interrupted', 'so far ']);
      expect([statuses, page.tried()]).toEqual([[200], ['m/a-own1']]);
    });
  });

  it('T-9: unless the request has the whole stream held until it is complete', async () => {
    await withPage({ models: { m: { a: [begun({ end: 'rst' })], b: [okStream('whole')] } } }, async (page) => {
      const answer = await page.ask('m', { stream: true, redundancy: { commit: 'complete' } });
      expectWholeStream(answer, 'whole');
      expect(page.tried()).toEqual(['m/a-own1', 'm/b-own1']);
    });
  });
});

describe('an attempt that the gateway itself refuses', () => {
  const price = { price: { input: 1, output: 1 } };
  const priced = { channelA: price, channelB: price };

  it('G-4: an empty balance: 402 at once, nobody after it, though the workspace’s own credentials came before', async () => {
    const workspace = { balance_usd: 0, virtual_models: { smart: { models: ['m', 'n'] } } };
    const models = { m: { a: [LIMITED], b: [FINE], ...priced }, n: { ...fine, ...priced } };
    await withPage({ models, last: [FINE], workspace }, async (page) => {
      for (const model of ['m', 'smart']) {
        const before = page.tried().length;
        const answer = await page.ask(model, { max_tokens: 10, redundancy: ALL });
        expect(refusal(answer)).toEqual([402, 'insufficient_balance']);
        // The second time both of them still rest from the first.
        expect(page.tried().slice(before)).toEqual(model === 'm' ? ['m/a-own1', 'm/a-own2'] : []);
      }
    });
  });

  it('G-2: a model that the guardrails deny: 403 in exactly these words, nobody after it', async () => {
    const workspace = {
      guardrails: { deny_models: ['n'] },
      virtual_models: { smart: { models: ['m', 'n', 'o'] }, denied: { models: ['n', 'o'] } },
      auto: ['n', 'o'],
    };
    await withPage({ models: { m: down, n: fine, o: fine }, last: [FINE], workspace }, async (page) => {
      for (const model of ['n', 'denied', 'understudy/auto', 'smart']) {
        expect(page.tried(), model).toEqual([]);
        const answer = await page.ask(model);
        expect(refusal(answer)).toEqual([403, 'guardrail_blocked']);
        expect(errorOf(answer)['message']).toBe('Request blocked by guardrail policy');
      }
      expect(page.tried()).toEqual(['m/a-own1', 'm/b-own1']);
    });
  });
});

describe.each(['upstream_rejected', 'upstream_no_artifact'])(
  'an upstream that declares the generation failed: %s',
  (code) => {
    const message = 'nothing came of it';
    const policies = ['standard', 'permissive', 'strict'];
    const declared = (status: number): Step => errorStep(status, { message, code });

    it.each([400, 422, 500])(
      'F-1, D-1: with status %d it is told as it is, under every policy, and nobody else is tried',
      async (status) => {
        const world = { models: { m: { a: [declared(status)], b: [FINE] } }, last: [FINE] };
        await withPage(world, async (page) => {
          for (const policy of policies) {
            const answer = await page.ask('m', { redundancy: { policy } });
            expect([...refusal(answer), errorOf(answer)['message']], policy).toEqual([status, code, message]);
          }
          expect(page.tried()).toEqual(policies.map(() => 'm/a-own1'));
        });
      },
    );

    it('F-1, E-1: inside a success, or as the first event of a stream: as well, with a status that tells of a failure', async () => {
      const inStream = sseStep([role(), event({ error: { message, code } })]);
      const models = { whole: { a: [declared(200)], b: [FINE] }, stream: { a: [inStream], b: [okStream('never')] } };
      await withPage({ models, last: [FINE] }, async (page) => {
        const answers = [await page.ask('whole'), await page.ask('stream', { stream: true })];
        expect(answers.map(refusal)).toEqual([
          [502, code],
          [502, code],
        ]);
        expect(page.tried()).toEqual(['whole/a-own1', 'stream/a-own1']);
      });
    });
  },
);
