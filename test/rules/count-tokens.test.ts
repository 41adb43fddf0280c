/** Counts of tokens: given by whoever speaks the dialect, else estimated, never billed. */
import { describe, expect, it } from 'vitest';
import { codeOf, withDialects } from './dialects-rig.ts';
import { jsonOf, MESSAGES, type RulesRig } from './rules-rig.ts';

const VERSION = { 'anthropic-version': '2023-06-01' };
const CONTENTS = [{ role: 'user', parts: [{ text: 'hi there, count me' }] }];
const both = (rig: RulesRig, model: string, more: Record<string, unknown> = {}) =>
  Promise.all([
    rig.post({ model, messages: MESSAGES, ...more }, { path: '/v1/messages/count_tokens', headers: VERSION }),
    rig.post({ contents: CONTENTS, ...more }, { path: `/v1beta/models/${model}:countTokens` }),
  ]);
const FIELDS = ['input_tokens', 'totalTokens'];

describe('counts of tokens', () => {
  it('the channel that speaks the dialect counts; nothing is billed', async () => {
    await withDialects({ m: { up: { A: [{}] } } }, async (rig) => {
      const answers = await both(rig, 'm');
      expect(rig.called()).toEqual(['A:m', 'A:m']);
      for (const [at, answer] of answers.entries()) {
        expect([answer.status, answer.headers['x-understudy-degraded']]).toEqual([200, 'false']);
        expect(jsonOf(answer)[FIELDS[at]!]).toBeTypeOf('number');
        expect(jsonOf(answer)['understudy']).toBeUndefined();
        const record = await rig.record(answer);
        expect([record.cost_nano_usd, record.endpoint]).toEqual([0, ['messages_count', 'generate_count'][at]]);
      }
    });
  });

  it('R-1, R-4: where nobody counts the gateway estimates, says so, and calls nobody', async () => {
    const chatOnly = { type: 'openai-compatible' };
    await withDialects(
      { m: { up: { A: [{}] } } },
      async (rig) => {
        for (const [at, answer] of (await both(rig, 'm')).entries()) {
          expect([answer.status, answer.headers['x-understudy-degraded']]).toEqual([200, 'true']);
          const body = jsonOf(answer);
          expect(body[FIELDS[at]!]).toBeGreaterThan(5);
          expect(body[FIELDS[at]!]).toBeLessThan(100);
          expect(body['understudy']).toMatchObject({ degraded: true, degraded_reasons: ['estimated'], attempts: 0 });
          const record = await rig.record(answer);
          expect([record.ending, record.degraded_reasons, record.cost_nano_usd]).toEqual(['served', ['estimated'], 0]);
        }
        expect(rig.called()).toEqual([]);
      },
      { provider: chatOnly },
    );
  });

  it('G-4: a count costs nothing: no price is needed, no balance touched', async () => {
    const workspaces = { main: { balance_usd: 1 } };
    await withDialects(
      { m: { up: { A: [{}] } } },
      async (rig) => {
        const refused = await rig.post({ model: 'm', max_tokens: 9, messages: MESSAGES }, { path: '/v1/messages' });
        expect(codeOf(jsonOf(refused))).not.toBeUndefined();
        for (const answer of await both(rig, 'm')) expect(answer.status).toBe(200);
        expect(rig.called()).toEqual(['A:m', 'A:m']);
      },
      { over: { workspaces } },
    );
  });

  it('P-6: a model that is not for these endpoints is not counted for either', async () => {
    await withDialects({ m: { up: { A: [{}] }, capabilities: { apis: ['chat'] } } }, async (rig) => {
      for (const answer of await both(rig, 'm')) {
        expect([answer.status, codeOf(jsonOf(answer))]).toEqual([400, 'unsupported_model_api']);
      }
      expect(rig.called()).toEqual([]);
    });
  });

  it('E-1: a channel that counts and fails is no reason to guess', async () => {
    await withDialects({ m: { up: { A: [{ status: 503 }] } } }, async (rig) => {
      for (const answer of await both(rig, 'm')) expect(answer.status).toBe(503);
    });
  });

  it('I-4: replayed under a key, and no answer to the conversation itself', async () => {
    await withDialects({ m: { up: { A: [{}] } } }, async (rig) => {
      const headers = { ...VERSION, 'idempotency-key': 'k1' };
      const body = { model: 'm', messages: MESSAGES };
      const answer = await rig.post({ ...body, max_tokens: 100 }, { path: '/v1/messages', headers });
      const ask = () => rig.post(body, { path: '/v1/messages/count_tokens', headers });
      const [first, again] = [await ask(), await ask()];
      expect(jsonOf(answer)['type']).toBe('message');
      expect(jsonOf(first)['input_tokens']).toBeTypeOf('number');
      expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
    });
  });
});
