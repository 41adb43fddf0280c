/** A CPU profile boiled down to where the time goes. */
import { Session } from 'node:inspector/promises';

export interface HotSpot {
  /** `function (file:line)` */
  readonly where: string;
  /** Share of the busy time, 0 to 1. */
  readonly share: number;
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
}

/** Self times by function, largest first. Idle time is not counted; garbage collection is. */
export function hotSpots(
  profile: {
    nodes: readonly ProfileNode[];
    samples?: readonly number[] | undefined;
    timeDeltas?: readonly number[] | undefined;
  },
  most: number,
): HotSpot[] {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node.callFrame]));
  const self = new Map<string, number>();
  let busy = 0;
  for (const [index, id] of (profile.samples ?? []).entries()) {
    const frame = nodes.get(id);
    const micros = profile.timeDeltas?.[index] ?? 0;
    // Without a file, `dispatch` is the profiler's own start and stop.
    const ours = frame?.functionName === 'dispatch' && frame.url === '';
    if (frame === undefined || ours || frame.functionName === '(idle)') continue;
    const file = frame.url.replace(/^.*\/(dist|node_modules)\//, '');
    const where = `${frame.functionName || '(anonymous)'}${file === '' ? '' : ` (${file}:${frame.lineNumber + 1})`}`;
    self.set(where, (self.get(where) ?? 0) + micros);
    busy += micros;
  }
  return [...self]
    .sort(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(([where, micros]) => ({ where, share: micros / Math.max(busy, 1) }));
}

/** Starts sampling this thread; the result stops it and sums up. Work on other threads is not seen. */
export async function startProfile(): Promise<() => Promise<HotSpot[]>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 250 });
  await session.post('Profiler.start');
  return async () => {
    const { profile } = await session.post('Profiler.stop');
    session.disconnect();
    return hotSpots(profile, 40);
  };
}
