/** The dashboard against the metrics that exist: a query that asks for something else shows nothing, and nobody is told. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../architecture/source-tree.ts';
import { observedMetrics } from '../support/observed-metrics.ts';

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string; readonly refId: string }[];
}
interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
}

const text = readFileSync(path.join(ROOT, 'deploy/grafana/understudy.json'), 'utf8');
const dashboard = JSON.parse(text) as Dashboard;
const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({ title, expr, legendFormat })),
);

/** Of the process, as every Node.js program exports them; and what the scraper adds to each sample. */
const OF_THE_PROCESS = new Map([
  ['process_cpu_seconds_total', []],
  ['process_resident_memory_bytes', []],
]);
const OF_THE_SCRAPER = ['instance', 'job'];

/** Sample names of the page → labels. */
async function exported(): Promise<Map<string, Set<string>>> {
  const page = await observedMetrics().text();
  const samples = new Map<string, Set<string>>();
  for (const [, name, labels = ''] of page.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gm)) {
    samples.set(name!, new Set([...labels.matchAll(/(\w+)="/g)].map(([, label]) => label!)));
  }
  return samples;
}

/** What a query names. */
function readQuery(expr: string): { metrics: string[]; labels: string[]; broken: boolean } {
  // Grafana puts its own intervals and variables in before it asks.
  const asked = expr.replaceAll('$__rate_interval', '5m').replaceAll('$model', '.*');
  const metrics: string[] = [];
  const labels: string[] = [];
  let broken = false;
  parser.parse(asked).iterate({
    enter({ name, from, to, type }) {
      if (type.isError) broken = true;
      if (name === 'Identifier') metrics.push(asked.slice(from, to));
      if (name === 'LabelName') labels.push(asked.slice(from, to));
    },
  });
  return { metrics, labels, broken };
}

describe('deploy/grafana/understudy.json', () => {
  it.each(queries)('O-3: $title: $expr', async ({ expr, legendFormat }) => {
    const samples = await exported();
    for (const [name, labels] of OF_THE_PROCESS) samples.set(name, new Set(labels));
    const { metrics, labels, broken } = readQuery(expr);
    expect(broken).toBe(false);
    expect(metrics.length).toBeGreaterThan(0);
    expect(metrics.filter((name) => !samples.has(name))).toEqual([]);
    const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!);
    const known = new Set([...OF_THE_SCRAPER, ...metrics.flatMap((name) => [...samples.get(name)!])]);
    expect([...labels, ...shown].filter((label) => !known.has(label))).toEqual([]);
    // What a legend names must be left by the query.
    expect(shown.filter((label) => !labels.includes(label))).toEqual([]);
  });

  it('O-3: a query that is wrong is found', () => {
    expect(readQuery('sum(rate(understudy_requests_total[5m])').broken).toBe(true);
    expect(readQuery('sum by (nothing) (no_such_metric)')).toEqual({
      metrics: ['no_such_metric'],
      labels: ['nothing'],
      broken: false,
    });
  });

  it('O-3: every metric of ours is on it', async () => {
    const named = queries.flatMap(({ expr }) => readQuery(expr).metrics).map(family);
    const all = [...(await exported()).keys()].map(family);
    expect([...new Set(all)].filter((name) => !named.includes(name))).toEqual([]);
  });

  it('ids are unique, panels do not overlap, variables exist', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, n) => `${x + (n % w)} ${y + Math.floor(n / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    const variables = new Set(dashboard.templating.list.map(({ name }) => name));
    const used = [...text.matchAll(/\$\{?([a-z]\w*)\}?/g)].map(([, name]) => name!);
    expect(used.filter((name) => !variables.has(name))).toEqual([]);
    const asked = dashboard.templating.list.flatMap(({ definition }) => definition ?? []);
    expect(asked).toEqual(['label_values(understudy_attempts_total, model)']);
  });
});

function family(sample: string): string {
  return sample.replace(/_(?:bucket|sum|count)$/, '');
}
