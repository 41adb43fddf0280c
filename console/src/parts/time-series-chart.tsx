/** The drawing of a chart, with uPlot: loaded when the first chart is shown. */
import 'uplot/dist/uPlot.min.css';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { useTheme } from '../theme/theme.ts';
import { useLanguage } from '../words/words.ts';
import { formatClock, formatNumber } from './format.ts';
import styles from './time-series.module.css';
import type { Series, TimeSeriesProps } from './time-series.tsx';

const SECOND = 1000;

const token = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function lineOf({ label, colour, as = 'line', dashed }: Series): uPlot.Series {
  const stroke = token(`--chart-${colour}`);
  const bars = as === 'bars' ? uPlot.paths.bars?.({ size: [0.7, 40], gap: 1 }) : undefined;
  return {
    label,
    stroke,
    width: as === 'bars' ? 0 : 1.6,
    points: { show: as !== 'bars', size: 5, fill: stroke, filter: alone },
    ...(as === 'area' ? { fill: `${stroke}2b` } : as === 'bars' ? { fill: stroke } : {}),
    ...(dashed ? { dash: [5, 4] } : {}),
    ...(bars ? { paths: bars } : {}),
  };
}

/** Values between gaps, which no line would show: they are dots. */
function alone(chart: uPlot, series: number): number[] {
  const values = chart.data[series] ?? [];
  const isGap = (at: number): boolean => values[at] === null || values[at] === undefined;
  return Array.from(values, (_, at) => at).filter((at) => !isGap(at) && isGap(at - 1) && isGap(at + 1));
}

/** Values to draw: as they are, or each on top of those before it. Drawn from the last one on, so that none is hidden. */
function heights({ series, stacked }: TimeSeriesProps): (number | null)[][] {
  if (!stacked) return series.map(({ values }) => [...values]);
  const sums: (number | null)[][] = [];
  for (const [index, { values }] of series.entries()) {
    const below = sums[index - 1];
    sums.push(values.map((value, at) => (value ?? 0) + (below?.[at] ?? 0)));
  }
  return sums;
}

export default function TimeSeriesChart(props: TimeSeriesProps & { readonly height: number }) {
  const { at, series, format, height, stacked, onSelect } = props;
  const theme = useTheme();
  const language = useLanguage();
  const place = useRef<HTMLDivElement>(null);
  const select = useRef(onSelect);
  select.current = onSelect;

  // biome-ignore lint/correctness/useExhaustiveDependencies: colours are read anew when the theme changes
  useEffect(() => {
    const box = place.current;
    if (box === null) return undefined;
    const write = format ?? ((value: number | null) => formatNumber(value, language, 1));
    const order = series.map((_, index) => index);
    if (stacked) order.reverse();
    const drawn = heights(props);
    const tip = document.createElement('div');
    tip.className = styles.tip ?? '';
    const axis = { stroke: token('--text-faint'), font: `11px ${token('--font')}`, ticks: { show: false } };
    const half = series.some(({ as }) => as === 'bars') ? ((at[1] ?? 0) - (at[0] ?? 0)) / 2 / SECOND : 0;
    const grid = { stroke: token('--chart-grid'), width: 1 };
    const chart = new uPlot(
      {
        width: box.clientWidth,
        height,
        legend: { show: false },
        padding: [8, 28, 0, 0],
        cursor: { drag: { x: onSelect !== undefined, y: false, setScale: false }, points: { size: 6 }, y: false },
        scales: {
          // Columns stand on their instant: the outer ones need half a step of room.
          x: { range: (_, low, high) => [low - half, high + half] },
          y: { range: (_, low, high) => [Math.min(0, low ?? 0), (high ?? 0) <= 0 ? 1 : (high ?? 0) * 1.08] },
        },
        axes: [
          {
            ...axis,
            grid: { show: false },
            size: 26,
            values: (_, instants) =>
              instants.map((instant) => formatClock(instant * SECOND, language).replace(/:\d\d$/, '')),
            space: 84,
          },
          { ...axis, grid, size: 58, values: (_, values) => values.map((value) => write(value)) },
        ],
        series: [{}, ...order.map((index) => lineOf(series[index] as Series))],
        hooks: {
          setCursor: [(self) => showTip(self, tip, props, write, language)],
          setSelect: [
            (self) => {
              if (self.select.width < 4) return;
              const from = self.posToVal(self.select.left, 'x') * SECOND;
              const to = self.posToVal(self.select.left + self.select.width, 'x') * SECOND;
              self.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
              select.current?.(Math.round(from), Math.round(to));
            },
          ],
        },
      },
      [at.map((instant) => instant / SECOND), ...order.map((index) => drawn[index] ?? [])] as uPlot.AlignedData,
      box,
    );
    chart.over.append(tip);
    const watch = new ResizeObserver(() => chart.setSize({ width: box.clientWidth, height }));
    watch.observe(box);
    return () => {
      watch.disconnect();
      chart.destroy();
    };
  }, [at, series, format, height, stacked, theme, language, onSelect === undefined]);

  return <div ref={place} className={styles.place} />;
}

/** The values under the pointer. Built as text: names come from outside. */
function showTip(
  chart: uPlot,
  tip: HTMLElement,
  { at, series }: TimeSeriesProps,
  write: (value: number | null) => string,
  language: 'en' | 'zh',
): void {
  const { idx, left } = chart.cursor;
  const instant = idx === null || idx === undefined ? undefined : at[idx];
  if (idx === null || idx === undefined || instant === undefined || left === undefined || left < 0) {
    tip.hidden = true;
    return;
  }
  const lines = series.map(({ label, colour, values }) => {
    const line = document.createElement('div');
    line.className = styles.key ?? '';
    line.dataset['colour'] = String(colour);
    line.textContent = `${label}: ${write(values[idx] ?? null)}`;
    return line;
  });
  const head = document.createElement('div');
  head.textContent = formatClock(instant, language);
  tip.replaceChildren(head, ...lines);
  tip.hidden = false;
  const onRight = left > chart.over.clientWidth / 2;
  tip.style.left = onRight ? '' : `${left + 12}px`;
  tip.style.right = onRight ? `${chart.over.clientWidth - left + 12}px` : '';
}
