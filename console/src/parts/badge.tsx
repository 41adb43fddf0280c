/** A state in a word. The tone never says it alone. */
import type { ReactNode } from 'react';
import styles from './badge.module.css';

/** `cover`: another model stands in. `off`: not in use, or of no weight. */
export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'cover' | 'off';

export interface BadgeProps {
  readonly tone?: Tone;
  /** Without the dot: for counts and names. */
  readonly plain?: boolean;
  readonly title?: string;
  readonly children: ReactNode;
}

export function Badge({ tone = 'off', plain = false, title, children }: BadgeProps) {
  return (
    <span className={styles.badge} data-tone={tone} data-plain={plain} title={title}>
      {children}
    </span>
  );
}
