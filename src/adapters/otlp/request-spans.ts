/**
 * The spans of one finished request, made from its record: one for the request, one per attempt, by OpenTelemetry's GenAI
 * conventions where they have a name for it, `understudy.…` for the rest (O-3).
 */
import type { AttemptRecord, RecordDraft } from '../../core/record.ts';
import { roleOf } from '../../core/signals/primary.ts';
import { telemetryOperation, telemetryProvider } from '../../providers/telemetry-names.ts';
import { attributesOf, CLIENT, FAILED, fraction, INTERNAL, nanos, SERVER, type Span, UNSET } from './span.ts';
import { spanIdOf, type TraceParent, traceIdOf } from './trace-context.ts';

/** What the configuration knows of a provider. */
export interface ProviderFacts {
  readonly type: string;
  readonly baseUrl: string;
}

export interface SpanSources {
  /** By its name in the configuration; null = it is no longer there. */
  provider(name: string): ProviderFacts | null;
  /** The model a request was meant for. */
  primaryOf(draft: RecordDraft): string | null;
}

/** Sampled, and it is known whether the parent is another process's. */
const OWN_PARENT = 0x101;
const REMOTE_PARENT = 0x301;

export function spansOf(draft: RecordDraft, parent: TraceParent | null, sources: SpanSources): Span[] {
  const traceId = parent?.traceId ?? traceIdOf(draft.id);
  const primary = sources.primaryOf(draft);
  const request = requestSpan(draft, traceId, parent, primary);
  return [request, ...draft.attempts.map((attempt) => attemptSpan(draft, attempt, request, primary, sources))];
}

function requestSpan(draft: RecordDraft, traceId: string, parent: TraceParent | null, primary: string | null): Span {
  const start = Date.parse(draft.at);
  const operation = telemetryOperation(draft.endpoint);
  // Else anybody's invention would become a span's name.
  const model = draft.chain.length > 0 ? draft.requested_model : null;
  const failed = draft.status >= 500 || draft.ending === 'failed' || draft.ending === 'interrupted';
  return {
    traceId,
    spanId: spanIdOf(draft.id, 0),
    ...(parent === null ? {} : { parentSpanId: parent.spanId }),
    name: model === null ? operation : `${operation} ${model}`,
    kind: SERVER,
    startTimeUnixNano: nanos(start),
    endTimeUnixNano: nanos(start + draft.latency_ms),
    attributes: [
      ...attributesOf({
        'gen_ai.operation.name': operation,
        'gen_ai.request.model': draft.requested_model,
        'gen_ai.request.stream': draft.stream,
        'gen_ai.response.model': draft.served_model,
        ...usageOf(draft),
        'http.response.status_code': draft.status,
        'error.type': failed ? (draft.error_code ?? String(draft.status)) : null,
        'understudy.request.id': draft.id,
        'understudy.client_request.id': draft.client_request_id,
        'understudy.endpoint': draft.endpoint,
        'understudy.workspace': draft.workspace,
        'understudy.key': draft.key,
        'understudy.virtual_model': draft.virtual_model,
        'understudy.outcome': draft.outcome,
        'understudy.ending': draft.ending,
        'understudy.role': roleOf(draft, primary),
        'understudy.degraded': draft.degraded,
        'understudy.upstream_calls': draft.upstream_calls,
        'understudy.client_retries': draft.client_retry.count,
        'understudy.idempotency.role': draft.idempotency?.role,
        'understudy.cost_nano_usd': draft.cost_nano_usd,
        'understudy.waste_nano_usd': draft.waste_nano_usd,
      }),
      ...fraction('gen_ai.response.time_to_first_chunk', seconds(draft.stream ? draft.ttft_ms : null)),
    ],
    status: { code: failed ? FAILED : UNSET },
    flags: parent === null ? OWN_PARENT : REMOTE_PARENT,
  };
}

function attemptSpan(
  draft: RecordDraft,
  attempt: AttemptRecord,
  request: Span,
  primary: string | null,
  sources: SpanSources,
): Span {
  const start = Date.parse(attempt.started_at);
  const operation = telemetryOperation(draft.endpoint);
  const called = attempt.rehearsed !== true;
  const facts = sources.provider(attempt.provider);
  return {
    traceId: request.traceId,
    spanId: spanIdOf(draft.id, attempt.no),
    parentSpanId: request.spanId,
    name: `${operation} ${attempt.upstream_model}`,
    kind: called ? CLIENT : INTERNAL,
    startTimeUnixNano: nanos(start),
    endTimeUnixNano: nanos(start + attempt.latency_ms),
    attributes: [
      ...attributesOf({
        'gen_ai.operation.name': operation,
        'gen_ai.provider.name': (facts === null ? null : telemetryProvider(facts.type)) ?? attempt.provider,
        'gen_ai.request.model': attempt.upstream_model,
        'gen_ai.request.stream': draft.stream,
        ...usageOf(attempt),
        ...(called && facts !== null ? addressOf(facts.baseUrl) : {}),
        'http.response.status_code': attempt.status,
        'error.type': attempt.class,
        'understudy.attempt.id': attempt.id,
        'understudy.attempt.no': attempt.no,
        'understudy.model': attempt.model,
        'understudy.channel': attempt.channel,
        'understudy.credential': attempt.credential,
        'understudy.role': attempt.model === primary ? 'primary' : 'fallback',
        'understudy.result': attempt.result,
        'understudy.decision': attempt.decision,
        'understudy.reason': attempt.reason,
        'understudy.maybe_executed': attempt.maybe_executed,
        'understudy.hedge': attempt.hedge,
        'understudy.rehearsed': called ? null : true,
        'understudy.provider_code': attempt.provider_code,
        'understudy.retry_after_ms': attempt.retry_after_ms,
        'understudy.cost_nano_usd': attempt.cost_nano_usd,
      }),
      ...fraction('gen_ai.response.time_to_first_chunk', seconds(draft.stream ? attempt.ttft_ms : null)),
    ],
    status: { code: attempt.class === null ? UNSET : FAILED },
    flags: OWN_PARENT,
  };
}

function usageOf({ usage }: Pick<RecordDraft, 'usage'>): Record<string, number | null> {
  if (usage === null) return {};
  return {
    'gen_ai.usage.input_tokens': usage.input_tokens,
    'gen_ai.usage.output_tokens': usage.output_tokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cached_tokens,
    'gen_ai.usage.reasoning.output_tokens': usage.reasoning_tokens,
  };
}

type Address = Readonly<Record<string, string | number>>;

/** By base URL; configuration names few. */
const addresses = new Map<string, Address>();
const MOST_ADDRESSES = 1000;

function addressOf(baseUrl: string): Address {
  const known = addresses.get(baseUrl);
  if (known !== undefined) return known;
  if (addresses.size >= MOST_ADDRESSES) addresses.clear();
  const made = readAddress(baseUrl);
  addresses.set(baseUrl, made);
  return made;
}

function readAddress(baseUrl: string): Address {
  if (!URL.canParse(baseUrl)) return {};
  const { hostname, port, protocol } = new URL(baseUrl);
  if (hostname === '') return {};
  return { 'server.address': hostname, 'server.port': port === '' ? (protocol === 'http:' ? 80 : 443) : Number(port) };
}

function seconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1000;
}
