/** Whole answers and errors of every client dialect, its upstream speaking the same (E, R, I, D-5, data plane). */
import { describe, expect, it } from 'vitest';
import { CLIENT_KEY } from '../faults/gateway-config.ts';
import { sendRaw } from '../faults/raw-client.ts';
import {
  ask,
  bodyOf,
  CLIENTS,
  codeOf,
  looksWhole,
  pathOf,
  reportIn,
  reportOf,
  saidBy,
  streamedBy,
  withDialects,
} from './dialects-rig.ts';
import { jsonOf } from './rules-rig.ts';

type Json = Record<string, unknown>;

const alone = (behaviour: string) => ({ up: {}, channels: [{ up: 'A', model: behaviour }] });
const REHEARSING = 'rehearsing-key-0123456789abcdef';
const OK = { m: alone('ok') };

/** What the dialect calls the limit of an answer's length. */
const LIMITED: Readonly<Record<(typeof CLIENTS)[number], (limit: number) => Json>> = {
  chat: (limit) => ({ max_completion_tokens: limit }),
  responses: (limit) => ({ max_output_tokens: limit }),
  messages: (limit) => ({ max_tokens: limit }),
  gemini: (limit) => ({ generationConfig: { maxOutputTokens: limit } }),
};

describe.each(CLIENTS)('answers to %s', (client) => {
  it('R-1, R-2, R-3: a plain answer of one model carries no report', async () => {
    await withDialects(OK, async (rig) => {
      const answer = await ask(rig, client, 'm');
      expect([answer.status, reportOf(jsonOf(answer))]).toEqual([200, undefined]);
      expect(answer.headers).toMatchObject({
        'content-type': 'application/json',
        'x-understudy-served-model': 'm',
        'x-understudy-attempts': '1',
        'x-understudy-degraded': 'false',
      });
      const own = client === 'messages' ? answer.headers['x-request-id'] : undefined;
      expect(answer.headers['request-id']).toBe(own);
      const body = jsonOf(answer);
      expect(body[client === 'gemini' ? 'modelVersion' : 'model']).toBe('m');
      expect(saidBy(client, answer)).not.toBe('');
    });
  });

  it('R-2, C-1: the chain may stand in a header; body beats it; the report tells the way', async () => {
    await withDialects({ m: alone('fail-503'), n: alone('ok') }, async (rig) => {
      const headers = { 'x-understudy-models': 'm,n', 'x-understudy-redundancy': '{"max_attempts":1}' };
      const limited = await ask(rig, client, 'm', { headers });
      expect(codeOf(jsonOf(limited))).toBe('retry_exhausted');
      const answer = await ask(rig, client, 'm', { headers, fields: { redundancy: { max_attempts: 4 } } });
      expect([answer.status, answer.headers['x-understudy-served-model']]).toEqual([200, 'n']);
      expect(reportOf(jsonOf(answer))).toMatchObject({ served_model: 'n', degraded_reasons: ['model'], attempts: 2 });
    });
  });

  it('E-1: one model: the upstream’s status and words, in this dialect', async () => {
    await withDialects({ m: alone('fail-529') }, async (rig) => {
      const answer = await ask(rig, client, 'm');
      expect(answer.status).toBe(529);
      const { error } = jsonOf(answer) as { error: Json };
      expect(error['message']).toBeTypeOf('string');
      expect(JSON.stringify(jsonOf(answer))).toContain(answer.headers['x-request-id']);
      expect(answer.headers['x-should-retry']).toMatch(/^(true|false)$/);
      if (client === 'messages') expect([jsonOf(answer)['type'], error['type']]).toEqual(['error', 'overloaded_error']);
      if (client === 'gemini') expect([error['code'], error['status']]).toEqual([529, 'UNAVAILABLE']);
    });
  });

  it('E-2: a chain: all_models_failed, with the way there', async () => {
    await withDialects({ m: alone('fail-503'), n: alone('fail-500') }, async (rig) => {
      const answer = await ask(rig, client, 'm', { fields: { models: ['m', 'n'] } });
      expect([answer.status, codeOf(jsonOf(answer))]).toEqual([502, 'all_models_failed']);
      expect(answer.text).toMatch(/All 2 model attempt\(s\) failed/);
      expect(answer.text).toContain('attempts');
    });
  });

  it('E-5: what is wrong before there is a plan is told in this dialect too', async () => {
    await withDialects(OK, async (rig) => {
      const url = rig.url + pathOf(client, 'm');
      const unknown = await sendRaw({
        url,
        body: bodyOf(client, 'm'),
        headers: { authorization: 'Bearer no-such-key' },
      });
      expect([unknown.status, codeOf(jsonOf(unknown))]).toEqual([401, 'invalid_api_key']);
      const garbage = await rig.post('{"half', { path: pathOf(client, 'm') });
      expect([garbage.status, codeOf(jsonOf(garbage))]).toEqual([400, 'invalid_json']);
      const missing = await ask(rig, client, 'nobody');
      expect([missing.status, codeOf(jsonOf(missing))]).toEqual([404, 'model_not_found']);
      const twice = await ask(rig, client, 'm', { fields: { models: ['m'], fallback_models: ['m'] } });
      expect([twice.status, codeOf(jsonOf(twice))]).toEqual([400, 'invalid_chain']);
      if (client !== 'messages') return;
      for (const answer of [unknown, garbage, missing]) {
        expect(answer.headers['request-id']).toBe(answer.headers['x-request-id']);
        expect(jsonOf(answer)['request_id']).toBe(answer.headers['x-request-id']);
      }
    });
  });

  it('I-4, I-5: the same key again is the same answer; another request under it is refused', async () => {
    await withDialects({ ...OK, n: alone('ok') }, async (rig) => {
      const headers = { 'idempotency-key': 'k1' };
      const first = await ask(rig, client, 'm', { headers });
      const again = await ask(rig, client, 'm', { headers });
      expect([again.text, again.headers['idempotent-replayed'], rig.called()]).toEqual([first.text, 'true', ['A:ok']]);
      const other = await ask(rig, client, 'n', { headers });
      expect([other.status, codeOf(jsonOf(other))]).toEqual([422, 'idempotency_key_reused']);
      const streamed = await ask(rig, client, 'm', { headers, stream: true });
      expect(streamed.status).toBe(422);
    });
  });

  it('R-1, I-4: a replay has an id of its own, wherever the dialect’s clients look for it', async () => {
    await withDialects(OK, async (rig) => {
      for (const stream of [true, false]) {
        const headers = { 'idempotency-key': `k${stream}` };
        const first = await ask(rig, client, 'm', { headers, stream });
        const again = await ask(rig, client, 'm', { headers, stream });
        expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
        for (const { headers: told } of [first, again]) {
          expect(told['request-id']).toBe(client === 'messages' ? told['x-request-id'] : undefined);
        }
      }
    });
  });

  it('D-5: an answer cut by its length is asked for once more, longer', async () => {
    await withDialects({ m: alone('length') }, async (rig) => {
      const fields = { ...LIMITED[client](20), redundancy: { on_truncated: 'extend' } };
      const answer = await ask(rig, client, 'm', { fields });
      expect([answer.status, answer.headers['x-understudy-attempts']]).toEqual([200, '2']);
      const [first, second] = rig.bodies();
      expect(first).toMatchObject(LIMITED[client](20));
      expect(second).toMatchObject(LIMITED[client](40));
    });
  });

  it('interface: the client key in any of its five places; of two known ones neither; the query is never written down', async () => {
    const keys = [{ name: 'other', workspace: 'main', secret: 'another-key-0123456789abcdef' }];
    await withDialects(
      OK,
      async (rig) => {
        const path = pathOf(client, 'm');
        const send = (headers: Record<string, string>, query = '') =>
          sendRaw({ url: `${rig.url}${path}${query}`, body: bodyOf(client, 'm'), headers });
        for (const name of ['x-api-key', 'api-key', 'x-goog-api-key']) {
          expect((await send({ [name]: CLIENT_KEY })).status, name).toBe(200);
        }
        expect((await send({ authorization: `Bearer ${CLIENT_KEY}` })).status).toBe(200);
        const queried = await send({}, `?key=${CLIENT_KEY}`);
        expect(queried.status).toBe(200);
        expect(JSON.stringify(await rig.record(queried))).not.toContain(CLIENT_KEY.slice(0, 12));
        expect((await send({ 'x-api-key': CLIENT_KEY, authorization: 'Bearer sk-unknown-000' })).status).toBe(200);
        const two = await send({ 'x-api-key': CLIENT_KEY }, '?key=another-key-0123456789abcdef');
        expect([two.status, codeOf(jsonOf(two))]).toEqual([401, 'invalid_api_key']);
        for (const headers of rig.headersSent()) expect(JSON.stringify(headers)).not.toContain(CLIENT_KEY);
      },
      { keys },
    );
  });
});

