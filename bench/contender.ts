/** What is compared: the upstream itself, a bare proxy, nginx where installed, and the gateway with everything on. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gatewayConfig, PACES, type Pace } from './gateway-config.ts';
import type { Footprint } from './measured-process.ts';
import { startNginx } from './nginx.ts';
import { type PinnedProcess, startPinned } from './pinned-process.ts';

export interface Contender {
  readonly name: 'direct' | 'bare' | 'nginx' | 'gateway';
  /** Where a pace's requests go, up to and without `/chat/completions`. */
  endpoint(pace: Pace): string;
  model(pace: Pace): string;
  /** Null for the upstream itself: it is on the other core and not measured. */
  readonly footprint: (() => Promise<Footprint>) | null;
}

export interface Field {
  readonly contenders: readonly Contender[];
  readonly gateway: PinnedProcess | null;
  stop(): Promise<void>;
}

export type ContenderName = Contender['name'];

function forwarding(name: ContenderName, url: string, footprint: Contender['footprint']): Contender {
  const endpoint = (pace: Pace) => `${url}/stream/${PACES[pace].events}/${PACES[pace].everyMs}/v1`;
  return { name, endpoint, model: () => 'static', footprint };
}

/** The gateway as a process of its own on the server's core, with a fresh data folder that goes away with it. */
export async function startGatewayProcess(
  config: string,
  env: Readonly<Record<string, string>> = {},
): Promise<PinnedProcess> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'understudy-bench-'));
  const program = new URL('./run-gateway.js', import.meta.url);
  const running = await startPinned(program, 'server', [dataDir], { ...env, UNDERSTUDY_BENCH_CONFIG: config });
  const stop = async () => {
    await running.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { ...running, stop };
}

/** Starts the upstream and those of the contenders that are asked for; the rest of `names` is left out silently. */
export async function startField(names: readonly ContenderName[]): Promise<Field> {
  const upstream = await startPinned(new URL('./run-upstream.js', import.meta.url), 'load');
  const started: { stop(): Promise<void> }[] = [upstream];
  const contenders: Contender[] = [forwarding('direct', upstream.url, null)];
  let gateway: PinnedProcess | null = null;
  if (names.includes('bare')) {
    const bare = await startPinned(new URL('./run-bare-proxy.js', import.meta.url), 'server', [upstream.url]);
    started.push(bare);
    contenders.push(forwarding('bare', bare.url, bare.footprint));
  }
  const nginx = names.includes('nginx') ? await startNginx(upstream.url) : null;
  if (nginx !== null) {
    started.push(nginx);
    contenders.push(forwarding('nginx', nginx.url, nginx.footprint));
  }
  if (names.includes('gateway')) {
    gateway = await startGatewayProcess(gatewayConfig(upstream.url));
    started.push(gateway);
    const { url, footprint } = gateway;
    contenders.push({ name: 'gateway', endpoint: () => `${url}/v1`, model: (pace) => `bench/${pace}`, footprint });
  }
  const stop = async () => {
    for (const one of started.reverse()) await one.stop();
  };
  return { contenders, gateway, stop };
}
