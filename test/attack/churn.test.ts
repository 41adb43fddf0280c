import { describe, expect, it } from 'vitest';
import { sendRaw } from '../faults/raw-client.ts';
import { type AttackRig, rawChat, startAttackRig, until } from './attack-rig.ts';
import { chunked, DONE, endless, event, http, okAnswer, type RawCall, SSE_HEAD, sse } from './raw-upstream.ts';

const WHOLE = event({ role: 'assistant', content: 'hi' }) + event({}, 'stop') + DONE;

/** What upstreams do, in turn. */
const UPSTREAM: readonly ((call: RawCall) => void)[] = [
  ({ socket }) => socket.write(http(503, '{"error":{"message":"x"}}')),
  ({ socket }) => socket.write(http(400, '{"error":{"message":"x"}}')),
  ({ socket }) => socket.resetAndDestroy(),
  ({ socket }) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{"a'),
  ({ socket }) => {
    socket.write(Buffer.concat([Buffer.from(SSE_HEAD), chunked(event({ content: 'a' }))]));
    setTimeout(() => socket.destroy(), 5);
  },
  ({ socket }) => socket.write(Buffer.concat([Buffer.from(SSE_HEAD), chunked(event({ content: 'a' }))])),
  () => undefined,
  (call) => endless(call),
  ({ socket }) => socket.write('HTTP/1.1 200 OK\r\n'),
  ({ socket }) => socket.write(Buffer.concat([http(200, okAnswer('a')), Buffer.from('garbage')])),
  ({ socket, body }) => socket.write(body.includes('"stream":true') ? sse(WHOLE) : http(200, okAnswer('hi'))),
];

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function leave(rig: AttackRig, bytes: string, afterMs: number, reset: boolean): Promise<void> {
  const { socket } = await rig.open();
  socket.write(bytes);
  await pause(afterMs);
  if (reset) socket.resetAndDestroy();
  else socket.destroy();
}

/** What clients do, in turn; `no` varies moments and kinds. */
const CLIENT: readonly ((rig: AttackRig, no: number) => Promise<unknown>)[] = [
  (rig, no) => rig.ask({ stream: no % 2 === 0 }, { leaveAfterMs: 3000 }),
  (rig, no) => leave(rig, rawChat({ stream: no % 2 === 0 }), no % 40, no % 3 === 0),
  (rig) => rig.ask({}, { leaveAfterMs: 3000 }),
  (rig, no) => leave(rig, rawChat().slice(0, 30 + (no % 250)), no % 10, no % 2 === 0),
  (rig) => rig.ask({ stream: true }, { leaveAfterMs: 3000 }),
  (rig, no) => leave(rig, rawChat({ stream: true }).repeat(3), no % 50, false),
  (rig) => rig.ask({ stream: true }, { leaveWhen: () => true }),
  (rig) => leave(rig, 'junk\r\n\r\n', 5, false),
  (rig) => rig.ask({ stream: 'no' }),
];

const SCOPES = [
  { kind: 'key', id: 'test' },
  { kind: 'workspace', id: 'main' },
  { kind: 'credential', id: 'c0' },
  { kind: 'credential', id: 'c1' },
] as const;

function handles(kind: string): number {
  return process.getActiveResourcesInfo().filter((name) => name === kind).length;
}

describe('after hundreds of requests that failed or were left', () => {
  it('T-6, O-2, G-11: nothing of them stays: no request, stream, room, socket, timer, warning or lost record', async () => {
    const faults: unknown[] = [];
    const note = (fault: unknown): void => void faults.push(fault);
    process.on('warning', note);
    process.on('unhandledRejection', note);
    const sockets = handles('TCPSocketWrap');
    const timers = handles('Timeout');
    let call = 0;
    const behave = (came: RawCall): void => UPSTREAM[(call++ * 7) % UPSTREAM.length]?.(came);
    const limits = { timeout_ms: 600, first_token_timeout_ms: 500, idle_timeout_ms: 400, stall_timeout_ms: 1000 };
    const rig = await startAttackRig([behave, behave], {
      redundancy: { ...limits, deadline_ms: 2000, retries: 1 },
      edit: (config) => {
        const wide = { concurrent: 1000, tpm: 1_000_000_000, usd_per_day: 1000 };
        for (const entry of [...Object.values(config['credentials'] as object), ...(config['keys'] as object[])]) {
          Object.assign(entry, { limits: wide });
        }
      },
    });
    const { gateway } = rig.running;
    try {
      let no = 0;
      const worker = async (): Promise<void> => {
        for (let mine = no++; mine < 450; mine = no++) await CLIENT[mine % CLIENT.length]?.(rig, mine);
      };
      await Promise.all(Array.from({ length: 70 }, worker));
      await until(() => gateway.live.size === 0, 'every request has ended');
      await gateway.records.flush();
      const metrics = await sendRaw({ url: `${rig.url}/metrics` });
      expect(metrics.text).toMatch(/^understudy_streams_open 0$/m);
      expect(gateway.records.dropped).toBe(0);
      expect(call).toBeGreaterThan(120);
      for (const scope of SCOPES) {
        const { inFlight, heldTokens, heldSpend } = gateway.limits.usage(
          scope,
          gateway.clock.now(),
          gateway.clock.wall(),
        );
        expect([scope.id, inFlight, heldTokens, heldSpend], 'P-4, G-11: room taken').toEqual([scope.id, 0, 0, 0n]);
      }
    } finally {
      await rig.close();
    }
    await until(() => handles('TCPSocketWrap') <= sockets && handles('Timeout') <= timers, 'no socket and no timer');
    process.off('warning', note);
    process.off('unhandledRejection', note);
    expect(faults).toEqual([]);
  });

  it('T-6: a thousand connections at once are served, and gone when they leave', async () => {
    const rig = await startAttackRig([({ socket }) => socket.write(http(200, okAnswer('hi')))]);
    try {
      const clients = await Promise.all(Array.from({ length: 1000 }, () => rig.open()));
      for (const { socket } of clients.slice(0, 200)) socket.write(rawChat());
      for (const { socket } of clients.slice(200, 400)) socket.write(rawChat().slice(0, 60));
      await until(() => clients.slice(0, 200).every((client) => client.text().includes('"hi"')), 'all answers');
      expect((await rig.ask()).status).toBe(200);
      for (const { socket } of clients) socket.destroy();
      await until(() => handles('TCPSocketWrap') < 500, 'the connections are gone');
      expect(rig.running.gateway.live.size).toBe(0);
    } finally {
      await rig.close();
    }
  });
});
