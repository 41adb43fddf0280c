/** The rates of the time in view, each beside the time before. */
import { formatDuration, formatMoney, formatNumber, formatShare } from '../../parts/format.ts';
import { Sparkline } from '../../parts/sparkline.tsx';
import { Stat, type StatProps } from '../../parts/stat.tsx';
import { useLanguage, useSay } from '../../words/words.ts';
import styles from './rates.module.css';
import { answerableOf, lostOf, type Overview, type Sums } from './shape.ts';
import { words } from './words.ts';

/** A share that nobody can tell is a gap in the line. */
const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

export function Rates({ overview }: { readonly overview: Overview }) {
  const say = useSay(words);
  const language = useLanguage();
  const { totals, before, series } = overview;
  const share = (part: number, whole: number) => formatShare(part, whole, language);
  const number = (value: number, digits = 0) => formatNumber(value, language, digits);
  const counted = (count: number) => ({ count, n: number(count) });
  const was = (value: string): string => (before.requests === 0 ? say('before.none') : say('before', { value }));
  const [answerable, lost] = [answerableOf(totals), lostOf(totals)];
  const { client_error: clientErrors, success } = totals.outcomes;
  const line = (pick: (sums: Sums) => number | null, colour: 1 | 2 | 3 | 4 | 5, label: string) => (
    <Sparkline values={series.map(pick)} colour={colour} label={label} />
  );
  return (
    <div className={styles.rates}>
      <Stat
        label={say('rate.requests')}
        value={number(totals.requests)}
        note={notes(
          was(number(before.requests)),
          totals.requests > 0 && say('note.calls', { n: number(totals.upstream_calls / totals.requests, 2) }),
        )}
      >
        {line((sums) => sums.requests, 1, say('line.requests'))}
      </Stat>
      <Stat
        label={say('rate.success')}
        hint={say('rate.success_hint')}
        value={share(success, answerable)}
        note={notes(
          was(share(before.outcomes.success, answerableOf(before))),
          clientErrors > 0 && say('note.client_errors', counted(clientErrors)),
        )}
      >
        {line((sums) => shareOf(sums.outcomes.success, answerableOf(sums)), 5, say('line.success'))}
      </Stat>
      <Stat
        label={say('rate.lost')}
        hint={say('rate.lost_hint')}
        value={number(lost)}
        {...toned(lost > 0, 'bad')}
        note={notes(
          was(number(lostOf(before))),
          totals.interrupted > 0 && say('note.interrupted', counted(totals.interrupted)),
        )}
      >
        {line(lostOf, 4, say('line.lost'))}
      </Stat>
      <Stat
        label={say('rate.fallback')}
        hint={say('rate.fallback_hint')}
        value={share(totals.fallback, totals.requests)}
        {...toned(totals.fallback > 0, 'cover')}
        note={was(share(before.fallback, before.requests))}
      >
        {line((sums) => shareOf(sums.fallback, sums.requests), 2, say('line.fallback'))}
      </Stat>
      <Stat
        label={say('rate.retry')}
        hint={say('rate.retry_hint')}
        value={share(totals.retried, totals.requests)}
        note={was(share(before.retried, before.requests))}
      >
        {line((sums) => shareOf(sums.retried, sums.requests), 3, say('line.retry'))}
      </Stat>
      <Stat
        label={say('rate.cost')}
        value={formatMoney(totals.cost_nano_usd, language)}
        note={notes(
          was(formatMoney(before.cost_nano_usd, language)),
          totals.requests > 0 &&
            say('note.per_request', {
              money: formatMoney(Math.round(totals.cost_nano_usd / totals.requests), language),
            }),
        )}
      >
        {line((sums) => sums.cost_nano_usd, 1, say('line.cost'))}
      </Stat>
      <Stat
        label={say('rate.waste')}
        hint={say('rate.waste_hint')}
        value={formatMoney(totals.waste_nano_usd, language)}
        {...toned(totals.waste_nano_usd > totals.cost_nano_usd / 10, 'warn')}
        note={notes(
          was(formatMoney(before.waste_nano_usd, language)),
          totals.waste_nano_usd > 0 &&
            totals.cost_nano_usd > 0 &&
            say('note.of_cost', { share: share(totals.waste_nano_usd, totals.cost_nano_usd) }),
        )}
      >
        {line((sums) => sums.waste_nano_usd, 3, say('line.waste'))}
      </Stat>
      <Stat
        label={say('rate.p99')}
        hint={say('rate.p99_hint')}
        value={`${formatDuration(totals.primary.p99_ms)} / ${formatDuration(totals.fallback_latency.p99_ms)}`}
        note={was(`${formatDuration(before.primary.p99_ms)} / ${formatDuration(before.fallback_latency.p99_ms)}`)}
      >
        {line((sums) => sums.primary.p99_ms, 1, say('line.p99'))}
      </Stat>
    </div>
  );
}

function notes(...texts: readonly (string | false)[]): string {
  return texts.filter((text) => text !== false).join(' · ');
}

function toned(on: boolean, tone: NonNullable<StatProps['tone']>): { tone?: NonNullable<StatProps['tone']> } {
  return on ? { tone } : {};
}
