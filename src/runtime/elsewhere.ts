/** Other processes on the same store: what they have changed or written a moment ago may not be known here yet. */
import type { RequestRecord } from '../core/record.ts';
import type { Gateway } from './gateway.ts';

export interface Elsewhere {
  /** The configuration as the store has it by now. Resolves also when that can't be read: then it is as it was. */
  catchUp(): Promise<void>;
  /**
   * For somebody who is not known here: as `catchUp`, but the store is asked once a second at most, however many come;
   * in between the word of a change is waited for, a tenth of a second.
   */
  ask(): Promise<void>;
}

/** How long it may take to arrive from where it was made: it is looked for again after so long each time, ms. */
const ARRIVES_MS = [50, 100, 150] as const;

/** What is not there where others may have made it a moment ago is looked for again before it is taken for missing. */
export async function arriving<T>(
  { elsewhere, clock }: Pick<Gateway, 'elsewhere' | 'clock'>,
  find: () => Promise<T | null>,
): Promise<T | null> {
  const found = await find();
  if (found !== null || elsewhere === null) return found;
  for (const ms of ARRIVES_MS) {
    await new Promise<void>((resolve) => void clock.after(ms, resolve));
    const arrived = await find();
    if (arrived !== null) return arrived;
  }
  return null;
}

/** Of ids that are younger, the record may be on its way; clocks of other machines may differ by some of it, ms. */
const ON_ITS_WAY_MS = 20_000;

/** A record of the log, whichever process wrote it. Null = there is none. Rejects as the log does. */
export function recordOf(
  gateway: Pick<Gateway, 'elsewhere' | 'clock'> & { readonly records: Pick<Gateway['records'], 'get'> },
  id: string,
): Promise<RequestRecord | null> {
  const find = (): Promise<RequestRecord | null> => gateway.records.get(id);
  return isFresh(id, gateway.clock.wall()) ? arriving(gateway, find) : find();
}

/** By the time in the id. */
function isFresh(id: string, wall: number): boolean {
  const time = /^req_([0-9a-f]{12})/.exec(id)?.[1];
  return time !== undefined && Math.abs(Number.parseInt(time, 16) - wall) < ON_ITS_WAY_MS;
}
