/** On or off, at once. */
import type { ReactNode } from 'react';
import { Switch as AriaSwitch } from 'react-aria-components';
import styles from './field.module.css';

export interface SwitchProps {
  readonly children: ReactNode;
  readonly on: boolean;
  readonly onChange: (on: boolean) => void;
  readonly disabled?: boolean;
}

export function Switch({ children, on, onChange, disabled = false }: SwitchProps) {
  return (
    <AriaSwitch className={styles.check ?? ''} isSelected={on} onChange={onChange} isDisabled={disabled}>
      <span className={styles.track} />
      <span>{children}</span>
    </AriaSwitch>
  );
}
