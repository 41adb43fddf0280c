/** nginx as a second yardstick, where it is installed: one worker, no log, no buffering of streams. */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Footprint } from './measured-process.ts';
import { onCore } from './pinned-process.ts';

export interface Nginx {
  readonly url: string;
  readonly footprint: () => Promise<Footprint>;
  stop(): Promise<void>;
}

function configText(port: number, upstream: string, folder: string): string {
  const temps = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  );
  return `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 8192; }
http { access_log off; ${temps.join(' ')} keepalive_requests 1000000; client_body_buffer_size 1m;
  upstream up { server ${new URL(upstream).host}; keepalive 4096; keepalive_requests 1000000; }
  server { listen 127.0.0.1:${port} backlog=4096; location / {
    proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; } } }
`;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** The kernel counts CPU time in hundredths of a second on every Linux. */
const MICROS_PER_TICK = 10_000;

function workerOf(master: number): number {
  return Number(readFileSync(`/proc/${master}/task/${master}/children`, 'utf8').trim().split(' ')[0]);
}

function readFootprint(pid: number): Footprint {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  const rssKb = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  const cpuMicros = ticks * MICROS_PER_TICK;
  return { cpuMicros, mainThreadMicros: cpuMicros, rssBytes: rssKb * 1024, heapBytes: 0, resources: {} };
}

async function untilListening(port: number): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const answered = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('nginx did not start');
}

/** Null where nginx is not installed or there is no /proc to measure it by. */
export async function startNginx(upstreamUrl: string): Promise<Nginx | null> {
  if (process.platform !== 'linux' || spawnSync('nginx', ['-v'], { stdio: 'ignore' }).status !== 0) return null;
  const folder = await mkdtemp(path.join(tmpdir(), 'understudy-nginx-'));
  const port = await freePort();
  const file = path.join(folder, 'nginx.conf');
  await writeFile(file, configText(port, upstreamUrl, folder));
  const [command, args] = onCore('server', 'nginx', ['-c', file, '-p', folder]);
  const child = spawn(command, args, { stdio: 'ignore' });
  await untilListening(port);
  const worker = workerOf(child.pid ?? 0);
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  return { url: `http://127.0.0.1:${port}`, footprint: async () => readFootprint(worker), stop };
}
