/** The parent's side: starts a server on one core of its own and asks it what it used. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { HotSpot } from './cpu-profile.ts';
import type { Footprint, Question, Reply } from './measured-process.ts';

/** The server under test has a core for itself; upstream and load share the other. */
export type Core = 'server' | 'load';
const CORE: Record<Core, string> = { load: '0', server: '1' };

const canPin = availableParallelism() >= 2 && spawnSync('taskset', ['--version'], { stdio: 'ignore' }).status === 0;

/** Prefixes a command so that it runs on one core only; unchanged where that is not possible. */
export function onCore(core: Core, command: string, args: readonly string[]): [string, string[]] {
  return canPin ? ['taskset', ['-c', CORE[core], command, ...args]] : [command, [...args]];
}

/** Moves this process, the load generator, off the server's core. Returns whether pinning works here. */
export function pinThisProcess(): boolean {
  if (canPin) spawnSync('taskset', ['-a', '-c', '-p', CORE.load, String(process.pid)], { stdio: 'ignore' });
  return canPin;
}

export interface PinnedProcess {
  readonly url: string;
  footprint(): Promise<Footprint>;
  collectGarbage(): Promise<void>;
  startProfile(): Promise<void>;
  stopProfile(): Promise<readonly HotSpot[]>;
  stop(): Promise<void>;
}

/** The next message, or an error when the child ends or stays silent for a minute instead. */
function nextMessage<T>(child: ChildProcess, name: string): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => settle(() => reject(new Error(`${name} did not answer for a minute`))), 60_000);
    const onMessage = (message: unknown) => settle(() => resolve(message as T));
    const onExit = (code: number | null) => settle(() => reject(new Error(`${name} ended with ${code}`)));
    const settle = (then: () => void) => {
      clearTimeout(timer);
      child.off('message', onMessage);
      child.off('exit', onExit);
      then();
    };
    child.once('message', onMessage);
    child.once('exit', onExit);
  });
}

/** Starts a program of this folder, compiled, and waits until it listens. */
export async function startPinned(
  program: URL,
  core: Core,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<PinnedProcess> {
  const file = fileURLToPath(program);
  const [command, all] = onCore(core, process.execPath, ['--expose-gc', file, ...args]);
  const child = spawn(command, all, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, ...env },
  });
  const { url } = await nextMessage<{ url: string }>(child, file);
  const ask = async (question: Question): Promise<Reply> => {
    const reply = nextMessage<Reply>(child, file);
    child.send(question);
    return reply;
  };
  return {
    url,
    async footprint() {
      const reply = await ask('footprint');
      if (!('footprint' in reply)) throw new Error('not a footprint');
      return reply.footprint;
    },
    async collectGarbage() {
      await ask('collect-garbage');
    },
    async startProfile() {
      await ask('profile-start');
    },
    async stopProfile() {
      const reply = await ask('profile-stop');
      return 'hotSpots' in reply ? reply.hotSpots : [];
    },
    async stop() {
      await ask('stop');
    },
  };
}
