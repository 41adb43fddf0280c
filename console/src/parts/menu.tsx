/** What else can be done, behind one button. */
import type { ReactNode } from 'react';
import {
  MenuItem as AriaMenuItem,
  type MenuItemProps as AriaMenuItemProps,
  Button,
  Menu,
  MenuTrigger,
  Popover,
} from 'react-aria-components';
import { Icon } from '../shell/icons.tsx';
import { useWords } from '../words/words.ts';
import button from './button.module.css';
import list from './list-box.module.css';

export interface MenuButtonProps {
  /** What the button is called; without it „More actions“. */
  readonly label?: string;
  readonly icon?: ReactNode;
  /** The label stands beside the icon: where there is room for a word. */
  readonly wide?: boolean;
  /** `MenuItem`s. */
  readonly children: ReactNode;
}

export function MenuButton({ label, icon, wide = false, children }: MenuButtonProps) {
  const say = useWords();
  const name = label ?? say('do.menu');
  return (
    <MenuTrigger>
      <Button className={(wide ? button.button : button.icon) ?? ''} aria-label={name}>
        {icon ?? <Icon name="more" size={18} />}
        {wide && name}
      </Button>
      <Popover className={list.popover ?? ''} placement="bottom end" offset={4}>
        <Menu className={list.list ?? ''} aria-label={name}>
          {children}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

export interface MenuItemProps extends Omit<AriaMenuItemProps, 'className' | 'style' | 'children'> {
  readonly danger?: boolean;
  readonly children: ReactNode;
}

/** One thing to do; `onAction` does it. */
export function MenuItem({ danger = false, children, ...rest }: MenuItemProps) {
  return (
    <AriaMenuItem
      {...rest}
      className={list.item ?? ''}
      data-danger={danger}
      {...(typeof children === 'string' ? { textValue: children } : {})}
    >
      {({ isSelected, selectionMode }) => (
        <>
          <span className={list.label}>{children}</span>
          {selectionMode !== 'none' && (
            <span className={list.tick}>{isSelected && <Icon name="check" size={16} />}</span>
          )}
        </>
      )}
    </AriaMenuItem>
  );
}
