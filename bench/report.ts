/** What the rounds come to: medians of ratios, what the gateway adds, and whether the targets are met. */
import type { ConcurrentStreams } from './concurrent-streams.ts';
import type { ContenderName } from './contender.ts';
import type { HotSpot } from './cpu-profile.ts';
import type { CrossingCost } from './crossing.ts';
import type { KeyedCost } from './keyed.ts';
import type { LoadReport } from './load.ts';
import type { Figures } from './measure.ts';
import type { PlanningCost } from './plan.ts';
import type { ReplicaCost } from './replicas.ts';
import { median } from './statistics.ts';

export type Round = Partial<Record<ContenderName, Figures>>;

type Figure = keyof Figures;

/** Median over the rounds of one contender's figure. NaN where it was not measured. */
export function figure(rounds: readonly Round[], name: ContenderName, what: Figure): number {
  return median(rounds.map((round) => round[name]?.[what] ?? Number.NaN));
}

/** Median of the rounds' ratios: each round compares what ran next to each other. */
export function ratio(rounds: readonly Round[], name: ContenderName, to: ContenderName, what: Figure): number {
  return median(rounds.map((round) => (round[name]?.[what] ?? Number.NaN) / (round[to]?.[what] ?? Number.NaN)));
}

/** Median of the rounds' differences. */
export function added(rounds: readonly Round[], name: ContenderName, to: ContenderName, what: Figure): number {
  return median(rounds.map((round) => (round[name]?.[what] ?? Number.NaN) - (round[to]?.[what] ?? Number.NaN)));
}

export interface Target {
  readonly what: string;
  readonly value: number;
  readonly limit: number;
  readonly unit: string;
  /** `limit` is the least it may be. */
  readonly atLeast?: true;
}

const MB = 1024 * 1024;

/** The promises of the benchmark, with what was measured. */
export function targets(
  rounds: readonly Round[],
  streams: ConcurrentStreams | null,
  keyed: KeyedCost | null,
  crossing: CrossingCost | null,
  planning: readonly PlanningCost[],
  replicas: ReplicaCost | null,
): Target[] {
  const found: Target[] = [
    {
      what: 'CPU per request, gateway ÷ bare proxy',
      value: ratio(rounds, 'gateway', 'bare', 'cpuMicrosPerRequest'),
      limit: 1.8,
      unit: '×',
    },
    {
      what: 'CPU per chunk, gateway ÷ bare proxy',
      value: ratio(rounds, 'gateway', 'bare', 'cpuMicrosPerChunk'),
      limit: 1.4,
      unit: '×',
    },
    {
      what: 'time to first token added, median at 500/s',
      value: added(rounds, 'gateway', 'direct', 'firstTokenMs'),
      limit: 1,
      unit: 'ms',
    },
  ];
  if (streams !== null) {
    found.push({
      what: `memory with ${streams.streams} streams open`,
      value: streams.peakRssBytes / MB,
      limit: 250,
      unit: 'MB',
    });
  }
  if (keyed !== null) {
    found.push(
      { what: 'CPU per request, with an idempotency key ÷ without', value: keyed.ratio, limit: 1.25, unit: '×' },
      { what: 'keyed requests', value: keyed.perSecond, limit: 1000, unit: 'per second', atLeast: true },
    );
  }
  if (crossing !== null) {
    found.push({ what: 'CPU per chunk, translated ÷ passed', value: crossing.ratio, limit: 2.5, unit: '×' });
  }
  if (replicas !== null) {
    const what = 'requests per second of gateway CPU, two replicas ÷ one';
    found.push({ what, value: replicas.ratio, limit: 0.85, unit: '×', atLeast: true });
  }
  for (const { what, micros, limit } of planning) {
    if (limit !== undefined) found.push({ what, value: micros, limit, unit: 'µs' });
  }
  return found.filter(({ value }) => !Number.isNaN(value));
}

const show = (value: number | null, digits = 2) =>
  (value === null || Number.isNaN(value) ? '–' : value.toFixed(digits)).padStart(9);

const COLUMNS: readonly (readonly [string, Figure, number])[] = [
  ['µs/request', 'cpuMicrosPerRequest', 1],
  ['µs/chunk', 'cpuMicrosPerChunk', 0],
  ['ms', 'latencyMs', 2],
  ['ms p99', 'latencyP99Ms', 2],
  ['ttft ms', 'firstTokenMs', 2],
  ['ttft p99', 'firstTokenP99Ms', 2],
];

export function renderRounds(rounds: readonly Round[], names: readonly ContenderName[]): string {
  const head = `${''.padEnd(9)}${COLUMNS.map(([title]) => title.padStart(11)).join('')}${'RSS MB'.padStart(9)}`;
  const lines = names.map((name) => {
    const cells = COLUMNS.map(([, what]) => show(figure(rounds, name, what)).padStart(11));
    return `${name.padEnd(9)}${cells.join('')}${show(figure(rounds, name, 'rssBytes') / MB, 0)}`;
  });
  return [head, ...lines].join('\n');
}

export function isMet({ value, limit, atLeast }: Target): boolean {
  return atLeast === true ? value >= limit : value <= limit;
}

export function renderKeyed({ plainMicros, keyedMicros, perSecond }: KeyedCost): string {
  const micros = `${plainMicros.toFixed(0)} µs of CPU without a key, ${keyedMicros.toFixed(0)} µs with one`;
  return `whole answers: ${micros}; ${perSecond.toFixed(0)} keyed requests per second`;
}

export function renderTargets(all: readonly Target[]): string {
  return all
    .map(
      (target) =>
        `${isMet(target) ? 'met   ' : 'MISSED'} ${target.what.padEnd(50)} ${show(target.value)} ${target.unit} ` +
        `(at ${target.atLeast === true ? 'least' : 'most'} ${target.limit})`,
    )
    .join('\n');
}

export function renderHotSpots(spots: readonly HotSpot[]): string {
  return spots.map(({ where, share }) => `${(share * 100).toFixed(1).padStart(5)} %  ${where}`).join('\n');
}

export function renderLoad(report: LoadReport): string {
  const { requests, whole, plainErrors, torn, bound } = report;
  const errors = Object.entries(plainErrors).map(([kind, count]) => `${count} × ${kind}`);
  const share = ((whole / requests) * 100).toFixed(2);
  return [
    `${whole} of ${requests} whole (${share} %; ${bound} could not be saved), ${torn.length} torn`,
    `plain errors: ${errors.join(', ') || 'none'}`,
    ...torn.slice(0, 5).map((sample) => `torn: ${JSON.stringify(sample)}`),
  ].join('\n');
}
