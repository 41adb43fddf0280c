/** Section 8 over the wire: one business request, one result. */
import { describe, expect, it } from 'vitest';
import { errorStep, okBody, okStream, sseStep } from '../faults/answers.ts';
import { runsAlone } from '../faults/gateway.ts';
import { errorOf } from '../faults/invariants.ts';
import { until } from '../faults/rig.ts';
import { expectWholeStream } from '../faults/stream-reader.ts';
import { jsonOf, type RulesRig, withRules } from './rules-rig.ts';

/** Where a failure leads the next request: each replica knows of its own at once, of another's a moment later. */
const alone = it.runIf(runsAlone());
const key = (name: string) => ({ headers: { 'idempotency-key': name } });
const slow = (text: string, ms: number) => ({ ...okBody(text), delay_ms: ms });

/** Waits until the upstream was called so many times. */
const calls = (rig: RulesRig, count: number) => until(() => rig.called().length >= count, `${count} calls`);

const KEPT_HEADERS = ['content-type', 'x-understudy-served-model', 'x-understudy-attempts', 'x-understudy-degraded'];

describe('I-1: keys', () => {
  it.each(['', 'two words', 'ä', 'x'.repeat(256)])('I-1: %j is no key', async (name) => {
    await withRules({ m: { up: { A: [okBody('a')] } } }, async (rig) => {
      const answer = await rig.ask('m', {}, { headers: { 'idempotency-key': Buffer.from(name).toString('latin1') } });
      expect([answer.status, errorOf(answer)['code']]).toEqual([400, 'invalid_idempotency_key']);
      expect(rig.called()).toEqual([]);
    });
  });

  it('I-1: another endpoint and another client key have keys of their own', async () => {
    const over = {
      keys: [
        { name: 'one', secret: 'key-one-0123456789', models: ['*'] },
        { name: 'two', secret: 'key-two-0123456789', models: ['*'] },
      ],
    };
    await withRules(
      { m: { up: { A: [okBody('a')] } } },
      async (rig) => {
        for (const client of ['key-one-0123456789', 'key-two-0123456789']) {
          for (const path of ['/v1/chat/completions', '/chat/completions']) {
            const answer = await rig.ask('m', {}, { ...key('k'), key: client, path });
            expect([answer.status, answer.headers['idempotent-replayed']]).toEqual([200, undefined]);
          }
        }
        expect(rig.called()).toHaveLength(4);
      },
      { over },
    );
  });

  it('I-1, G-3: a workspace may share keys; nobody gets through them what he may not call', async () => {
    const over = {
      workspaces: { default: { idempotency_scope: 'workspace' } },
      keys: [
        { name: 'one', secret: 'key-one-0123456789', models: ['*'] },
        { name: 'two', secret: 'key-two-0123456789', models: ['*'] },
        { name: 'three', secret: 'key-three-0123456789', models: ['other'] },
        { name: 'own', secret: 'key-own-0123456789', models: ['*'], idempotency_scope: 'key' },
      ],
    };
    await withRules(
      { m: { up: { A: [okBody('a')] } }, other: { up: { A: [okBody('a')] } } },
      async (rig) => {
        const ask = (client: string) => rig.ask('m', {}, { ...key('k'), key: client });
        await ask('key-one-0123456789');
        expect((await ask('key-two-0123456789')).headers['idempotent-replayed']).toBe('true');
        expect(errorOf(await ask('key-three-0123456789'))['code']).toBe('model_not_allowed');
        expect((await ask('key-own-0123456789')).headers['idempotent-replayed']).toBeUndefined();
        expect(rig.called()).toHaveLength(2);
      },
      { over },
    );
  });
});

