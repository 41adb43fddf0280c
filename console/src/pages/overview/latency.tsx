/** How long answers take: of the model that was asked for, against another one's. */
import { Count, Duration } from '../../parts/figures.tsx';
import { Section } from '../../parts/page.tsx';
import { useSay } from '../../words/words.ts';
import { LatencyChart } from './charts.tsx';
import styles from './latency.module.css';
import type { Overview, ServedTimes } from './shape.ts';
import { words } from './words.ts';

export function Latency({ overview }: { readonly overview: Overview }) {
  const say = useSay(words);
  const { totals, before } = overview;
  return (
    <Section title={say('latency.title')}>
      <table className={styles.table} aria-label={say('latency.title')}>
        <thead>
          <tr>
            <th scope="col">{say('latency.who')}</th>
            <th scope="col">{say('latency.served')}</th>
            <th scope="col">{say('latency.p50')}</th>
            <th scope="col">{say('latency.p99')}</th>
            <th scope="col">{say('latency.before')}</th>
          </tr>
        </thead>
        <tbody>
          <Line name={say('latency.primary')} now={totals.primary} before={before.primary} />
          <Line name={say('latency.fallback')} now={totals.fallback_latency} before={before.fallback_latency} />
        </tbody>
      </table>
      <LatencyChart overview={overview} />
    </Section>
  );
}

interface LineProps {
  readonly name: string;
  readonly now: ServedTimes;
  readonly before: ServedTimes;
}

function Line({ name, now, before }: LineProps) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>
        <Count value={now.served} />
      </td>
      <td>
        <Duration ms={now.p50_ms} />
      </td>
      <td className={styles.main}>
        <Duration ms={now.p99_ms} />
      </td>
      <td>
        <Duration ms={before.p99_ms} />
      </td>
    </tr>
  );
}
