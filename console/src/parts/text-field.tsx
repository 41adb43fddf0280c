/** A line of text, or several. */
import { TextField as AriaTextField, FieldError, Input, Label, Text, TextArea } from 'react-aria-components';
import styles from './field.module.css';

export interface TextFieldProps {
  readonly label: string;
  /** The label is there for who cannot see; the place says it to the others. */
  readonly hideLabel?: boolean;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly hint?: string;
  /** What is wrong with it; shown under it. */
  readonly error?: string | null | undefined;
  readonly placeholder?: string;
  readonly type?: 'text' | 'password' | 'search' | 'url' | 'datetime-local';
  readonly name?: string;
  readonly required?: boolean;
  readonly disabled?: boolean;
  readonly autoFocus?: boolean;
  /** For secrets: what the browser may offer. */
  readonly autoComplete?: string;
  /** Several lines, at least so many. */
  readonly lines?: number;
  /** In a fixed-width face: ids, patterns, JSON. */
  readonly code?: boolean;
  readonly maxLength?: number;
}

export function TextField(props: TextFieldProps) {
  const { label, hideLabel = false, hint, error, placeholder, lines, code = false, disabled = false } = props;
  const invalid = error !== undefined && error !== null && error !== '';
  const className = `${styles.control} ${code ? styles.code : ''}`;
  return (
    <AriaTextField
      className={styles.field ?? ''}
      value={props.value}
      onChange={props.onChange}
      isInvalid={invalid}
      isDisabled={disabled}
      isRequired={props.required ?? false}
      autoComplete={props.autoComplete ?? 'off'}
      type={props.type ?? 'text'}
      spellCheck="false"
      {...(props.name === undefined ? {} : { name: props.name })}
      {...(hideLabel ? { 'aria-label': label } : {})}
      {...(props.autoFocus ? { autoFocus: true } : {})}
      {...(props.maxLength === undefined ? {} : { maxLength: props.maxLength })}
      validationBehavior="aria"
    >
      {!hideLabel && <Label className={styles.label ?? ''}>{label}</Label>}
      {lines === undefined ? (
        <Input className={className} {...(placeholder === undefined ? {} : { placeholder })} />
      ) : (
        <TextArea className={className} rows={lines} {...(placeholder === undefined ? {} : { placeholder })} />
      )}
      {hint !== undefined && (
        <Text slot="description" className={styles.hint ?? ''}>
          {hint}
        </Text>
      )}
      <FieldError className={styles.error ?? ''}>{error}</FieldError>
    </AriaTextField>
  );
}
