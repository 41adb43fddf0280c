/** Section 12 over the wire: what watches the requests from outside. */
import { describe, expect, it } from 'vitest';
import type { SignalWatch } from '../../src/runtime/signals/signal-watch.ts';
import { errorStep, okBody } from '../faults/answers.ts';
import { startCollector } from '../support/collector.ts';
import { type RulesRig, startRules, withRules } from './rules-rig.ts';

type Json = Record<string, unknown>;

const DOWN = errorStep(503, { message: 'overloaded', code: 'overloaded' });
const QUICK = { backoff: { base_ms: 1, cap_ms: 1 }, retry_budget: { ratio: 1, window_ms: 10_000, min: 1000 } };
/** Circuits stay out of it. */
const NO_CIRCUITS = { health: { circuit: { min_calls: 10_000, consecutive: 1000 } } };

const alertsOf = async (rig: RulesRig): Promise<Json[]> => (await rig.admin('/v1/alerts'))['data'] as Json[];
const watchOf = (rig: RulesRig): SignalWatch => rig.gateway.inside.watchers[0] as SignalWatch;
const metricsOf = async (rig: RulesRig): Promise<string> => (await rig.get('/metrics')).text;

async function askTimes(rig: RulesRig, model: string, times: number): Promise<void> {
  for (let n = 0; n < times; n += 10) {
    await Promise.all(
      Array.from({ length: Math.min(10, times - n) }, () => rig.ask(model, { redundancy: { retries: 3 } })),
    );
  }
}

describe('O-4: built-in alerts', () => {
  it('a retry rate over 5 % is told once, shown, counted, and slows its channel down', async () => {
    // Every other answer is a failure that a repeat cures.
    const flaky = Array.from({ length: 200 }, () => [DOWN, okBody('a')]).flat();
    const over = { ...QUICK, ...NO_CIRCUITS, alerts: { min_requests: 50 } };
    await withRules(
      { a: { up: { A: flaky } } },
      async (rig) => {
        await askTimes(rig, 'a', 40);
        await watchOf(rig).look();
        expect(await alertsOf(rig)).toEqual([]);
        await askTimes(rig, 'a', 20);
        await watchOf(rig).look();
        await watchOf(rig).look();
        const active = (await alertsOf(rig)).filter(({ state }) => state === 'active');
        expect(active.map(({ kind, subject }) => [kind, subject]).sort()).toEqual([
          ['alert.channel_slowed', 'a#a0'],
          ['alert.retry_rate', null],
        ]);
        const rate = active.find(({ kind }) => kind === 'alert.retry_rate')!;
        expect(rate).toMatchObject({ threshold: 0.05, message: expect.stringContaining('repeats at the same target') });
        expect(rate['value']).toBeGreaterThan(0.05);
        expect(rig.gateway.inside.caps.capOf('a#a0')).toBeGreaterThan(0);
        const page = await metricsOf(rig);
        expect(page).toContain('understudy_alert_active{alert="retry_rate"} 1');
        expect(page).toMatch(/understudy_channel_cap\{model="a",channel="a0"\} \d/);
      },
      { over },
    );
  });

  it('answers by another model than the one that was asked for are a fallback rate', async () => {
    const routes = { a: { up: { A: [DOWN] } }, b: { up: { B: [okBody('b')] } } };
    await withRules(
      routes,
      async (rig) => {
        await askTimes(rig, 'b', 98);
        for (let n = 0; n < 2; n += 1)
          await rig.post({ models: ['a', 'b'], messages: [{ role: 'user', content: 'x' }] });
        await watchOf(rig).look();
        const active = (await alertsOf(rig)).filter(({ state }) => state === 'active');
        expect(active.map(({ kind, value }) => [kind, value])).toEqual([['alert.fallback_rate', 0.02]]);
        expect(await metricsOf(rig)).toContain('understudy_fallback_total 2');
      },
      { over: NO_CIRCUITS },
    );
  });

  it('an unhealthy credential and an open circuit are told while they last', async () => {
    const denied = errorStep(401, { message: 'bad key', code: 'invalid_api_key' });
    const routes = { a: { up: { A: [denied] } }, b: { up: { B: [errorStep(500, { message: 'down' })] } } };
    await withRules(
      routes,
      async (rig) => {
        await rig.ask('a');
        await askTimes(rig, 'b', 10);
        await watchOf(rig).look();
        const active = (await alertsOf(rig)).filter(({ state }) => state === 'active');
        const kinds = active.map(({ kind }) => kind);
        expect(kinds).toContain('alert.credential_unhealthy');
        expect(kinds).toContain('alert.circuit_open');
      },
      { over: QUICK },
    );
  });

  it('O-4: a slowed channel gets no more calls at a time than its cap', async () => {
    const slow = { ...okBody('a'), delay_ms: 150 };
    await withRules({ a: { up: { A: [slow] } } }, async (rig) => {
      const gateway = rig.gateway.inside as { caps: { capOf(channel: string): number | null } };
      gateway.caps = { capOf: (channel) => (channel === 'a#a0' ? 2 : null) };
      const answers = await Promise.all(Array.from({ length: 6 }, () => rig.ask('a')));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
      expect(rig.called()).toHaveLength(2);
      expect((await rig.ask('a')).status).toBe(200);
    });
  });
});

