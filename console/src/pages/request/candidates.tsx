/** Every candidate in its order of preference, and why it was or was not called. */
import { Badge } from '../../parts/badge.tsx';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Time } from '../../parts/figures.tsx';
import { useTerm } from '../../words/trace.ts';
import { useSay } from '../../words/words.ts';
import styles from './page.module.css';
import type { RequestRecord } from './story.ts';
import { words } from './words.ts';

type Candidate = RequestRecord['candidates'][number];

export function Candidates({ record }: { readonly record: RequestRecord }) {
  const say = useSay(words);
  const term = useTerm();
  const columns: Column<Candidate>[] = [
    { id: 'rank', header: say('candidate.rank'), cell: ({ rank }) => rank, tight: true },
    { id: 'target', header: say('candidate.target'), cell: (candidate) => <Target of={candidate} /> },
    { id: 'what', header: say('candidate.what'), cell: (candidate) => <Fate of={candidate} /> },
  ];
  return (
    <div className={styles.candidates}>
      <DataTable
        label={say('part.candidates')}
        columns={columns}
        rows={record.candidates}
        rowId={({ rank }) => String(rank)}
      />
      {(record.skipped_groups ?? []).map(({ skip_reason, count }) => (
        <p key={skip_reason} className={styles.soft}>
          {say('candidate.more', { count, reason: term('skip', skip_reason) })}
        </p>
      ))}
    </div>
  );
}

function Target({ of }: { readonly of: Candidate }) {
  const say = useSay(words);
  const { model, channel, credential } = of;
  return (
    <>
      {say(credential === null ? 'attempt.via' : 'attempt.via_credential', {
        model,
        channel,
        credential: credential ?? '',
      })}
    </>
  );
}

function Fate({ of: { tried, skip_reason: skipped, available_at: until } }: { readonly of: Candidate }) {
  const say = useSay(words);
  const term = useTerm();
  if (skipped === null) {
    return tried ? <Badge tone="info">{say('candidate.tried')}</Badge> : <Badge>{say('candidate.not_reached')}</Badge>;
  }
  // An open circuit puts a target last; everything else leaves it out or passes it over.
  const how = skipped === 'circuit_open' ? 'candidate.behind' : 'candidate.left_out';
  return (
    <span className={styles.fate}>
      <Badge tone="warn">{say(how, { reason: term('skip', skipped) })}</Badge>
      {until !== null && <Time at={until} exact />}
    </span>
  );
}
