/** What made a balance: grants, top-ups, adjustments and charges. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api, type Shape } from '../../api/client.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Money, Time } from '../../parts/figures.tsx';
import { Section } from '../../parts/page.tsx';
import { useSay } from '../../words/words.ts';
import { bodyOf } from '../access/use-objects.ts';
import { words } from './words.ts';

type Entry = Shape<'LedgerEntry'>;

export function Entries({ workspace }: { readonly workspace: string }) {
  const say = useSay(words);
  const list = useInfiniteQuery({
    // Under the balances: read again with them.
    queryKey: ['objects', 'balances', 'entries', workspace],
    queryFn: async ({ pageParam }) => {
      const query = pageParam === undefined ? {} : { cursor: pageParam };
      const params = { path: { id: workspace }, query };
      return bodyOf(await api.GET('/admin/v1/workspaces/{id}/balance/entries', { params }));
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  const rows = useMemo(() => list.data?.pages.flatMap(({ data }) => data), [list.data]);
  const columns: readonly Column<Entry>[] = [
    { id: 'at', header: say('at'), cell: ({ at }) => <Time at={at} />, tight: true },
    { id: 'kind', header: say('kind'), cell: ({ kind }) => say(`kind.${kind}`) },
    {
      id: 'sum',
      header: say('sum'),
      cell: ({ amount_nano_usd: nano }) => <Money nano={Number(nano)} />,
      align: 'end',
      tight: true,
    },
    { id: 'note', header: say('note'), cell: ({ note }) => note ?? '–' },
    { id: 'by', header: say('by'), cell: ({ by }) => by },
    {
      id: 'attempt',
      header: say('attempt'),
      cell: ({ attempt_id: id }) => (id === null ? '–' : <code>{id}</code>),
      wideOnly: true,
    },
  ];
  return (
    <Section title={say('entries')} about={say('entries_about')} bare>
      <DataTable
        label={say('entries')}
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        error={list.error}
        onRetry={() => void list.refetch()}
        onMore={list.hasNextPage ? () => void list.fetchNextPage() : undefined}
        loadingMore={list.isFetchingNextPage}
        empty={<Empty title={say('no_entries')} />}
      />
    </Section>
  );
}
