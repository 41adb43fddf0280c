/** Requests under one key that meet at the worst moment: one result each time, nobody left hanging, no key stuck. */
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Step } from '../../sim/index.ts';
import { errorStep, okBody, okStream } from '../faults/answers.ts';
import { CLIENT_KEY } from '../faults/gateway-config.ts';
import { errorOf } from '../faults/invariants.ts';
import type { RawAnswer } from '../faults/raw-client.ts';
import { until } from '../faults/rig.ts';
import { expectWholeStream } from '../faults/stream-reader.ts';
import { MESSAGES, type RulesRig, withRules } from '../rules/rules-rig.ts';
import { JumpingClock } from '../support/jumping-clock.ts';
import { type Config, startAttackRig } from './attack-rig.ts';
import { expectOrderly } from './keyed-audit.ts';
import { http, okAnswer, type RawCall } from './raw-upstream.ts';

const key = (name = 'k') => ({ headers: { 'idempotency-key': name } });
const slow = (step: Step, delay_ms: number): Step => ({ ...step, delay_ms });
const calls = (rig: RulesRig, count: number) => until(() => rig.called().length >= count, `${count} calls`);
const storeOf = (rig: RulesRig) => rig.gateway.inside.keyed.store;
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** `during` is carried out before, and `after` after a success has been written, while its run waits for the word. */
function atSuccess(rig: RulesRig, during: () => Promise<unknown>, after: () => Promise<unknown>): void {
  const store = storeOf(rig);
  const succeed = store.succeed.bind(store);
  store.succeed = async (success) => {
    store.succeed = succeed;
    await during();
    const result = await succeed(success);
    await after();
    return result;
  };
}

describe('I-3, I-9: at the very moment of success', () => {
  it.each([false, true])(
    'I-9: the last one leaves, another comes: stored once, and both mean it (stream: %s)',
    (stream) =>
      withRules({ m: { up: { A: [stream ? okStream('one') : okBody('one'), okBody('never')] } } }, async (rig) => {
        const fields = { stream, redundancy: { finish_on_disconnect: false } };
        let next: Promise<RawAnswer> | null = null;
        let leave = (): void => {};
        const left = new Promise<void>((resolve) => {
          leave = resolve;
        });
        atSuccess(
          rig,
          async () => {
            leave();
            const { live } = rig.gateway.inside;
            await pause(100);
            next = rig.ask('m', fields, key());
            await until(() => live.size === 2, 'the next one is there');
            await pause(200);
          },
          () => pause(100),
        );
        await rig.ask('m', fields, { ...key(), leaveOn: left });
        await until(() => next !== null, 'the next one comes');
        const answer = (await next)! as RawAnswer;
        expect([answer.status, answer.text.includes('one')]).toEqual([200, true]);
        // It came while the answer was being written: it is given that one's, and the next is given it again.
        expect(answer.headers['x-understudy-original-request-id']).toMatch(/^req_/);
        expect(answer.headers['x-understudy-original-request-id']).not.toBe(answer.headers['x-request-id']);
        expect((await rig.ask('m', fields, key())).headers['idempotent-replayed']).toBe('true');
        expect(rig.called()).toHaveLength(1);
        await expectOrderly(rig);
      }),
  );

  it('I-6: who comes between the success and its publication gets it', () =>
    withRules({ m: { up: { A: [okBody('one'), okBody('never')] } } }, async (rig) => {
      const others: Promise<RawAnswer>[] = [];
      const come = async () => {
        others.push(rig.ask('m', {}, key()), rig.ask('m', {}, key()));
        await pause(100);
      };
      atSuccess(rig, come, come);
      const first = await rig.ask('m', {}, key());
      const texts = (await Promise.all(others)).map(({ text }) => text);
      expect(texts).toEqual([first.text, first.text, first.text, first.text]);
      expect(rig.called()).toHaveLength(1);
      await expectOrderly(rig);
    }));
});

describe('I-9: leaving while the claim is written', () => {
  it.each(['key', 'workspace'])('I-9: whoever has come meanwhile runs instead, or is run for (scope: %s)', (scope) =>
    withRules(
      { m: { up: { A: [okBody('one')] } } },
      async (rig) => {
        const store = storeOf(rig);
        const claim = store.claim.bind(store);
        const { live } = rig.gateway.inside;
        let leave = (): void => {};
        const left = new Promise<void>((resolve) => {
          leave = resolve;
        });
        let others: Promise<RawAnswer>[] = [];
        store.claim = async (asked) => {
          store.claim = claim;
          others = [1, 2, 3].map(() => rig.ask('m', {}, key()));
          await until(() => live.size === 4, 'the others are there');
          leave();
          await pause(100);
          return claim(asked);
        };
        await rig.ask('m', {}, { ...key(), leaveOn: left });
        const answers = await Promise.all(others);
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
        expect(rig.called()).toHaveLength(1);
        await expectOrderly(rig);
      },
      { over: { workspaces: { main: { idempotency_scope: scope } } } },
    ),
  );
});

