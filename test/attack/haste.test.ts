/** Callers choose their time limits, channels are shared: one caller's haste is nobody else's trouble. */
import { afterEach, describe, expect, it } from 'vitest';
import { chunked, event, http, okAnswer, SSE_HEAD } from './raw-upstream.ts';
import { startTenants, type TenantsRig } from './tenants-rig.ts';

let rig: TenantsRig;
afterEach(() => rig.close());

/** State of the one channel there is. */
function state(): string | undefined {
  const { board, clock } = rig.admin.gateway.gateway;
  return board.list(clock.now(), clock.wall())[0]?.state;
}

const slow = (ms: number) => (call: { readonly socket: { write(bytes: Buffer): boolean } }) => {
  setTimeout(() => call.socket.write(http(200, okAnswer('hi'))), ms);
};

describe('time limits of a caller', () => {
  it.each([[{ timeout_ms: 1000 }], [{ deadline_ms: 1000 }]])(
    "H-2: %j, too short for a sound upstream, does not open everybody's circuit",
    async (redundancy) => {
      rig = await startTenants(slow(1400));
      const key = await rig.newKey('acme', 'k');
      const all = await Promise.all(Array.from({ length: 8 }, () => rig.ask(key, { redundancy })));
      expect(new Set(all.map(({ status }) => status))).toEqual(new Set([504]));
      expect(state()).toBe('ok');
      expect((await rig.ask(await rig.newKey('beta', 'other'))).status).toBe(200);
    },
  );

  it("H-2: a stream's first token and its pauses, awaited for a moment only, neither", async () => {
    rig = await startTenants(({ no, socket }) => {
      if (no <= 6) socket.write(SSE_HEAD);
      else if (no <= 12) socket.write(`${SSE_HEAD}${chunked(event({ content: 'a' }))}`);
      else socket.write(http(200, okAnswer('hi')));
    });
    const key = await rig.newKey('acme', 'k');
    const six = (redundancy: object) =>
      Promise.all(Array.from({ length: 6 }, () => rig.ask(key, { stream: true, redundancy })));
    for (const { status } of await six({ first_token_timeout_ms: 500 })) expect(status).toBe(504);
    for (const { text } of await six({ idle_timeout_ms: 1000 })) expect(text).toContain('stream_interrupted');
    expect(state()).toBe('ok');
    expect((await rig.ask(await rig.newKey('beta', 'other'))).status).toBe(200);
  });

  it('H-1, H-2: a hasty probe proves nothing, and gives the probe’s place to the next', async () => {
    rig = await startTenants(
      ({ no, socket }) => {
        if (no <= 5) socket.write(http(500, '{"error":{"message":"broken"}}'));
        else if (no >= 7) socket.write(http(200, okAnswer('hi')));
      },
      {
        health: { circuit: { consecutive: 5, open_ms: 100 } },
        defaults: { redundancy: { retries: 0 } },
      },
    );
    const key = await rig.newKey('acme', 'k');
    for (let turn = 0; turn < 5; turn += 1) expect((await rig.ask(key)).status).toBe(500);
    expect(state()).toBe('open');
    await expect.poll(state).toBe('half_open');
    expect((await rig.ask(key, { redundancy: { timeout_ms: 1000 } })).status).toBe(504);
    expect(state()).toBe('half_open');
    expect((await rig.ask(key)).status).toBe(200);
    expect(state()).toBe('ok');
  });

  it("H-1: the operator's own limit, passed five times, opens it", async () => {
    rig = await startTenants(slow(5000), { defaults: { redundancy: { timeout_ms: 1000, retries: 0 } } });
    const key = await rig.newKey('acme', 'k');
    await Promise.all(Array.from({ length: 5 }, () => rig.ask(key)));
    expect(state()).toBe('open');
  });
});
