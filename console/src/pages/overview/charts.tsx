/** Traffic, latency and money over the time in view. */
import { useCallback, useMemo } from 'react';
import { useNavigate } from 'react-router';
import { formatDuration, formatMoney } from '../../parts/format.ts';
import { Section } from '../../parts/page.tsx';
import { TimeSeries } from '../../parts/time-series.tsx';
import { useLanguage, useSay } from '../../words/words.ts';
import { lostOf, type Overview } from './shape.ts';
import { words } from './words.ts';

interface ChartProps {
  readonly overview: Overview;
}

const instantsOf = (series: Overview['series']): number[] => series.map(({ at }) => Date.parse(at));

/** Requests by what became of them. */
export function TrafficChart({ overview: { series } }: ChartProps) {
  const say = useSay(words);
  const navigate = useNavigate();
  const at = useMemo(() => instantsOf(series), [series]);
  const lines = useMemo(
    () => [
      {
        id: 'own',
        label: say('traffic.own'),
        colour: 1 as const,
        as: 'bars' as const,
        values: series.map(({ outcomes, fallback }) => Math.max(0, outcomes.success - fallback)),
      },
      {
        id: 'covered',
        label: say('traffic.covered'),
        colour: 2 as const,
        as: 'bars' as const,
        values: series.map(({ fallback }) => fallback),
      },
      {
        id: 'client',
        label: say('traffic.client'),
        colour: 3 as const,
        as: 'bars' as const,
        values: series.map(({ outcomes }) => outcomes.client_error + outcomes.safety_refusal),
      },
      { id: 'lost', label: say('traffic.lost'), colour: 4 as const, as: 'bars' as const, values: series.map(lostOf) },
    ],
    [series, say],
  );
  const open = useCallback(
    (from: number, to: number) =>
      void navigate(
        `/requests?from=${encodeURIComponent(new Date(from).toISOString())}&to=${encodeURIComponent(new Date(to).toISOString())}`,
      ),
    [navigate],
  );
  return (
    <Section title={say('traffic.title')} about={say('traffic.about')}>
      <TimeSeries label={say('traffic.title')} at={at} series={lines} stacked height={180} onSelect={open} />
    </Section>
  );
}

/** P50 and P99 of the model asked for against those of another one. */
export function LatencyChart({ overview: { series } }: ChartProps) {
  const say = useSay(words);
  const at = useMemo(() => instantsOf(series), [series]);
  const lines = useMemo(
    () => [
      { id: 'p99', label: say('latency.p99_primary'), colour: 1 as const, values: series.map((s) => s.primary.p99_ms) },
      {
        id: 'p50',
        label: say('latency.p50_primary'),
        colour: 1 as const,
        dashed: true,
        values: series.map((s) => s.primary.p50_ms),
      },
      {
        id: 'other99',
        label: say('latency.p99_fallback'),
        colour: 2 as const,
        values: series.map((s) => s.fallback_latency.p99_ms),
      },
      {
        id: 'other50',
        label: say('latency.p50_fallback'),
        colour: 2 as const,
        dashed: true,
        values: series.map((s) => s.fallback_latency.p50_ms),
      },
    ],
    [series, say],
  );
  return <TimeSeries label={say('latency.chart')} at={at} series={lines} height={150} format={formatDuration} />;
}

/** What was paid, and what of it for nothing. */
export function MoneyChart({ overview: { series } }: ChartProps) {
  const say = useSay(words);
  const language = useLanguage();
  const at = useMemo(() => instantsOf(series), [series]);
  const money = useCallback((nano: number | null) => formatMoney(nano, language), [language]);
  const lines = useMemo(
    () => [
      {
        id: 'cost',
        label: say('money.cost'),
        colour: 1 as const,
        as: 'bars' as const,
        values: series.map((s) => s.cost_nano_usd),
      },
      {
        id: 'waste',
        label: say('money.waste'),
        colour: 3 as const,
        as: 'bars' as const,
        values: series.map((s) => s.waste_nano_usd),
      },
    ],
    [series, say],
  );
  return (
    <Section title={say('money.title')}>
      <TimeSeries label={say('money.title')} at={at} series={lines} stacked height={230} format={money} />
    </Section>
  );
}
