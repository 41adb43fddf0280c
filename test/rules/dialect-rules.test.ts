/** Rules that hold whoever asks, seen by each client dialect: over its own kind of upstream and over another. */
import { describe, expect, it } from 'vitest';
import { until } from '../faults/rig.ts';
import { ask, CLIENTS, codeOf, looksWhole, saidBy, streamedBy, withDialects } from './dialects-rig.ts';
import { jsonOf } from './rules-rig.ts';

/** A dialect that no client of the name speaks. */
const WAYS = CLIENTS.flatMap((client) => [
  [client, client] as const,
  [client, client === 'messages' ? 'gemini' : 'messages'] as const,
]);

describe.each(WAYS)('%s over %s', (client, api) => {
  const via = (up: string, model: string) => ({ up, model, more: { api, max_output_tokens: 4096 } });
  const only = (model: string) => ({ up: {}, channels: [via('A', model)] });
  const both = (first: string, second: string) => ({ up: {}, channels: [via('A', first), via('B', second)] });

  it.each([
    ['fail-401', 502, 'upstream_credentials_rejected'],
    ['fail-403', 502, 'upstream_credentials_rejected'],
  ] as const)(
    'E-1, dialects §1.5: what the upstream says of the gateway’s key (%s) is no word on the caller’s',
    async (model, status, code) => {
      await withDialects({ m: only(model) }, async (rig) => {
        for (const stream of [false, true]) {
          const answer = await ask(rig, client, 'm', { stream });
          expect([answer.status, codeOf(jsonOf(answer))]).toEqual([status, code]);
          expect(answer.headers['x-should-retry']).toBe('false');
        }
      });
    },
  );

  it('D-3, D-7: when to come back, in headers that this dialect’s clients obey', async () => {
    await withDialects({ m: only('fail-429-30') }, async (rig) => {
      const answer = await ask(rig, client, 'm');
      expect(answer.status).toBe(429);
      const { 'retry-after': seconds, 'retry-after-ms': ms, 'x-should-retry': advice } = answer.headers;
      expect(Number(seconds)).toBeGreaterThan(25);
      expect(Number(seconds)).toBeLessThanOrEqual(36);
      expect(Number(ms)).toBeGreaterThan(25_000);
      expect(advice).toBe('true');
    });
    await withDialects({ m: only('fail-400') }, async (rig) => {
      const answer = await ask(rig, client, 'm');
      expect([answer.status, answer.headers['x-should-retry'], answer.headers['retry-after']]).toEqual([
        400,
        'false',
        undefined,
      ]);
    });
  });

  it('D-8: a rival answers in place of a slow target, whole and as a stream', async () => {
    await withDialects({ m: both('slow-5000', 'ok') }, async (rig) => {
      const fields = { redundancy: { hedge_after_ms: 100 } };
      const whole = await ask(rig, client, 'm', { fields });
      expect([whole.status, saidBy(client, whole) !== '']).toEqual([200, true]);
      const streamed = await ask(rig, client, 'm', { fields, stream: true });
      expect([looksWhole(client, streamed), streamedBy(client, streamed) !== '']).toEqual([true, true]);
      for (const answer of [whole, streamed]) {
        expect(answer.headers['x-understudy-attempts']).toBe('2');
        const results = (await rig.record(answer)).attempts.map(({ result, hedge }) => [result, hedge]);
        expect(results).toEqual([
          ['cancelled', false],
          ['served', true],
        ]);
      }
    });
  });

  it('T-6: who leaves takes the upstream call along', async () => {
    await withDialects({ m: both('drip-2000', 'ok') }, async (rig) => {
      await ask(rig, client, 'm', { stream: true, leaveWhen: (text) => text.length > 0 });
      await until(() => rig.aborted().length === 1, 'the upstream call closed');
      expect(rig.called()).toEqual(['A:drip-2000']);
      const [last] = await rig.gateway.records(1);
      expect(last).toMatchObject({ ending: 'client_closed', status: 499 });
    });
  });

  it('D-5: a cut answer is asked for once more, longer', async () => {
    await withDialects({ m: only('length') }, async (rig) => {
      const answer = await ask(rig, client, 'm', { fields: { redundancy: { on_truncated: 'extend' } } });
      expect(answer.status).toBe(200);
      expect(rig.called()).toHaveLength(2);
    });
  });

  it('T-2, T-9: held to its end, a stream that breaks after its first words is replaced unseen', async () => {
    await withDialects({ m: both('cut-3', 'ok') }, async (rig) => {
      const fields = { redundancy: { commit: 'complete' } };
      const answer = await ask(rig, client, 'm', { stream: true, fields });
      expect([answer.status, looksWhole(client, answer), rig.called()]).toEqual([200, true, ['A:cut-3', 'B:ok']]);
    });
  });
});

it.each(CLIENTS)('C-9: names with slashes and colons are names for %s', async (client) => {
  const name = 'acme/big:free';
  await withDialects({ [name]: { up: {}, channels: [{ up: 'A', model: 'ok' }] } }, async (rig) => {
    for (const stream of [false, true]) {
      const answer = await ask(rig, client, name, { stream });
      expect([answer.status, answer.headers['x-understudy-served-model']]).toEqual([200, name]);
    }
    if (client !== 'gemini') return;
    for (const base of ['/v1/models', '/v1beta/models']) {
      const body = { contents: [{ parts: [{ text: 'hi' }] }] };
      const answer = await rig.post(body, { path: `${base}/${name}:generateContent` });
      expect([answer.status, jsonOf(answer)['modelVersion']]).toEqual([200, name]);
    }
  });
});