describe('I-1: time', () => {
  it('I-1, I-4: a key whose window ends while it runs is waited for, and its answer kept as long again', () => {
    const clock = new JumpingClock();
    const settings = { clock, over: { idempotency: { window: '1h' } } };
    return withRules(
      { m: { up: { A: [slow(okBody('one'), 400), okBody('two')] } } },
      async (rig) => {
        const first = rig.ask('m', {}, key());
        await calls(rig, 1);
        clock.jump(2 * 3_600_000);
        const [one, joined] = await Promise.all([first, rig.ask('m', {}, key())]);
        expect([one.status, joined.text]).toEqual([200, one.text]);
        await storeOf(rig).expire(clock.wall());
        expect((await rig.ask('m', {}, key())).headers['idempotent-replayed']).toBe('true');
        clock.jump(3_500_000);
        expect((await rig.ask('m', {}, key())).headers['idempotent-replayed']).toBe('true');
        clock.jump(200_000);
        expect((await rig.ask('m', {}, key())).headers['idempotent-replayed']).toBeUndefined();
        expect(rig.called()).toHaveLength(2);
      },
      settings,
    );
  });
});

describe('I-6: crowds', () => {
  it('I-6: of a crowd that will not join one runs, the others are told so, all at once', () =>
    withRules({ m: { up: { A: [slow(okBody('one'), 300)] } } }, async (rig) => {
      const fields = { redundancy: { on_duplicate: 'reject' } };
      const crowd = await Promise.all(Array.from({ length: 20 }, () => rig.ask('m', fields, key())));
      const statuses = crowd.map(({ status }) => status).sort();
      expect(statuses).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
      for (const refused of crowd.filter(({ status }) => status === 409)) {
        expect([errorOf(refused)['code'], refused.headers['retry-after']]).toEqual(['request_in_progress', '1']);
      }
      expect(rig.called()).toHaveLength(1);
    }));

  it('I-5: of a crowd with two bodies under one key one body wins; nobody gets the other’s answer', () =>
    withRules({ m: { up: { A: [slow(okBody('one'), 200)] } } }, async (rig) => {
      const ask = (seed: number) => rig.ask('m', { seed }, key());
      const crowd = await Promise.all(Array.from({ length: 20 }, (_, n) => ask(n % 2)));
      const statusOf = (seed: number) => new Set(crowd.filter((_, n) => n % 2 === seed).map(({ status }) => status));
      expect([...statusOf(0), ...statusOf(1)].sort()).toEqual([200, 422]);
      expect(rig.called()).toHaveLength(1);
    }));

  it('I-6: the same twice behind each other on one connection: one call, two answers in order', () =>
    withRules({ m: { up: { A: [slow(okBody('one'), 200), okBody('never')] } } }, async (rig) => {
      const body = JSON.stringify({ model: 'm', messages: MESSAGES });
      const head = ['POST /v1/chat/completions HTTP/1.1', 'host: g', `authorization: Bearer ${CLIENT_KEY}`];
      const lines = [...head, 'idempotency-key: k', 'content-type: application/json', `content-length: ${body.length}`];
      const socket = connect(Number(new URL(rig.url).port), '127.0.0.1');
      let text = '';
      socket.on('data', (bytes: Buffer) => {
        text += bytes.toString();
      });
      socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`.repeat(2));
      await until(() => text.match(/HTTP\/1.1 200/g)?.length === 2 && text.split('"one"').length === 3, 'two answers');
      socket.destroy();
      expect(rig.called()).toHaveLength(1);
      await expectOrderly(rig);
    }));

  it('I-6, T-7: a leader that reads nothing for a while holds up nobody, and gets all of it in the end', async () => {
    const piece = 'y'.repeat(500_000);
    const pieces = Array.from({ length: 24 }, () => piece);
    await withRules({ m: { up: { A: [okStream(...pieces)] } } }, async (rig) => {
      const body = JSON.stringify({ model: 'm', stream: true, messages: MESSAGES });
      const socket = connect(Number(new URL(rig.url).port), '127.0.0.1');
      let length = 0;
      let end = '';
      socket.on('data', (bytes: Buffer) => {
        length += bytes.length;
        end = (end + bytes.toString()).slice(-64);
      });
      socket.pause();
      const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: g\r\nauthorization: Bearer ${CLIENT_KEY}\r\n`;
      socket.write(`${head}idempotency-key: k\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      await calls(rig, 1);
      const joiner = await rig.ask('m', { stream: true }, key());
      expectWholeStream(joiner, pieces.join(''));
      expect((await rig.ask('m', { stream: true }, key())).text).toBe(joiner.text);
      expect(length).toBe(0);
      socket.resume();
      await until(() => end.includes('[DONE]'), 'the end');
      expect(length).toBeGreaterThan(joiner.body.length);
      socket.destroy();
      expect(rig.called()).toHaveLength(1);
      await expectOrderly(rig);
    });
  });
});

describe('I-8: what breaks beside it', () => {
  it('I-8: a fault of the gateway’s own under a key is told to all, and the key is free', () =>
    withRules({ m: { up: { A: [okBody('one')] } } }, async (rig) => {
      const { limits } = rig.gateway.inside;
      const admit = limits.admit.bind(limits);
      limits.admit = () => {
        throw new Error('a bug');
      };
      const crowd = await Promise.all([1, 2, 3].map(() => rig.ask('m', {}, key())));
      for (const answer of crowd) expect([answer.status, errorOf(answer)['code']]).toEqual([500, 'internal_error']);
      limits.admit = admit;
      expect((await rig.ask('m', {}, key())).status).toBe(200);
      await expectOrderly(rig);
    }));

  it('I-8, C-3: key, workspace and model removed while it runs: it ends as it began, and is there when they are back', async () => {
    const held: RawCall[] = [];
    const rig = await startAttackRig([(call) => void held.push(call)]);
    try {
      const first = rig.ask({}, key());
      await until(() => held.length === 1, 'the call');
      let before: Config = {};
      await rig.reload((config) => {
        before = structuredClone(config);
        config['models'] = { other: { channels: [{ id: 'ch0', provider: 'p0', model: 'up' }] } };
        config['workspaces'] = { second: {} };
        config['keys'] = [{ name: 'second', workspace: 'second', secret: 'another-secret-0123456789' }];
      });
      expect((await rig.ask({}, key())).status).toBe(401);
      held[0]!.socket.write(http(200, okAnswer('one')));
      expect((await first).status).toBe(200);
      await rig.reload((config) => Object.assign(config, before, { models: config['models'] }));
      const replay = await rig.ask({}, key());
      expect([replay.status, replay.headers['idempotent-replayed']]).toEqual([200, 'true']);
      expect(replay.text).toBe((await first).text);
      expect((await rig.ask()).status).toBe(404);
    } finally {
      await rig.close();
    }
  });

  it('I-7: a failure that all share leaves the key to the next', () =>
    withRules({ m: { up: { A: [slow(errorStep(500, { message: 'down' }), 200), okBody('two')] } } }, async (rig) => {
      const fields = { redundancy: { retries: 0 } };
      const crowd = await Promise.all(Array.from({ length: 10 }, () => rig.ask('m', fields, key())));
      expect(new Set(crowd.map(({ status }) => status))).toEqual(new Set([500]));
      expect((await rig.ask('m', fields, key())).status).toBe(200);
      expect(rig.called()).toHaveLength(2);
      await expectOrderly(rig);
    }));
});

describe('I-10: derived keys', () => {
  const auto = { over: { workspaces: { default: { auto_idempotency: true }, main: { auto_idempotency: true } } } };

  it('I-10: whoever got only a part of a whole answer gets all of it, without another call', () => {
    // More than a connection between the two can hold.
    const large = 'z'.repeat(14_000_000);
    return withRules(
      { m: { up: { A: [okBody(large), okBody('never')] } } },
      async (rig) => {
        const socket = connect(Number(new URL(rig.url).port), '127.0.0.1');
        const body = JSON.stringify({ model: 'm', messages: MESSAGES });
        const head = `POST /v1/chat/completions HTTP/1.1\r\nhost: g\r\nauthorization: Bearer ${CLIENT_KEY}\r\n`;
        socket.write(`${head}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
        await new Promise((resolve) => socket.once('readable', resolve));
        socket.destroy();
        await until(() => rig.gateway.inside.live.size === 0, 'its end');
        const again = await rig.ask('m');
        expect([again.headers['idempotent-replayed'], again.body.length > large.length]).toEqual(['true', true]);
        expect(rig.called()).toHaveLength(1);
        // Now it has been delivered: the next one is a new wish.
        await pause(100);
        expect((await rig.ask('m')).headers['idempotent-replayed']).toBeUndefined();
        await expectOrderly(rig);
      },
      auto,
    );
  });
});
