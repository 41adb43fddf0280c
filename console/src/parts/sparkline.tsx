/** The course of a figure in one small line. Gaps stay gaps. */
import styles from './sparkline.module.css';

export interface SparklineProps {
  readonly values: readonly (number | null)[];
  /** What it shows, in words. */
  readonly label: string;
  /** Which of the chart colours. */
  readonly colour?: 1 | 2 | 3 | 4 | 5;
}

const WIDTH = 120;
const HEIGHT = 28;

export function Sparkline({ values, label, colour = 1 }: SparklineProps) {
  const known = values.filter((value) => value !== null);
  const most = Math.max(0, ...known);
  const step = values.length > 1 ? WIDTH / (values.length - 1) : 0;
  let path = '';
  let pen = false;
  for (const [index, value] of values.entries()) {
    if (value !== null) {
      const y = most === 0 ? HEIGHT - 2 : HEIGHT - 2 - (value / most) * (HEIGHT - 4);
      // A value between gaps is a dot.
      path += `${pen ? 'L' : 'M'}${(index * step).toFixed(1)} ${y.toFixed(1)}${pen ? '' : 'l0 0'}`;
    }
    pen = value !== null;
  }
  return (
    <svg
      className={styles.line}
      data-colour={colour}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path d={path} />
    </svg>
  );
}
