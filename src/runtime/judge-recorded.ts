/** Recorded requests under another decision table (D-12): read, judged and counted beside the traffic, never in its way. */
import type { OtherTable } from '../core/failover/what-if.ts';
import { WhatIfTally } from '../core/failover/what-if-tally.ts';
import type { Cancel } from '../ports/clock.ts';
import type { FailedQuery } from '../ports/record-store.ts';
import type { Gateway } from './gateway.ts';

/** The newest so many are looked at: more would say the same, and keep their reader waiting. */
const MOST_REQUESTS = 20_000;
/** Whoever asked has stopped waiting, and so do proxies on the way. */
const LONGEST_MS = 20_000;
/** So long it may keep the thread that serves requests, and then leaves it to them for as long. */
const SLICE_MS = 8;
/** Questions that may wait for the one that is worked on: a page that asks at each change of a cell must not pile them up. */
const MOST_WAITING = 4;

/** What to judge, and which records by. */
export interface WhatIfQuestion extends FailedQuery {
  readonly other: OtherTable;
  /** Only requests that ran under this policy; null = all. */
  readonly recordedPolicy: string | null;
}

export interface WhatIfAnswer {
  readonly tally: WhatIfTally;
  /** Not all were looked at: there were too many, or it took too long. */
  readonly partial: boolean;
  /** Instant of the oldest request that was looked at; null = there was none. */
  readonly oldestAt: string | null;
}

type Parts = { readonly records: Pick<Gateway['records'], 'failed'> } & Pick<Gateway, 'clock'>;

interface Line {
  last: Promise<unknown>;
  waiting: number;
}

const lines = new WeakMap<Parts['records'], Line>();

/** One question at a time per gateway; null = too many wait already. Rejects as the log does. */
export async function judgeRecorded(gateway: Parts, question: WhatIfQuestion): Promise<WhatIfAnswer | null> {
  const line = lines.get(gateway.records) ?? { last: Promise.resolve(), waiting: 0 };
  lines.set(gateway.records, line);
  if (line.waiting > MOST_WAITING) return null;
  line.waiting += 1;
  const answer = line.last.then(() => judgeAll(gateway, question));
  line.last = answer.then(
    () => undefined,
    () => undefined,
  );
  try {
    return await answer;
  } finally {
    line.waiting -= 1;
  }
}

async function judgeAll({ records, clock }: Parts, question: WhatIfQuestion): Promise<WhatIfAnswer> {
  const { other, recordedPolicy, ...query } = question;
  const tally = new WhatIfTally(other);
  const began = clock.now();
  let sliceBegan = began;
  let oldestAt: string | null = null;
  let partial = false;
  const isInTime = (): boolean => {
    partial = clock.now() - began >= LONGEST_MS;
    return !partial;
  };
  for await (const record of records.failed(query, isInTime)) {
    if (tally.requests >= MOST_REQUESTS || !isInTime()) return { tally, partial: true, oldestAt };
    // What failed on purpose says nothing (X-4, H-2).
    const isReal = !record.attempts.some(({ rehearsed }) => rehearsed === true);
    if (isReal && (recordedPolicy === null || record.policy === recordedPolicy)) {
      tally.add(record);
      oldestAt = record.at;
    }
    if (clock.now() - sliceBegan < SLICE_MS) continue;
    await new Promise<void>((resolve): Cancel => clock.after(SLICE_MS, resolve));
    sliceBegan = clock.now();
  }
  return { tally, partial, oldestAt };
}
