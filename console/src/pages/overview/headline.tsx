/** The first thing on the first page: what is wrong now, what covers for it, and what to do. */
import { Link } from 'react-router';
import { serverNow } from '../../api/clock.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Count, Duration, Money, Share } from '../../parts/figures.tsx';
import { Icon, type IconName } from '../../shell/icons.tsx';
import { useTerm } from '../../words/trace.ts';
import { useLanguage, useSay } from '../../words/words.ts';
import { adviceFor, isAtCredential } from './advice.ts';
import styles from './headline.module.css';
import { furtherSentence, type Speaker, sentenceOf } from './sentence.ts';
import { lostOf, type Overview, type Sums } from './shape.ts';
import { type Trouble, type Verdict, verdictOf } from './verdict.ts';
import { words } from './words.ts';

const TONES: Readonly<Record<Verdict['kind'], 'ok' | 'cover' | 'bad' | 'off'>> = {
  quiet: 'off',
  well: 'ok',
  mended: 'ok',
  covered: 'cover',
  losing: 'bad',
};
const ICONS: Readonly<Record<Verdict['kind'], IconName>> = {
  quiet: 'info',
  well: 'check',
  mended: 'check',
  covered: 'warning',
  losing: 'warning',
};
/** More lines than these are a list, and that is further down. */
const MOST_FURTHER = 3;

/** Where the health board shows the targets of a model. */
export const targetsOf = (text: string): string => `/targets?text=${encodeURIComponent(text)}`;

export function Headline({ overview }: { readonly overview: Overview }) {
  const say = useSay(words);
  const term = useTerm();
  const language = useLanguage();
  const speaker: Speaker = { say, term, language, now: serverNow() };
  const verdict = verdictOf(overview);
  const troubles = verdict.kind === 'covered' || verdict.kind === 'losing' ? verdict.troubles : [];
  const [worst, ...others] = troubles;
  const more = others.length - MOST_FURTHER;
  return (
    <section className={styles.headline} data-tone={TONES[verdict.kind]} aria-label={say('now.label')}>
      <div className={styles.sign}>
        <Icon name={ICONS[verdict.kind]} size={24} />
      </div>
      <div className={styles.words}>
        <p className={styles.sentence} aria-live="polite">
          {sentenceOf(verdict, overview.totals.requests, speaker)}
        </p>
        {others.length > 0 && (
          <ul className={styles.others}>
            {others.slice(0, MOST_FURTHER).map((trouble) => (
              <li key={trouble.model}>
                {furtherSentence(trouble, speaker)}{' '}
                <Link to={targetsOf(trouble.model)} aria-label={`${say('now.circuit')}: ${trouble.model}`}>
                  {say('now.circuit')}
                </Link>
              </li>
            ))}
            {more > 0 && <li>{say('now.more', { count: more, n: more })}</li>}
          </ul>
        )}
        {verdict.kind === 'quiet' && <p className={styles.soft}>{say('now.quiet_do')}</p>}
        {worst !== undefined && (
          <Advice trouble={worst} lostAs={verdict.kind === 'losing' ? mostLost(overview.totals) : null} />
        )}
        {verdict.kind !== 'quiet' && <Facts totals={overview.totals} />}
      </div>
    </section>
  );
}

/** The outcome most of the lost requests had. */
function mostLost({ outcomes }: Sums): keyof Sums['outcomes'] {
  const all = ['upstream_unavailable', 'upstream_rate_limited', 'network_unknown'] as const;
  return all.reduce((a, b) => (outcomes[b] > outcomes[a] ? b : a));
}

interface AdviceProps {
  readonly trouble: Trouble;
  /** Requests are lost, most of them with this outcome; null = none is. */
  readonly lostAs: string | null;
}

function Advice({ trouble, lostAs }: AdviceProps) {
  const say = useSay(words);
  const { why, message, model, lastRequestId } = trouble;
  const atCredential = why.some(({ kind, code }) => kind === 'class' && isAtCredential(code));
  return (
    <>
      <dl className={styles.advice}>
        {message !== null && (
          <div>
            <dt>{say('now.words')}</dt>
            <dd className={styles.message}>{message}</dd>
          </div>
        )}
        <div>
          <dt>{say('now.do')}</dt>
          <dd>{say(adviceFor(trouble, lostAs !== null))}</dd>
        </div>
      </dl>
      <div className={styles.links}>
        {atCredential && <LinkButton to="/credentials">{say('now.credentials')}</LinkButton>}
        <LinkButton to={targetsOf(model)}>{say('now.circuit')}</LinkButton>
        <LinkButton to={`/requests/${encodeURIComponent(lastRequestId)}`}>{say('now.request')}</LinkButton>
        {lostAs !== null && <LinkButton to={`/requests?outcome=${lostAs}`}>{say('now.lost_list')}</LinkButton>}
      </div>
    </>
  );
}

/** What it comes to, in figures. */
function Facts({ totals }: { readonly totals: Sums }) {
  const say = useSay(words);
  const { requests, fallback, primary, fallback_latency: other } = totals;
  const lost = lostOf(totals);
  return (
    <dl className={styles.facts} aria-label={say('now.span')}>
      <div>
        <dt>{say('fact.requests')}</dt>
        <dd>
          <Count value={requests} />
        </dd>
      </div>
      <div>
        <dt>{say('fact.covered')}</dt>
        <dd data-tone={fallback > 0 ? 'cover' : undefined}>
          <Part part={fallback} whole={requests} />
        </dd>
      </div>
      <div>
        <dt>{say('fact.lost')}</dt>
        <dd data-tone={lost > 0 ? 'bad' : undefined}>
          <Part part={lost} whole={requests} />
        </dd>
      </div>
      {other.served > 0 && (
        <div>
          <dt>{say('fact.slower')}</dt>
          <dd>
            <Duration ms={primary.p99_ms} /> / <Duration ms={other.p99_ms} />
          </dd>
        </div>
      )}
      <div>
        <dt>{say('fact.cost')}</dt>
        <dd>
          <Money nano={totals.cost_nano_usd} />, <Money nano={totals.waste_nano_usd} />
        </dd>
      </div>
    </dl>
  );
}

/** `8 (13 %)`. */
function Part({ part, whole }: { readonly part: number; readonly whole: number }) {
  return (
    <>
      <Count value={part} />
      {part > 0 && (
        <>
          {' ('}
          <Share part={part} whole={whole} />
          {')'}
        </>
      )}
    </>
  );
}
