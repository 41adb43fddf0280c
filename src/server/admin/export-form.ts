/** Requests as CSV (RFC 4180) and as lines of JSON. Pure. */
import type { RequestSummary } from '../../core/record.ts';

type Cell = string | number | boolean | null | undefined;

/** Columns in order, each with what it holds. */
const COLUMNS: Readonly<Record<string, (request: RequestSummary) => Cell>> = {
  id: ({ id }) => id,
  client_request_id: (request) => request.client_request_id,
  at: ({ at }) => at,
  workspace: ({ workspace }) => workspace,
  key: ({ key }) => key,
  endpoint: ({ endpoint }) => endpoint,
  stream: ({ stream }) => stream,
  requested_model: (request) => request.requested_model,
  virtual_model: (request) => request.virtual_model,
  served_model: (request) => request.served_model,
  chain: ({ chain }) => chain.join(' '),
  policy: ({ policy }) => policy,
  status: ({ status }) => status,
  outcome: ({ outcome }) => outcome,
  ending: ({ ending }) => ending,
  error_code: (request) => request.error_code,
  degraded: ({ degraded }) => degraded,
  degraded_reasons: (request) => request.degraded_reasons.join(' '),
  idempotency_key_hash: ({ idempotency }) => idempotency?.key_hash,
  idempotency_state: ({ idempotency }) => idempotency?.state,
  idempotency_role: ({ idempotency }) => idempotency?.role,
  client_retries: (request) => request.client_retry.count,
  upstream_calls: (request) => request.upstream_calls,
  latency_ms: (request) => request.latency_ms,
  ttft_ms: (request) => request.ttft_ms,
  input_tokens: ({ usage }) => usage?.input_tokens,
  output_tokens: ({ usage }) => usage?.output_tokens,
  cached_tokens: ({ usage }) => usage?.cached_tokens,
  reasoning_tokens: ({ usage }) => usage?.reasoning_tokens,
  cost_nano_usd: (request) => request.cost_nano_usd,
  waste_nano_usd: (request) => request.waste_nano_usd,
  job_id: ({ job }) => job?.id,
};
const READERS = Object.values(COLUMNS);

/** One of the forms that requests are exported in. */
export interface ExportForm {
  readonly contentType: string;
  /** Before the first request. */
  readonly head: string;
  line(request: RequestSummary): string;
}

export const EXPORT_FORMS: Readonly<Record<'csv' | 'ndjson', ExportForm>> = {
  csv: {
    contentType: 'text/csv; charset=utf-8; header=present',
    head: `${Object.keys(COLUMNS).join(',')}\r\n`,
    line: (request) => `${READERS.map((read) => csvCell(read(request))).join(',')}\r\n`,
  },
  ndjson: {
    contentType: 'application/x-ndjson; charset=utf-8',
    head: '',
    line: (request) => `${JSON.stringify(request)}\n`,
  },
};

/**
 * What a spreadsheet would take for a formula, in some languages by full-width signs, too. A client chooses model names and ids:
 * they must not run where they are opened.
 */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** One field. Text that begins like a formula gets a ' before it. */
export function csvCell(value: Cell): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
