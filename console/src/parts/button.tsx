/** Something to press. */
import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import { Link, type To } from 'react-router';
import { Icon, type IconName } from '../shell/icons.tsx';
import styles from './button.module.css';

export type ButtonKind = 'plain' | 'main' | 'danger' | 'quiet';

export interface ButtonProps extends Omit<AriaButtonProps, 'className' | 'style' | 'children'> {
  /** `main`: what one came for, one a page. `danger`: cannot be taken back. `quiet`: without a frame. */
  readonly kind?: ButtonKind;
  readonly icon?: IconName;
  readonly small?: boolean;
  readonly children: ReactNode;
}

export function Button({ kind = 'plain', icon, small = false, children, ...rest }: ButtonProps) {
  return (
    <AriaButton {...rest} className={styles.button ?? ''} data-kind={kind} data-small={small}>
      {icon !== undefined && <Icon name={icon} size={16} />}
      {children}
    </AriaButton>
  );
}

export interface IconButtonProps extends Omit<AriaButtonProps, 'className' | 'style' | 'children' | 'aria-label'> {
  /** What it does, for who cannot see the icon; also its tooltip. */
  readonly label: string;
  readonly icon: IconName;
}

/** A button that shows an icon alone. */
export function IconButton({ label, icon, ...rest }: IconButtonProps) {
  return (
    <AriaButton {...rest} aria-label={label} className={styles.icon ?? ''}>
      <Icon name={icon} size={18} />
    </AriaButton>
  );
}

export interface LinkButtonProps {
  readonly to: To;
  readonly kind?: ButtonKind;
  readonly icon?: IconName;
  readonly children: ReactNode;
}

/** A link that looks like a button. */
export function LinkButton({ to, kind = 'plain', icon, children }: LinkButtonProps) {
  return (
    <Link to={to} className={styles.button} data-kind={kind}>
      {icon !== undefined && <Icon name={icon} size={16} />}
      {children}
    </Link>
  );
}
