/** Settings that have no field of their own, written as they stand in the configuration file. The gateway judges them. */
import { TextField } from '../../parts/text-field.tsx';
import { useSay } from '../../words/words.ts';
import { accessWords } from './words.ts';

export type Settings = Readonly<Record<string, unknown>>;

/** As it is written down; nothing for nothing. */
export function settingsText(settings: Settings | undefined): string {
  return settings === undefined || Object.keys(settings).length === 0 ? '' : JSON.stringify(settings, null, 2);
}

interface Read {
  readonly settings: Settings;
  /** Why it can't be read: `bad` with the browser's words; null = it can. */
  readonly fault: { readonly is: 'bad' | 'no_object'; readonly why: string } | null;
}

/** What a text says. */
export function readSettings(text: string): Read {
  if (text.trim() === '') return { settings: {}, fault: null };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return { settings: value as Settings, fault: null };
    }
    return { settings: {}, fault: { is: 'no_object', why: '' } };
  } catch (thrown) {
    return { settings: {}, fault: { is: 'bad', why: thrown instanceof Error ? thrown.message : String(thrown) } };
  }
}

export interface JsonFieldProps {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

export function JsonField({ label, hint, value, onChange }: JsonFieldProps) {
  const say = useSay(accessWords);
  const { fault } = readSettings(value);
  return (
    <TextField
      label={label}
      hint={hint}
      value={value}
      onChange={onChange}
      lines={4}
      code
      error={fault === null ? null : say(`json.${fault.is}`, { why: fault.why })}
    />
  );
}
