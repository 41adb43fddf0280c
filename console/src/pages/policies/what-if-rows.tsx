/** Where requests would have parted from what happened: one row a decision, with requests to look at. */
import { useMemo } from 'react';
import { Link } from 'react-router';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Count } from '../../parts/figures.tsx';
import { formatMoney, formatNumber } from '../../parts/format.ts';
import { type Language, type Say, useLanguage, useSay, useWords } from '../../words/words.ts';
import styles from './policies.module.css';
import type { WhatIfCell } from './use-judge.ts';
import type { en } from './words.en.ts';
import { words } from './words.ts';

const OUTCOMES = [
  'success',
  'client_error',
  'upstream_rate_limited',
  'upstream_unavailable',
  'network_unknown',
  'safety_refusal',
] as const;
/** Of an id: enough to tell three apart. */
const ID_END = 6;

const nameOf = ({ row, class: failed, was, would }: WhatIfCell): string => `${row} ${failed} ${was} ${would}`;

export function WhatIfRows({ rows }: { readonly rows: readonly WhatIfCell[] }) {
  const say = useSay(words);
  const shared = useWords();
  const language = useLanguage();
  const columns = useMemo<Column<WhatIfCell>[]>(
    () => [
      { id: 'failed', header: say('col_failed'), cell: (row) => failureWords(row, say) },
      { id: 'was', header: say('col_was'), cell: ({ was }) => say(`course_${was}`) },
      { id: 'would', header: say('col_would'), cell: (row) => wouldWords(row, say) },
      {
        id: 'requests',
        header: say('col_requests'),
        cell: ({ requests }) => <Count value={requests} />,
        sort: ({ requests }) => requests,
        align: 'end',
      },
      { id: 'means', header: say('col_means'), cell: (row) => <Meaning row={row} /> },
      {
        id: 'ended',
        header: say('col_ended'),
        cell: ({ outcomes }) =>
          OUTCOMES.filter((outcome) => outcomes[outcome] > 0)
            .map((outcome) =>
              say('ended', {
                n: formatNumber(outcomes[outcome], language),
                outcome: shared(`outcome.${outcome}`).toLowerCase(),
              }),
            )
            .join(', '),
      },
      { id: 'saved', header: say('col_saved'), cell: (row) => savedWords(row, say, language), align: 'end' },
      { id: 'examples', header: say('col_examples'), cell: (row) => <Examples ids={row.example_request_ids} /> },
    ],
    [say, shared, language],
  );
  return (
    <DataTable
      label={say('judge')}
      columns={columns}
      rows={rows}
      rowId={nameOf}
      rowTone={({ would, outcomes }) => (would === 'stop' && outcomes.success > 0 ? 'bad' : undefined)}
    />
  );
}

function failureWords({ row, class: failed }: WhatIfCell, say: Say<typeof en>): string {
  if (row === null) return failed === null ? say('nothing_failed') : say(`row_${failed}`);
  const words = say(`row_${row}`);
  return failed === null || failed === row ? words : `${words} (${say(`row_${failed}`)})`;
}

/** The same word twice means another target. */
function wouldWords({ was, would }: WhatIfCell, say: Say<typeof en>): string {
  const course = say(`course_${would}`);
  return was === would ? say('course_elsewhere', { course }) : course;
}

function savedWords(
  { calls_saved: calls, cost_saved_nano_usd: cost }: WhatIfCell,
  say: Say<typeof en>,
  language: Language,
) {
  if (calls === null) return '–';
  const n = formatNumber(calls, language);
  return cost === null ? n : say('saved_cost', { n, cost: formatMoney(cost, language) });
}

function Meaning({ row: { was, would, outcomes } }: { readonly row: WhatIfCell }) {
  const say = useSay(words);
  if (would === 'stop') {
    return outcomes.success > 0 ? (
      <span className={styles.means} data-tone="bad">
        {say('means_lost', { count: outcomes.success })}
      </span>
    ) : (
      <span className={styles.means}>{say('means_sooner')}</span>
    );
  }
  return <span className={styles.means}>{say(was === 'stop' ? 'means_more' : 'means_another')}</span>;
}

function Examples({ ids }: { readonly ids: readonly string[] }) {
  const say = useSay(words);
  return (
    <span className={styles.examples}>
      {ids.map((id) => (
        <Link key={id} to={`/requests/${encodeURIComponent(id)}`} title={id}>
          <span className={styles.unseen}>{say('example', { id })}</span>
          <span aria-hidden="true">…{id.slice(-ID_END)}</span>
        </Link>
      ))}
    </span>
  );
}
