/** New rows and the ones already there, kept in the log's order without gaps. Pure. */
import type { Shape } from '../../api/client.ts';

export type Row = Shape<'RequestSummary'>;

export interface ListPage {
  readonly data: readonly Row[];
  readonly next_cursor: string | null;
}

/** The log's order: newest first, ids decide between the equally old. */
export function newestFirst(a: Row, b: Row): number {
  if (a.at !== b.at) return a.at < b.at ? 1 : -1;
  return a.id < b.id ? 1 : a.id > b.id ? -1 : 0;
}

/** All rows of the pages, each once, in order. */
export function rowsOf(pages: readonly ListPage[]): Row[] {
  const seen = new Map<string, Row>();
  for (const page of pages) for (const row of page.data) seen.set(row.id, row);
  return [...seen.values()].sort(newestFirst);
}

/** Rows of the newest page that the list lacks. What is older than its last row comes with the pages to be loaded. */
export function unseen(newest: ListPage, rows: readonly Row[], hasMore: boolean): Row[] {
  const known = new Set(rows.map(({ id }) => id));
  const last = rows.at(-1);
  return newest.data.filter((row) => {
    if (known.has(row.id)) return false;
    return last === undefined || !hasMore || newestFirst(row, last) < 0;
  });
}

/** Whether rows lie between the newest page and the list that neither has: more came than a page holds. */
export function hasGap(newest: ListPage, rows: readonly Row[]): boolean {
  const [first] = rows;
  const oldest = newest.data.at(-1);
  if (newest.next_cursor === null || first === undefined || oldest === undefined) return false;
  return newestFirst(oldest, first) < 0;
}

/** The pages with the newest one taken in: put on top, or in their place where it does not meet them. */
export function takeIn(newest: ListPage, pages: readonly ListPage[]): ListPage[] {
  const rows = rowsOf(pages);
  if (hasGap(newest, rows)) return [newest];
  const [first, ...others] = pages;
  if (first === undefined) return [newest];
  const fresh = unseen(newest, rows, (pages.at(-1)?.next_cursor ?? null) !== null);
  return [{ ...first, data: [...fresh, ...first.data].sort(newestFirst) }, ...others];
}
