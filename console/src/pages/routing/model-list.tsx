/** One list of models whose order counts: moved, added to, taken from. */
import { useState } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { Button, IconButton } from '../../parts/button.tsx';
import { ComboBox } from '../../parts/combo-box.tsx';
import { ReorderList } from '../../parts/reorder-list.tsx';
import type { Option } from '../../parts/select.tsx';
import { useSay } from '../../words/words.ts';
import { MOST_MODELS } from './draft.ts';
import styles from './routing.module.css';
import { words } from './words.ts';

export interface ModelListProps {
  /** What the list is behind. */
  readonly name: string;
  readonly list: readonly string[];
  readonly onChange: (list: string[]) => void;
  readonly options: readonly Option[];
  /** It may not become empty. */
  readonly needsOne?: boolean;
}

export function ModelList({ name, list, onChange, options, needsOne = false }: ModelListProps) {
  const say = useSay(words);
  const [typed, setTyped] = useState('');
  const wanted = typed.trim();
  const twice = list.includes(wanted);
  const full = list.length >= MOST_MODELS;
  const add = () => {
    if (wanted === '' || twice || full) return;
    onChange([...list, wanted]);
    setTyped('');
  };
  return (
    <div className={styles.list}>
      {list.length > 0 && (
        <ReorderList
          label={say('models_of', { name })}
          items={list}
          itemId={(model) => model}
          itemName={(model) => model}
          onChange={onChange}
        >
          {(model, index) => (
            <span className={styles.item}>
              <Badge plain>{index + 1}</Badge>
              <span className={styles.itemName}>{model}</span>
              {!(needsOne && list.length === 1) && (
                <IconButton
                  icon="close"
                  label={say('remove_model', { model, name })}
                  onPress={() => onChange(list.filter((other) => other !== model))}
                />
              )}
            </span>
          )}
        </ReorderList>
      )}
      {needsOne && list.length === 1 && <p className={styles.soft}>{say('last_model')}</p>}
      {full ? (
        <p className={styles.soft}>{say('list_full', { most: MOST_MODELS })}</p>
      ) : (
        <form
          className={styles.adding}
          onSubmit={(event) => {
            event.preventDefault();
            add();
          }}
        >
          <div className={styles.grows}>
            <ComboBox
              label={say('add_model', { name })}
              hideLabel
              placeholder={say('add_model', { name })}
              options={options.filter(({ id }) => !list.includes(id))}
              value={typed}
              onChange={setTyped}
              free
              error={twice ? say('already_in') : null}
            />
          </div>
          <Button icon="plus" type="submit" isDisabled={wanted === '' || twice}>
            {say('add')}
          </Button>
        </form>
      )}
    </div>
  );
}
