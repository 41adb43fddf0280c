/** The request log as a file (O-5). */
import type { RequestSummary } from '../../core/record.ts';
import type { RequestFilter } from '../../ports/record-store.ts';
import type { AdminDeps, AdminGateway } from './admin-deps.ts';
import type { AdminCall, AdminRoute } from './admin-route.ts';
import { EXPORT_FORMS, type ExportForm } from './export-form.ts';
import { queryParameter, TEXT } from './openapi-parts.ts';
import { REQUEST_FILTERS, readRequestFilter, withinScope } from './request-filter.ts';
import { StreamedAnswer } from './streamed-answer.ts';

/** More are no file to look at, and would keep the reading side of the log busy for minutes. */
const MAX_ROWS = 1_000_000;
/** Requests in memory at once. */
const PAGE_ROWS = 500;
/** Tells how many rows this answer has at most: as many rows as that mean that there are more. */
const LIMIT_HEADER = 'x-understudy-export-limit';

const FORMATS = ['csv', 'ndjson'] as const;

const PARAMETERS = [
  queryParameter(
    'format',
    { type: 'string', enum: FORMATS, default: 'csv' },
    'CSV (RFC 4180), or a JSON object a line.',
  ),
  ...REQUEST_FILTERS,
  queryParameter(
    'limit',
    { type: 'integer', minimum: 1, maximum: MAX_ROWS, default: MAX_ROWS },
    `Rows at most; the answer says so in \`${LIMIT_HEADER}\`. Go on with \`to\` where it ended.`,
  ),
];

export function exportRoutes(deps: AdminDeps): AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/v1/requests/export',
      summary:
        "Requests as a file, newest first, sent while it is read. In CSV, text that begins with = + - @ tab or return has a ' before it, so that no spreadsheet takes it for a formula.",
      needs: 'requests.read',
      parameters: PARAMETERS,
      answer: TEXT,
      answerTypes: ['text/csv', 'application/x-ndjson'],
      handle: (call) => exported(deps.gateway, call),
    },
  ];
}

async function exported({ records, clock }: AdminGateway, { query, scope }: AdminCall): Promise<StreamedAnswer> {
  const format = query.oneOf('format', FORMATS) === 'ndjson' ? 'ndjson' : 'csv';
  const limit = query.whole('limit', 1, MAX_ROWS) ?? MAX_ROWS;
  const filter = withinScope(readRequestFilter(query), scope);
  const form = EXPORT_FORMS[format];
  const pages = filter === null ? nothing() : pagesOf(records, filter, limit);
  // The first page before the answer begins: a log that can't be read is an error then, and no broken file.
  const first = await pages.next();
  const day = new Date(clock.wall()).toISOString().slice(0, 10);
  const headers = {
    'content-type': form.contentType,
    'content-disposition': `attachment; filename="requests-${day}.${format}"`,
    'x-content-type-options': 'nosniff',
    [LIMIT_HEADER]: String(limit),
  };
  return new StreamedAnswer(headers, textOf(form, first.done === true ? [] : first.value, pages));
}

type Pages = AsyncGenerator<readonly RequestSummary[], void, undefined>;

async function* nothing(): Pages {
  // No page.
}

async function* pagesOf(
  records: AdminGateway['records'],
  filter: Omit<RequestFilter, 'limit' | 'cursor'>,
  limit: number,
): Pages {
  let left = limit;
  let cursor: string | undefined;
  while (left > 0) {
    const rows = Math.min(PAGE_ROWS, left);
    const page = await records.list({ ...filter, limit: rows, ...(cursor === undefined ? {} : { cursor }) });
    left -= page.data.length;
    yield page.data;
    if (page.next_cursor === null) return;
    cursor = page.next_cursor;
  }
}

async function* textOf(form: ExportForm, first: readonly RequestSummary[], pages: Pages): AsyncGenerator<string> {
  try {
    yield form.head + linesOf(form, first);
    // An empty page, too: where few requests match, one who has left is noticed in between.
    for await (const page of pages) yield linesOf(form, page);
  } finally {
    await pages.return();
  }
}

function linesOf(form: ExportForm, page: readonly RequestSummary[]): string {
  return page.map((request) => form.line(request)).join('');
}
