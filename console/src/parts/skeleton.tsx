/** Holds the place of what is still coming. */
import { useWords } from '../words/words.ts';
import styles from './skeleton.module.css';

export function Skeleton({ lines = 4 }: { readonly lines?: number }) {
  const say = useWords();
  return (
    <div className={styles.skeleton} data-loading="true" role="status" aria-label={say('state.loading')}>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines are alike and never move
        <span key={line} className={styles.line} />
      ))}
    </div>
  );
}
