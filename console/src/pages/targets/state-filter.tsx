/** How many targets there are of each state; pressing one shows those alone. */
import { formatNumber } from '../../parts/format.ts';
import { useLanguage, useSay } from '../../words/words.ts';
import { SHOWN, type Shown } from './board.ts';
import styles from './state-filter.module.css';
import { words } from './words.ts';

interface StateFilterProps {
  readonly counts: ReadonlyMap<Shown, number>;
  readonly shown: Shown;
  readonly onShow: (shown: Shown) => void;
}

export function StateFilter({ counts, shown, onShow }: StateFilterProps) {
  const say = useSay(words);
  const language = useLanguage();
  return (
    <fieldset className={styles.filter}>
      <legend className={styles.unseen}>{say('states')}</legend>
      {SHOWN.map((one) => (
        <button
          key={one}
          type="button"
          className={styles.chip}
          aria-pressed={one === shown}
          data-state={one}
          data-none={(counts.get(one) ?? 0) === 0}
          onClick={() => onShow(one === shown ? 'all' : one)}
        >
          {one === 'all' || one === 'trouble' ? say(`show.${one}`) : say(`state.${one}`)}{' '}
          <span className={styles.count}>{formatNumber(counts.get(one), language)}</span>
        </button>
      ))}
    </fieldset>
  );
}
