/** One of many, found by typing; with `free` also something that is not among them. */
import {
  ComboBox as AriaComboBox,
  Button,
  FieldError,
  Group,
  Input,
  Label,
  ListBox,
  Popover,
  Text,
} from 'react-aria-components';
import { Icon } from '../shell/icons.tsx';
import { useWords } from '../words/words.ts';
import styles from './field.module.css';
import list from './list-box.module.css';
import { type Option, OptionItem } from './select.tsx';

export interface ComboBoxProps {
  readonly label: string;
  readonly hideLabel?: boolean;
  readonly options: readonly Option[];
  /** What stands in the field. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** What is typed counts as it stands, whether it is an option or not. */
  readonly free?: boolean;
  readonly placeholder?: string;
  readonly hint?: string;
  readonly error?: string | null | undefined;
  readonly disabled?: boolean;
}

/** Longer lists are narrowed by typing. */
const MOST_SHOWN = 200;

export function ComboBox(props: ComboBoxProps) {
  const { label, hideLabel = false, options, value, onChange, free = false, placeholder, hint, error } = props;
  const say = useWords();
  const wanted = value.toLowerCase();
  const exact = options.some((option) => option.id === value);
  const shown = options
    .filter(
      (option) => exact || option.label.toLowerCase().includes(wanted) || option.id.toLowerCase().includes(wanted),
    )
    .slice(0, MOST_SHOWN);
  return (
    <AriaComboBox
      className={styles.field ?? ''}
      items={shown}
      inputValue={value}
      onInputChange={onChange}
      onChange={(key) => key !== null && onChange(String(key))}
      allowsCustomValue={free}
      allowsEmptyCollection
      menuTrigger="focus"
      defaultFilter={() => true}
      isDisabled={props.disabled ?? false}
      isInvalid={error !== undefined && error !== null && error !== ''}
      validationBehavior="aria"
      {...(hideLabel ? { 'aria-label': label } : {})}
    >
      {!hideLabel && <Label className={styles.label ?? ''}>{label}</Label>}
      <Group className={styles.group ?? ''}>
        <Input
          className={styles.control ?? ''}
          spellCheck="false"
          {...(placeholder === undefined ? {} : { placeholder })}
        />
        <Button className={styles.step ?? ''}>
          <Icon name="down" size={14} />
        </Button>
      </Group>
      {hint !== undefined && (
        <Text slot="description" className={styles.hint ?? ''}>
          {hint}
        </Text>
      )}
      <FieldError className={styles.error ?? ''}>{error}</FieldError>
      <Popover className={list.popover ?? ''} offset={4}>
        <ListBox
          className={list.list ?? ''}
          renderEmptyState={() => <div className={list.none}>{say('state.empty')}</div>}
        >
          {(option: Option) => <OptionItem {...option} />}
        </ListBox>
      </Popover>
    </AriaComboBox>
  );
}
