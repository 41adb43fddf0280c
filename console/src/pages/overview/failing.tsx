/** Which targets fail, with what words, and where one looks next. */
import { useMemo } from 'react';
import { Link } from 'react-router';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Count, Time } from '../../parts/figures.tsx';
import { Section } from '../../parts/page.tsx';
import { useTerm } from '../../words/trace.ts';
import { useSay } from '../../words/words.ts';
import { adviceOf } from './advice.ts';
import styles from './failing.module.css';
import { targetsOf } from './headline.tsx';
import type { Failing } from './shape.ts';
import { words } from './words.ts';

export function FailingTable({ rows }: { readonly rows: readonly Failing[] }) {
  const say = useSay(words);
  const term = useTerm();
  const columns = useMemo(
    (): Column<Failing>[] => [
      {
        id: 'target',
        header: say('failing.target'),
        cell: (row) => (
          <div className={styles.target}>
            <span className={styles.model}>{row.model}</span>
            <span className={styles.soft}>
              {row.channel} · {row.credential ?? say('failing.no_credential')}
            </span>
          </div>
        ),
        sort: (row) => row.model,
      },
      {
        id: 'why',
        header: say('failing.why'),
        cell: (row) => (
          <div className={styles.why}>
            <span>{term('class', row.class)}</span>
            {row.provider_message !== null && <q className={styles.message}>{row.provider_message}</q>}
          </div>
        ),
      },
      {
        id: 'calls',
        header: say('failing.calls'),
        cell: (row) => <Count value={row.attempts} />,
        sort: (row) => row.attempts,
        align: 'end',
      },
      {
        id: 'last',
        header: say('failing.last'),
        cell: (row) => <Time at={row.last_at} />,
        sort: (row) => Date.parse(row.last_at),
        tight: true,
      },
      {
        id: 'do',
        header: say('failing.do'),
        cell: (row) => <span className={styles.soft}>{say(adviceOf(row.class))}</span>,
      },
    ],
    [say, term],
  );
  return (
    <Section title={say('failing.title')} bare>
      <DataTable
        label={say('failing.title')}
        columns={columns}
        rows={rows}
        rowId={(row) => JSON.stringify([row.model, row.channel, row.credential, row.class])}
        rowTone={() => 'bad'}
        rowActions={(row) => (
          <span className={styles.links}>
            <Link to={targetsOf(`${row.model}#${row.channel} ${row.credential ?? ''}`.trim())}>
              {say('failing.circuit')}
            </Link>
            <Link to={`/requests/${encodeURIComponent(row.last_request_id)}`}>{say('failing.request')}</Link>
          </span>
        )}
        empty={<Empty title={say('failing.none')} />}
      />
    </Section>
  );
}
