/** Lists of names and patterns: one a line to write, one a line to read. */
import { TextField } from '../../parts/text-field.tsx';
import { useSay } from '../../words/words.ts';
import styles from './access.module.css';
import { accessWords } from './words.ts';

/** The lines that say something. */
export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

export interface LinesFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly hint?: string;
}

export function LinesField({ label, value, onChange, hint }: LinesFieldProps) {
  const say = useSay(accessWords);
  const hints = hint === undefined ? say('per_line') : `${hint} ${say('per_line')}`;
  return <TextField label={label} hint={hints} value={value} onChange={onChange} lines={3} code />;
}

/** What a list says; `none` where there is nothing in it. */
export function LinesShown({ lines, none }: { readonly lines: readonly string[] | undefined; readonly none: string }) {
  if (lines === undefined || lines.length === 0) return <>{none}</>;
  return (
    <ul className={styles.lines}>
      {lines.map((line) => (
        <li key={line}>
          <code>{line}</code>
        </li>
      ))}
    </ul>
  );
}
