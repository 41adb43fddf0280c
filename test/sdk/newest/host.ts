/** Starts gateway and simulator on the older Node for the tests of this folder, which run on a newer one. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { sdkConfig } from '../gateway-config.ts';
import { type SdkAddresses, SdkRig } from '../sdk-rig.ts';

export interface Host {
  readonly rig: SdkRig;
  stop(): Promise<void>;
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the host has no output');
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('the host ended before it listened');
}

/** @param config configuration text; `SIMULATOR_URL` in it stands for the simulator's address */
export async function startHost(config = sdkConfig('SIMULATOR_URL')): Promise<Host> {
  const node = process.env['UNDERSTUDY_GATEWAY_NODE'] ?? process.execPath;
  const child = spawn(node, [fileURLToPath(new URL('./gateway-host.mjs', import.meta.url))], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, UNDERSTUDY_TEST_CONFIG: config },
  });
  const addresses = JSON.parse(await firstLine(child)) as SdkAddresses;
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.stdin?.end();
    await ended;
  };
  return { rig: new SdkRig(addresses), stop };
}

/**
 * Makes a client's long waits between repeats short; their number and order stay. For clients that wait for a minute
 * and more before they give up.
 */
export function shortenWaits(): void {
  const original = globalThis.setTimeout;
  const shortened = (callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
    original(callback, ms >= 200 && ms <= 120_000 ? ms / 200 : ms, ...args);
  globalThis.setTimeout = Object.assign(shortened, original) as typeof setTimeout;
}
