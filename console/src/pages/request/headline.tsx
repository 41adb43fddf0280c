/** First of all: which request, how it ended, which model answered, what happened in plain words, what to do. */

import { Link } from 'react-router';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { LinkButton } from '../../parts/button.tsx';
import { formatDuration, formatInstant } from '../../parts/format.ts';
import { IdText } from '../../parts/id-text.tsx';
import { Row, Section } from '../../parts/page.tsx';
import { useTerm } from '../../words/trace.ts';
import { useLanguage, useSay, useWords } from '../../words/words.ts';
import styles from './page.module.css';
import { type RequestRecord, storyOf } from './story.ts';
import { tipsOf } from './tips.ts';
import { words } from './words.ts';

/** How the outcome is toned; the word is beside it. */
export function outcomeTone({ outcome, status }: Pick<RequestRecord, 'outcome' | 'status'>): Tone {
  if (outcome === 'success') return 'ok';
  return outcome === 'client_error' && status < 500 ? 'warn' : 'bad';
}

export function Marks({ record }: { readonly record: RequestRecord }) {
  const shared = useWords();
  const term = useTerm();
  return (
    <>
      <Badge tone={outcomeTone(record)}>
        {record.status} {shared(`outcome.${record.outcome}`)}
      </Badge>
      <Badge plain>{term('ending', record.ending)}</Badge>
    </>
  );
}

export function ModelActual({
  record,
}: {
  readonly record: Pick<RequestRecord, 'requested_model' | 'served_model' | 'virtual_model'>;
}) {
  const say = useSay(words);
  const { requested_model: requested, served_model: served, virtual_model: virtual } = record;
  const asked = virtual ?? requested ?? say('no_model');
  if (served === null) return <>{say('answered_by_nobody', { asked })}</>;
  if (served === asked) return <>{asked}</>;
  return <>{say('answered_by', { asked, served })}</>;
}

export function Headline({ record }: { readonly record: RequestRecord }) {
  const say = useSay(words);
  const term = useTerm();
  const language = useLanguage();
  const instant = (iso: string) => formatInstant(Date.parse(iso), language);
  const story = storyOf(record, { term, duration: formatDuration, instant });
  const covered = record.served_model !== null && record.served_model !== record.requested_model;
  return (
    <Section title={say('story')} actions={<Replay record={record} />}>
      <dl className={styles.top}>
        <div>
          <dt>{say('id')}</dt>
          <dd>
            <IdText text={record.id} name={say('id')} />
          </dd>
        </div>
        <div>
          <dt>{say('model_actual')}</dt>
          <dd className={styles.model} data-covered={covered}>
            <ModelActual record={record} />
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
  if (then.length > 0) params.set('then', then.join(','));
  if (record.policy !== '') params.set('policy', record.policy);
  if (record.stream) params.set('stream', 'true');
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
