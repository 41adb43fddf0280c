/** Copies a text, and says so. */
import { useEffect, useState } from 'react';
import { Button as AriaButton } from 'react-aria-components';
import { Icon } from '../shell/icons.tsx';
import { useWords } from '../words/words.ts';
import styles from './copy-button.module.css';

/** Long enough to be seen and heard. */
const SHOWN_MS = 2_000;

export interface CopyButtonProps {
  readonly text: string;
  /** What is copied, for who does not see where the button stands. */
  readonly name?: string;
  /** With the word beside the icon. */
  readonly wide?: boolean;
}

export function CopyButton({ text, name, wide = false }: CopyButtonProps) {
  const say = useWords();
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return undefined;
    const timer = setTimeout(() => setDone(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [done]);
  const word = say(done ? 'do.copied' : 'do.copy');
  return (
    <AriaButton
      className={styles.copy ?? ''}
      aria-label={name === undefined ? word : `${word}: ${name}`}
      onPress={() => void copyText(text).then(() => setDone(true))}
    >
      <Icon name={done ? 'check' : 'copy'} size={15} />
      {wide && <span aria-hidden="true">{word}</span>}
    </AriaButton>
  );
}

/** The clipboard is closed to pages over plain http from elsewhere: then by a selection, as of old. */
async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    area.style.position = 'fixed';
    area.style.opacity = '0';
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
}
