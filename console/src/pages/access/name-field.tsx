/** The name of a new object. */
import { TextField } from '../../parts/text-field.tsx';
import { useSay } from '../../words/words.ts';
import { accessWords } from './words.ts';

export interface NameFieldProps {
  readonly value: string;
  readonly onChange: (name: string) => void;
}

export function NameField({ value, onChange }: NameFieldProps) {
  const say = useSay(accessWords);
  return <TextField label={say('name')} hint={say('name_hint')} value={value} onChange={onChange} autoFocus />;
}
