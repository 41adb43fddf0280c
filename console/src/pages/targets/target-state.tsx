/** How a target stands, in words: the state, why, and when it is tried again. */
import { Link } from 'react-router';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { useTerm } from '../../words/trace.ts';
import { useSay } from '../../words/words.ts';
import { isTrouble, type State, type Target } from './board.ts';
import { Countdown } from './countdown.tsx';
import styles from './targets.module.css';
import type { Failing } from './use-targets.ts';
import { words } from './words.ts';

const TONES: Readonly<Record<State, Tone>> = {
  ok: 'ok',
  cooling: 'warn',
  open: 'bad',
  half_open: 'info',
  drained: 'off',
};

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

export function StateWords({ target, failing }: { readonly target: Target; readonly failing: Failing | undefined }) {
  const say = useSay(words);
  const term = useTerm();
  const { state, class: failure, failures } = target;
  const why = failure === null ? say('why.unknown') : term('class', failure);
  const trouble = isTrouble(target);
  const sentence =
    state === 'ok'
      ? failures > 0
        ? say('why.ok_failures')
        : null
      : state === 'drained'
        ? say('why.drained')
        : say(`why.${state}`, { why: capital(why) });
  return (
    <div className={styles.state}>
      <Badge tone={TONES[state]}>{say(`state.${state}`)}</Badge>
      {sentence !== null && <span className={styles.soft}>{sentence}</span>}
      {failing !== undefined && (trouble || failures > 0) && (
        <span className={styles.soft}>
          {trouble && failing.provider_message !== null && (
            <>
              {say('words.provider')}: <q className={styles.message}>{failing.provider_message}</q>{' '}
            </>
          )}
          <Link to={`/requests/${encodeURIComponent(failing.last_request_id)}`}>{say('words.request')}</Link>
        </span>
      )}
    </div>
  );
}

export function NextTry({ target }: { readonly target: Target }) {
  const say = useSay(words);
  const { state, until, probe_at: probeAt } = target;
  if (state === 'drained') return <>{say('next.never')}</>;
  if (state === 'half_open') return <>{say('next.at_call')}</>;
  if (state === 'open' && probeAt !== null) {
    return (
      <Countdown until={probeAt} over={say('next.due')}>
        {(wait) => say('next.probe', { wait })}
      </Countdown>
    );
  }
  if (until === null) return null;
  return (
    <Countdown until={until} over={say('next.due')}>
      {(wait) => say('next.ends', { wait })}
    </Countdown>
  );
}
