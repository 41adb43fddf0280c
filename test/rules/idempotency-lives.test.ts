/** Section 8 when clients leave, disks fail and answers break off. */
import { describe, expect, it } from 'vitest';
import { StateStoreUnavailable } from '../../src/ports/object-store.ts';
import type { LiveEntry } from '../../src/runtime/reception.ts';
import { DONE, delta, errorStep, okBody, okStream, role, sseStep } from '../faults/answers.ts';
import { waitFor } from '../faults/gateway.ts';
import { errorOf } from '../faults/invariants.ts';
import { until } from '../faults/rig.ts';
import { expectInterrupted, expectWholeStream } from '../faults/stream-reader.ts';
import { jsonOf, type RulesRig, withRules } from './rules-rig.ts';

const key = (name = 'k') => ({ headers: { 'idempotency-key': name } });
const slow = (text: string, ms: number) => ({ ...okBody(text), delay_ms: ms });
const calls = (rig: RulesRig, count: number) => until(() => rig.called().length >= count, `${count} calls`);
const storeOf = (rig: RulesRig) => rig.gateway.inside.keyed.store;
const unavailable = (): Promise<never> => Promise.reject(new StateStoreUnavailable('the disk is full'));
function signal(): { readonly given: Promise<void>; give(): void } {
  let give = (): void => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

/** One word at once, the rest late. */
const long = sseStep([role(), delta('a'), { wait_ms: 400 }, delta('b'), ...okStream('c').chunks!.slice(1)]);

describe('T-6, I-9: clients that leave', () => {
  it('T-6: the call of an explicit key runs on, and the next request gets its answer', async () => {
    await withRules({ m: { up: { A: [slow('one', 600)] } } }, async (rig) => {
      const left = await rig.ask('m', {}, { ...key(), leaveOn: calls(rig, 1) });
      expect(left.end).toBe('left');
      const again = await rig.ask('m', {}, key());
      expect(again.status).toBe(200);
      expect(rig.called()).toEqual(['A:m']);
      expect(rig.aborted()).toEqual([]);
      const [owner] = (await rig.gateway.records(5)).filter(({ idempotency }) => idempotency?.role === 'owner');
      expect(owner).toMatchObject({ ending: 'client_closed', status: 499, idempotency: { state: 'succeeded' } });
    });
  });

  it('T-6, I-9: finish_on_disconnect false: joiners keep it alive, the last one’s leaving ends it at once', async () => {
    const silent = sseStep([role(), delta('a'), { wait_ms: 20_000 }]);
    await withRules({ m: { up: { A: [silent, okStream('two')] } } }, async (rig) => {
      const fields = { stream: true, redundancy: { finish_on_disconnect: false } };
      const [joined, over] = [signal(), signal()];
      const leader = rig.ask('m', fields, { ...key(), leaveOn: joined.given });
      await calls(rig, 1);
      const leaveWhen = (text: string): boolean => {
        if (text.includes('"a"')) joined.give();
        return false;
      };
      const joiner = rig.ask('m', fields, { ...key(), leaveWhen, leaveOn: over.given });
      await leader;
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(rig.aborted()).toEqual([]);
      const leftAt = Date.now();
      over.give();
      await joiner;
      await until(() => rig.aborted().length === 1, 'the call is broken off');
      expect(rig.aborted()[0]! - leftAt).toBeLessThan(3000);
      const again = await rig.ask('m', fields, key());
      expectWholeStream(again, 'two');
      expect(again.headers['idempotent-replayed']).toBeUndefined();
    });
  });

  it('I-9: a leader that leaves does not hurt those who joined its stream', async () => {
    await withRules({ m: { up: { A: [long] } } }, async (rig) => {
      const fields = { stream: true, redundancy: { finish_on_disconnect: false } };
      const joined = signal();
      const leaveWhen = (text: string): boolean => {
        if (text.includes('"a"')) joined.give();
        return false;
      };
      const leader = rig.ask('m', fields, { ...key(), leaveOn: joined.given });
      await calls(rig, 1);
      const joiner = await rig.ask('m', fields, { ...key(), leaveWhen });
      expect((await leader).end).toBe('left');
      expectWholeStream(joiner, 'abc');
      const replay = await rig.ask('m', fields, key());
      expect(replay.text).toBe(joiner.text);
      expect(rig.called()).toEqual(['A:m']);
    });
  });
});

describe('I-9: nobody who is there is told that everybody has left', () => {
  /** Requests that look under a key, in order, and what holds their result back. */
  function watchLooks(rig: RulesRig, heldBack: readonly (Promise<unknown> | null)[]): string[] {
    const { keyed } = rig.gateway.inside;
    const find = keyed.find.bind(keyed);
    const looks: string[] = [];
    keyed.find = async (ask, requestId) => {
      const held = heldBack[looks.push(requestId) - 1] ?? null;
      const found = await find(ask, requestId);
      await held;
      return found;
    };
    return looks;
  }

  /** The leader leaves while its claim is being written; then a second request looks, and the claim is done. */
  async function leaveDuringClaim(rig: RulesRig, looks: readonly string[]) {
    const store = storeOf(rig);
    const claim = store.claim.bind(store);
    const [written, leave] = [signal(), signal()];
    store.claim = async (asked) => {
      await written.given;
      return claim(asked);
    };
    const leader = rig.ask('m', {}, { ...key(), leaveOn: leave.given });
    await until(() => looks.length === 1, 'the leader claims');
    const joiner = rig.ask('m', {}, key());
    await until(() => looks.length === 2, 'the joiner looks');
    leave.give();
    await leader;
    await until(() => isGone(rig, looks[0]!), 'the leader is seen to be gone');
    written.give();
    return joiner;
  }

  function isGone(rig: RulesRig, requestId: string): boolean {
    const entries = [...rig.gateway.inside.live] as LiveEntry[];
    const found = entries.find(({ incoming }) => incoming?.reception.identity.requestId === requestId);
    return found?.incoming?.reception.delivery.gone === true;
  }

  it('I-9: a leader that leaves while its claim is written runs for those who have joined', async () => {
    await withRules({ m: { up: { A: [okBody('one')] } } }, async (rig) => {
      const joined = signal();
      const looks = watchLooks(rig, [joined.given]);
      const answer = leaveDuringClaim(rig, looks);
      await until(() => rig.gateway.inside.keyed.size === 1 && looks.length === 2, 'the claim is written');
      // The joiner's own look has come back by now: it reads the spool.
      await new Promise((resolve) => setImmediate(resolve));
      joined.give();
      const { status, headers } = await answer;
      expect([status, headers['x-understudy-original-request-id'] === undefined]).toEqual([200, false]);
      expect(rig.called()).toEqual(['A:m']);
    });
  });

  it('I-9: who has found a run that ends before it joins runs the next round', async () => {
    await withRules({ m: { up: { A: [okBody('one')] } } }, async (rig) => {
      const refused = signal();
      const looks = watchLooks(rig, [null, refused.given]);
      const answer = leaveDuringClaim(rig, looks);
      await waitFor(() => ownerFailed(rig), 'the leader’s round is given up');
      refused.give();
      const again = await answer;
      expect(again.status).toBe(200);
      expect((await rig.record(again)).idempotency).toMatchObject({ role: 'owner', state: 'succeeded' });
      expect(rig.called()).toEqual(['A:m']);
    });
  });

  it('I-9: who has found a run that is then cancelled runs the next round', async () => {
    await withRules({ m: { up: { A: [slow('one', 20_000), okBody('two')] } } }, async (rig) => {
      const fields = { redundancy: { finish_on_disconnect: false } };
      const [leave, cancelled] = [signal(), signal()];
      const looks = watchLooks(rig, [null, cancelled.given]);
      const leader = rig.ask('m', fields, { ...key(), leaveOn: leave.given });
      await calls(rig, 1);
      const joiner = rig.ask('m', fields, key());
      await until(() => looks.length === 2, 'the joiner looks');
      leave.give();
      await leader;
      await until(() => rig.gateway.inside.keyed.size === 0, 'the run is cancelled');
      cancelled.give();
      const answer = await joiner;
      expect(answer.status).toBe(200);
      expect((await rig.record(answer)).idempotency).toMatchObject({ round: 2, role: 'owner', state: 'succeeded' });
    });
  });

  async function ownerFailed(rig: RulesRig): Promise<true | null> {
    for await (const { row } of storeOf(rig).keys()) if (row.state === 'failed') return true;
    return null;
  }
});

describe('I-6: streams from the start', () => {
  it('I-6: whoever joins late gets what has been said already, byte for byte', async () => {
    await withRules({ m: { up: { A: [long] } } }, async (rig) => {
      const begun = signal();
      const leaveWhen = (text: string): boolean => {
        if (text.includes('"a"')) begun.give();
        return false;
      };
      const first = rig.ask('m', { stream: true }, { ...key(), leaveWhen });
      await begun.given;
      const [leader, joiner] = await Promise.all([first, rig.ask('m', { stream: true }, key())]);
      expectWholeStream(joiner, 'abc');
      expect(joiner.text).toBe(leader.text);
      expect(rig.called()).toEqual(['A:m']);
    });
  });

  it('I-6, I-4: more than the memory holds goes through the disk, and nothing of it stays there', async () => {
    const piece = 'x'.repeat(200_000);
    const pieces = Array.from({ length: 12 }, () => piece);
    await withRules({ m: { up: { A: [okStream(...pieces)] } } }, async (rig) => {
      const answers = await Promise.all([1, 2, 3].map(() => rig.ask('m', { stream: true }, key())));
      const replay = await rig.ask('m', { stream: true }, key());
      for (const answer of [...answers, replay]) expectWholeStream(answer, pieces.join(''));
      expect(new Set([...answers, replay].map(({ text }) => text)).size).toBe(1);
      expect(rig.called()).toEqual(['A:m']);
    });
  });
});

describe('I-3, I-8: what may not count', () => {
  it.each([false, true])('I-3: an answer that can’t be kept is never a success (stream: %s)', async (stream) => {
    await withRules({ m: { up: { A: [stream ? okStream('one') : okBody('one')] } } }, async (rig) => {
      const store = storeOf(rig);
      const { succeed } = store;
      store.succeed = unavailable;
      const answer = await rig.ask('m', { stream }, key());
      store.succeed = succeed;
      if (stream) {
        expectInterrupted(answer, 'one');
      } else {
        expect([answer.status, errorOf(answer)['code']]).toEqual([503, 'store_unavailable']);
        expect(answer.headers['retry-after']).toBe('1');
      }
      expect(await rig.record(answer)).toMatchObject({
        idempotency: { state: 'failed', digest: null },
        attempts: [{ result: stream ? 'interrupted' : 'late_success' }],
      });
      expect((await rig.ask('m', { stream }, key())).headers['idempotent-replayed']).toBeUndefined();
      expect(rig.called()).toHaveLength(2);
    });
  });

  it.each([false, true])('I-8: a round that was lost ends as 502 or an interruption (stream: %s)', async (stream) => {
    await withRules({ m: { up: { A: [stream ? okStream('one') : okBody('one')] } } }, async (rig) => {
      storeOf(rig).succeed = async () => 'lost';
      const answer = await rig.ask('m', { stream }, key());
      if (stream) expectInterrupted(answer, 'one');
      else expect([answer.status, errorOf(answer)['code']]).toEqual([502, 'gateway_restarted']);
    });
  });

  it('T-5, I-9: a stream that never said it was finished is not stored and has no terminator', async () => {
    await withRules({ m: { up: { A: [sseStep([role(), delta('a'), DONE]), okStream('b')] } } }, async (rig) => {
      const answer = await rig.ask('m', { stream: true }, key());
      expectInterrupted(answer, 'a');
      const again = await rig.ask('m', { stream: true }, key());
      expectWholeStream(again, 'b');
      expect((await rig.record(again)).idempotency).toMatchObject({ round: 2, role: 'owner', state: 'succeeded' });
    });
  });

  it('I-9: a stream that breaks off is told to all, and the next request runs again', async () => {
    const cut = sseStep([role(), delta('a'), { wait_ms: 200 }, delta('b')], { end: 'rst' });
    await withRules({ m: { up: { A: [cut, okStream('whole')] } } }, async (rig) => {
      const first = rig.ask('m', { stream: true }, key());
      await calls(rig, 1);
      for (const answer of await Promise.all([first, rig.ask('m', { stream: true }, key())])) {
        expectInterrupted(answer, 'ab');
      }
      expectWholeStream(await rig.ask('m', { stream: true }, key()), 'whole');
    });
  });
});

describe('H-5: a store that can’t be written', () => {
  it('H-5: a claim is 503 with Retry-After 1 and no call; plain requests are served', async () => {
    await withRules({ m: { up: { A: [okBody('one')] } } }, async (rig) => {
      storeOf(rig).claim = unavailable;
      const answer = await rig.ask('m', {}, key());
      expect([answer.status, errorOf(answer)['code']]).toEqual([503, 'store_unavailable']);
      expect([answer.headers['retry-after'], answer.headers['x-should-retry']]).toEqual(['1', 'true']);
      expect(rig.called()).toEqual([]);
      expect((await rig.ask('m')).status).toBe(200);
    });
  });

  it('I-2, H-5: no byte leaves before the attempt’s start is durable', async () => {
    await withRules({ m: { up: { A: [okBody('one')] } } }, async (rig) => {
      const store = storeOf(rig);
      const start = store.startAttempt.bind(store);
      store.startAttempt = unavailable;
      const answer = await rig.ask('m', {}, key());
      expect([answer.status, errorOf(answer)['code']]).toEqual([503, 'store_unavailable']);
      let called = -1;
      store.startAttempt = async (attempt) => {
        await new Promise((resolve) => setTimeout(resolve, 100));
        called = rig.called().length;
        return start(attempt);
      };
      expect((await rig.ask('m', {}, key())).status).toBe(200);
      expect([called, rig.called().length]).toEqual([0, 1]);
    });
  });
});

describe('I-10: derived keys', () => {
  /** Two keys whose answers have reached their clients; null = not yet. */
  async function deliveredKeys(rig: RulesRig): Promise<true | null> {
    let count = 0;
    for await (const { row } of storeOf(rig).keys()) if (row.delivered) count += 1;
    return count >= 2 ? true : null;
  }

  const auto = { over: { workspaces: { default: { auto_idempotency: true }, main: { auto_idempotency: true } } } };

  it('I-10: equal requests at once join; afterwards it is a new request', async () => {
    await withRules(
      { m: { up: { A: [slow('one', 200), okBody('two')] } } },
      async (rig) => {
        const first = rig.ask('m');
        await calls(rig, 1);
        const [one, two, other] = await Promise.all([first, rig.ask('m'), rig.ask('m', { user: 'somebody' })]);
        expect(two.text).toBe(one.text);
        expect(other.headers['x-understudy-original-request-id']).toBeUndefined();
        expect(rig.called()).toHaveLength(2);
        await waitFor(() => deliveredKeys(rig), 'the ledger hears that the first answers arrived');
        const regenerated = await rig.ask('m');
        expect(regenerated.headers['idempotent-replayed']).toBeUndefined();
        expect(rig.called()).toHaveLength(3);
        const retried = await rig.ask('m', {}, { headers: { 'x-stainless-retry-count': '1' } });
        expect(retried.headers['idempotent-replayed']).toBe('true');
        expect(retried.text).toBe(regenerated.text);
        expect(rig.called()).toHaveLength(3);
      },
      auto,
    );
  });

  it('I-10, I-9: without an explicit key the last one’s leaving ends the call', async () => {
    await withRules(
      { m: { up: { A: [slow('one', 5000)] } } },
      async (rig) => {
        await rig.ask('m', {}, { leaveOn: calls(rig, 1) });
        await until(() => rig.aborted().length === 1, 'the call is broken off');
      },
      auto,
    );
  });

  it('I-10, H-5: nobody who sent no key is refused for one', async () => {
    await withRules(
      { m: { up: { A: [okBody('one')] } } },
      async (rig) => {
        const business = { 'x-business-key': 'order-1' };
        expect((await rig.ask('m', {}, { headers: business })).status).toBe(200);
        expect((await rig.ask('m', { seed: 2 }, { headers: business })).status).toBe(200);
        storeOf(rig).claim = unavailable;
        expect((await rig.ask('m')).status).toBe(200);
      },
      auto,
    );
  });
});

describe('I-3, E-4: answers no upstream gave', () => {
  it('I-3, E-4: a stand-in is kept like any answer', async () => {
    await withRules(
      { m: { up: { A: [errorStep(503, { message: 'down' }), okBody('late')] } } },
      async (rig) => {
        const fields = { redundancy: { retries: 0, on_exhausted: [{ default: 'sorry' }] } };
        const first = await rig.ask('m', fields, key());
        const again = await rig.ask('m', fields, key());
        expect([first.status, again.text]).toEqual([200, first.text]);
        expect(jsonOf(first)).toMatchObject({ understudy: { degraded: true } });
        expect(again.headers['x-understudy-degraded']).toBe('true');
        expect(rig.called()).toEqual(['A:m']);
      },
      { over: { answers: { sorry: { text: 'Sorry.' } } } },
    );
  });
});
