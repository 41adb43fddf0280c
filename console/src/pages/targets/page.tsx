/** Targets: the health board, and an operator's hand on it (H-3). */
import { useDeferredValue, useMemo, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { FilterBar, useFilters } from '../../parts/filters.tsx';
import { formatNumber } from '../../parts/format.ts';
import { Page } from '../../parts/page.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Switch } from '../../parts/switch.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { useSession } from '../../session/session.ts';
import { useLanguage, useSay } from '../../words/words.ts';
import { countsOf, firstOf, groupsOf, SHOWN, type Target } from './board.ts';
import { BoardTable } from './board-table.tsx';
import { DeedDialog, type Question } from './deeds.tsx';
import { StateFilter } from './state-filter.tsx';
import styles from './targets.module.css';
import { MOST_TARGETS, useLastFailures, useTargets } from './use-targets.ts';
import { words } from './words.ts';

const NAMES = ['state', 'text'] as const;
/** More rows at once than a reader looks through make a browser slow; the rest comes by a button. */
const ROWS = 200;
const NO_TARGETS: readonly Target[] = [];

export default function TargetsPage() {
  const say = useSay(words);
  const language = useLanguage();
  const { role } = useSession();
  const { values, set, clear, any } = useFilters(NAMES);
  const [live, setLive] = useState(true);
  const [limit, setLimit] = useState(ROWS);
  const [question, setQuestion] = useState<Question | null>(null);
  const board = useTargets(live);
  const failures = useLastFailures(live);
  const targets = board.data?.targets ?? NO_TARGETS;
  const text = useDeferredValue(values.text.trim());
  const shown = SHOWN.find((one) => one === values.state) ?? 'all';
  const counts = useMemo(() => countsOf(targets, text), [targets, text]);
  const groups = useMemo(() => groupsOf(targets, shown, text), [targets, shown, text]);
  const first = useMemo(() => firstOf(groups, limit), [groups, limit]);
  const left = rowsOf(groups) - rowsOf(first);
  const number = (value: number) => formatNumber(value, language);
  return (
    <Page
      title={say('title')}
      about={say('about')}
      actions={
        <Switch on={live} onChange={setLive}>
          {say('live')}
        </Switch>
      }
      filters={
        <FilterBar onClear={any ? clear : undefined}>
          <div className={styles.find}>
            <TextField
              label={say('find')}
              type="search"
              value={values.text}
              onChange={(next) => set({ text: next })}
              placeholder={say('find_place')}
            />
          </div>
        </FilterBar>
      }
    >
      <ErrorBox error={board.error} onRetry={() => void board.refetch()} />
      {board.data === undefined ? (
        board.error === null && <Skeleton lines={8} />
      ) : targets.length === 0 ? (
        <Empty title={say('empty.title')}>{say('empty.text')}</Empty>
      ) : (
        <>
          <StateFilter counts={counts} shown={shown} onShow={(next) => set({ state: next === 'all' ? '' : next })} />
          {role !== 'account_admin' && <p className={styles.soft}>{say('read_only')}</p>}
          {board.data.truncated && <p className={styles.soft}>{say('truncated', { n: number(MOST_TARGETS) })}</p>}
          {groups.length === 0 ? (
            <Empty title={say('empty.found')} />
          ) : (
            <BoardTable groups={first} failures={failures} onAsk={role === 'account_admin' ? setQuestion : null} />
          )}
          {left > 0 && (
            <div className={styles.more}>
              <Button onPress={() => setLimit(limit + ROWS)}>{say('more', { count: left, n: number(left) })}</Button>
            </div>
          )}
        </>
      )}
      <DeedDialog question={question} targets={targets} onClose={() => setQuestion(null)} />
    </Page>
  );
}

function rowsOf(groups: readonly { readonly targets: readonly Target[] }[]): number {
  return groups.reduce((sum, group) => sum + group.targets.length, 0);
}
