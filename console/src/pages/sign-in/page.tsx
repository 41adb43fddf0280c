/** Where everybody begins: one field for a token. The address stays what was asked for. */
import { type FormEvent, useEffect, useState } from 'react';
import { troubleOf } from '../../api/trouble.ts';
import { Button } from '../../parts/button.tsx';
import { formatDuration } from '../../parts/format.ts';
import { TextField } from '../../parts/text-field.tsx';
import { hasSessionEnded, useSignIn } from '../../session/session.ts';
import { useWords } from '../../words/words.ts';
import styles from './sign-in.module.css';

export default function SignInPage({ trouble }: { readonly trouble: unknown }) {
  const say = useWords();
  const signIn = useSignIn();
  const [token, setToken] = useState('');
  const [hasEnded] = useState(hasSessionEnded);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(trouble);
  const title = `${say('sign_in.title')} · ${say('product')}`;
  useEffect(() => {
    document.title = title;
  }, [title]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (token.trim() === '' || busy) return;
    setBusy(true);
    setError(null);
    try {
      await signIn(token.trim());
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
    }
  };

  return (
    <main className={styles.page}>
      <form className={styles.card} onSubmit={(event) => void submit(event)}>
        <h1>{say('console')}</h1>
        {hasEnded && <p>{say('sign_in.ended')}</p>}
        <TextField
          label={say('sign_in.token')}
          type="password"
          autoComplete="current-password"
          name="token"
          value={token}
          onChange={setToken}
          hint={say('sign_in.hint')}
          error={useWhy(error)}
          autoFocus
          maxLength={4096}
        />
        <Button kind="main" type="submit" isPending={busy}>
          {say('sign_in.go')}
        </Button>
      </form>
    </main>
  );
}

/** Why nobody was let in, in words. */
function useWhy(error: unknown): string | null {
  const say = useWords();
  if (error === null || error === undefined) return null;
  const { status, message, retryAfterMs } = troubleOf(error);
  if (status === 401) return say('sign_in.wrong');
  if (status === 429) return say('sign_in.wait', { wait: formatDuration(retryAfterMs ?? 1000) });
  return status === 0 ? say('error.offline') : say('sign_in.failed', { why: message });
}
