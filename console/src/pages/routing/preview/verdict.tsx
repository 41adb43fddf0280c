/** The one thing to see first: who would be called, or why nobody. */

import { Badge } from '../../../parts/badge.tsx';
import { Time } from '../../../parts/figures.tsx';
import { Icon } from '../../../shell/icons.tsx';
import { type Say, useSay } from '../../../words/words.ts';
import type { en } from '../words.en.ts';
import { words } from '../words.ts';
import { firstOf, type Plan, type PlanTarget, sameOrder } from './plan-marks.ts';
import styles from './preview.module.css';

export interface VerdictProps {
  readonly plan: Plan;
  /** The plan it is held against. */
  readonly before: Plan | null;
  /** Whether `before` is what the gateway does now: the other one is a draft. */
  readonly isDraft: boolean;
}

export function Verdict({ plan, before, isDraft }: VerdictProps) {
  const say = useSay(words);
  const first = firstOf(plan);
  const { error } = plan.would;
  const [asked] = plan.chain;
  return (
    <section
      className={styles.verdict}
      data-tone={first === null ? 'bad' : 'ok'}
      aria-label={say(first === null ? 'refused' : 'first_call')}
      aria-live="polite"
    >
      <p className={styles.caption}>
        <Icon name={first === null ? 'stop' : 'right'} size={16} />
        {say(first === null ? 'refused' : 'first_call')}
      </p>
      {first !== null && (
        <>
          <p className={styles.answer}>{first.model}</p>
          {asked !== undefined && asked !== first.model && (
            <Badge tone="cover">{say('stands_in', { model: asked })}</Badge>
          )}
          <p className={styles.how}>
            {say('through', { channel: first.channel, provider: first.provider })}, {credentialOf(first, say)}
          </p>
        </>
      )}
      {error !== null && (
        <>
          <p className={styles.answer}>
            {error.status} {error.code}
          </p>
          <p className={styles.how}>{error.message}</p>
          {error.retry_at !== null && (
            <p className={styles.how}>
              {say('refused_retry')} <Time at={error.retry_at} exact />
            </p>
          )}
        </>
      )}
      {before !== null && (
        <p className={styles.compared}>
          {sameOrder(plan, before)
            ? say(isDraft ? 'same_as_now' : 'same_as_before')
            : say(isDraft ? 'now_first' : 'before_first', { target: inShort(before, say) })}
        </p>
      )}
    </section>
  );
}

/** With which credential a target is called, in words. */
export function credentialOf({ credential, credential_kind }: PlanTarget, say: Say<typeof en>): string {
  if (credential === null) return say('without_credential');
  return say(credential_kind === 'byok' ? 'with_byok' : 'with_credential', { credential });
}

function inShort(plan: Plan, say: Say<typeof en>): string {
  const first = firstOf(plan);
  if (first !== null) return `${first.model} · ${first.channel}`;
  const { error } = plan.would;
  return error === null ? say('nobody') : `${say('refused_then')} (${error.status} ${error.code ?? ''})`;
}
