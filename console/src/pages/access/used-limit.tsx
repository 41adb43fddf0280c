/** How much of a limit is used up: in figures, and as a bar for who looks from afar. */
import { formatShare } from '../../parts/format.ts';
import { useLanguage } from '../../words/words.ts';
import styles from './access.module.css';

/** From this share on it will soon refuse. */
const SOON = 0.8;

/** Whether it is used up, or will be soon. */
export function toneOf(used: number, most: number): 'bad' | 'warn' | undefined {
  if (used >= most) return 'bad';
  return used >= most * SOON ? 'warn' : undefined;
}

export interface UsedShareProps {
  readonly used: number;
  readonly most: number;
  /** Of what, in front of the share. */
  readonly of: string;
}

export function UsedShare({ used, most, of }: UsedShareProps) {
  const language = useLanguage();
  const share = Math.min(1, used / most);
  return (
    <span className={styles.used}>
      {of} · {formatShare(used, most, language)}
      <span className={styles.bar} data-tone={toneOf(used, most)} aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
    </span>
  );
}
