/** The five stages as one bar, each as wide as it took long, with its figures beneath. */
import { formatDuration } from '../../parts/format.ts';
import { useTerm } from '../../words/trace.ts';
import { useSay } from '../../words/words.ts';
import styles from './stages.module.css';
import type { RequestRecord } from './story.ts';
import { words } from './words.ts';

export function Stages({ record }: { readonly record: RequestRecord }) {
  const say = useSay(words);
  const term = useTerm();
  const { stages } = record;
  const total = stages.reduce((sum, { ms }) => sum + ms, 0);
  return (
    <div className={styles.stages}>
      <div
        className={styles.bar}
        role="img"
        aria-label={say('stages.label', { total: formatDuration(record.latency_ms) })}
      >
        {stages.map(({ name, ms }) => (
          <span
            key={name}
            className={styles.part}
            data-stage={name}
            style={{ flexGrow: total > 0 ? (ms / total) * 100 : 1 }}
          />
        ))}
      </div>
      <ol className={styles.names}>
        {stages.map(({ name, ms, attempts }, index) => (
          <li key={name}>
            <span className={styles.mark} data-stage={name} />
            <span>
              {index + 1}. {term('stage', name)}
            </span>
            <strong>{formatDuration(ms)}</strong>
            {attempts !== undefined && (
              <span className={styles.soft}>{say('stages.attempts', { count: attempts })}</span>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}
