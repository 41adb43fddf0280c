/** The head of a column that sorts. */
import { Icon } from '../shell/icons.tsx';
import { useWords } from '../words/words.ts';
import styles from './data-table.module.css';

export interface SortButtonProps {
  readonly column: string;
  readonly direction: 'ascending' | 'descending' | 'none';
  readonly onPress: () => void;
}

export function SortButton({ column, direction, onPress }: SortButtonProps) {
  const say = useWords();
  return (
    <button type="button" className={styles.sort} title={say('table.sort', { column })} onClick={onPress}>
      {column}
      {direction !== 'none' && <Icon name={direction === 'ascending' ? 'up' : 'down'} size={13} />}
    </button>
  );
}
