/** The attempts under each other on one time axis, each with what came of it and what was decided. */
import { Badge } from '../../parts/badge.tsx';
import { Money } from '../../parts/figures.tsx';
import { formatDuration } from '../../parts/format.ts';
import { IdText } from '../../parts/id-text.tsx';
import { type Term, useTerm } from '../../words/trace.ts';
import { type Say, useSay } from '../../words/words.ts';
import styles from './attempts.module.css';
import { isOver, type ShownAttempt, toneOf } from './shown-attempt.ts';
import { whatFailed } from './story.ts';
import { Axis, Legend, Track } from './track.tsx';
import type { en } from './words.en.ts';
import { words } from './words.ts';

export interface AttemptsProps {
  readonly attempts: readonly ShownAttempt[];
  /** Milliseconds that the axis spans at least: the whole request. */
  readonly took: number;
  readonly requested: string | null;
}

export function Attempts({ attempts, took, requested }: AttemptsProps) {
  const total = Math.max(took, ...attempts.map(({ to }) => to));
  return (
    <div className={styles.attempts}>
      <Legend attempts={attempts} />
      <Axis total={total} />
      <ol className={styles.list}>
        {attempts.map((attempt) => (
          <li key={attempt.no} className={styles.attempt}>
            <OneAttempt attempt={attempt} total={total} requested={requested} />
          </li>
        ))}
      </ol>
    </div>
  );
}

/** `Failed: 503 overloaded`, `Served`. */
function resultWords({ state, status, class: failed }: ShownAttempt, term: Term): string {
  if (state === 'served' || failed === null) return term('result', state);
  return `${term('result', state)}: ${whatFailed({ status, class: failed }, { term })}`;
}

function OneAttempt(props: {
  readonly attempt: ShownAttempt;
  readonly total: number;
  readonly requested: string | null;
}) {
  const { attempt, total, requested } = props;
  const say = useSay(words);
  const term = useTerm();
  const { no, model, channel, credential, from, to, first, waited } = attempt;
  const via = { model, channel, credential: credential ?? '' };
  return (
    <>
      <div className={styles.head}>
        <h3 className={styles.name} aria-label={say('attempt.name', { no })}>
          <span className={styles.no}>{no}</span>
          {say(credential === null ? 'attempt.via' : 'attempt.via_credential', via)}
        </h3>
        <Badge tone={toneOf(attempt, requested)}>{resultWords(attempt, term)}</Badge>
        {attempt.hedge && <Badge plain>{say('attempt.parallel')}</Badge>}
        {attempt.rehearsed && (
          <Badge plain tone="warn">
            {say('attempt.rehearsed')}
          </Badge>
        )}
        <span className={styles.took}>
          {formatDuration(to - from)}
          {first !== null && `, ${say('attempt.first_token', { ms: formatDuration(first - from) })}`}
        </span>
      </div>
      {waited > 0 && <p className={styles.note}>{say('time.between', { ms: formatDuration(waited) })}</p>}
      <Track attempt={attempt} total={total} requested={requested} />
      <p className={styles.decision}>
        <span aria-hidden="true">→ </span>
        <strong>{attempt.decision === null ? say('running.decision_none') : term('decision', attempt.decision)}</strong>
        {attempt.reason !== null && attempt.reason !== '' && <span className={styles.reason}>: {attempt.reason}</span>}
      </p>
      <Said attempt={attempt} say={say} />
      {attempt.whole?.maybe_executed === true && isOver(attempt) && (
        <p className={styles.note}>{say('attempt.maybe')}</p>
      )}
      {attempt.whole?.suspicious === true && <p className={styles.note}>{say('attempt.suspicious')}</p>}
      {attempt.rehearsed && <p className={styles.note}>{say('attempt.rehearsed_text')}</p>}
      <Details attempt={attempt} say={say} />
    </>
  );
}

function Said({ attempt, say }: { readonly attempt: ShownAttempt; readonly say: Say<typeof en> }) {
  const said = [attempt.whole?.provider_code ?? null, attempt.message].filter((part) => part !== null && part !== '');
  if (said.length === 0) return null;
  return (
    <p className={styles.said}>
      {say(attempt.rehearsed ? 'attempt.said_rehearsed' : 'attempt.said')}: <q>{said.join(': ')}</q>
    </p>
  );
}

/** What such an attempt cost was paid for nothing. */
const WASTED = new Set(['failed', 'cancelled', 'late_success']);

/** What one looks up: ids to hand on, the wait asked for, changes, money. */
function Details({ attempt, say }: { readonly attempt: ShownAttempt; readonly say: Say<typeof en> }) {
  const { whole } = attempt;
  if (whole === null) return null;
  const { usage, retry_after_ms: asked, cost_nano_usd: cost } = whole;
  const wasted = WASTED.has(whole.result) && cost !== null && cost > 0;
  return (
    <dl className={styles.details}>
      {whole.provider_request_id !== null && (
        <div>
          <dt>{say('attempt.provider_id')}</dt>
          <dd>
            <IdText text={whole.provider_request_id} name={say('attempt.provider_id')} />
          </dd>
        </div>
      )}
      <div>
        <dt>{say('attempt.upstream_model')}</dt>
        <dd>
          {whole.upstream_model} ({whole.provider})
        </dd>
      </div>
      {whole.class !== null && (
        <div>
          <dt>{say('attempt.class')}</dt>
          <dd>
            <code>{whole.class}</code>
          </dd>
        </div>
      )}
      {asked !== null && (
        <div>
          <dt>{say('attempt.asked_to_wait')}</dt>
          <dd>{say('attempt.wait_source', { ms: formatDuration(asked), source: whole.retry_after_source ?? '?' })}</dd>
        </div>
      )}
      {whole.changes.length > 0 && (
        <div>
          <dt>{say('attempt.changes')}</dt>
          <dd>{whole.changes.join(', ')}</dd>
        </div>
      )}
      {usage !== null && (
        <div>
          <dt>{say('attempt.tokens')}</dt>
          <dd>
            {say(usage.estimated === true ? 'fact.tokens_estimated' : 'fact.tokens_value', {
              in: usage.input_tokens ?? '?',
              out: usage.output_tokens ?? '?',
            })}
          </dd>
        </div>
      )}
      <div>
        <dt>{say(wasted ? 'fact.waste' : 'attempt.cost')}</dt>
        <dd>{cost === null ? say('fact.price_unknown') : <Money nano={cost} />}</dd>
      </div>
      <div>
        <dt>{say('attempt.id')}</dt>
        <dd>
          <IdText text={whole.id} name={say('attempt.id')} />
        </dd>
      </div>
    </dl>
  );
}
