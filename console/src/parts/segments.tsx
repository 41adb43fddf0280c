/** One of two to six, all in view. */
import { ToggleButton, ToggleButtonGroup } from 'react-aria-components';
import styles from './segments.module.css';

export interface SegmentsProps<Id extends string> {
  readonly label: string;
  readonly options: readonly { readonly id: Id; readonly label: string }[];
  readonly value: Id;
  readonly onChange: (id: Id) => void;
}

export function Segments<Id extends string>({ label, options, value, onChange }: SegmentsProps<Id>) {
  return (
    <ToggleButtonGroup
      aria-label={label}
      className={styles.group ?? ''}
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[value]}
      onSelectionChange={(keys) => {
        const chosen = options.find(({ id }) => keys.has(id));
        if (chosen !== undefined) onChange(chosen.id);
      }}
    >
      {options.map(({ id, label: words }) => (
        <ToggleButton key={id} id={id} className={styles.segment ?? ''}>
          {words}
        </ToggleButton>
      ))}
    </ToggleButtonGroup>
  );
}
