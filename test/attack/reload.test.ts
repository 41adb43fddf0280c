import { describe, expect, it } from 'vitest';
import { expectHonest } from '../faults/invariants.ts';
import { expectWholeStream } from '../faults/stream-reader.ts';
import { type Config, startAttackRig, until } from './attack-rig.ts';
import { chunked, DONE, event, http, LAST_CHUNK, okAnswer, type RawCall, SSE_HEAD } from './raw-upstream.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The configuration without channel, credential and provider of upstream 0. */
function withoutFirst(config: Config): void {
  for (const table of ['providers', 'credentials']) {
    const { p0: _p, c0: _c, ...rest } = config[table] as Record<string, unknown>;
    config[table] = rest;
  }
  config['models'] = { m: { channels: [{ id: 'ch1', provider: 'p1', model: 'up' }] } };
}

describe('a reload in the middle of everything', () => {
  it('C-3: requests under way keep what they started with: streams, failovers, targets that are gone', async () => {
    const held: RawCall[] = [];
    const first = (call: RawCall): void => {
      held.push(call);
      if (call.body.includes('"stream":true')) {
        call.socket.write(SSE_HEAD + chunked(event({ role: 'assistant', content: 'one ' })).toString());
      }
    };
    const second = ({ socket }: RawCall): void => void socket.write(http(200, okAnswer('second')));
    const rig = await startAttackRig([first, second]);
    try {
      const streams = Array.from({ length: 10 }, () => rig.ask({ stream: true }));
      const wholes = Array.from({ length: 10 }, () => rig.ask());
      await until(() => held.length === 20, 'all at the first upstream');
      await rig.reload(withoutFirst);
      await rig.reload((config) => {
        config['aliases'] = { other: 'm' };
      });
      expect((await rig.ask({ model: 'other' })).text).toContain('second');
      expect(held).toHaveLength(20);
      for (const call of held) {
        if (call.body.includes('"stream":true')) {
          const rest = event({ content: 'two' }) + event({}, 'stop') + DONE;
          call.socket.write(Buffer.concat([chunked(rest), Buffer.from(LAST_CHUNK)]));
        } else call.socket.write(http(500, '{"error":{"message":"gone"}}'));
      }
      for (const got of await Promise.all(streams)) expectWholeStream(got, 'one two');
      for (const got of await Promise.all(wholes)) {
        expectHonest(got);
        expect(got.text).toContain('second');
        const { attempts } = await rig.record(got);
        expect(attempts.map(({ channel }) => channel)).toEqual(['ch0', 'ch1']);
      }
      expect(rig.running.gateway.live.size).toBe(0);
    } finally {
      await rig.close();
    }
  });

  it('C-3: reloads at once, under load, end in one configuration and lose no request', async () => {
    const rig = await startAttackRig([({ socket }) => socket.write(http(200, okAnswer('a')))]);
    try {
      let stop = false;
      const load = Array.from({ length: 5 }, async () => {
        const statuses = new Set<number | null>();
        while (!stop) statuses.add((await rig.ask()).status);
        return statuses;
      });
      const versions: number[] = [];
      for (let round = 0; round < 5; round++) {
        const results = await Promise.all([rig.running.reload(), rig.running.reload(), rig.running.reload()]);
        versions.push(...results.map((result) => (result.ok ? result.version : -1)));
        await pause(10);
      }
      stop = true;
      for (const statuses of await Promise.all(load)) expect(statuses).toEqual(new Set([200]));
      expect(versions).not.toContain(-1);
      expect(new Set(versions).size, 'no version names two configurations').toBe(versions.length);
    } finally {
      await rig.close();
    }
  });
});

describe('a drain in the middle of everything', () => {
  it('E-5, T-4: what waits for a retry, for headers or for more of its stream gets an honest end', async () => {
    const behave = ({ socket, no }: RawCall): void => {
      if (no === 1) socket.write(SSE_HEAD + chunked(event({ content: 'a' })).toString());
      if (no === 2) socket.write(http(503, '{"error":{"message":"busy"}}', ['retry-after: 4']));
    };
    const rig = await startAttackRig([behave], { redundancy: { retries: 1, max_wait_ms: 5000 } });
    try {
      const streaming = rig.ask({ stream: true });
      await until(() => rig.ups[0]?.calls.length === 1, 'a stream');
      const waiting = rig.ask();
      await until(() => rig.ups[0]?.calls.length === 2, 'a wait');
      const silent = rig.ask();
      await until(() => rig.ups[0]?.calls.length === 3, 'a silent one');
      await rig.running.drain(100);
      const [stream, wait, silence] = await Promise.all([streaming, waiting, silent]);
      expect(stream.text).toContain('gateway_restarted');
      expect(stream.text).not.toContain('[DONE]');
      for (const got of [wait, silence]) {
        expectHonest(got);
        expect(got.text).toContain('gateway_restarted');
      }
    } finally {
      await rig.close();
    }
  });
});
