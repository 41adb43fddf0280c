/** The columns of the list: when, which model answered, how it went, what it took. */
import { Badge } from '../../parts/badge.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { Duration, Money } from '../../parts/figures.tsx';
import { formatClock, formatInstant } from '../../parts/format.ts';
import { useTerm } from '../../words/trace.ts';
import { type Say, useLanguage, useSay, useWords } from '../../words/words.ts';
import { isCovered, ModelActual } from '../request/model-actual.tsx';
import { outcomeTone } from '../request/outcome-tone.ts';
import type { Row } from './live-rows.ts';
import styles from './page.module.css';
import type { en } from './words.en.ts';
import { words } from './words.ts';

/** Which rows need eyes. */
export function toneOf(row: Row): 'bad' | 'cover' | undefined {
  if (outcomeTone(row) === 'bad') return 'bad';
  return isCovered(row) ? 'cover' : undefined;
}

export function columnsOf(say: Say<typeof en>, withWorkspace: boolean): readonly Column<Row>[] {
  return [
    { id: 'at', header: say('column.time'), cell: (row) => <At at={row.at} />, tight: true },
    { id: 'model', header: say('column.model'), cell: (row) => <Model row={row} /> },
    { id: 'result', header: say('column.result'), cell: (row) => <Result row={row} /> },
    { id: 'notes', header: say('column.notes'), cell: (row) => (isPlain(row) ? null : <Notes row={row} />) },
    { id: 'key', header: say('column.key'), cell: (row) => row.key ?? '–', wideOnly: true },
    ...(withWorkspace
      ? [{ id: 'workspace', header: say('column.workspace'), cell: (row: Row) => row.workspace, wideOnly: true }]
      : []),
    { id: 'calls', header: say('column.calls'), cell: (row) => row.upstream_calls, align: 'end', wideOnly: true },
    {
      id: 'took',
      header: say('column.took'),
      cell: (row) => <Duration ms={row.latency_ms} />,
      align: 'end',
      tight: true,
    },
    {
      id: 'cost',
      header: say('column.cost'),
      cell: (row) => (row.cost_nano_usd === null ? say('price_unknown') : <Money nano={row.cost_nano_usd} />),
      align: 'end',
      tight: true,
      wideOnly: true,
    },
  ];
}

function Model({ row }: { readonly row: Row }) {
  return (
    <span className={styles.model}>
      <ModelActual of={row} short />
    </span>
  );
}

function At({ at }: { readonly at: string }) {
  const language = useLanguage();
  const ms = Date.parse(at);
  return (
    <time dateTime={at} title={formatInstant(ms, language)}>
      {formatClock(ms, language)}
    </time>
  );
}

function Result({ row }: { readonly row: Row }) {
  const shared = useWords();
  return (
    <Badge tone={outcomeTone(row)} {...(row.error_code === null ? {} : { title: row.error_code })}>
      {row.status} {shared(`outcome.${row.outcome}`)}
    </Badge>
  );
}

/** Endings that the result does not tell by itself. */
const TOLD_APART = new Set(['interrupted', 'client_closed', 'replayed', 'joined', 'queued']);

/** Nothing is to be noted. */
function isPlain(row: Row): boolean {
  const { stream, degraded, client_retry: retry, job, ending } = row;
  return !(isCovered(row) || stream || degraded || retry.count > 0 || job !== undefined || TOLD_APART.has(ending));
}

function Notes({ row }: { readonly row: Row }) {
  const say = useSay(words);
  const term = useTerm();
  const { client_retry: retry } = row;
  return (
    <span className={styles.notes}>
      {isCovered(row) && <Badge tone="cover">{say('note.covered')}</Badge>}
      {row.degraded && !isCovered(row) && <Badge tone="warn">{say('note.degraded')}</Badge>}
      {TOLD_APART.has(row.ending) && <Badge plain>{term('ending', row.ending)}</Badge>}
      {row.stream && <Badge plain>{say('note.stream')}</Badge>}
      {retry.count > 0 && <Badge plain>{say('note.retry', { count: retry.count })}</Badge>}
      {row.job !== undefined && <Badge plain>{say('note.job')}</Badge>}
    </span>
  );
}
