/** One attempt's bar on the axis that all attempts of the request share. */
import { formatDuration } from '../../parts/format.ts';
import { useSay } from '../../words/words.ts';
import { isOver, type ShownAttempt, ticksOf, toneOf } from './shown-attempt.ts';
import styles from './track.module.css';
import { words } from './words.ts';

/** Narrower bars could not be seen. */
const LEAST_PERCENT = 0.6;

interface Scale {
  /** Milliseconds from the left to the right end. */
  readonly total: number;
}

const percent = (ms: number, { total }: Scale): number => (total <= 0 ? 0 : Math.min(100, (ms / total) * 100));

/** The axis with its ticks, above the bars. */
export function Axis({ total }: Scale) {
  const say = useSay(words);
  return (
    <div className={styles.axis} aria-hidden="true">
      <span className={styles.axisName}>{say('time.axis')}</span>
      <div className={styles.ticks}>
        {ticksOf(total).map((at) => (
          <span key={at} className={styles.tick} style={{ insetInlineStart: `${percent(at, { total })}%` }}>
            {formatDuration(at)}
          </span>
        ))}
      </div>
    </div>
  );
}

export interface TrackProps extends Scale {
  readonly attempt: ShownAttempt;
  readonly requested: string | null;
}

export function Track({ attempt, total, requested }: TrackProps) {
  const say = useSay(words);
  const { from, to, first, waited, state } = attempt;
  const scale = { total };
  const left = percent(from, scale);
  const width = Math.max(LEAST_PERCENT, percent(to, scale) - left);
  const untilFirst = first === null ? 100 : to <= from ? 0 : ((first - from) / (to - from)) * 100;
  const cut = state === 'interrupted';
  const figures = { from: formatDuration(from), to: formatDuration(to), first: formatDuration(first) };
  return (
    <div className={styles.track} role="img" aria-label={say(first === null ? 'time.bar' : 'time.bar_first', figures)}>
      {ticksOf(total).map((at) => (
        <span key={at} className={styles.line} style={{ insetInlineStart: `${percent(at, scale)}%` }} />
      ))}
      {waited > 0 && (
        <span
          className={styles.wait}
          style={{ insetInlineStart: `${percent(from - waited, scale)}%`, inlineSize: `${percent(waited, scale)}%` }}
        />
      )}
      <span
        className={styles.bar}
        data-tone={toneOf(attempt, requested)}
        data-open={!isOver(attempt)}
        style={{ insetInlineStart: `${Math.min(left, 100 - LEAST_PERCENT)}%`, inlineSize: `${width}%` }}
      >
        <span className={styles.silent} style={{ inlineSize: `${untilFirst}%` }} />
        {first !== null && untilFirst < 100 && <span className={styles.speaking} />}
        {cut && <span className={styles.cut} />}
      </span>
    </div>
  );
}

/** What the marks of the bars mean; only those that are there. */
export function Legend({ attempts }: { readonly attempts: readonly ShownAttempt[] }) {
  const say = useSay(words);
  const spoke = attempts.some(({ first, to }) => first !== null && first < to);
  return (
    <ul className={styles.legend}>
      <li>
        <span className={styles.keySilent} />
        {say('time.waiting')}
      </li>
      {spoke && (
        <li>
          <span className={styles.keySpeaking} />
          {say('time.answering')}
        </li>
      )}
      {attempts.some(({ state }) => state === 'interrupted') && (
        <li>
          <span className={styles.keyCut} />
          {say('time.cut')}
        </li>
      )}
      {attempts.some(({ waited }) => waited > 0) && (
        <li>
          <span className={styles.keyWait} />
          {say('time.wait')}
        </li>
      )}
    </ul>
  );
}
