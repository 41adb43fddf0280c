/** The log: filtered by its address, live on top, page by page below (O-5). */
import { useCallback, useMemo, useRef } from 'react';
import { useSearchParams } from 'react-router';
import { troubleOf } from '../../api/trouble.ts';
import { queryNow } from '../../parts/address.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button, LinkButton } from '../../parts/button.tsx';
import { DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { FilterBar, useFilters } from '../../parts/filters.tsx';
import { Page } from '../../parts/page.tsx';
import { useSession } from '../../session/session.ts';
import { useWorkspaceFilter } from '../../shell/workspace-filter.tsx';
import { useSay, useWords } from '../../words/words.ts';
import { columnsOf, toneOf } from './columns.tsx';
import { ExportMenu } from './export-menu.tsx';
import { FilterFields } from './filter-fields.tsx';
import styles from './page.module.css';
import { FILTER_NAMES } from './request-filter.ts';
import { UnderWay } from './under-way.tsx';
import { useReading } from './use-reading.ts';
import { LIVE_PAGE, type RequestList, useRequestList } from './use-request-list.ts';
import { words } from './words.ts';

export default function RequestsPage() {
  const say = useSay(words);
  const shared = useWords();
  const { role } = useSession();
  const { workspace } = useWorkspaceFilter();
  const filters = useFilters(FILTER_NAMES);
  const { values } = filters;
  const [params, setParams] = useSearchParams();
  // A time range that has an end gets nothing new.
  const canLive = values.to === '';
  const live = canLive && params.get('live') !== 'off';
  const table = useRef<HTMLDivElement>(null);
  const isRead = useReading(table);
  const list = useRequestList({ values, workspace, live, isRead });
  const columns = useMemo(() => columnsOf(say, role === 'account_admin' && workspace === null), [say, role, workspace]);
  const pause = useCallback(
    (off: boolean) => {
      const next = queryNow();
      if (off) next.set('live', 'off');
      else next.delete('live');
      setParams(next, { replace: true });
    },
    [setParams],
  );
  const toTop = () => {
    list.show();
    window.scrollTo({ top: 0 });
  };
  return (
    <Page
      title={shared('page.requests')}
      marks={canLive && <Badge tone={live ? 'ok' : 'off'}>{say(live ? 'live.on' : 'live.paused')}</Badge>}
      about={say('about')}
      actions={
        <>
          <UnderWay workspace={workspace} live={live} />
          {canLive && (
            <Button icon={live ? 'stop' : 'playground'} onPress={() => pause(live)}>
              {say(live ? 'live.pause' : 'live.resume')}
            </Button>
          )}
          {!live && (
            <Button icon="refresh" onPress={list.refresh}>
              {shared('do.refresh')}
            </Button>
          )}
          <ExportMenu values={values} workspace={workspace} />
        </>
      }
      filters={
        <FilterBar onClear={filters.any ? filters.clear : undefined}>
          <FilterFields filters={filters} />
        </FilterBar>
      }
    >
      {list.liveError !== null && (
        <p role="status" className={styles.trouble}>
          {say('live.failed', { why: troubleOf(list.liveError).message })}
        </p>
      )}
      <div ref={table}>
        <div className={styles.pill} aria-live="polite">
          {list.waiting > 0 && (
            <Button kind="main" icon="up" onPress={toTop}>
              {list.overflowing
                ? say('live.overflowing', { count: LIVE_PAGE })
                : say('live.new', { count: list.waiting })}
            </Button>
          )}
        </div>
        <DataTable
          label={shared('page.requests')}
          columns={columns}
          rows={list.rows}
          rowId={({ id }) => id}
          rowLink={({ id }) => `/requests/${encodeURIComponent(id)}`}
          rowTone={toneOf}
          error={list.error}
          onRetry={list.refresh}
          onMore={list.hasMore ? list.loadMore : undefined}
          loadingMore={list.loadingMore}
          empty={<NoRows list={list} filtered={filters.any || workspace !== null} />}
        />
      </div>
    </Page>
  );
}

function NoRows({ list, filtered }: { readonly list: RequestList; readonly filtered: boolean }) {
  const say = useSay(words);
  if (list.hasMore) {
    return (
      <Empty
        title={say('empty.title')}
        action={
          <Button onPress={list.loadMore} isPending={list.loadingMore}>
            {say('empty.search_on')}
          </Button>
        }
      >
        {say('empty.more')}
      </Empty>
    );
  }
  if (filtered) return <Empty title={say('empty.title')}>{say('empty.filtered')}</Empty>;
  return (
    <Empty
      title={say('empty.title')}
      action={
        <LinkButton to="/playground" icon="playground">
          {say('empty.playground')}
        </LinkButton>
      }
    >
      {say('empty.first')}
    </Empty>
  );
}
