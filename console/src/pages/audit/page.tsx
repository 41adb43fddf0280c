/** The audit log: who did what, newest first, filtered by the address (G-7). */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api } from '../../api/client.ts';
import { IconButton } from '../../parts/button.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Time } from '../../parts/figures.tsx';
import { FilterBar, useFilters } from '../../parts/filters.tsx';
import { useLater } from '../../parts/later.ts';
import { Page } from '../../parts/page.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { useWorkspaceFilter } from '../../shell/workspace-filter.tsx';
import { useSay, useWords } from '../../words/words.ts';
import { instantOf } from '../access/local-time.ts';
import { bodyOf } from '../access/use-objects.ts';
import type { AuditEntry } from './changes.ts';
import { EntryDrawer } from './entry.tsx';
import { words } from './words.ts';

const NAMES = ['from', 'to', 'actor', 'action', 'object', 'request_id'] as const;
type Name = (typeof NAMES)[number];

export default function AuditPage() {
  const say = useSay(words);
  const shared = useWords();
  const { workspace } = useWorkspaceFilter();
  const { values, set, clear, any } = useFilters(NAMES);
  const [open, setOpen] = useState<AuditEntry | null>(null);
  const list = useInfiniteQuery({
    queryKey: ['audit', values, workspace],
    queryFn: async ({ pageParam }) => {
      const query = { ...queryOf(values, workspace), ...(pageParam === undefined ? {} : { cursor: pageParam }) };
      return bodyOf(await api.GET('/admin/v1/audit', { params: { query } }));
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  const rows = useMemo(() => list.data?.pages.flatMap(({ data }) => data), [list.data]);
  const columns = useColumns();
  const text = (name: Name, label: string, code = false) => (
    <TextFilter label={label} value={values[name]} onChange={(next) => set({ [name]: next })} code={code} />
  );
  const time = (name: 'from' | 'to', label: string) => (
    <TextField label={label} type="datetime-local" value={values[name]} onChange={(next) => set({ [name]: next })} />
  );
  return (
    <Page
      title={shared('page.audit')}
      about={say('about')}
      filters={
        <FilterBar onClear={any ? clear : undefined}>
          {time('from', say('from'))}
          {time('to', say('to'))}
          {text('actor', say('actor'))}
          {text('action', say('action'), true)}
          {text('object', say('object'), true)}
          {text('request_id', say('request'), true)}
        </FilterBar>
      }
    >
      <DataTable
        label={shared('page.audit')}
        columns={columns}
        rows={rows}
        rowId={({ seq, at }) => `${at} ${seq}`}
        rowActions={(entry) => <IconButton icon="search" label={say('details')} onPress={() => setOpen(entry)} />}
        error={list.error}
        onRetry={() => void list.refetch()}
        onMore={list.hasNextPage ? () => void list.fetchNextPage() : undefined}
        loadingMore={list.isFetchingNextPage}
        empty={any ? <Empty title={say('none_found')}>{say('none_found_text')}</Empty> : <Empty title={say('none')} />}
      />
      {open !== null && <EntryDrawer entry={open} onClose={() => setOpen(null)} />}
    </Page>
  );
}

interface TextFilterProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly code: boolean;
}

/** Asked for when the typing rests, not at every letter. */
function TextFilter({ label, value, onChange, code }: TextFilterProps) {
  const [typed, type] = useLater(value, onChange);
  return <TextField label={label} value={typed} onChange={type} type="search" code={code} />;
}

function useColumns(): readonly Column<AuditEntry>[] {
  const say = useSay(words);
  return [
    { id: 'at', header: say('at'), cell: ({ at }) => <Time at={at} exact />, tight: true },
    { id: 'actor', header: say('actor'), cell: ({ actor }) => actor },
    { id: 'action', header: say('action'), cell: ({ action }) => <code>{action}</code> },
    { id: 'object', header: say('object'), cell: ({ object }) => object },
    { id: 'workspace', header: say('workspace'), cell: ({ workspace }) => workspace ?? say('account'), wideOnly: true },
  ];
}

function queryOf(values: Readonly<Record<Name, string>>, workspace: string | null): Readonly<Record<string, string>> {
  const { from, to, ...texts } = values;
  const asked = { ...texts, from: instantOf(from), to: instantOf(to), workspace };
  return Object.fromEntries(
    Object.entries(asked).filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== ''),
  );
}
