/** What is shown where there is no page, none for this role, or one that failed. */
import { Link } from 'react-router';
import { homeOf } from '../pages.ts';
import { Button } from '../parts/button.tsx';
import { useSession } from '../session/session.ts';
import { useWords } from '../words/words.ts';
import styles from './dead-ends.module.css';

export function NotFound() {
  const say = useWords();
  const { role } = useSession();
  return (
    <div className={styles.box}>
      <h1>{say('not_found.title')}</h1>
      <p>{say('not_found.text')}</p>
      <Link to={homeOf(role)}>{say('not_found.home')}</Link>
    </div>
  );
}

export function Denied() {
  const say = useWords();
  const { role } = useSession();
  return (
    <div className={styles.box}>
      <h1>{say('denied.title')}</h1>
      <p>{say('denied.text', { role: say(`role.${role}`) })}</p>
      <Link to={homeOf(role)}>{say('not_found.home')}</Link>
    </div>
  );
}

export function Crashed({ fault, onRetry }: { readonly fault: unknown; readonly onRetry: () => void }) {
  const say = useWords();
  return (
    <div className={styles.box} role="alert">
      <h1>{say('crash.title')}</h1>
      <p>{say('crash.text')}</p>
      <pre className={styles.fault}>{fault instanceof Error ? fault.message : String(fault)}</pre>
      <Button onPress={onRetry}>{say('crash.again')}</Button>
    </div>
  );
}
