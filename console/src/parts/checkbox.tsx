/** Yes or no, taken when the form is sent. */
import type { ReactNode } from 'react';
import { Checkbox as AriaCheckbox } from 'react-aria-components';
import { Icon } from '../shell/icons.tsx';
import styles from './field.module.css';

export interface CheckboxProps {
  readonly children: ReactNode;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
  readonly disabled?: boolean;
}

export function Checkbox({ children, checked, onChange, disabled = false }: CheckboxProps) {
  return (
    <AriaCheckbox className={styles.check ?? ''} isSelected={checked} onChange={onChange} isDisabled={disabled}>
      <span className={styles.box}>
        <Icon name="check" size={14} />
      </span>
      <span>{children}</span>
    </AriaCheckbox>
  );
}