describe('I-4: what a repeat gets', () => {
  it('I-4: the same answer, content headers and R-1’s; new id, the first one named', async () => {
    await withRules({ m: { up: { A: [okBody('one'), okBody('two')] } } }, async (rig) => {
      const first = await rig.ask('m', {}, key('k'));
      const again = await rig.ask('m', {}, key('k'));
      expect([first.status, again.status]).toEqual([200, 200]);
      expect(again.text).toBe(first.text);
      expect(rig.called()).toEqual(['A:m']);
      for (const name of [...KEPT_HEADERS, 'content-length']) expect(again.headers[name]).toBe(first.headers[name]);
      expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
      expect(again.headers['x-understudy-original-request-id']).toBe(first.headers['x-request-id']);
      expect(again.headers['idempotent-replayed']).toBe('true');
      expect(first.headers['idempotent-replayed']).toBeUndefined();
    });
  });

  it('I-4, O-1: records tell the role, the round and the digest; a replay costs nothing', async () => {
    await withRules({ m: { up: { A: [okBody('one')] } } }, async (rig) => {
      const owner = await rig.record(await rig.ask('m', {}, key('k')));
      const replay = await rig.record(await rig.ask('m', {}, key('k')));
      expect(owner).toMatchObject({ ending: 'served', idempotency: { state: 'succeeded', round: 1, role: 'owner' } });
      expect(replay).toMatchObject({
        ending: 'replayed',
        status: 200,
        outcome: 'success',
        served_model: 'm',
        attempts: [],
        usage: null,
        cost_nano_usd: 0,
        client_retry: { count: 1, how: 'idempotency_key' },
        idempotency: { state: 'succeeded', round: 1, role: 'replay', original_request_id: owner.id },
      });
      expect(replay.idempotency?.digest).toMatch(/^[0-9a-f]{64}$/);
      expect(replay.idempotency?.digest).toBe(owner.idempotency?.digest);
      expect(replay.idempotency?.key_hash).toBe(owner.idempotency?.key_hash);
    });
  });

  it('I-4: streams replay as streams', async () => {
    await withRules({ m: { up: { A: [okStream('o', 'ne'), okStream('two')] } } }, async (rig) => {
      const first = await rig.ask('m', { stream: true }, key('k'));
      const again = await rig.ask('m', { stream: true }, key('k'));
      expectWholeStream(first, 'one');
      expect(again.text).toBe(first.text);
      for (const name of KEPT_HEADERS) expect(again.headers[name]).toBe(first.headers[name]);
      expect(again.headers['content-type']).toMatch(/^text\/event-stream/);
      expect(again.headers['idempotent-replayed']).toBe('true');
      expect(rig.called()).toEqual(['A:m']);
      expect((await rig.record(again)).idempotency?.digest).toBe((await rig.record(first)).idempotency?.digest);
    });
  });
});

describe('I-5: other requests', () => {
  it('I-5: another body under the key is 422, also while the first one runs', async () => {
    await withRules({ m: { up: { A: [slow('one', 200)] } } }, async (rig) => {
      const first = rig.ask('m', {}, key('k'));
      await calls(rig, 1);
      for (const fields of [{ temperature: 0 }, { stream: true }]) {
        const other = await rig.ask('m', fields, key('k'));
        expect([other.status, errorOf(other)['code'], other.headers['x-should-retry']]).toEqual([
          422,
          'idempotency_key_reused',
          'false',
        ]);
      }
      expect((await first).status).toBe(200);
      expect((await rig.ask('m', { temperature: 0 }, key('k'))).status).toBe(422);
    });
  });

  it('I-5: `redundancy`, headers and the order of fields are not the request', async () => {
    await withRules({ m: { up: { A: [okBody('one')] } } }, async (rig) => {
      await rig.post('{"model":"m","messages":[{"role":"user","content":"hi"}],"seed":1}', key('k'));
      const text =
        '{"seed":1,"redundancy":{"retries":1},"messages":[{"content":"h\\u0069","role":"user"}],"model":"m"}';
      const again = await rig.post(text, { headers: { 'idempotency-key': 'k', 'x-request-id': 'mine' } });
      expect(again.headers['idempotent-replayed']).toBe('true');
      expect(again.headers['x-client-request-id']).toBe('mine');
    });
  });

  it('I-5: a caller’s fault releases the key for the corrected request', async () => {
    const bad = errorStep(400, { message: 'no such parameter', type: 'invalid_request_error' });
    await withRules({ m: { up: { A: [bad, okBody('one')] } } }, async (rig) => {
      const faults = [
        await rig.ask('m', { temperature: 'hot' }, key('k')),
        await rig.ask('nobody', {}, key('k')),
        await rig.ask('m', { redundancy: { retries: 99 } }, key('k')),
      ];
      expect(faults.map(({ status }) => status)).toEqual([400, 404, 400]);
      expect((await rig.ask('m', {}, key('k'))).status).toBe(200);
      expect(rig.called()).toEqual(['A:m', 'A:m']);
    });
  });

  it('I-5: what may have been executed keeps the key', async () => {
    const routes = { m: { up: { A: [sseStep([], { end: 'rst' })] } } };
    await withRules(routes, async (rig) => {
      const failed = await rig.ask('m', { redundancy: { retries: 0 } }, key('k'));
      expect(failed.status).toBeGreaterThanOrEqual(500);
      expect((await rig.ask('m', { seed: 1 }, key('k'))).status).toBe(422);
    });
  });
});

