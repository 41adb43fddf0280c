/** Limits under fire: exact however many come at once, and given back whatever ends a request (G-11). */
import { describe, expect, it } from 'vitest';
import { CLIENT_KEY } from '../faults/gateway-config.ts';
import { errorOf } from '../faults/invariants.ts';
import { type AttackRig, type Config, rawChat, until, withAttackRig } from './attack-rig.ts';
import { chunked, event, http, okAnswer, type RawCall, SSE_HEAD } from './raw-upstream.ts';

const good = ({ socket }: RawCall): void => void socket.write(http(200, okAnswer('hi')));
const never = (): void => undefined;
const begun = ({ socket }: RawCall): void =>
  void socket.write(Buffer.concat([Buffer.from(SSE_HEAD), chunked(event({ role: 'assistant', content: 'a' }))]));

const limited = (limits: object) => (config: Config) => {
  config['keys'] = [{ name: 'test', workspace: 'main', secret: CLIENT_KEY, limits }];
};

function usage({ running: { gateway } }: AttackRig) {
  return gateway.limits.usage({ kind: 'key', id: 'test' }, gateway.clock.now(), gateway.clock.wall());
}

describe('many at once', () => {
  it('G-11: of 200 at once exactly as many as the limit are let through', () =>
    withAttackRig(
      [good],
      async (rig) => {
        const answers = await Promise.all(Array.from({ length: 200 }, () => rig.ask()));
        const statuses = answers.map(({ status }) => status);
        expect(statuses.filter((status) => status === 200)).toHaveLength(70);
        expect(statuses.filter((status) => status === 429)).toHaveLength(130);
        expect(rig.ups[0]!.calls).toHaveLength(70);
      },
      { edit: limited({ rpm: 70 }) },
    ));

  it('G-11: never more at the same time than the limit, whoever else waits', () =>
    withAttackRig(
      [({ socket }) => setTimeout(() => socket.write(http(200, okAnswer('hi'))), 20)],
      async (rig) => {
        let most = 0;
        const watch = setInterval(() => {
          most = Math.max(most, usage(rig).inFlight);
        }, 1);
        const answers = await Promise.all(Array.from({ length: 100 }, () => rig.ask()));
        clearInterval(watch);
        expect(most).toBeLessThanOrEqual(5);
        const served = answers.filter(({ status }) => status === 200).length;
        expect(served).toBeGreaterThanOrEqual(5);
        for (const answer of answers.filter(({ status }) => status !== 200)) {
          expect(errorOf(answer)['code']).toBe('key_rate_limited');
        }
        expect(usage(rig).inFlight).toBe(0);
      },
      { edit: limited({ concurrent: 5 }) },
    ));
});

describe('room comes back', () => {
  it('G-11: after a pipelined second request behind one that its client left', () =>
    withAttackRig(
      [never],
      async (rig) => {
        const { socket } = await rig.open();
        socket.write(rawChat().repeat(2));
        await until(() => rig.ups[0]!.calls.length > 0, 'a call');
        socket.destroy();
        await until(() => usage(rig).inFlight === 0, 'the room');
      },
      { edit: limited({ concurrent: 10 }) },
    ));

  it('G-11: after a fault inside the gateway', () =>
    withAttackRig(
      [good],
      async (rig) => {
        const { gateway } = rig.running;
        const { append } = gateway.records;
        gateway.records.append = () => {
          gateway.records.append = append;
          throw new Error('on purpose');
        };
        await rig.ask();
        await until(() => usage(rig).inFlight === 0, 'the room');
        expect((await rig.ask()).status).toBe(200);
      },
      { edit: limited({ concurrent: 1 }) },
    ));

  it('G-11: after a drain that ends a running answer', () =>
    withAttackRig(
      [begun],
      async (rig) => {
        const running = rig.ask({ stream: true });
        await until(() => usage(rig).inFlight === 1, 'the request');
        await until(() => rig.ups[0]!.calls.length === 1, 'the call');
        await rig.running.drain(0);
        await running;
        expect(usage(rig).inFlight).toBe(0);
      },
      { edit: limited({ concurrent: 1, tpm: 100_000 }) },
    ));

  it('G-11: a reload takes new limits for requests that come after it; what is counted stays', () =>
    withAttackRig(
      [good],
      async (rig) => {
        for (let i = 0; i < 3; i += 1) expect((await rig.ask()).status).toBe(200);
        await rig.reload(limited({ rpm: 3 }));
        expect((await rig.ask()).status).toBe(429);
        await rig.reload(limited({ rpm: 4 }));
        expect((await rig.ask()).status).toBe(200);
        await rig.reload(limited({}));
        expect((await rig.ask()).status).toBe(200);
      },
      { edit: limited({ rpm: 100 }) },
    ));
});
