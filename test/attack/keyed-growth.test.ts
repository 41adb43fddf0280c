/** Idempotency keys as a way to fill a gateway up: its disk, its memory, its time. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { okBody } from '../faults/answers.ts';
import { errorOf } from '../faults/invariants.ts';
import { expectInterrupted } from '../faults/stream-reader.ts';
import { jsonOf, MESSAGES, type RulesRig, withRules } from '../rules/rules-rig.ts';
import { type RawSocket, rawChat, startAttackRig, until } from './attack-rig.ts';
import { chunked, DONE, event, http, LAST_CHUNK, okAnswer, type RawCall, SSE_HEAD } from './raw-upstream.ts';

const key = (name = 'k') => ({ headers: { 'idempotency-key': name } });

async function keysKept(rig: RulesRig): Promise<number> {
  let count = 0;
  for await (const _ of rig.gateway.inside.keyed.store.keys()) count += 1;
  return count;
}

describe('disk', () => {
  it('I-5, G-11: what is refused before it runs leaves nothing in the ledger', async () => {
    const keys = [{ name: 'few', secret: 'key-few-0123456789', models: ['m'], limits: { rpm: 1 } }];
    const routes = { m: { up: { A: [okBody('a')] } } };
    await withRules(
      routes,
      async (rig) => {
        const path = '/v1/chat/completions?';
        const statuses = new Set<number | null>();
        for (let n = 0; n < 30; n += 1) {
          const fields = n % 3 === 2 ? { model: 'nobody' } : n % 3 === 1 ? { redundancy: { retries: 99 } } : {};
          statuses.add((await rig.ask('m', fields, { ...key(`k${n}`), key: 'key-few-0123456789', path })).status);
        }
        expect(statuses).toEqual(new Set([200, 429]));
        const { store } = rig.gateway.inside.keyed;
        await store.expire(Date.now());
        expect(await keysKept(rig)).toBe(1);
        // And a key that was refused is as good as new.
        expect((await rig.ask('m', { seed: 2 }, key('k3'))).status).toBe(200);
      },
      { keys },
    );
  });

  it('T-4, H-5: a spool that can’t be kept ends the streams that read it, in their own words', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'understudy-spool-'));
    const held: RawCall[] = [];
    const answer = (call: RawCall): void => {
      held.push(call);
      call.socket.write(SSE_HEAD + chunked(event({ role: 'assistant', content: 'one ' })).toString());
    };
    const rig = await startAttackRig([answer], { start: { dataDir } });
    try {
      const begun: string[] = [];
      const leaveWhen = (text: string): boolean => {
        if (begun.length < 3 && text.includes('one ')) begun.push('x');
        return false;
      };
      const crowd = [1, 2, 3].map(() => rig.ask({ stream: true }, { ...key(), leaveWhen }));
      await until(() => begun.length === 3, 'all read');
      await rm(dataDir, { recursive: true, force: true });
      const [call] = held;
      for (let n = 0; n < 30; n += 1) call!.socket.write(chunked(event({ content: 'x'.repeat(100_000) })));
      for (const got of await Promise.all(crowd)) {
        expect(got.status).toBe(200);
        expectInterrupted(got, `one ${'x'.repeat((got.text.match(/x{100000}/g) ?? []).length * 100_000)}`);
      }
      await until(() => rig.ups[0]!.openSockets() === 0, 'the upstream call is broken off');
    } finally {
      await rig.close();
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});

/** Not offered to programs: the flag makes a context that has it. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

describe('memory', () => {
  const MEGABYTES = 24;
  const large = okAnswer('x'.repeat(MEGABYTES * 1024 * 1024));

  it('I-4: those who ask for a large stored answer and don’t read it share one copy', async () => {
    const rig = await startAttackRig([({ socket }) => void socket.write(http(200, large))]);
    const sockets: RawSocket[] = [];
    try {
      expect((await rig.ask({}, key())).status).toBe(200);
      const leaving: unknown[] = [];
      const { records } = rig.running.gateway;
      const append = records.append.bind(records);
      records.append = (draft) => {
        leaving.push(draft.id);
        return append(draft);
      };
      collectGarbage();
      const before = process.memoryUsage().arrayBuffers;
      for (let n = 0; n < 8; n += 1) {
        const one = await rig.open();
        one.socket.pause();
        one.socket.write(rawChat({}, ['idempotency-key: k']));
        sockets.push(one);
        await until(() => leaving.length === n + 1, 'it has been answered, and nobody takes it');
      }
      collectGarbage();
      const grown = (process.memoryUsage().arrayBuffers - before) / 1024 / 1024;
      expect(grown).toBeLessThan(3 * MEGABYTES);
    } finally {
      for (const { socket } of sockets) socket.destroy();
      await rig.close();
    }
  });
});

describe('calls', () => {
  it('T-6, T-3: a stream that nobody reads any more and that never ends is broken off at the deadline', async () => {
    const held: RawCall[] = [];
    const drips: NodeJS.Timeout[] = [];
    const rig = await startAttackRig([
      (call) => {
        held.push(call);
        call.socket.write(SSE_HEAD);
        drips.push(setInterval(() => call.socket.write(chunked(event({ content: 'drip ' }))), 50));
      },
    ]);
    try {
      const fields = { stream: true, redundancy: { deadline_ms: 1000 } };
      const leaveWhen = (text: string): boolean => text.includes('drip');
      // As long as somebody reads it, no deadline cuts it.
      const reader = rig.ask(fields, { ...key(), leaveAfterMs: 2500 });
      await until(() => held.length === 1, 'the call');
      await rig.ask(fields, { ...key(), leaveWhen });
      expect((await reader).text.match(/drip/g)!.length).toBeGreaterThan(30);
      expect(rig.ups[0]!.openSockets()).toBe(1);
      await until(() => rig.ups[0]!.openSockets() === 0, 'the call is broken off');
      await until(() => rig.running.gateway.live.size === 0, 'it is over');
      expect(held).toHaveLength(1);
      // And its key is free.
      drips.splice(0).forEach(clearInterval);
      const again = rig.ask(fields, key());
      await until(() => held.length === 2, 'another call');
      held[1]!.socket.write(Buffer.concat([chunked(event({}, 'stop') + DONE), Buffer.from(LAST_CHUNK)]));
      drips.splice(0).forEach(clearInterval);
      expect((await again).text).toContain('[DONE]');
    } finally {
      drips.forEach(clearInterval);
      await rig.close();
    }
  });
});

describe('time', () => {
  const body = (value: string) => `{"model":"m","messages":${JSON.stringify(MESSAGES)},"metadata":${value}}`;

  it.each([
    ['an exponent of a million digits', `{"a":1e${'9'.repeat(1_000_000)}}`],
    ['a nest of 100,000', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
    ['a nest around a megabyte', `${'["",'.repeat(250)}"${'y'.repeat(1_000_000)}"${']'.repeat(250)}`],
  ])('I-5: %s is no more work under a key than without one, and a repeat is the same', async (_name, value) => {
    await withRules({ m: { up: { A: [okBody('a')] } } }, async (rig) => {
      const plain = await rig.post(body(value));
      const packed = gzipSync(body(value));
      const headers = { 'idempotency-key': 'k', 'content-encoding': 'gzip' };
      const [first, again] = [
        await rig.post('', { body: packed, headers }),
        await rig.post('', { body: packed, headers }),
      ];
      expect([first.status, again.status]).toEqual([plain.status, plain.status]);
      if (plain.status === 200) expect(again.headers['idempotent-replayed']).toBe('true');
      else expect(errorOf(first)['code']).toBe(errorOf(plain)['code']);
      expect(jsonOf(again)).toBeDefined();
    });
  });
});
