/** A request that is under way: its attempts as they grow. */
import type { Shape } from '../../api/client.ts';
import { Badge } from '../../parts/badge.tsx';
import { Duration, Time } from '../../parts/figures.tsx';
import { KeyValue } from '../../parts/key-value.tsx';
import { Section } from '../../parts/page.tsx';
import { useSay } from '../../words/words.ts';
import { Attempts } from './attempts.tsx';
import { RequestId } from './headline.tsx';
import styles from './page.module.css';
import { shownAttempts } from './shown-attempt.ts';
import { words } from './words.ts';

export function Running({ running }: { readonly running: Shape<'RunningRequest'> }) {
  const say = useSay(words);
  const { attempts, at, elapsed_ms: took, requested_model: requested, virtual_model: virtual, state } = running;
  const shown = shownAttempts(at, attempts);
  const asked = virtual ?? requested ?? say('no_model');
  return (
    <>
      <Section title={say('story')}>
        <dl className={styles.top}>
          <div>
            <dt>{say('model_actual')}</dt>
            <dd className={styles.model}>{asked}</dd>
          </div>
        </dl>
        <p className={styles.story} aria-live="polite">
          {say(virtual === null ? 'story.asked' : 'story.asked_virtual', { virtual: asked, model: requested ?? asked })}{' '}
          {say(`running.state.${state}`)}
        </p>
        <p className={styles.soft}>{say('running.text')}</p>
      </Section>
      <Section title={say('part.attempts')}>
        {shown.length === 0 ? (
          <p>{say('running.no_attempt')}</p>
        ) : (
          <Attempts attempts={shown} took={took} requested={requested} />
        )}
      </Section>
      <Section title={say('part.facts')}>
        <KeyValue
          facts={[
            { name: say('fact.at'), value: <Time at={at} exact /> },
            { name: say('running.elapsed'), value: <Duration ms={took} /> },
            { name: say('fact.endpoint'), value: running.endpoint },
            ...(running.workspace === null ? [] : [{ name: say('fact.workspace'), value: running.workspace }]),
            ...(running.key === null ? [] : [{ name: say('fact.key'), value: running.key }]),
            ...(running.chain.length > 1 ? [{ name: say('fact.chain'), value: running.chain.join(' → ') }] : []),
          ]}
        />
      </Section>
    </>
  );
}

export function RunningMarks({ id }: { readonly id: string }) {
  const say = useSay(words);
  return (
    <>
      <RequestId id={id} />
      <Badge tone="info">{say('running.badge')}</Badge>
    </>
  );
}
