/** Figures over time: a chart, with the same as a table for who cannot see it. */
import { lazy, Suspense, useState } from 'react';
import { useWords } from '../words/words.ts';
import { Button } from './button.tsx';
import { Skeleton } from './skeleton.tsx';
import styles from './time-series.module.css';
import { TimeSeriesTable } from './time-series-table.tsx';

/** One line of a chart. */
export interface Series {
  readonly id: string;
  readonly label: string;
  /** Which of the chart colours: 1 what is usual, 2 what covers, 3 what warns, 4 what fails, 5 what is well. */
  readonly colour: 1 | 2 | 3 | 4 | 5;
  readonly values: readonly (number | null)[];
  /** `bars`: columns, for counts. */
  readonly as?: 'line' | 'area' | 'bars';
  readonly dashed?: boolean;
}

export interface TimeSeriesProps {
  readonly label: string;
  /** Milliseconds, oldest first, one for every value. */
  readonly at: readonly number[];
  readonly series: readonly Series[];
  /** How a value is written, on the axis, too. */
  readonly format?: (value: number | null) => string;
  readonly height?: number;
  /** Drawn over each other as parts of one whole, the first one lowest. */
  readonly stacked?: boolean;
  /** The pointer was dragged over a span of time. */
  readonly onSelect?: (from: number, to: number) => void;
}

const Chart = lazy(() => import('./time-series-chart.tsx'));

export function TimeSeries(props: TimeSeriesProps) {
  const { label, series, height = 200 } = props;
  const say = useWords();
  const [asTable, setAsTable] = useState(false);
  const none = series.every(({ values }) => values.every((value) => value === null || value === 0));
  return (
    <figure className={styles.figure} aria-label={label}>
      <figcaption className={styles.head}>
        <ul className={styles.legend}>
          {series.map(({ id, label: name, colour, dashed }) => (
            <li key={id} className={styles.key} data-colour={colour} data-dashed={dashed}>
              {name}
            </li>
          ))}
        </ul>
        <Button kind="quiet" small onPress={() => setAsTable(!asTable)}>
          {say(asTable ? 'chart.as_chart' : 'chart.as_table')}
        </Button>
      </figcaption>
      {asTable ? (
        <TimeSeriesTable {...props} />
      ) : none ? (
        <p className={styles.none} style={{ height }}>
          {say('chart.none')}
        </p>
      ) : (
        <div aria-hidden="true" style={{ height }}>
          <Suspense fallback={<Skeleton lines={5} />}>
            <Chart {...props} height={height} />
          </Suspense>
        </div>
      )}
    </figure>
  );
}
