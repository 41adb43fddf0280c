import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { describe, expect, it } from 'vitest';
import { plainDraft, sampleAttempt, sampleDraft } from '../../../test/support/sample-draft.ts';
import { type SpanSources, spansOf } from './request-spans.ts';
import { exportBody, type Span } from './span.ts';
import { readTraceParent, traceIdOf } from './trace-context.ts';

const SOURCES: SpanSources = {
  provider: (name) => (name === 'openai' ? { type: 'openai', baseUrl: 'https://api.openai.com/v1' } : null),
  primaryOf: ({ requested_model }) => requested_model,
};
const PARENT = readTraceParent('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01')!;

function valuesOf(span: Span): Record<string, unknown> {
  return Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

describe('O-3: a request that moved to another model', () => {
  const [request, first, second] = spansOf(sampleDraft(1), null, SOURCES);

  it('is a span of a server with one of a client for each attempt, in one trace', () => {
    expect([request, first, second].map((span) => [span!.name, span!.kind])).toEqual([
      ['chat openai/gpt-5-nano', 2],
      ['chat gpt-5-nano', 3],
      ['chat claude-sonnet', 3],
    ]);
    expect([request!.traceId, first!.traceId, second!.traceId]).toEqual(Array(3).fill(traceIdOf('req_00000001')));
    expect([request!.parentSpanId, first!.parentSpanId, second!.parentSpanId]).toEqual([
      undefined,
      request!.spanId,
      request!.spanId,
    ]);
    expect(new Set([request!.spanId, first!.spanId, second!.spanId]).size).toBe(3);
  });

  it('says by the conventions what was asked, what answered and what it took', () => {
    expect(valuesOf(request!)).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'openai/gpt-5-nano',
      'gen_ai.response.model': 'anthropic/claude-sonnet',
      'gen_ai.usage.input_tokens': 10,
      'gen_ai.usage.output_tokens': 5,
      'gen_ai.response.time_to_first_chunk': 0.64,
      'http.response.status_code': 200,
      'understudy.role': 'fallback',
      'understudy.outcome': 'success',
    });
    expect(request!.status.code).toBe(0);
    expect(Number(request!.endTimeUnixNano) - Number(request!.startTimeUnixNano)).toBeCloseTo(853.1e6, -3);
  });

  it('says of each attempt where it went, whether it failed and what was decided', () => {
    expect(first!.status.code).toBe(2);
    expect(valuesOf(first!)).toMatchObject({
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-5-nano',
      'server.address': 'api.openai.com',
      'server.port': 443,
      'http.response.status_code': 429,
      'error.type': 'rate_limit',
      'understudy.model': 'openai/gpt-5-nano',
      'understudy.channel': 'direct',
      'understudy.decision': 'next_model',
      'understudy.role': 'primary',
      'understudy.maybe_executed': false,
    });
    expect(second!.status.code).toBe(0);
    expect(valuesOf(second!)).toMatchObject({ 'understudy.role': 'fallback', 'understudy.result': 'served' });
    expect(valuesOf(second!)).not.toHaveProperty('error.type');
    // Its provider is no longer configured: its name is all that is known.
    expect(valuesOf(second!)).toMatchObject({ 'gen_ai.provider.name': 'anthropic' });
    expect(valuesOf(second!)).not.toHaveProperty('server.address');
  });
});

it('O-3: the client’s span is the parent, its trace goes on', () => {
  const [request, attempt] = spansOf(plainDraft(1), PARENT, SOURCES);
  expect([request!.traceId, request!.parentSpanId]).toEqual([PARENT.traceId, PARENT.spanId]);
  expect([attempt!.traceId, attempt!.parentSpanId]).toEqual([PARENT.traceId, request!.spanId]);
});

it('O-3: a failed request is an error by its code, a client’s own mistake is none', () => {
  const failed = { status: 502, ending: 'failed', error_code: 'all_models_failed', served_model: null } as const;
  const [request] = spansOf(sampleDraft(1, failed), null, SOURCES);
  expect([request!.status.code, valuesOf(request!)['error.type']]).toEqual([2, 'all_models_failed']);
  const rejected = { status: 404, ending: 'rejected', error_code: 'model_not_found', attempts: [], chain: [] } as const;
  const [mistake] = spansOf(plainDraft(1, { ...rejected, requested_model: 'a guess', usage: null }), null, SOURCES);
  expect([mistake!.status.code, mistake!.name]).toEqual([0, 'chat']);
  expect(valuesOf(mistake!)).not.toHaveProperty('gen_ai.usage.input_tokens');
});

it('X-4: a rehearsed failure is no call', () => {
  const [, attempt] = spansOf(sampleDraft(1, { attempts: [sampleAttempt(1, { rehearsed: true })] }), null, SOURCES);
  expect(attempt!.kind).toBe(1);
  expect(valuesOf(attempt!)).not.toHaveProperty('server.address');
  expect(valuesOf(attempt!)['understudy.rehearsed']).toBe(true);
});

it('O-3: OpenTelemetry’s own serializer writes the same spans the same way', () => {
  const spans = spansOf(sampleDraft(1), PARENT, SOURCES);
  const resource = [{ key: 'service.name', value: { stringValue: 'understudy' } }];
  const ours = JSON.parse(exportBody(resource, spans)) as Exported;
  const theirs = JSON.parse(
    new TextDecoder().decode(JsonTraceSerializer.serializeRequest(spans.map((span) => readable(span)) as never)),
  ) as Exported;
  expect(ours.resourceSpans[0]!.resource.attributes).toEqual(theirs.resourceSpans[0]!.resource.attributes);
  const [mine, other] = [ours, theirs].map(({ resourceSpans }) => resourceSpans[0]!.scopeSpans[0]!);
  expect(mine!.scope).toEqual(other!.scope);
  // What has no default in OTLP; the rest of theirs are counts of 0 and empty lists.
  const empty = { events: [], links: [], droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0 };
  expect(mine!.spans.map((span) => ({ ...empty, ...span }))).toEqual(other!.spans);
});

interface Exported {
  resourceSpans: {
    resource: { attributes: unknown };
    scopeSpans: { scope: unknown; spans: Record<string, unknown>[] }[];
  }[];
}

/** One of our spans as the library's SDK holds one. */
function readable(span: Span): object {
  const { traceId, spanId, parentSpanId, name, kind, status } = span;
  const isRemote = (span.flags & 0x200) !== 0;
  return {
    name,
    kind: kind - 1,
    spanContext: () => ({ traceId, spanId, traceFlags: 1 }),
    ...(parentSpanId === undefined ? {} : { parentSpanContext: { traceId, spanId: parentSpanId, isRemote } }),
    startTime: hrTime(span.startTimeUnixNano),
    endTime: hrTime(span.endTimeUnixNano),
    status,
    attributes: valuesOf(span),
    events: [],
    links: [],
    resource: SHARED_RESOURCE,
    instrumentationScope: { name: 'understudy' },
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

const SHARED_RESOURCE = { attributes: { 'service.name': 'understudy' } };

function hrTime(text: string): [number, number] {
  const all = BigInt(text);
  return [Number(all / 1_000_000_000n), Number(all % 1_000_000_000n)];
}
