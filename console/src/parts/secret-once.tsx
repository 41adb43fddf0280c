/** A secret that is shown this one time. */
import { useWords } from '../words/words.ts';
import { CopyButton } from './copy-button.tsx';
import styles from './secret-once.module.css';

export function SecretOnce({ label, secret }: { readonly label: string; readonly secret: string }) {
  const say = useWords();
  return (
    <div className={styles.box}>
      <div className={styles.label}>{label}</div>
      <div className={styles.row}>
        <code className={styles.secret}>{secret}</code>
        <CopyButton text={secret} name={label} wide />
      </div>
      <p className={styles.warning}>{say('secret.once')}</p>
    </div>
  );
}
