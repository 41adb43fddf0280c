/** A number, or none. */
import { NumberField as AriaNumberField, FieldError, Group, Input, Label, Text } from 'react-aria-components';
import styles from './field.module.css';

export interface NumberFieldProps {
  readonly label: string;
  /** Null = nothing is entered. */
  readonly value: number | null;
  readonly onChange: (value: number | null) => void;
  readonly hint?: string;
  readonly error?: string | null | undefined;
  readonly min?: number;
  readonly max?: number;
  readonly step?: number;
  readonly disabled?: boolean;
  readonly name?: string;
}

export function NumberField(props: NumberFieldProps) {
  const { label, value, onChange, hint, error, min, max, step } = props;
  return (
    <AriaNumberField
      className={styles.field ?? ''}
      value={value ?? Number.NaN}
      onChange={(next) => onChange(Number.isNaN(next) ? null : next)}
      isInvalid={error !== undefined && error !== null && error !== ''}
      isDisabled={props.disabled ?? false}
      formatOptions={{ useGrouping: false, maximumFractionDigits: 9 }}
      validationBehavior="aria"
      {...(min === undefined ? {} : { minValue: min })}
      {...(max === undefined ? {} : { maxValue: max })}
      {...(step === undefined ? {} : { step })}
      {...(props.name === undefined ? {} : { name: props.name })}
    >
      <Label className={styles.label ?? ''}>{label}</Label>
      <Group className={styles.group ?? ''}>
        <Input className={styles.control ?? ''} />
      </Group>
      {hint !== undefined && (
        <Text slot="description" className={styles.hint ?? ''}>
          {hint}
        </Text>
      )}
      <FieldError className={styles.error ?? ''}>{error}</FieldError>
    </AriaNumberField>
  );
}
