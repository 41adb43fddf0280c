/** Every candidate in its order of preference, and why it was or was not called. */
import { Badge } from '../../parts/badge.tsx';
import { Time } from '../../parts/figures.tsx';
import { useTerm } from '../../words/trace.ts';
import { useSay } from '../../words/words.ts';
import styles from './candidates.module.css';
import type { RequestRecord } from './story.ts';
import { words } from './words.ts';

type Candidate = RequestRecord['candidates'][number];

export function Candidates({ record }: { readonly record: RequestRecord }) {
  const say = useSay(words);
  const term = useTerm();
  return (
    <ol className={styles.list}>
      {record.candidates.map((candidate) => (
        <li key={candidate.rank} className={styles.one}>
          <span className={styles.rank}>{candidate.rank}.</span>
          <span className={styles.target}>
            {say(candidate.credential === null ? 'attempt.via' : 'attempt.via_credential', {
              model: candidate.model,
              channel: candidate.channel,
              credential: candidate.credential ?? '',
            })}
          </span>
          <Fate of={candidate} />
        </li>
      ))}
      {(record.skipped_groups ?? []).map(({ skip_reason, count }) => (
        <li key={skip_reason} className={styles.more}>
          {say('candidate.more', { count, reason: term('skip', skip_reason) })}
        </li>
      ))}
    </ol>
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
      {until !== null && (
        <span className={styles.until}>
          {say('candidate.until')} <Time at={until} exact />
        </span>
      )}
    </span>
  );
}
