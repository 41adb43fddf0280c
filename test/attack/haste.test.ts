/** Callers choose their time limits, channels are shared: one caller's haste is nobody else's trouble. */
import { afterEach, describe, expect, it } from 'vitest';
import { http, okAnswer } from './raw-upstream.ts';
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

  it("H-1: the operator's own limit, passed five times, opens it", async () => {
    rig = await startTenants(slow(5000), { defaults: { redundancy: { timeout_ms: 1000, retries: 0 } } });
    const key = await rig.newKey('acme', 'k');
    await Promise.all(Array.from({ length: 5 }, () => rig.ask(key)));
    expect(state()).toBe('open');
  });
});
