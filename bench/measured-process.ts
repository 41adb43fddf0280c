/** The child's side of a measured server: says where it listens, and answers the parent's questions about itself. */
import { type HotSpot, startProfile } from './cpu-profile.ts';

/** What a process has used and holds at one moment. */
export interface Footprint {
  /** User and system time of all threads since start, µs. */
  readonly cpuMicros: number;
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

export function footprint(): Footprint {
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed } = process.memoryUsage();
  const resources: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) resources[kind] = (resources[kind] ?? 0) + 1;
  return { cpuMicros: user + system, rssBytes: rss, heapBytes: heapUsed, resources };
}

/** Announces the server and serves the parent until it says stop or goes away. */
export function obeyParent(server: { readonly url: string; close(): Promise<void> }): void {
  let stopProfile: (() => Promise<readonly HotSpot[]>) | null = null;
  const answer = async (question: Question): Promise<Reply> => {
    if (question === 'footprint') return { footprint: footprint() };
    if (question === 'collect-garbage') globalThis.gc?.();
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
