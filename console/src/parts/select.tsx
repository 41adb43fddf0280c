/** One of a few. */
import {
  Select as AriaSelect,
  Button,
  FieldError,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  SelectValue,
  Text,
} from 'react-aria-components';
import { Icon } from '../shell/icons.tsx';
import styles from './field.module.css';
import list from './list-box.module.css';

export interface Option {
  readonly id: string;
  readonly label: string;
  /** A second line. */
  readonly note?: string;
}

export interface SelectProps {
  readonly label: string;
  readonly hideLabel?: boolean;
  readonly options: readonly Option[];
  readonly value: string | null;
  readonly onChange: (id: string) => void;
  readonly placeholder?: string;
  readonly hint?: string;
  readonly error?: string | null | undefined;
  readonly disabled?: boolean;
}

export function Select(props: SelectProps) {
  const { label, hideLabel = false, options, value, onChange, placeholder, hint, error } = props;
  return (
    <AriaSelect
      className={styles.field ?? ''}
      value={value}
      onChange={(key) => onChange(String(key))}
      isDisabled={props.disabled ?? false}
      isInvalid={error !== undefined && error !== null && error !== ''}
      {...(placeholder === undefined ? {} : { placeholder })}
      {...(hideLabel ? { 'aria-label': label } : {})}
    >
      {!hideLabel && <Label className={styles.label ?? ''}>{label}</Label>}
      <Button className={`${styles.control} ${styles.pick}`}>
        <SelectValue className={styles.value ?? ''}>
          {({ selectedText, defaultChildren }) => selectedText || defaultChildren}
        </SelectValue>
        <Icon name="down" size={14} />
      </Button>
      {hint !== undefined && (
        <Text slot="description" className={styles.hint ?? ''}>
          {hint}
        </Text>
      )}
      <FieldError className={styles.error ?? ''}>{error}</FieldError>
      <Popover className={list.popover ?? ''} offset={4}>
        <ListBox className={list.list ?? ''} items={options}>
          {(option: Option) => <OptionItem {...option} />}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}

/** One line of a list to choose from. */
export function OptionItem({ id, label, note }: Option) {
  return (
    <ListBoxItem id={id} textValue={label} className={list.item ?? ''}>
      {({ isSelected }) => (
        <>
          <span className={list.label}>
            {label}
            {note !== undefined && <span className={list.note}>{note}</span>}
          </span>
          <span className={list.tick}>{isSelected && <Icon name="check" size={16} />}</span>
        </>
      )}
    </ListBoxItem>
  );
}