describe('E-4', () => {
  it.each(CLIENTS)('E-4: a configured answer in the words of %s, whole and as a stream', async (client) => {
    await withDialects(
      { m: alone('fail-503') },
      async (rig) => {
        const fields = { redundancy: { on_exhausted: [{ default: 'sorry' }] } };
        const whole = await ask(rig, client, 'm', { fields });
        expect([whole.status, saidBy(client, whole)]).toEqual([200, 'Come back later.']);
        expect(reportOf(jsonOf(whole))).toMatchObject({ degraded_reasons: ['default_answer'] });
        const stream = await ask(rig, client, 'm', { fields, stream: true });
        expect(stream.text).toContain('Come back later.');
      },
      { over: { answers: { sorry: { text: 'Come back later.' } } } },
    );
  });

  it.each(CLIENTS)('E-4: an earlier answer of %s again, whole and as a stream', async (client) => {
    const over = { workspaces: { main: { answers: { keep: true } } } };
    const steps = [{}, {}, { status: 503 }];
    await withDialects(
      { m: { up: { A: steps } } },
      async (rig) => {
        const fields = { redundancy: { on_exhausted: [{ cache: { max_age_s: 60 } }] } };
        const whole = await ask(rig, client, 'm', { fields });
        const stream = await ask(rig, client, 'm', { fields, stream: true });
        const [wholeAgain, streamAgain] = [
          await ask(rig, client, 'm', { fields }),
          await ask(rig, client, 'm', { fields, stream: true }),
        ];
        expect(saidBy(client, wholeAgain)).toBe(saidBy(client, whole));
        expect(streamedBy(client, streamAgain)).toBe(streamedBy(client, stream));
        expect([looksWhole(client, streamAgain), wholeAgain.status]).toEqual([true, 200]);
        expect(reportOf(jsonOf(wholeAgain))).toMatchObject({ degraded_reasons: ['cached'] });
        expect(reportIn(streamAgain)).toMatchObject({ degraded_reasons: ['cached'] });
      },
      { over },
    );
  });

  it.each(CLIENTS)('E-4: a request of %s that is queued is asked as it came', async (client) => {
    await withDialects({ m: { up: { A: [{ status: 503 }, {}] } } }, async (rig) => {
      const fields = { redundancy: { on_exhausted: [{ queue: {} }], retries: 0 } };
      const queued = await ask(rig, client, 'm', { fields });
      expect(queued.status).toBe(202);
      const url = String(jsonOf(queued)['status_url']);
      let job = jsonOf(await rig.get(url));
      for (let polls = 0; job['status'] === 'processing' && polls < 100; polls++) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        job = jsonOf(await rig.get(url));
      }
      expect([job['status'], rig.called()]).toEqual(['succeeded', ['A:m', 'A:m']]);
      expect(Object.keys(job['result'] as Json)).toContain(client === 'gemini' ? 'candidates' : 'id');
    });
  });

  it.each(CLIENTS)('X-4: a rehearsed failure of %s is told in its words', async (client) => {
    await withDialects(
      { m: alone('ok') },
      async (rig) => {
        const answer = await ask(rig, client, 'm', {
          headers: { 'x-understudy-rehearse': 'status=429' },
          key: REHEARSING,
        });
        expect([answer.status, rig.called()]).toEqual([429, []]);
        const { error } = jsonOf(answer) as { error: Json };
        if (client === 'messages') expect(error['type']).toBe('rate_limit_error');
        if (client === 'gemini') expect(error['status']).toBe('RESOURCE_EXHAUSTED');
      },
      { keys: [{ name: 'rehearsing', workspace: 'main', secret: REHEARSING, allow_rehearse: true }] },
    );
  });
});
