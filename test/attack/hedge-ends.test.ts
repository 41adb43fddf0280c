/** Two attempts of one request at once (D-8): however it ends, neither is left running and each is told once. */
import { expect, it } from 'vitest';
import { waitFor } from '../faults/gateway.ts';
import { type AttackOptions, type AttackRig, until, withAttackRig } from './attack-rig.ts';
import { http, okAnswer, type RawCall, SSE_HEAD } from './raw-upstream.ts';

const silence = (): void => undefined;
/** Headers, and then nothing. */
const opened = ({ socket }: RawCall): void => void socket.write(SSE_HEAD);
const HEDGE = { hedge_after_ms: 100 };
const two: AttackOptions = { redundancy: { on: ['timeout', 'server_error', 'connection_error', 'rate_limit'] } };

const calls = (rig: AttackRig): number[] => rig.ups.map((up) => up.calls.length);
const open = (rig: AttackRig): number => rig.ups.reduce((sum, up) => sum + up.openSockets(), 0);
const bothCalled = (rig: AttackRig): Promise<true> => until(() => calls(rig).join() === '1,1', 'both calls');

it.each([
  ['whole', false, silence],
  ['stream', true, opened],
] as const)('D-8, T-6: a client that leaves ends both, %s', (_name, stream, answer) =>
  withAttackRig(
    [answer, answer],
    async (rig) => {
      const left = await rig.ask({ stream, redundancy: HEDGE }, { leaveOn: bothCalled(rig) });
      expect(left.end).toBe('left');
      await until(() => open(rig) === 0, 'both calls to be broken off');
      const [record] = await waitFor(async () => {
        const { data } = await rig.running.gateway.records.list({ limit: 5 });
        return data.length > 0 ? data : null;
      }, 'the record');
      expect(record).toMatchObject({ ending: 'client_closed', status: 499 });
      expect(calls(rig)).toEqual([1, 1]);
    },
    two,
  ),
);

it('D-4, D-8: the deadline ends both, in time, and nobody else is asked', () =>
  withAttackRig(
    [silence, silence],
    async (rig) => {
      const answer = await rig.ask({ redundancy: { ...HEDGE, deadline_ms: 1500 } });
      expect(answer.status).toBe(504);
      await until(() => open(rig) === 0, 'both calls to be broken off');
      expect(calls(rig)).toEqual([1, 1]);
      const { attempts } = await rig.record(answer);
      expect(attempts.map(({ result }) => result)).toEqual(['failed', 'failed']);
    },
    two,
  ));

it('D-8, E-3: a stop of either ends both; the error is the one that stopped it', () =>
  withAttackRig(
    [silence, ({ socket }) => socket.write(http(400, '{"error":{"message":"bad field","code":"invalid_value"}}'))],
    async (rig) => {
      const answer = await rig.ask({ redundancy: HEDGE });
      expect(answer.status).toBe(400);
      await until(() => rig.ups[0]!.openSockets() === 0, 'the first call to be broken off');
      const { attempts } = await rig.record(answer);
      expect(attempts.map(({ result }) => result).sort()).toEqual(['cancelled', 'failed']);
    },
    two,
  ));

it('D-8, I-3: under a key one answer is stored, and a repeat calls nobody', () =>
  withAttackRig(
    [silence, ({ socket }) => socket.write(http(200, okAnswer('hedged')))],
    async (rig) => {
      const key = { headers: { 'idempotency-key': 'hedge-1' } };
      const first = await rig.ask({ redundancy: HEDGE }, key);
      const again = await rig.ask({ redundancy: HEDGE }, key);
      expect([first.status, again.status]).toEqual([200, 200]);
      expect(again.headers['idempotent-replayed']).toBe('true');
      expect(again.body).toEqual(first.body);
      expect(calls(rig)).toEqual([1, 1]);
      await until(() => rig.ups[0]!.openSockets() === 0, 'the loser to be broken off');
    },
    two,
  ));

it('D-8, P-4: many hedges that lose leave no permit taken', () =>
  withAttackRig(
    [silence, ({ socket }) => socket.write(http(200, okAnswer('hedged')))],
    async (rig) => {
      for (let turn = 0; turn < 3; turn += 1) {
        const all = await Promise.all(Array.from({ length: 4 }, () => rig.ask({ redundancy: HEDGE })));
        expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      }
      expect(calls(rig)).toEqual([12, 12]);
    },
    {
      ...two,
      edit: (config) => {
        for (const one of Object.values(config['credentials'] as Record<string, Record<string, unknown>>)) {
          one['limits'] = { concurrent: 4 };
        }
      },
    },
  ));