describe('I-6: while it runs', () => {
  it('I-6: a second request joins and gets the first one’s answer', async () => {
    await withRules({ m: { up: { A: [slow('one', 200), okBody('two')] } } }, async (rig) => {
      const first = rig.ask('m', {}, key('k'));
      await calls(rig, 1);
      const [one, two] = await Promise.all([first, rig.ask('m', {}, key('k'))]);
      expect(two.text).toBe(one.text);
      expect(two.headers['x-understudy-original-request-id']).toBe(one.headers['x-request-id']);
      expect(two.headers['idempotent-replayed']).toBeUndefined();
      expect(rig.called()).toEqual(['A:m']);
      expect(await rig.record(two)).toMatchObject({
        ending: 'joined',
        served_model: 'm',
        attempts: [],
        cost_nano_usd: 0,
        idempotency: { role: 'joiner', state: 'succeeded', round: 1 },
      });
    });
  });

  it('I-6: failures are shared, each told by its own id', async () => {
    await withRules({ m: { up: { A: [{ ...errorStep(503, { message: 'down' }), delay_ms: 200 }] } } }, async (rig) => {
      const fields = { redundancy: { retries: 0 } };
      const first = rig.ask('m', fields, key('k'));
      await calls(rig, 1);
      const [one, two] = await Promise.all([first, rig.ask('m', fields, key('k'))]);
      expect([one.status, two.status]).toEqual([503, 503]);
      expect(errorOf(two)['request_id']).toBe(two.headers['x-request-id']);
      expect(errorOf(two)['message']).toBe(errorOf(one)['message']);
      expect(await rig.record(two)).toMatchObject({
        ending: 'failed',
        idempotency: { role: 'joiner', state: 'failed' },
      });
    });
  });

  it('I-6: on_duplicate reject is 409 with Retry-After', async () => {
    await withRules({ m: { up: { A: [slow('one', 200)] } } }, async (rig) => {
      const first = rig.ask('m', {}, key('k'));
      await calls(rig, 1);
      const second = await rig.ask('m', { redundancy: { on_duplicate: 'reject' } }, key('k'));
      expect([second.status, errorOf(second)['code']]).toEqual([409, 'request_in_progress']);
      expect(second.headers['retry-after']).toBe('1');
      await first;
      const third = await rig.ask('m', { redundancy: { on_duplicate: 'reject' } }, key('k'));
      expect(third.headers['idempotent-replayed']).toBe('true');
    });
  });

  it.each([false, true])('I-6: 500 at once are one call and 500 equal answers (stream: %s)', async (stream) => {
    const step = stream ? { ...okStream('a', 'b', 'c'), delay_ms: 300 } : slow('one', 300);
    await withRules({ m: { up: { A: [step] } } }, async (rig) => {
      const answers = await Promise.all(Array.from({ length: 500 }, () => rig.ask('m', { stream }, key('k'))));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(new Set(answers.map(({ headers }) => headers['x-request-id'])).size).toBe(500);
      expect(rig.called()).toEqual(['A:m']);
    });
  });
});

describe('I-7: rounds', () => {
  alone('I-7: a failure is not pinned: the next request runs again, numbers go on', async () => {
    await withRules({ m: { up: { A: [errorStep(503, { message: 'down' }), okBody('two')] } } }, async (rig) => {
      const fields = { redundancy: { retries: 0 } };
      expect((await rig.ask('m', fields, key('k'))).status).toBe(503);
      const second = await rig.ask('m', fields, key('k'));
      expect([second.status, second.headers['idempotent-replayed']]).toEqual([200, undefined]);
      const record = await rig.record(second);
      expect(record.attempts.map(({ no }) => no)).toEqual([2]);
      expect(record).toMatchObject({
        idempotency: { round: 2, role: 'owner' },
        client_retry: { how: 'fingerprint', count: 1 },
      });
    });
  });

  alone('I-7: past max_attempts_per_key 409 with the last failure, and no call', async () => {
    const settings = { over: { idempotency: { max_attempts_per_key: 3 } } };
    await withRules(
      { m: { up: { A: [errorStep(500, { message: 'down' })], B: [errorStep(500, { message: 'down too' })] } } },
      async (rig) => {
        const statuses = [];
        for (let i = 0; i < 3; i += 1) statuses.push(await rig.ask('m', {}, key('k')));
        expect(statuses.map(({ status }) => status)).toEqual([500, 502, 409]);
        expect(jsonOf(statuses[1]!)).toMatchObject({ error: { code: 'retry_exhausted', budget: 'attempts' } });
        expect(errorOf(statuses[2]!)['code']).toBe('key_attempts_exhausted');
        expect(errorOf(statuses[2]!)['message']).toContain('retry_exhausted');
        expect(statuses[2]!.headers['x-should-retry']).toBe('false');
        expect(rig.called()).toHaveLength(3);
        expect((await rig.record(statuses[1]!)).idempotency?.state).toBe('failed_retry_exhausted');
      },
      settings,
    );
  });
});
