/** An id or another machine's name: in one line, whole to select, with a button to copy it. */
import { CopyButton } from './copy-button.tsx';
import styles from './id-text.module.css';

export function IdText({ text, name }: { readonly text: string; readonly name?: string }) {
  return (
    <span className={styles.id}>
      <code className={styles.text}>{text}</code>
      <CopyButton text={text} name={name ?? text} />
    </span>
  );
}
