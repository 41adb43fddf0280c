/**
 * How summaries and attempts lie in the file: values in a fixed order, without their names. A third of the size, and
 * writing them costs a third of the time. Fields are only ever added at the end; a shorter row reads as null there.
 */
import type { AttemptRecord, RequestSummary, StageRecord, UsageRecord } from '../../core/record.ts';

type Stored = readonly unknown[];

const SUMMARY_FIELDS = [
  'id',
  'client_request_id',
  'at',
  'workspace',
  'key',
  'endpoint',
  'stream',
  'requested_model',
  'served_model',
  'chain',
  'policy',
  'status',
  'outcome',
  'ending',
  'error_code',
  'degraded',
  'degraded_reasons',
  'idempotency',
  'client_retry',
  'latency_ms',
  'ttft_ms',
  'usage',
  'cost_nano_usd',
  'waste_nano_usd',
  'virtual_model',
  'upstream_calls',
  'job',
] as const satisfies readonly (keyof RequestSummary)[];

export type SummaryField = (typeof SUMMARY_FIELDS)[number];

/** Where a field lies in the column `summary`, as a JSON path. `usage` is a list itself: input, output, … */
export function summaryPath(field: SummaryField, index?: number): string {
  const at = `$[${SUMMARY_FIELDS.indexOf(field)}]`;
  return index === undefined ? at : `${at}[${index}]`;
}

const ATTEMPT_FIELDS = [
  'no',
  'id',
  'model',
  'channel',
  'credential',
  'provider',
  'upstream_model',
  'started_at',
  'sent_at',
  'latency_ms',
  'ttft_ms',
  'status',
  'result',
  'decision',
  'reason',
  'usage',
  'cost_nano_usd',
  'class',
  'trigger',
  'triggers',
  'provider_code',
  'provider_message',
  'provider_request_id',
  'retry_after_ms',
  'retry_after_source',
  'maybe_executed',
  'suspicious',
  'hedge',
  'changes',
  'rehearsed',
] as const satisfies readonly (keyof AttemptRecord)[];

// An attempt that nobody rehearsed ends before `rehearsed`.
/** A served attempt without anything to remark ends here: the rest is what `PLAIN_REST` says. */
const PLAIN_LENGTH = ATTEMPT_FIELDS.indexOf('class');
const PLAIN_REST: Stored = [null, null, [], null, null, null, null, null, false, false, false, []];

// Written out: the compiler checks the names above, the round-trip test the order below; a loop costs three times this.
/** `cut` bounds what a client wrote. */
export function storedSummary(s: RequestSummary, cut: (text: string | null) => string | null): Stored {
  return [
    s.id,
    cut(s.client_request_id),
    s.at,
    s.workspace,
    s.key,
    s.endpoint,
    s.stream,
    cut(s.requested_model),
    s.served_model,
    s.chain,
    s.policy,
    s.status,
    s.outcome,
    s.ending,
    s.error_code,
    s.degraded,
    s.degraded_reasons,
    s.idempotency,
    s.client_retry,
    s.latency_ms,
    s.ttft_ms,
    storedUsage(s.usage),
    s.cost_nano_usd,
    s.waste_nano_usd,
    s.virtual_model,
    s.upstream_calls,
    s.job,
  ];
}

/** Values in `ATTEMPT_FIELDS` order, shorter where the rest is plain. */
export function storedAttempt(a: AttemptRecord): Stored {
  const plain: unknown[] = [
    a.no,
    a.id,
    a.model,
    a.channel,
    a.credential,
    a.provider,
    a.upstream_model,
    a.started_at,
    a.sent_at,
    a.latency_ms,
    a.ttft_ms,
    a.status,
    a.result,
    a.decision,
    a.reason,
    storedUsage(a.usage),
    a.cost_nano_usd,
  ];
  const remarked = a.suspicious || a.hedge || a.maybe_executed || a.rehearsed === true;
  if (a.class === null && a.changes.length === 0 && !remarked) {
    const said = a.trigger ?? a.provider_code ?? a.provider_message ?? a.provider_request_id ?? a.retry_after_ms;
    if (said === null && a.triggers.length === 0 && a.retry_after_source === null) return plain;
  }
  plain.push(
    a.class,
    a.trigger,
    a.triggers,
    a.provider_code,
    a.provider_message,
    a.provider_request_id,
    a.retry_after_ms,
    a.retry_after_source,
    a.maybe_executed,
    a.suspicious,
    a.hedge,
    a.changes,
  );
  if (a.rehearsed === true) plain.push(true);
  return plain;
}

/** Of any version since the first. */
export function readSummaryFields(stored: Stored): RequestSummary {
  const { job, ...named } = withNames(SUMMARY_FIELDS, stored);
  // Rows of the version before this field.
  const upstream_calls = named['upstream_calls'] ?? 0;
  const usage = readUsage(named['usage']);
  return { ...named, usage, upstream_calls, ...(job === null ? {} : { job }) } as unknown as RequestSummary;
}

/** The reverse of `storedAttempt`. */
export function readAttempt(stored: Stored): AttemptRecord {
  const whole = stored.length === PLAIN_LENGTH ? [...stored, ...PLAIN_REST] : stored;
  const { rehearsed, ...named } = withNames(ATTEMPT_FIELDS, whole);
  const marked = rehearsed === true ? { ...named, rehearsed } : named;
  return { ...marked, usage: readUsage(named['usage']) } as unknown as AttemptRecord;
}

/** Stages by name, ms, and for the upstream stage its attempts. */
export function storedStage(stage: StageRecord): Stored {
  return stage.attempts === undefined ? [stage.name, stage.ms] : [stage.name, stage.ms, stage.attempts];
}

/** The reverse of `storedStage`. */
export function readStage(stored: Stored): StageRecord {
  const [name, ms, attempts] = stored as [StageRecord['name'], number, number?];
  return attempts === undefined ? { name, ms } : { name, ms, attempts };
}

function storedUsage(usage: UsageRecord | null): Stored | null {
  if (usage === null) return null;
  const { input_tokens, output_tokens, cached_tokens, reasoning_tokens, estimated } = usage;
  const counts = [input_tokens, output_tokens, cached_tokens, reasoning_tokens];
  return estimated === undefined ? counts : [...counts, estimated];
}

function readUsage(stored: unknown): UsageRecord | null {
  if (!Array.isArray(stored)) return null;
  const [input_tokens, output_tokens, cached_tokens, reasoning_tokens, estimated] = stored as [
    number | null,
    number | null,
    number | null,
    number | null,
    boolean?,
  ];
  const usage = { input_tokens, output_tokens, cached_tokens, reasoning_tokens };
  return estimated === undefined ? usage : { ...usage, estimated };
}

function withNames(fields: readonly string[], stored: Stored): Record<string, unknown> {
  return Object.fromEntries(fields.map((field, i) => [field, stored[i] ?? null]));
}