it('O-3: the page says how the store does', async () => {
  await withRules({ a: { up: { A: [okBody('a')] } } }, async (rig) => {
    await rig.ask('a', {}, { headers: { 'idempotency-key': 'k1' } });
    const page = await metricsOf(rig);
    expect(page).toContain('understudy_store_up 1');
    expect(page).toContain('understudy_replicas 1');
    expect(page).toMatch(/understudy_store_seconds_count\{op="keys_write"\} [1-9]/);
    expect(page).toContain('understudy_trace_dropped_total 0');
    // Nobody shares anything with it.
    expect(page).not.toMatch(/^understudy_shared_up/m);
  });
});

describe('O-3: traces', () => {
  it('a request is one trace with a span per attempt, under the client’s own; upstreams see none of it', async () => {
    const collector = await startCollector();
    const routes = { a: { up: { A: [DOWN] } }, b: { up: { B: [okBody('b')] } } };
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'tested' };
    const rig = await startRules(routes, { env, over: QUICK });
    const trace = '0af7651916cd43dd8448eb211c80319c';
    const headers = { traceparent: `00-${trace}-b7ad6b7169203331-01`, tracestate: 'vendor=1' };
    const answer = await rig.post({ models: ['a', 'b'], messages: [{ role: 'user', content: 'x' }] }, { headers });
    const record = await rig.record(answer);
    const unsampled = { traceparent: `00-${trace}-b7ad6b7169203331-00` };
    await rig.ask('b', {}, { headers: unsampled });
    for (const sent of rig.headersSent()) {
      expect(Object.keys(sent).filter((name) => name.startsWith('trace') || name === 'baggage')).toEqual([]);
    }
    await rig.close();
    await collector.close();
    expect(collector.resources[0]).toEqual({ 'service.name': 'tested' });
    const [request, ...attempts] = collector.spans;
    expect(new Set(collector.spans.map(({ traceId }) => traceId))).toEqual(new Set([trace]));
    expect(request).toMatchObject({ parentSpanId: 'b7ad6b7169203331', kind: 2, status: { code: 0 } });
    expect(request!.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'a',
      'gen_ai.response.model': 'b',
      'understudy.request.id': record.id,
      'understudy.role': 'fallback',
    });
    expect(attempts.map(({ attributes }) => attributes['understudy.attempt.id'])).toEqual(
      record.attempts.map(({ id }) => id),
    );
    expect(attempts.at(-1)!.attributes).toMatchObject({ 'server.address': '127.0.0.1', 'understudy.result': 'served' });
    expect(attempts.every(({ parentSpanId }) => parentSpanId === request!.spanId)).toBe(true);
  });

  it('E-5: no span holds a secret that an upstream repeats', async () => {
    const collector = await startCollector();
    const leaking = errorStep(401, { message: 'key sk-test-credential-0123456789 is wrong', code: 'invalid_api_key' });
    const rig = await startRules(
      { a: { up: { A: [leaking] } } },
      { env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }, over: QUICK },
    );
    await rig.ask('a');
    const sent = rig.headersSent().map((one) => String(one['authorization'] ?? ''));
    await rig.close();
    await collector.close();
    const text = JSON.stringify(collector.spans);
    expect(collector.spans.length).toBeGreaterThan(1);
    for (const secret of sent.map((one) => one.replace('Bearer ', '')).filter((one) => one.length > 6)) {
      expect(text).not.toContain(secret);
    }
  });
});
