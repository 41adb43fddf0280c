/** One figure, what it is, and how it was before. */
import type { ReactNode } from 'react';
import type { Tone } from './badge.tsx';
import styles from './stat.module.css';

export interface StatProps {
  readonly label: string;
  /** What exactly is counted; on the label. */
  readonly hint?: string;
  readonly value: ReactNode;
  /** Beside the value, smaller: a change, a part of it. */
  readonly note?: ReactNode;
  readonly tone?: Tone;
  /** Under it: a `Sparkline`. */
  readonly children?: ReactNode;
}

export function Stat({ label, hint, value, note, tone, children }: StatProps) {
  return (
    <div className={styles.stat}>
      <div className={styles.label} title={hint}>
        {label}
      </div>
      <div className={styles.value} data-tone={tone}>
        {value}
      </div>
      {note !== undefined && <div className={styles.note}>{note}</div>}
      {children}
    </div>
  );
}
