/** One page of the request log (O-5): a walk along the index that promises to be the shortest, in steps, for at most so long. */

import type { Clock } from '../../ports/clock.ts';
import type { RequestFilter } from '../../ports/record-store.ts';
import {
  lengthOf,
  type PagePosition,
  type Query,
  readCursor,
  rowsOf,
  stepEndsOf,
  type Way,
  waysOf,
} from './request-query.ts';
import type { SqlRow, SqlScalar } from './sql-step.ts';
import type { RequestsSql } from './statements.ts';

/** Rows of the first step: nearly every page is full within it, and none has paid for finding out which way is shortest. */
const FIRST_STEP = 1000;
/** Rows of a further step: well under a tenth of a second, in which nobody else is read for. */
const STEP = 2500;
/** A way that is no longer is walked to its end; which of several longer ones is the shorter one says little. */
const COUNTED = 10_000;
/** After so long a page is given out as it is, with a cursor to go on from: whoever waits sees that it goes on. */
const PAGE_MS = 400;
/** A clock that stands still must not make a page endless. */
const MAX_STEPS = 200;

export interface ListPage {
  /** (at, id, summary), newest first, at most `limit`. */
  readonly rows: readonly SqlRow[];
  /** Behind which the next page begins; null = there is none. */
  readonly next: PagePosition | null;
}

export interface ListParts {
  readonly sql: RequestsSql;
  readonly clock: Pick<Clock, 'now'>;
  read(sql: string, params: readonly SqlScalar[]): Promise<readonly SqlRow[]>;
  /** Tests only. */
  readonly step?: number;
}

/** The page that a filter, its limit and its cursor ask for. Rejects as `read` does, and for a cursor that is none. */
export async function listPage(parts: ListParts, filter: RequestFilter): Promise<ListPage> {
  const { sql, clock } = parts;
  const step = parts.step ?? STEP;
  const read = ({ sql: text, params }: Query) => parts.read(text, params);
  const ways = waysOf(sql, filter);
  const rows: SqlRow[] = [];
  const isFull = () => rows.length > filter.limit;
  const until = clock.now() + PAGE_MS;
  let [way] = ways;
  let after = filter.cursor === undefined ? null : readCursor(filter.cursor);
  for (let steps = 0; way !== undefined; steps += 1) {
    const stretch = { filter, after, end: null };
    // What the index knows all about is nowhere in between.
    const isSimple = way.rest.length === 0;
    const size = steps === 0 ? Math.min(FIRST_STEP, step) : step;
    const end = isSimple ? null : newestOf(await read(stepEndsOf(sql, way, stretch, size)));
    rows.push(...(await read(rowsOf(sql, way, { ...stretch, end }, filter.limit + 1 - rows.length))));
    if (isFull()) break;
    if (end === null) return { rows, next: null };
    after = end;
    if (clock.now() > until || steps === MAX_STEPS) return { rows, next: after };
    if (steps === 0)
      way = await shortestOf(ways, (one) => read(lengthOf(sql, one, { filter, after, end: null }, COUNTED)));
  }
  const page = rows.slice(0, filter.limit);
  return { rows: page, next: positionOf(page.at(-1)) };
}

function positionOf(row: SqlRow | undefined): PagePosition | null {
  return row === undefined ? null : { at: Number(row[0]), id: String(row[1]) };
}

/** Up to there every walk has been gone along: to the newest of their ends. */
function newestOf(ends: readonly SqlRow[]): PagePosition | null {
  return ends.map(positionOf).reduce((newest, one) => (isNewer(one, newest) ? one : newest), null);
}

function isNewer(one: PagePosition | null, other: PagePosition | null): boolean {
  if (one === null || other === null) return one !== null;
  return one.at > other.at || (one.at === other.at && one.id > other.id);
}

/** Of ways of the same length the one that comes first. */
async function shortestOf(
  ways: readonly Way[],
  count: (way: Way) => Promise<readonly SqlRow[]>,
): Promise<Way | undefined> {
  let [shortest] = ways;
  let least = Number.POSITIVE_INFINITY;
  for (const way of ways.length > 1 ? ways : []) {
    const length = Number((await count(way))[0]?.[0] ?? 0);
    if (length < least) [shortest, least] = [way, length];
  }
  return shortest;
}
