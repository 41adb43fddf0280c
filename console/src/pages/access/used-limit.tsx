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
}

export function UsedShare({ used, most }: UsedShareProps) {
  const language = useLanguage();
  const share = Math.min(1, used / most);
  return (
    <>
      {formatShare(used, most, language)}
      <span className={styles.bar} data-tone={toneOf(used, most)} aria-hidden="true">
        <span style={{ width: `${share * 100}%` }} />
      </span>
    </>
  );
}
