/** First of all: which request, how it ended, which model answered, what happened in plain words, what to do. */

import { Link } from 'react-router';
import { Badge } from '../../parts/badge.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { formatDuration, formatInstant } from '../../parts/format.ts';
import { IdText } from '../../parts/id-text.tsx';
import { Row, Section } from '../../parts/page.tsx';
import { useTerm } from '../../words/trace.ts';
import { useLanguage, useSay, useWords } from '../../words/words.ts';
import { isCovered, ModelActual } from './model-actual.tsx';
import { outcomeTone } from './outcome-tone.ts';
import styles from './page.module.css';
import { type RequestRecord, storyOf } from './story.ts';
import { tipsOf } from './tips.ts';
import { words } from './words.ts';

/** On top of everything: what one is asked for, and asks others for. */
export function RequestId({ id }: { readonly id: string }) {
  const say = useSay(words);
  return <IdText text={id} name={say('id')} />;
}

export function Marks({ record }: { readonly record: RequestRecord }) {
  const shared = useWords();
  const term = useTerm();
  return (
    <>
      <RequestId id={record.id} />
      <Badge tone={outcomeTone(record)}>
        {record.status} {shared(`outcome.${record.outcome}`)}
      </Badge>
      <Badge plain>{term('ending', record.ending)}</Badge>
    </>
  );
}

export function Headline({ record }: { readonly record: RequestRecord }) {
  const say = useSay(words);
  const term = useTerm();
  const language = useLanguage();
  const instant = (iso: string) => formatInstant(Date.parse(iso), language);
  const story = storyOf(record, { term, duration: formatDuration, instant });
  return (
    <Section title={say('story')} actions={<Replay record={record} />}>
      <dl className={styles.top}>
        <div>
          <dt>{say('model_actual')}</dt>
          <dd className={styles.model} data-covered={isCovered(record)}>
            <ModelActual of={record} />
          </dd>
        </div>
      </dl>
      <p className={styles.story}>
        {story.map(({ key, values, tone }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: sentences may be alike, and never move
          <span key={index} data-tone={tone}>
            {say(key, values)}{' '}
          </span>
        ))}
      </p>
      <Tips record={record} />
    </Section>
  );
}

function Tips({ record }: { readonly record: RequestRecord }) {
  const say = useSay(words);
  const tips = tipsOf(record, say('tip.no_credential'));
  if (tips.length === 0) return null;
  return (
    <div className={styles.tips}>
      <h3>{say('next')}</h3>
      <ul>
        {tips.map(({ key, values, to, link }) => (
          <li key={`${key} ${values['channel']} ${values['credential']}`}>
            {say(key, values)} <Link to={to}>{say(link)}</Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The same question asked again, calling nobody: key, chain, policy and stream as the record has them. */
export function replayQuery(record: RequestRecord): string {
  const params = new URLSearchParams();
  if (record.key !== null) params.set('key', record.key);
  const asked = record.virtual_model ?? record.requested_model;
  if (asked !== null) params.set('model', asked);
  const then = record.virtual_model === null ? record.chain.filter((model) => model !== asked) : [];
  if (then.length > 0) params.set('fallback', then.join(','));
  if (record.policy !== '') params.set('policy', record.policy);
  if (record.stream) params.set('stream', '1');
  return params.toString();
}

function Replay({ record }: { readonly record: RequestRecord }) {
  const say = useSay(words);
  if (record.key === null || record.requested_model === null) return null;
  const asked = replayQuery(record);
  return (
    <Row>
      <LinkButton to={`/routing?${asked}`} icon="routing">
        {say('replay')}
      </LinkButton>
      <LinkButton to={`/playground?${asked}`} icon="playground">
        {say('playground')}
      </LinkButton>
    </Row>
  );
}
