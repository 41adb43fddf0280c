import { describe, expect, it } from 'vitest';
import { faultCase, stepsOf } from './fault-case.ts';
import { errorOf } from './invariants.ts';
import type { RawAnswer } from './raw-client.ts';
import { type Rig, until, withRig } from './rig.ts';
import { expectWholeStream } from './stream-reader.ts';

const key = { headers: { 'idempotency-key': 'k-1' } };
const replayed = (answer: RawAnswer) => answer.headers['idempotent-replayed'];
const many = <T>(count: number, one: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: count }, one));

describe.concurrent('one key, one result', () => {
  it('I-6 idem-concurrent-same-key: five twins are one call, a sixth is replayed', async () => {
    const one = faultCase('idem-concurrent-same-key');
    await withRig({ m: { up: { A: stepsOf(one, 'A') } } }, async (rig) => {
      const twins = await many(5, () => rig.ask('m', {}, key));
      expect(new Set(twins.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(twins[0]?.status).toBe(200);
      expect(replayed(await rig.ask('m', {}, key))).toBe('true');
      expect(rig.who('m')).toBe('A');
    });
  });

  it('I-5 idem-same-key-different-body: 422, no call, and the first result stays', async () => {
    const one = faultCase('idem-same-key-different-body');
    await withRig({ m: { up: { A: stepsOf(one, 'A').slice(0, 1) } } }, async (rig) => {
      const first = await rig.ask('m', {}, key);
      const other = await rig.ask('m', { messages: [{ role: 'user', content: 'bye' }] }, key);
      expect([other.status, errorOf(other)['code']]).toEqual([422, 'idempotency_key_reused']);
      expect((await rig.ask('m', {}, key)).text).toBe(first.text);
      expect(rig.who('m')).toBe('A');
    });
  });

  it('I-7 idem-failure-is-not-pinned: the second request runs, and nobody who waited hangs', async () => {
    const one = faultCase('idem-failure-is-not-pinned');
    const [down, well] = stepsOf(one, 'A');
    await withRig({ m: { up: { A: [{ ...down!, delay_ms: 200 }, well!] } } }, async (rig) => {
      const fields = { redundancy: { retries: 0 } };
      const failed = await many(3, () => rig.ask('m', fields, key));
      expect(failed.map(({ status }) => status)).toEqual([503, 503, 503]);
      const second = await rig.ask('m', fields, key);
      expect([second.status, replayed(second)]).toEqual([200, undefined]);
      expect(rig.who('m')).toBe('A A');
    });
  });

  it('I-6 idem-late-joiner-gets-whole-stream: from the start, also in the instant of the end', async () => {
    const one = faultCase('idem-late-joiner-gets-whole-stream');
    await withRig({ m: { up: { A: stepsOf(one, 'A') } } }, async (rig) => {
      const first = await seen(rig, '"b"');
      const late = rig.ask('m', { stream: true }, key);
      const last = first.answer.then(() => rig.ask('m', { stream: true }, key));
      for (const answer of await Promise.all([first.answer, late, last])) expectWholeStream(answer, 'abcd');
      expect(rig.who('m')).toBe('A');
    });
  });

  it('I-4 idem-replay-format-matches-request: once, as it was; another `stream` is another request', async () => {
    const one = faultCase('idem-replay-format-matches-request');
    await withRig({ m: { up: { A: stepsOf(one, 'A') } } }, async (rig) => {
      const first = await rig.ask('m', { stream: true }, key);
      const again = await rig.ask('m', { stream: true }, key);
      expect([again.status, again.text, again.headers['content-type']]).toEqual([
        200,
        first.text,
        first.headers['content-type'],
      ]);
      expect((await rig.ask('m', { stream: false }, key)).status).toBe(422);
      expect((await rig.ask('m', {}, key)).status).toBe(422);
      expect(rig.who('m')).toBe('A');
    });
  });
});

/** A stream under the key, once this much of it has come. */
async function seen(rig: Rig, text: string): Promise<{ readonly answer: Promise<RawAnswer> }> {
  let came = false;
  const leaveWhen = (sofar: string): boolean => {
    came ||= sofar.includes(text);
    return false;
  };
  const answer = rig.ask('m', { stream: true }, { ...key, leaveWhen });
  await until(() => came, text);
  return { answer };
}
