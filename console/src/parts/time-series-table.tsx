/** What a chart shows, as a table. */
import { useLanguage, useWords } from '../words/words.ts';
import { formatClock, formatNumber } from './format.ts';
import styles from './time-series.module.css';
import type { TimeSeriesProps } from './time-series.tsx';

export function TimeSeriesTable({ label, at, series, format }: TimeSeriesProps) {
  const say = useWords();
  const language = useLanguage();
  const write = format ?? ((value: number | null) => formatNumber(value, language));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section className={styles.scroll} tabIndex={0} aria-label={label}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{say('chart.time')}</th>
            {series.map(({ id, label: name }) => (
              <th key={id} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {at.map((instant, index) => (
            <tr key={instant}>
              <th scope="row">{formatClock(instant, language)}</th>
              {series.map(({ id, values }) => (
                <td key={id}>{write(values[index] ?? null)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
