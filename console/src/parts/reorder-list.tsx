/** A list whose order counts: dragged, or moved by keyboard. */
import { type ReactNode, useRef } from 'react';
import { Button, DropIndicator, GridList, GridListItem, useDragAndDrop } from 'react-aria-components';
import { Icon } from '../shell/icons.tsx';
import { useWords } from '../words/words.ts';
import { IconButton } from './button.tsx';
import styles from './reorder-list.module.css';

export interface ReorderListProps<Item> {
  readonly label: string;
  readonly items: readonly Item[];
  readonly itemId: (item: Item) => string;
  /** For who cannot see it. */
  readonly itemName: (item: Item) => string;
  readonly children: (item: Item, index: number) => ReactNode;
  readonly onChange: (items: Item[]) => void;
  readonly disabled?: boolean;
}

export function ReorderList<Item>(props: ReorderListProps<Item>) {
  const { label, items, itemId, itemName, children, onChange, disabled = false } = props;
  const say = useWords();
  const rows = items.map((item, index) => ({ id: itemId(item), item, index }));

  // The drag began under an earlier order than the one it ends in: what is moved is always the latest.
  const latest = useRef(items);
  latest.current = items;

  /** Puts the items of these ids before or after the one of that id. */
  const move = (ids: ReadonlySet<string>, target: string, after: boolean) => {
    const moving = latest.current.filter((item) => ids.has(itemId(item)));
    const staying = latest.current.filter((item) => !ids.has(itemId(item)));
    const at = staying.findIndex((item) => itemId(item) === target);
    if (at < 0) return;
    staying.splice(after ? at + 1 : at, 0, ...moving);
    onChange(staying);
  };

  const { dragAndDropHooks } = useDragAndDrop({
    isDisabled: disabled,
    getItems: (keys) => [...keys].map((key) => ({ 'text/plain': String(key) })),
    onReorder: ({ keys, target }) =>
      move(new Set([...keys].map(String)), String(target.key), target.dropPosition === 'after'),
    renderDropIndicator: (target) => <DropIndicator target={target} className={styles.indicator ?? ''} />,
  });

  const step = (index: number, by: -1 | 1) => {
    const next = [...latest.current];
    const [item] = next.splice(index, 1);
    if (item === undefined) return;
    next.splice(index + by, 0, item);
    onChange(next);
  };

  return (
    <div className={styles.wrap}>
      <GridList
        aria-label={label}
        className={styles.list ?? ''}
        items={rows}
        dragAndDropHooks={dragAndDropHooks}
        dependencies={[items, disabled]}
      >
        {({ id, item, index }) => (
          <GridListItem id={id} textValue={itemName(item)} className={styles.item ?? ''}>
            <Button
              slot="drag"
              className={styles.handle ?? ''}
              aria-label={say('reorder.handle', { name: itemName(item) })}
            >
              <Icon name="grip" size={18} />
            </Button>
            <div className={styles.content}>{children(item, index)}</div>
            {!disabled && (
              <div className={styles.steps}>
                <IconButton
                  icon="up"
                  label={say('reorder.up', { name: itemName(item) })}
                  isDisabled={index === 0}
                  onPress={() => step(index, -1)}
                />
                <IconButton
                  icon="down"
                  label={say('reorder.down', { name: itemName(item) })}
                  isDisabled={index === items.length - 1}
                  onPress={() => step(index, 1)}
                />
              </div>
            )}
          </GridListItem>
        )}
      </GridList>
      {!disabled && items.length > 1 && <p className={styles.hint}>{say('reorder.hint')}</p>}
    </div>
  );
}
