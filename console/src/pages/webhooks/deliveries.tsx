/** What became of the messages to a webhook, and sending one again. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api, type Shape } from '../../api/client.ts';
import { queryClient } from '../../api/query-client.ts';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Button, IconButton } from '../../parts/button.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Duration, Time } from '../../parts/figures.tsx';
import { Row, Stack } from '../../parts/page.tsx';
import { Segments } from '../../parts/segments.tsx';
import { showDone, showTrouble } from '../../parts/toast.tsx';
import { useSay, useWords } from '../../words/words.ts';
import styles from '../access/access.module.css';
import { bodyOf } from '../access/use-objects.ts';
import { DeliveryDrawer } from './delivery.tsx';
import { words } from './words.ts';

export type Delivery = Shape<'Delivery'>;

const STATES = ['all', 'waiting', 'delivered', 'given_up'] as const;
type State = (typeof STATES)[number];

const TONES: Readonly<Record<Delivery['state'], Tone>> = { waiting: 'warn', delivered: 'ok', given_up: 'bad' };

/** Messages come and go while one looks. */
const AGAIN_MS = 5_000;

/** Sends it again, and has the list read anew. */
export function useReplay(): (id: string) => void {
  const say = useSay(words);
  return (id) => {
    api
      .POST('/admin/v1/deliveries/{id}/replay', { params: { path: { id } } })
      .then(() => {
        showDone(say('replayed'));
        return queryClient.invalidateQueries({ queryKey: ['deliveries'] });
      })
      .catch(showTrouble);
  };
}

export function Deliveries({ webhook }: { readonly webhook: string }) {
  const say = useSay(words);
  const shared = useWords();
  const [state, setState] = useState<State>('all');
  const [open, setOpen] = useState<string | null>(null);
  const replay = useReplay();
  const list = useInfiniteQuery({
    queryKey: ['deliveries', webhook, state],
    queryFn: async ({ pageParam }) => {
      const query = {
        ...(state === 'all' ? {} : { state }),
        ...(pageParam === undefined ? {} : { cursor: pageParam }),
      };
      return bodyOf(await api.GET('/admin/v1/webhooks/{id}/deliveries', { params: { path: { id: webhook }, query } }));
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    // Who reads on further down is not read to again from the top: every page would be asked for anew.
    refetchInterval: ({ state: { data } }) => ((data?.pages.length ?? 0) > 1 ? false : AGAIN_MS),
  });
  const rows = useMemo(() => list.data?.pages.flatMap(({ data }) => data), [list.data]);
  const columns = useColumns();
  const shown = rows?.find(({ id }) => id === open);
  return (
    <Stack>
      <Row>
        <Segments
          label={say('state')}
          options={STATES.map((id) => ({ id, label: say(`state.${id}`) }))}
          value={state}
          onChange={setState}
        />
        <IconButton icon="refresh" label={shared('do.refresh')} onPress={() => void list.refetch()} />
      </Row>
      <DataTable
        label={say('deliveries')}
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        rowTone={({ state: of }) => (of === 'given_up' ? 'bad' : undefined)}
        rowActions={(one) => (
          <span className={styles.together}>
            <Button small onPress={() => replay(one.id)}>
              {say('replay')}
            </Button>
            <IconButton icon="search" label={say('open')} onPress={() => setOpen(one.id)} />
          </span>
        )}
        error={list.error}
        onRetry={() => void list.refetch()}
        onMore={list.hasNextPage ? () => void list.fetchNextPage() : undefined}
        loadingMore={list.isFetchingNextPage}
        empty={
          state === 'all' ? (
            <Empty title={say('none_delivered')}>{say('none_delivered_text')}</Empty>
          ) : (
            <Empty title={say('none_in_state')} />
          )
        }
      />
      {shown !== undefined && (
        <DeliveryDrawer delivery={shown} onReplay={() => replay(shown.id)} onClose={() => setOpen(null)} />
      )}
    </Stack>
  );
}

/** Its state in a word. */
export function DeliveryState({ of: { state } }: { readonly of: Delivery }) {
  const say = useSay(words);
  return <Badge tone={TONES[state]}>{say(`state.${state}`)}</Badge>;
}

function useColumns(): readonly Column<Delivery>[] {
  const say = useSay(words);
  return [
    { id: 'at', header: say('at'), cell: ({ at }) => <Time at={at} />, tight: true },
    { id: 'state', header: say('state'), cell: (one) => <DeliveryState of={one} />, tight: true },
    {
      id: 'answer',
      header: say('answer'),
      cell: ({ status, tries, answer }) => status ?? answer ?? say(tries === 0 ? 'not_tried' : 'no_answer'),
    },
    { id: 'tells', header: say('tells'), cell: ({ types }) => <code>{[...new Set(types)].join(', ')}</code> },
    { id: 'tries', header: say('tries'), cell: ({ tries }) => tries, align: 'end' },
    {
      id: 'next',
      header: say('next'),
      cell: ({ next_at: next }) => (next === null ? '–' : <Time at={next} />),
      wideOnly: true,
    },
    { id: 'took', header: say('took'), cell: ({ took_ms: ms }) => <Duration ms={ms} />, align: 'end', wideOnly: true },
  ];
}
