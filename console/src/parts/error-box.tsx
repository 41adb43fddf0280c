/** What the gateway refused, in its own words, with the request id to look it up. */
import type { ReactNode } from 'react';
import { troubleOf } from '../api/trouble.ts';
import { useWords } from '../words/words.ts';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import styles from './error-box.module.css';
import { formatDuration } from './format.ts';

export interface ErrorBoxProps {
  /** What was thrown; null shows nothing. */
  readonly error: unknown;
  readonly onRetry?: () => void;
  readonly children?: ReactNode;
}

export function ErrorBox({ error, onRetry, children }: ErrorBoxProps) {
  const say = useWords();
  if (error === null || error === undefined) return null;
  const { status, message, code, param, requestId, retryAfterMs } = troubleOf(error);
  return (
    <div className={styles.box} role="alert">
      <p className={styles.message}>{status === 0 ? say('error.offline') : message}</p>
      {status === 0 && <p className={styles.details}>{message}</p>}
      {retryAfterMs !== null && <p>{say('error.retry_after', { wait: formatDuration(retryAfterMs) })}</p>}
      {(code !== null || requestId !== null) && (
        <dl className={styles.details}>
          {code !== null && (
            <div>
              <dt>{say('error.code')}</dt>
              <dd>
                <code>{code}</code>
              </dd>
            </div>
          )}
          {param !== null && (
            <div>
              <dt>{say('error.field')}</dt>
              <dd>
                <code>{param}</code>
              </dd>
            </div>
          )}
          {requestId !== null && (
            <div>
              <dt>{say('error.request')}</dt>
              <dd>
                <code>{requestId}</code> <CopyButton text={requestId} name={say('error.request')} />
              </dd>
            </div>
          )}
        </dl>
      )}
      {children}
      {onRetry !== undefined && (
        <div>
          <Button small onPress={onRetry}>
            {say('do.retry')}
          </Button>
        </div>
      )}
    </div>
  );
}
