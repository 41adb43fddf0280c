/** Which models answer for others, why, and a request that shows it. */
import { useMemo } from 'react';
import { Link } from 'react-router';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Count, Time } from '../../parts/figures.tsx';
import { formatNumber } from '../../parts/format.ts';
import { Section } from '../../parts/page.tsx';
import { useTerm } from '../../words/trace.ts';
import { useLanguage, useSay } from '../../words/words.ts';
import type { Covering } from './shape.ts';
import { mostOf } from './verdict.ts';
import { words } from './words.ts';

/** More reasons than these are in the requests. */
const MOST_REASONS = 3;

function useWhy(): (row: Covering) => string {
  const say = useSay(words);
  const term = useTerm();
  const language = useLanguage();
  return ({ classes, skipped }) => {
    const kind = Object.keys(classes).length > 0 ? 'class' : 'skip';
    const counts = new Map(Object.entries(kind === 'class' ? classes : skipped));
    return mostOf(counts, MOST_REASONS)
      .map((code) => say('reason.count', { reason: term(kind, code), n: formatNumber(counts.get(code), language) }))
      .join(language === 'zh' ? '、' : ', ');
  };
}

export function CoveringTable({ rows }: { readonly rows: readonly Covering[] }) {
  const say = useSay(words);
  const why = useWhy();
  const columns = useMemo(
    (): Column<Covering>[] => [
      { id: 'asked', header: say('covering.asked'), cell: (row) => row.requested_model },
      { id: 'by', header: say('covering.by'), cell: (row) => row.served_model },
      {
        id: 'requests',
        header: say('covering.requests'),
        cell: (row) => <Count value={row.requests} />,
        sort: (row) => row.requests,
        align: 'end',
      },
      { id: 'why', header: say('covering.why'), cell: why },
      {
        id: 'first',
        header: say('covering.first'),
        cell: (row) => <Time at={row.first_at} />,
        sort: (row) => Date.parse(row.first_at),
        tight: true,
        wideOnly: true,
      },
      {
        id: 'last',
        header: say('covering.last'),
        cell: (row) => <Time at={row.last_at} />,
        sort: (row) => Date.parse(row.last_at),
        tight: true,
      },
    ],
    [say, why],
  );
  return (
    <Section title={say('covering.title')} bare>
      <DataTable
        label={say('covering.title')}
        columns={columns}
        rows={rows}
        rowId={(row) => JSON.stringify([row.requested_model, row.served_model])}
        rowTone={() => 'cover'}
        rowActions={(row) => (
          <Link to={`/requests/${encodeURIComponent(row.last_request_id)}`}>{say('covering.last_request')}</Link>
        )}
        empty={<Empty title={say('covering.none')} />}
      />
    </Section>
  );
}
