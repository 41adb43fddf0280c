/** The board as one table: a group of rows for each model. Where it is narrow, rows are cards. */
import { memo } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import { Count, Time } from '../../parts/figures.tsx';
import { formatNumber } from '../../parts/format.ts';
import { useLanguage, useSay } from '../../words/words.ts';
import type { ModelGroup, Target } from './board.ts';
import type { Question } from './deeds.tsx';
import { useTargetName } from './deeds.tsx';
import { NextTry, StateWords } from './target-state.tsx';
import styles from './targets.module.css';
import { type Failing, failingKey } from './use-targets.ts';
import { words } from './words.ts';

export interface BoardTableProps {
  readonly groups: readonly ModelGroup[];
  readonly failures: ReadonlyMap<string, Failing>;
  /** Null: the reader may not change anything. */
  readonly onAsk: ((question: Question) => void) | null;
}

const COLUMNS = ['target', 'state', 'since', 'next', 'calls', 'failures', 'level'] as const;
const FIGURES = new Set<string>(['calls', 'failures', 'level']);

export function BoardTable({ groups, failures, onAsk }: BoardTableProps) {
  const say = useSay(words);
  const width = COLUMNS.length + (onAsk === null ? 0 : 1);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section className={styles.scroll} tabIndex={0} aria-label={say('title')}>
      <table className={styles.table} aria-label={say('title')}>
        <thead>
          <tr>
            {COLUMNS.map((column) => (
              <th
                key={column}
                scope="col"
                data-figure={FIGURES.has(column)}
                title={column === 'level' ? say('col.level_hint') : undefined}
              >
                {say(`col.${column}`)}
              </th>
            ))}
            {onAsk !== null && (
              <th scope="col">
                <span className={styles.unseen}>{say('col.do')}</span>
              </th>
            )}
          </tr>
        </thead>
        {groups.map((group) => (
          <tbody key={group.model} className={styles.group}>
            <tr className={styles.modelRow}>
              <th scope="rowgroup" colSpan={width}>
                <GroupHead group={group} />
              </th>
            </tr>
            {group.targets.map((target) => (
              <TargetRow key={target.id} target={target} failing={failures.get(failingKey(target))} onAsk={onAsk} />
            ))}
          </tbody>
        ))}
      </table>
    </section>
  );
}

function GroupHead({ group: { model, all, well } }: { readonly group: ModelGroup }) {
  const say = useSay(words);
  const language = useLanguage();
  const number = (value: number) => formatNumber(value, language);
  return (
    <span className={styles.groupHead}>
      <span className={styles.model}>{model}</span>
      {well === 0 ? (
        <Badge tone="bad">{say('group.none')}</Badge>
      ) : (
        <span className={styles.soft}>
          {well === all
            ? say('group.all', { count: all, n: number(all) })
            : say('group.some', { well: number(well), all: number(all) })}
        </span>
      )}
    </span>
  );
}

interface TargetRowProps {
  readonly target: Target;
  readonly failing: Failing | undefined;
  readonly onAsk: BoardTableProps['onAsk'];
}

const TargetRow = memo(function TargetRow({ target, failing, onAsk }: TargetRowProps) {
  const say = useSay(words);
  const { channel, credential, state, since, calls, failures, level } = target;
  return (
    <tr data-state={state}>
      <th scope="row" className={styles.target} data-label={say('col.target')}>
        <span className={styles.channel}>{channel}</span>
        <span className={styles.soft}>{credential ?? say('no_credential')}</span>
      </th>
      <td data-label={say('col.state')}>
        <StateWords target={target} failing={failing} />
      </td>
      <td data-label={say('col.since')} data-none={since === null} className={styles.since}>
        {since !== null && <Time at={since} />}
      </td>
      <td data-label={say('col.next')} data-none={state === 'ok'} className={styles.next}>
        {state !== 'ok' && <NextTry target={target} />}
      </td>
      <td data-label={say('col.calls')} data-figure="true">
        <Count value={calls} />
      </td>
      <td data-label={say('col.failures')} data-figure="true" data-bad={failures > 0}>
        <Count value={failures} />
      </td>
      <td data-label={say('col.level')} data-figure="true">
        <Count value={level} />
      </td>
      {onAsk !== null && <Deeds target={target} onAsk={onAsk} />}
    </tr>
  );
});

function Deeds({ target, onAsk }: { readonly target: Target; readonly onAsk: (question: Question) => void }) {
  const say = useSay(words);
  const name = useTargetName()(target);
  const { state, failures } = target;
  const drain = state === 'drained' ? 'undrain' : 'drain';
  return (
    <td className={styles.deeds}>
      <Button small aria-label={`${say(`do.${drain}`)}: ${name}`} onPress={() => onAsk({ deed: drain, target })}>
        {say(`do.${drain}`)}
      </Button>
      {(state !== 'ok' || failures > 0) && (
        <Button small aria-label={`${say('do.reset')}: ${name}`} onPress={() => onAsk({ deed: 'reset', target })}>
          {say('do.reset')}
        </Button>
      )}
    </td>
  );
}
