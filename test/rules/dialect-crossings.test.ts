/** Every client dialect over every upstream dialect: what is shared, kept and replayed behind a translation (I, T, E-4). */
import { describe, expect, it } from 'vitest';
import {
  ask,
  CLIENTS,
  codeOf,
  eventsOf,
  looksWhole,
  reportIn,
  reportOf,
  saidBy,
  streamedBy,
  withDialects,
} from './dialects-rig.ts';
import { jsonOf } from './rules-rig.ts';

const UPSTREAMS = ['chat', 'responses', 'messages', 'gemini', 'converse'] as const;
type Upstream = (typeof UPSTREAMS)[number];

const via = (api: Upstream, up: string, model: string) => ({ up, model, more: { api } });
const alone = (api: Upstream, behaviour: string) => ({ up: {}, channels: [via(api, 'A', behaviour)] });

const PAIRS = CLIENTS.flatMap((client) => UPSTREAMS.map((upstream) => [client, upstream] as const));

describe.each(PAIRS)('%s over %s', (client, upstream) => {
  it('I-4, I-6: joined and replayed as it was told, whole and as a stream', async () => {
    await withDialects({ m: alone(upstream, 'drip-30') }, async (rig) => {
      const headers = { 'idempotency-key': 'k1' };
      const send = () => ask(rig, client, 'm', { headers, stream: true });
      const [first, joined] = await Promise.all([send(), send()]);
      const again = await send();
      expect([joined.text, again.text]).toEqual([first.text, first.text]);
      expect([looksWhole(client, again), again.headers['idempotent-replayed']]).toEqual([true, 'true']);
      const whole = () => ask(rig, client, 'm', { headers: { 'idempotency-key': 'k2' } });
      const [answer, repeat] = [await whole(), await whole()];
      expect([answer.status, repeat.text]).toEqual([200, answer.text]);
      expect(saidBy(client, answer)).not.toBe('');
      expect(rig.called()).toEqual(['A:drip-30', 'A:drip-30']);
    });
  });

  it('T-4, I-6: a break is told to each reader under his own id, and looks like no end', async () => {
    await withDialects({ m: alone(upstream, 'cut-3') }, async (rig) => {
      const headers = { 'idempotency-key': 'k1' };
      const answers = await Promise.all([1, 2].map(() => ask(rig, client, 'm', { headers, stream: true })));
      for (const answer of answers) {
        expect([answer.status, looksWhole(client, answer)]).toEqual([200, false]);
        const last = eventsOf(answer).at(-1)!.data;
        expect(codeOf(last)).toBe('stream_interrupted');
        expect(JSON.stringify(last)).toContain(answer.headers['x-request-id']);
        expect(streamedBy(client, answer)).not.toBe('');
      }
      expect(rig.called()).toEqual(['A:cut-3']);
    });
  });

  it('T-9, D-1: held until it is whole, a cut in one dialect is made good in another', async () => {
    const other = UPSTREAMS[(UPSTREAMS.indexOf(upstream) + 1) % UPSTREAMS.length]!;
    const routes = { m: { up: {}, channels: [via(upstream, 'A', 'cut-3'), via(other, 'B', 'ok')] } };
    await withDialects(routes, async (rig) => {
      const fields = { redundancy: { commit: 'complete' } };
      const answer = await ask(rig, client, 'm', { fields, stream: true });
      expect([looksWhole(client, answer), rig.called()]).toEqual([true, ['A:cut-3', 'B:ok']]);
      expect(answer.headers['x-understudy-attempts']).toBe('2');
      expect(answer.text).toMatch(client === 'gemini' ? /"modelVersion":"m"/ : /"model":"m"/);
    });
  });

  it('E-4: an earlier answer again, with this request’s report', async () => {
    const steps = [{}, {}, { status: 503 }];
    const routes = { m: { up: { A: steps }, channels: [via(upstream, 'A', 'm')] } };
    const over = { workspaces: { main: { answers: { keep: true } } } };
    await withDialects(
      routes,
      async (rig) => {
        const fields = { redundancy: { on_exhausted: [{ cache: { max_age_s: 60 } }] } };
        const whole = await ask(rig, client, 'm', { fields });
        const stream = await ask(rig, client, 'm', { fields, stream: true });
        const wholeAgain = await ask(rig, client, 'm', { fields });
        const streamAgain = await ask(rig, client, 'm', { fields, stream: true });
        expect([whole.status, wholeAgain.status, saidBy(client, wholeAgain)]).toEqual([
          200,
          200,
          saidBy(client, whole),
        ]);
        expect([looksWhole(client, streamAgain), streamedBy(client, streamAgain)]).toEqual([
          true,
          streamedBy(client, stream),
        ]);
        expect(reportIn(streamAgain)?.['degraded_reasons']).toContain('cached');
        expect((jsonOf(wholeAgain)['understudy'] as { request_id: string }).request_id).toBe(
          wholeAgain.headers['x-request-id'],
        );
      },
      { over },
    );
  });
});

describe('R-4: what an answer loses on its way', () => {
  it.each(CLIENTS.filter((client) => client !== 'messages'))(
    'R-4, R-1, R-2: %s is told of an end it has no word for, in header, report and record',
    async (client) => {
      await withDialects({ m: alone('messages', 'ok:finish-pause-turn') }, async (rig) => {
        const whole = await ask(rig, client, 'm');
        expect([whole.status, whole.headers['x-understudy-degraded']]).toEqual([200, 'true']);
        expect(reportOf(jsonOf(whole))?.['degraded_reasons']).toContain('answer');
        const stream = await ask(rig, client, 'm', { stream: true });
        expect(looksWhole(client, stream)).toBe(true);
        expect(reportIn(stream)?.['degraded_reasons']).toContain('answer');
        for (const answer of [whole, stream]) {
          const record = await rig.record(answer);
          expect(record.degraded_reasons).toContain('answer');
          expect(record.attempts[0]!.changes.join()).toMatch(/answer: dropped finish reason pause_turn/);
        }
      });
    },
  );

  it('R-4: thoughts that nobody asked for are left out with a record, and nothing is degraded', async () => {
    await withDialects({ m: alone('chat', 'reasoning') }, async (rig) => {
      for (const stream of [false, true]) {
        const answer = await ask(rig, 'messages', 'm', { stream });
        expect([answer.status, answer.headers['x-understudy-degraded']]).toEqual([200, 'false']);
        const record = await rig.record(answer);
        expect(record.attempts[0]!.changes).toContain('answer: reasoning left out');
        expect([record.degraded, record.degraded_reasons]).toEqual([false, []]);
      }
    });
  });
});
