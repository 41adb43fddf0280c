import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { observedMetrics } from '../../../test/support/observed-metrics.ts';
import { plainDraft, sampleAttempt, sampleDraft } from '../../../test/support/sample-draft.ts';
import { LabelValues } from './label-value.ts';
import { type CircuitReading, createMetrics, type MetricsOptions } from './metrics.ts';

const MODELS = new Set(['openai/gpt-5-nano', 'anthropic/claude-sonnet']);

function make(change: Partial<MetricsOptions> = {}) {
  return createMetrics({ snapshot: () => ({ modelById: MODELS }), process: false, ...change });
}

/** The lines of one metric. */
async function lines(metrics: { text(): Promise<string> }, name: string): Promise<string[]> {
  return (await metrics.text())
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
}

describe('names and labels', () => {
  it('O-3: every promised metric is there, with its type and its labels', async () => {
    const metrics = make({ circuits: () => [{ channel: 'm#c', state: 'open' }] });
    metrics.observe(sampleDraft(1, { attempts: [sampleAttempt(1, { maybe_executed: true }), sampleAttempt(2)] }));
    const text = await metrics.text();
    const types = Object.fromEntries(
      [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]),
    );
    expect(types).toEqual({
      understudy_requests_total: 'counter',
      understudy_attempts_total: 'counter',
      understudy_request_seconds: 'histogram',
      understudy_ttft_seconds: 'histogram',
      understudy_maybe_executed_total: 'counter',
      understudy_retry_budget_refused_total: 'counter',
      understudy_log_dropped_total: 'counter',
      understudy_circuit_state: 'gauge',
      understudy_streams_open: 'gauge',
      understudy_cost_nano_usd_total: 'counter',
      understudy_waste_nano_usd_total: 'counter',
      understudy_role_requests_total: 'counter',
      understudy_retries_total: 'counter',
      understudy_fallback_total: 'counter',
      understudy_store_up: 'gauge',
      understudy_shared_up: 'gauge',
      understudy_store_seconds: 'histogram',
      understudy_replicas: 'gauge',
      understudy_events_dropped_total: 'counter',
      understudy_webhook_deliveries_total: 'counter',
      understudy_alert_active: 'gauge',
      understudy_channel_cap: 'gauge',
      understudy_trace_dropped_total: 'counter',
      understudy_retention_deleted_total: 'counter',
    });
    expect(text).toContain(
      'understudy_requests_total{endpoint="chat",model="openai/gpt-5-nano",served="anthropic/claude-sonnet",outcome="success",ending="served"} 1',
    );
    expect(await lines(metrics, 'understudy_attempts_total')).toEqual([
      'understudy_attempts_total{model="openai/gpt-5-nano",channel="direct",class="rate_limit",result="failed",decision="next_model",role="primary"} 1',
      'understudy_attempts_total{model="anthropic/claude-sonnet",channel="eu",class="none",result="served",decision="serve",role="fallback"} 1',
    ]);
    expect(await lines(metrics, 'understudy_maybe_executed_total')).toEqual([
      'understudy_maybe_executed_total{model="openai/gpt-5-nano",channel="direct"} 1',
    ]);
  });

  it('O-3: the page is in the text format Prometheus reads, with process metrics beside ours', async () => {
    const metrics = make({ process: true });
    expect(metrics.contentType).toMatch(/^text\/plain; version=0\.0\.4/);
    const text = await metrics.text();
    expect(text).toContain('process_cpu_seconds_total');
    expect(text).toContain('nodejs_eventloop_lag_seconds');
    for (const line of text.split('\n')) expect(line).toMatch(/^(#.*|[a-z0-9_]+(\{[^}]*\})? \S+|)$/);
  });

  it('O-3: docs/metrics.md names every metric with its labels', async () => {
    const page = readFileSync(new URL('../../../docs/metrics.md', import.meta.url), 'utf8');
    const rows = new Map(
      [...page.matchAll(/^\| `(understudy_\w+)` \| (\w+) \| ([^|]*)\|/gm)].map((row) => [row[1], row]),
    );
    const text = await observedMetrics().text();
    for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
      const sample = new RegExp(`^${name}(?:_count)?(?:\\{(.*)\\})? `, 'm').exec(text)?.[1] ?? '';
      const labels = [...sample.matchAll(/(\w+)="/g)].map(([, label]) => label);
      const [, , kind, documented = ''] = rows.get(name!) ?? [];
      expect([name, kind, [...documented.matchAll(/`(\w+)`/g)].map(([, label]) => label)]).toEqual([
        name,
        type,
        labels,
      ]);
      rows.delete(name!);
    }
    expect([...rows.keys()]).toEqual([]);
  });

  it('O-3: two gateways in one process count apart', async () => {
    const [first, second] = [make({ process: true }), make({ process: true })];
    first.retryBudgetRefused();
    expect(await lines(first, 'understudy_retry_budget_refused_total')).toEqual([
      'understudy_retry_budget_refused_total 1',
    ]);
    expect(await lines(second, 'understudy_retry_budget_refused_total')).toEqual([
      'understudy_retry_budget_refused_total 0',
    ]);
  });
});

describe('what is counted', () => {
  it('O-3: primary, fallback and requests without any call are told apart', async () => {
    const metrics = make();
    metrics.observe(plainDraft(1, { latency_ms: 300, ttft_ms: null }));
    metrics.observe(sampleDraft(2, { latency_ms: 700, ttft_ms: 650 }));
    metrics.observe(
      plainDraft(3, {
        ending: 'rejected',
        served_model: null,
        attempts: [],
        latency_ms: 1,
        ttft_ms: null,
        status: 401,
      }),
    );
    expect(await lines(metrics, 'understudy_request_seconds_sum')).toEqual([
      'understudy_request_seconds_sum{endpoint="chat",role="primary"} 0.3',
      'understudy_request_seconds_sum{endpoint="chat",role="fallback"} 0.7',
      'understudy_request_seconds_sum{endpoint="chat",role="none"} 0.001',
    ]);
    expect(await lines(metrics, 'understudy_ttft_seconds_count')).toEqual([
      'understudy_ttft_seconds_count{endpoint="chat",role="fallback"} 1',
    ]);
    expect(await lines(metrics, 'understudy_request_seconds_bucket')).toContain(
      'understudy_request_seconds_bucket{le="0.5",endpoint="chat",role="primary"} 1',
    );
  });

  it('O-3: a failure is the fallback’s when the last attempt was one', async () => {
    const metrics = make();
    metrics.observe(sampleDraft(1, { served_model: null, ending: 'failed', status: 502, ttft_ms: null }));
    expect(await lines(metrics, 'understudy_request_seconds_count')).toEqual([
      'understudy_request_seconds_count{endpoint="chat",role="fallback"} 1',
    ]);
    expect(await lines(metrics, 'understudy_requests_total')).toEqual([expect.stringContaining('served="none"')]);
  });

  it('O-3: behind a virtual name the first model of the chain is the primary', async () => {
    const metrics = make();
    metrics.observe(plainDraft(1, { requested_model: 'smart' }));
    expect(await lines(metrics, 'understudy_attempts_total')).toEqual([expect.stringContaining('role="primary"')]);
  });

  it('O-3, C-7: a default model that stands in for the requested one is a fallback', async () => {
    const metrics = make();
    const stoodIn = { requested_model: 'openai/gpt-5-nano', served_model: 'anthropic/claude-sonnet' };
    const attempts = plainDraft(1).attempts.map((attempt) => ({ ...attempt, model: stoodIn.served_model }));
    metrics.observe(plainDraft(1, { ...stoodIn, chain: [stoodIn.served_model], attempts }));
    expect(await lines(metrics, 'understudy_attempts_total')).toEqual([expect.stringContaining('role="fallback"')]);
    expect(await lines(metrics, 'understudy_request_seconds_count')).toEqual([
      'understudy_request_seconds_count{endpoint="chat",role="fallback"} 1',
    ]);
  });

  it('O-3, C-7: so is one that stands in for a virtual model, an alias or auto whose own models are barred', async () => {
    const [nano, sonnet] = ['openai/gpt-5-nano', 'anthropic/claude-sonnet'];
    const virtualModels = new Map([['smart', { name: 'smart', models: [nano], routing: null, redundancy: {} }]]);
    const named = {
      modelById: MODELS,
      aliases: new Map([['nano', nano]]),
      workspaces: new Map([['acme', { virtualModels, auto: [nano] }]]),
    };
    const rolesOf = async (requested_model: string, served_model: string) => {
      const metrics = make({ snapshot: () => named });
      const attempts = plainDraft(1).attempts.map((attempt) => ({ ...attempt, model: served_model }));
      const draft = { workspace: 'acme', requested_model, served_model, chain: [served_model], attempts };
      metrics.observe(plainDraft(1, draft));
      const all = [
        ...(await lines(metrics, 'understudy_attempts_total')),
        ...(await lines(metrics, 'understudy_request_seconds_count')),
      ];
      return all.map((line) => /role="(\w+)"/.exec(line)?.[1]);
    };
    for (const name of ['smart', 'nano', 'understudy/auto']) {
      expect(await rolesOf(name, nano)).toEqual(['primary', 'primary']);
      expect(await rolesOf(name, sonnet)).toEqual(['fallback', 'fallback']);
    }
    expect(await rolesOf('unheard-of', sonnet)).toEqual(['primary', 'primary']);
  });

  it('G-4: cost and waste add up in whole nano-dollars; unknown and negative amounts add nothing', async () => {
    const metrics = make();
    metrics.observe(sampleDraft(1, { cost_nano_usd: 1200, waste_nano_usd: 30 }));
    metrics.observe(sampleDraft(2, { cost_nano_usd: 9_007_199_254_740, waste_nano_usd: null }));
    metrics.observe(sampleDraft(3, { cost_nano_usd: null, waste_nano_usd: -5 }));
    metrics.observe(sampleDraft(4, { cost_nano_usd: null, waste_nano_usd: 7, served_model: null }));
    expect(await lines(metrics, 'understudy_cost_nano_usd_total')).toEqual([
      'understudy_cost_nano_usd_total{model="anthropic/claude-sonnet",role="fallback"} 9007199255940',
    ]);
    expect(await lines(metrics, 'understudy_waste_nano_usd_total')).toEqual([
      'understudy_waste_nano_usd_total{model="anthropic/claude-sonnet",role="fallback"} 30',
      'understudy_waste_nano_usd_total{model="openai/gpt-5-nano",role="fallback"} 7',
    ]);
  });

  it('O-3: primary and fallback succeed and fail apart', async () => {
    const metrics = make();
    metrics.observe(plainDraft(1));
    metrics.observe(plainDraft(2));
    metrics.observe(sampleDraft(3));
    metrics.observe(sampleDraft(4, { served_model: null, ending: 'failed', outcome: 'upstream_unavailable' }));
    metrics.observe(plainDraft(5, { served_model: null, attempts: [], outcome: 'client_error', ending: 'rejected' }));
    expect(await lines(metrics, 'understudy_role_requests_total')).toEqual([
      'understudy_role_requests_total{role="primary",outcome="success"} 2',
      'understudy_role_requests_total{role="fallback",outcome="success"} 1',
      'understudy_role_requests_total{role="fallback",outcome="upstream_unavailable"} 1',
      'understudy_role_requests_total{role="none",outcome="client_error"} 1',
    ]);
    expect(await lines(metrics, 'understudy_fallback_total')).toEqual(['understudy_fallback_total 1']);
  });

  it('O-3, D-3: requests that were repeated at their own target, and whether a repeat answered', async () => {
    const metrics = make();
    const failed = sampleAttempt(1, { decision: 'retry' });
    const served = sampleAttempt(1, { result: 'served', class: null, decision: 'serve' });
    metrics.observe(plainDraft(1, { attempts: [failed, failed, served] }));
    metrics.observe(plainDraft(2, { attempts: [failed, { ...failed, decision: 'stop' }] }));
    metrics.observe(sampleDraft(3));
    metrics.observe(plainDraft(4, { attempts: [{ ...failed, rehearsed: true }, served] }));
    expect(await lines(metrics, 'understudy_retries_total')).toEqual([
      'understudy_retries_total{saved="true"} 1',
      'understudy_retries_total{saved="false"} 1',
    ]);
  });

  it('H-4, O-4: what others keep is asked for at the scrape, and not shown where nobody keeps it', async () => {
    const metrics = make();
    const shown = ['store_up', 'shared_up', 'replicas', 'alert_active', 'channel_cap'].map((n) => `understudy_${n}`);
    const all = async (): Promise<string[]> => (await Promise.all(shown.map((name) => lines(metrics, name)))).flat();
    expect(await all()).toEqual([]);
    let isUp = true;
    metrics.operations.show({ storeUp: () => isUp, replicas: () => 3 });
    metrics.operations.show({
      activeAlerts: () => (isUp ? [] : ['store_lost']),
      slowedChannels: () => [{ channel: 'a/b#eu', cap: 4 }],
    });
    expect(await all()).toEqual([
      'understudy_store_up 1',
      'understudy_replicas 3',
      'understudy_channel_cap{model="a/b",channel="eu"} 4',
    ]);
    isUp = false;
    expect(await all()).toContain('understudy_store_up 0');
    expect(await all()).toContain('understudy_alert_active{alert="store_lost"} 1');
  });

  it('O-3: what goes on beside the requests', async () => {
    const metrics = make();
    const { operations } = metrics;
    operations.storeTook('claim', 4);
    operations.eventsDropped(2);
    operations.delivery('retried');
    operations.retentionDeleted('requests', 500);
    operations.show({ tracesDropped: () => 7 });
    expect(await lines(metrics, 'understudy_store_seconds_sum')).toEqual([
      'understudy_store_seconds_sum{op="claim"} 0.004',
    ]);
    expect(await lines(metrics, 'understudy_events_dropped_total')).toEqual(['understudy_events_dropped_total 2']);
    expect(await lines(metrics, 'understudy_webhook_deliveries_total')).toEqual([
      'understudy_webhook_deliveries_total{state="retried"} 1',
    ]);
    expect(await lines(metrics, 'understudy_retention_deleted_total')).toEqual([
      'understudy_retention_deleted_total{what="requests"} 500',
    ]);
    expect(await lines(metrics, 'understudy_trace_dropped_total')).toEqual(['understudy_trace_dropped_total 7']);
  });

  it('O-2, D-6: dropped records, refused repeats and open streams', async () => {
    const metrics = make();
    metrics.logDropped(3);
    metrics.retryBudgetRefused();
    metrics.streamOpened();
    metrics.streamOpened();
    metrics.streamClosed();
    expect(await lines(metrics, 'understudy_log_dropped_total')).toEqual(['understudy_log_dropped_total 3']);
    expect(await lines(metrics, 'understudy_retry_budget_refused_total')).toEqual([
      'understudy_retry_budget_refused_total 1',
    ]);
    expect(await lines(metrics, 'understudy_streams_open')).toEqual(['understudy_streams_open 1']);
  });

  it('H-3: circuits are what the board says at the scrape, and gone when it no longer knows them', async () => {
    let now: CircuitReading[] = [
      { channel: 'a/b#eu#1', state: 'closed' },
      { channel: 'c#x', state: 'half_open' },
      { channel: 'd#y', state: 'open' },
    ];
    const metrics = make({ circuits: () => now });
    expect(await lines(metrics, 'understudy_circuit_state')).toEqual([
      'understudy_circuit_state{model="a/b#eu",channel="1"} 0',
      'understudy_circuit_state{model="c",channel="x"} 1',
      'understudy_circuit_state{model="d",channel="y"} 2',
    ]);
    now = [];
    expect(await lines(metrics, 'understudy_circuit_state')).toEqual([]);
  });
});

describe('labels are bounded', () => {
  it('O-3: names a client invented are all "other"', async () => {
    const metrics = make();
    const rejected = {
      served_model: null,
      attempts: [],
      chain: [],
      ending: 'rejected',
      outcome: 'client_error',
    } as const;
    for (let n = 0; n < 1000; n += 1) metrics.observe(plainDraft(n, { ...rejected, requested_model: `guess-${n}` }));
    metrics.observe(plainDraft(1, { ...rejected, requested_model: null }));
    expect(await lines(metrics, 'understudy_requests_total')).toEqual([
      'understudy_requests_total{endpoint="chat",model="other",served="none",outcome="client_error",ending="rejected"} 1000',
      'understudy_requests_total{endpoint="chat",model="none",served="none",outcome="client_error",ending="rejected"} 1',
    ]);
  });

  it('O-3: even configured names stop at a bound', () => {
    const values = new LabelValues(2);
    expect(['a', 'b', 'c', 'a', null, 'b', 'd'].map((value) => values.of(value))).toEqual([
      'a',
      'b',
      'other',
      'a',
      'none',
      'b',
      'other',
    ]);
    expect(new LabelValues().of('x'.repeat(300))).toBe('other');
  });

  it('O-3: quotes and line breaks in a name do not break the page', async () => {
    const evil = 'a"b\n} 1\nfake_metric 2';
    const metrics = make({ snapshot: () => ({ modelById: new Set([evil]) }) });
    metrics.observe(plainDraft(1, { requested_model: evil }));
    expect((await metrics.text()).split('\n').filter((line) => line.startsWith('fake_metric'))).toEqual([]);
  });
});
