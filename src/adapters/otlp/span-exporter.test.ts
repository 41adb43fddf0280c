import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { REAL_CLOCK } from '../../../test/support/real-clock.ts';
import { plainDraft } from '../../../test/support/sample-draft.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Transport, UpstreamHandler, UpstreamRequest } from '../../ports/transport.ts';
import { createUndiciTransport } from '../transport/undici-transport.ts';
import type { OtlpSettings } from './settings.ts';
import { type ExporterParts, SpanExporter } from './span-exporter.ts';

const SETTINGS: OtlpSettings = {
  url: 'http://collector/v1/traces',
  headers: ['x-key', 'k'],
  timeoutMs: 10_000,
  sampler: () => true,
  resource: [],
  notes: [],
};

/** Timers that fire when the test says so. */
class HandTimers {
  readonly #timers = new Set<{ at: number; callback: () => void }>();
  #now = 0;
  readonly clock: Clock = {
    wall: () => this.#now,
    now: () => this.#now,
    after: (ms, callback) => {
      const timer = { at: this.#now + ms, callback };
      this.#timers.add(timer);
      return () => void this.#timers.delete(timer);
    },
  };

  async pass(ms: number): Promise<void> {
    this.#now += ms;
    for (const timer of [...this.#timers]) {
      if (timer.at > this.#now || !this.#timers.delete(timer)) continue;
      timer.callback();
      await settled();
    }
    await settled();
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

type Say = (handler: UpstreamHandler) => void;
const status =
  (code: number, body = '{}', headers: Record<string, string> = {}): Say =>
  (handler) => {
    handler.onHead(code, headers);
    handler.onData(Buffer.from(body));
    handler.onEnd();
  };
const refused: Say = (handler) => handler.onFault({ kind: 'refused' } as never);
const silent: Say = () => undefined;

function rig(answers: readonly Say[] = [], settings: OtlpSettings = SETTINGS) {
  const left = [...answers];
  const calls: UpstreamRequest[] = [];
  const problems: (string | null)[] = [];
  const timers = new HandTimers();
  const transport: Transport = {
    call(request, handler) {
      calls.push(request);
      queueMicrotask(() => (left.shift() ?? status(200))(handler));
      return { abort: () => undefined, resume: () => undefined, sent: true };
    },
    close: async () => undefined,
  };
  const parts: ExporterParts = {
    settings,
    sources: { provider: () => null, primaryOf: () => null },
    transport,
    clock: timers.clock,
    onProblem: (problem) => problems.push(problem),
  };
  const exporter = new SpanExporter(parts);
  const spans = (): number[] => calls.map(({ body }) => spansIn(body as Uint8Array).length);
  return { exporter, calls, problems, timers, spans };
}

function spansIn(body: Uint8Array): { name: string; traceId: string; attributes: object[] }[] {
  return JSON.parse(Buffer.from(body).toString('utf8')).resourceSpans[0].scopeSpans[0].spans;
}

describe('O-3: spans leave in batches, beside the requests', () => {
  it('five seconds after the first, all together', async () => {
    const { exporter, calls, timers, spans, problems } = rig();
    exporter.observe(plainDraft(1), null);
    exporter.observe(plainDraft(2), null);
    await timers.pass(4999);
    expect(calls).toEqual([]);
    await timers.pass(1);
    expect(spans()).toEqual([4]);
    expect(calls[0]).toMatchObject({ url: SETTINGS.url, proxy: null });
    expect(calls[0]!.headers).toEqual(expect.arrayContaining(['content-type', 'application/json', 'x-key', 'k']));
    expect(problems).toEqual([null]);
    expect(exporter.dropped).toBe(0);
  });

  it('at once when a batch is full', async () => {
    const { exporter, timers, spans } = rig();
    for (let n = 0; n < 300; n += 1) exporter.observe(plainDraft(n), null);
    await timers.pass(0);
    expect(spans()).toEqual([512, 88]);
  });

  it('the queue is bounded: what does not fit is dropped and counted', async () => {
    const { exporter, timers, spans } = rig([silent]);
    for (let n = 0; n < 256; n += 1) exporter.observe(plainDraft(n), null);
    await timers.pass(0);
    for (let n = 0; n < 2000; n += 1) exporter.observe(plainDraft(n), null);
    expect(exporter.dropped).toBe(2 * (2000 - 1024));
    expect(spans()).toEqual([512]);
  });

  it('sampled out is neither sent nor dropped', async () => {
    const { exporter, calls, timers } = rig([], { ...SETTINGS, sampler: () => false });
    exporter.observe(plainDraft(1), null);
    await timers.pass(60_000);
    expect([calls.length, exporter.dropped]).toEqual([0, 0]);
  });
});

describe('O-3: a collector that can’t take them', () => {
  it('now is asked again after 1, 2 and 4 s', async () => {
    const { exporter, timers, spans, problems } = rig([status(503), refused, status(429)]);
    exporter.observe(plainDraft(1), null);
    await timers.pass(5000);
    for (const ms of [1000, 2000, 4000]) await timers.pass(ms);
    expect(spans()).toEqual([2, 2, 2, 2]);
    expect(problems).toEqual([null]);
    expect(exporter.dropped).toBe(0);
  });

  it('waits as long as it is told to', async () => {
    const { exporter, timers, spans } = rig([status(429, '', { 'retry-after': '20' })]);
    exporter.observe(plainDraft(1), null);
    await timers.pass(5000);
    await timers.pass(19_999);
    expect(spans()).toEqual([2]);
    await timers.pass(1);
    expect(spans()).toEqual([2, 2]);
  });

  it('for good: four tries, then they are dropped, counted and told', async () => {
    const { exporter, timers, spans, problems } = rig([refused, refused, refused, refused]);
    exporter.observe(plainDraft(1), null);
    for (const ms of [5000, 1000, 2000, 4000]) await timers.pass(ms);
    expect(spans()).toEqual([2, 2, 2, 2]);
    expect(exporter.dropped).toBe(2);
    expect(problems).toEqual(['the collector is not reached: it refused the connection']);
  });

  it('ever: what it calls wrong is not sent again', async () => {
    const { exporter, timers, spans, problems } = rig([status(400)]);
    exporter.observe(plainDraft(1), null);
    await timers.pass(5000);
    await timers.pass(60_000);
    expect([spans(), exporter.dropped, problems]).toEqual([[2], 2, ['the collector answers 400']]);
  });

  it('in part: it says how many, those are dropped', async () => {
    const { exporter, timers, problems } = rig([status(200, '{"partialSuccess":{"rejectedSpans":"1"}}')]);
    exporter.observe(plainDraft(1), null);
    await timers.pass(5000);
    expect([exporter.dropped, problems]).toEqual([1, ['the collector did not take 1 of 2 spans']]);
  });

  it('in time: a call that hangs is given up', async () => {
    const { exporter, timers, spans } = rig([silent]);
    exporter.observe(plainDraft(1), null);
    await timers.pass(5000);
    await timers.pass(10_000);
    await timers.pass(1000);
    expect(spans()).toEqual([2, 2]);
  });

  it('at the end: closing sends what is queued once and waits for no repeat', async () => {
    const { exporter, timers, spans } = rig([refused]);
    exporter.observe(plainDraft(1), null);
    const closed = exporter.close();
    await timers.pass(0);
    await closed;
    expect([spans(), exporter.dropped]).toEqual([[2], 2]);
  });
});

let server: Server | null = null;
afterEach(() => {
  server?.close();
  server = null;
});

it('O-3: over HTTP a collector gets JSON that it can read, under the client’s trace', async () => {
  const got: { headers: Record<string, unknown>; body: string }[] = [];
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      got.push({ headers: { ...request.headers, path: request.url }, body: Buffer.concat(chunks).toString('utf8') });
      response.setHeader('content-type', 'application/json').end('{"partialSuccess":{}}');
    });
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const transport = createUndiciTransport();
  const exporter = new SpanExporter({
    settings: { ...SETTINGS, url: `http://127.0.0.1:${port}/v1/traces` },
    sources: { provider: () => null, primaryOf: () => null },
    transport,
    clock: REAL_CLOCK,
    onProblem: () => undefined,
  });
  const trace = '0af7651916cd43dd8448eb211c80319c';
  exporter.observe(plainDraft(1, { workspace: 'größe "☃"' }), `00-${trace}-b7ad6b7169203331-01`);
  await exporter.close();
  await transport.close();
  expect(got).toHaveLength(1);
  expect(got[0]!.headers).toMatchObject({ 'content-type': 'application/json', path: '/v1/traces', 'x-key': 'k' });
  const spans = spansIn(Buffer.from(got[0]!.body));
  expect(spans.map(({ traceId }) => traceId)).toEqual([trace, trace]);
  expect(JSON.stringify(spans[0]!.attributes)).toContain('größe \\"☃\\"');
  expect(exporter.dropped).toBe(0);
});
