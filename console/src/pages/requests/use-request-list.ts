/** The log by pages, and what is new in it while it is watched. */

import { type InfiniteData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { api } from '../../api/client.ts';
import { serverNow } from '../../api/clock.ts';
import { hasGap, type ListPage, type Row, rowsOf, takeIn, unseen } from './live-rows.ts';
import { type FilterValues, type ListQuery, queryOf } from './request-filter.ts';

const PAGE = 50;
/** New rows come this often: soon enough for eyes, seldom enough for the log. */
const LIVE_EVERY_MS = 2_000;
/** Rows asked for each time; what comes faster than that is skipped, and the list begins anew. */
export const LIVE_PAGE = 200;
/** A request is listed by when it began and appears when it ends: slow ones come in further down, as late as this. */
const LATE_MS = 10 * 60_000;
/** A list that grew for hours would make the browser slow. */
const MOST_ROWS = 1_000;
/** Pages without a match that are turned by themselves; then the reader decides. */
const TURNED_ALONE = 10;

type Pages = InfiniteData<ListPage, string | undefined>;

async function readPage(query: ListQuery): Promise<ListPage> {
  const { data } = await api.GET('/admin/v1/requests', { params: { query } });
  return data as ListPage;
}

export interface RequestList {
  /** Undefined while they are still coming. */
  readonly rows: readonly Row[] | undefined;
  readonly error: unknown;
  readonly hasMore: boolean;
  readonly loadingMore: boolean;
  /** New rows that wait because somebody reads. */
  readonly waiting: number;
  /** More wait than a page holds. */
  readonly overflowing: boolean;
  /** Why new rows cannot be fetched; null = they can. */
  readonly liveError: unknown;
  loadMore(): void;
  refresh(): void;
  /** Takes in what waits. */
  show(): void;
}

export interface ListOptions {
  readonly values: FilterValues;
  readonly workspace: string | null;
  readonly live: boolean;
  /** Whether somebody reads rows that must stay where they are. */
  readonly isRead: () => boolean;
}

export function useRequestList({ values, workspace, live, isRead }: ListOptions): RequestList {
  const client = useQueryClient();
  const key = useMemo(() => ['requests', values, workspace], [values, workspace]);
  const list = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => {
      const query = { ...queryOf(values, workspace, serverNow()), limit: PAGE };
      return readPage(pageParam === undefined ? query : { ...query, cursor: pageParam });
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    // Who comes back finds the list as it was left; what is new comes on top.
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  const pages = list.data?.pages;
  const rows = useMemo(() => (pages === undefined ? undefined : rowsOf(pages)), [pages]);
  const searching = rows?.length === 0 && hasNextPage && (pages?.length ?? 0) < TURNED_ALONE;

  useEffect(() => {
    if (searching && !isFetchingNextPage && !list.isError) void fetchNextPage();
  }, [searching, isFetchingNextPage, list.isError, fetchNextPage]);

  const [kept, setKept] = useState<{ readonly key: unknown; readonly page: ListPage } | null>(null);
  // What waited under other filters is none of these.
  const waiting = kept !== null && kept.key === key ? kept.page : null;
  const tail = useQuery({
    queryKey: ['requests-live', values, workspace],
    queryFn: () => {
      const query = queryOf(values, workspace, serverNow());
      const [newest] = rows ?? [];
      if (newest === undefined) return readPage({ ...query, limit: LIVE_PAGE });
      const since = Math.max(Date.parse(newest.at) - LATE_MS, Date.parse(query.from ?? '') || 0);
      return readPage({ ...query, from: new Date(since).toISOString(), limit: LIVE_PAGE });
    },
    enabled: live && rows !== undefined && !searching,
    refetchInterval: LIVE_EVERY_MS,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });

  const take = useCallback(
    (newest: ListPage) => {
      setKept(null);
      client.setQueryData<Pages>(key, (before) => {
        if (before === undefined) return before;
        const next = takeIn(newest, before.pages);
        return { pages: next, pageParams: next.map((_, index) => before.pageParams[index]) };
      });
    },
    [client, key],
  );
  const refresh = useCallback(() => {
    setKept(null);
    void client.resetQueries({ queryKey: key });
  }, [client, key]);

  const newest = tail.data;
  const asked = tail.dataUpdatedAt;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for every answer, not for every change of the list
  useEffect(() => {
    if (!live || newest === undefined || rows === undefined) return;
    if (unseen(newest, rows, hasNextPage).length === 0) return;
    if (isRead()) setKept({ key, page: newest });
    else if (rows.length > MOST_ROWS) refresh();
    else take(newest);
  }, [asked]);

  const fresh = waiting === null || rows === undefined ? 0 : unseen(waiting, rows, hasNextPage).length;
  return {
    rows: searching ? undefined : rows,
    error: list.error,
    hasMore: hasNextPage,
    loadingMore: isFetchingNextPage,
    waiting: fresh,
    overflowing: waiting !== null && rows !== undefined && hasGap(waiting, rows),
    liveError: live ? tail.error : null,
    loadMore: () => void fetchNextPage(),
    refresh,
    show: () => waiting !== null && take(waiting),
  };
}
