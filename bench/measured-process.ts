/** The child's side of a measured server: says where it listens, and answers the parent's questions about itself. */
import { readFileSync } from 'node:fs';
import { type HotSpot, startProfile } from './cpu-profile.ts';

/** What a process has used and holds at one moment. */
export interface Footprint {
  /** User and system time of all threads since start, µs. */
  readonly cpuMicros: number;
  /** Of that the main thread's, in steps of 10 ms; NaN where the kernel doesn't tell. */
  readonly mainThreadMicros: number;
  readonly rssBytes: number;
  readonly heapBytes: number;
  /** Active handles by kind: sockets, timers, … */
  readonly resources: Readonly<Record<string, number>>;
}

export type Question = 'footprint' | 'collect-garbage' | 'profile-start' | 'profile-stop' | 'stop';

export type Reply =
  | { readonly footprint: Footprint }
  | { readonly hotSpots: readonly HotSpot[] }
  | { readonly done: true };

/** Linux counts a thread's time in hundredths of a second. */
function mainThreadMicros(): number {
  try {
    const stat = readFileSync(`/proc/self/task/${process.pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(stat[11]) + Number(stat[12])) * 10_000;
  } catch {
    return Number.NaN;
  }
}

export function footprint(): Footprint {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  const resources: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
  return {
    cpuMicros: user + system,
    mainThreadMicros: mainThreadMicros(),
    rssBytes: rss,
    heapBytes: heapUsed,
    resources,
  };
}

/** Announces the server and serves the parent until it says stop or goes away. */
export function obeyParent(server: { readonly url: string; close(): Promise<void> }): void {
  let stopProfile: (() => Promise<readonly HotSpot[]>) | null = null;
  const answer = async (question: Question): Promise<Reply> => {
    if (question === 'footprint') return { footprint: footprint() };
    if (question === 'collect-garbage') for (let times = 0; times < 3; times += 1) globalThis.gc?.();
    if (question === 'profile-start') stopProfile = await startProfile();
    if (question === 'profile-stop') return { hotSpots: (await stopProfile?.()) ?? [] };
    if (question === 'stop') await server.close();
    return { done: true };
  };
  process.on('message', async (question: Question) => {
    const reply = await answer(question);
    process.send?.(reply, () => {
      if (question === 'stop') process.exit(0);
    });
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.({ url: server.url });
}
