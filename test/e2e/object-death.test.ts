/** What was answered as changed is there after the process was killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sendRaw } from '../faults/raw-client.ts';
import { ADMIN, AdminE2e, FILE_KEY, fileConfig } from './admin-rig.ts';

const CHILD = fileURLToPath(new URL('../support/gateway-child.mjs', import.meta.url));

let rig: AdminE2e;
let child: ChildProcess | null = null;
beforeEach(async () => {
  rig = await AdminE2e.make();
});
afterEach(async () => {
  child?.kill('SIGKILL');
  child = null;
  await rig.remove();
});

async function startChild(): Promise<string> {
  const start = JSON.stringify({ configText: JSON.stringify(fileConfig()), port: 0, dataDir: rig.dataDir });
  child = spawn(process.execPath, [CHILD], {
    env: { PATH: process.env['PATH'], UNDERSTUDY_TEST_START: start },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const url of createInterface({ input: child.stdout! })) return url;
  throw new Error('the gateway did not start');
}

async function admin(
  url: string,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown> | null> {
  const answer = await sendRaw({
    url: `${url}/admin/v1${path}`,
    method,
    headers: { authorization: `Bearer ${ADMIN}` },
    ...(body === undefined ? {} : { body }),
  });
  return answer.status !== null && answer.status < 300 ? (JSON.parse(answer.text) as Record<string, unknown>) : null;
}

describe('kill -9 amid changes', () => {
  it('H-5: every key that was answered works, every one that was revoked is 401, none is half there', async () => {
    const url = await startChild();
    const secrets = new Map<string, string>();
    for (let n = 0; n < 6; n += 1) {
      const made = await admin(url, 'POST', '/keys', { name: `k${n}` });
      secrets.set(`k${n}`, String(made?.['secret']));
    }
    for (const name of ['k0', 'k1']) expect(await admin(url, 'DELETE', `/keys/${name}`)).not.toBeNull();
    const racing = Array.from({ length: 30 }, (_, n) => admin(url, 'POST', '/keys', { name: `late${n}` }));
    await Promise.race(racing);
    child?.kill('SIGKILL');
    await once(child!, 'exit');
    const late = (await Promise.all(racing)).flatMap((made, n) => (made === null ? [] : [[`late${n}`, made] as const]));
    expect(late.length).toBeGreaterThan(0);

    await rig.start(fileConfig());
    expect([await rig.ask(secrets.get('k0')!), await rig.ask(secrets.get('k1')!)]).toEqual([401, 401]);
    for (const name of ['k2', 'k5']) expect(await rig.ask(secrets.get(name)!)).toBe(200);
    for (const [, made] of late) expect(await rig.ask(String(made['secret']))).toBe(200);
    expect(await rig.ask(FILE_KEY)).toBe(200);
    const { body } = await rig.admin('GET', '/keys');
    expect((body['data'] as { problem: string | null }[]).every(({ problem }) => problem === null)).toBe(true);
  });
});
