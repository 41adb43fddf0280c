/** Anthropic Messages, both versions. */
import { type Ask, endsWithPath, type Place, type SimDialect } from '../dialect.ts';
import { EVENT_FRAMES } from '../event-frames.ts';
import { errorBody, errorHeaders } from './errors.ts';
import { prefixOf, renderBody, renderStream } from './render.ts';
import { readMessagesRequest } from './request.ts';

export const messagesDialect: SimDialect = {
  name: 'anthropic',
  match,
  read: (body, place, ask, memory) => readMessagesRequest(body, place.operation, ask.headers, memory),
  renderBody,
  renderStream,
  framing: () => EVENT_FRAMES,
  answerHeaders: ({ id }) => ({
    'request-id': `req_${id}`,
    'anthropic-ratelimit-requests-limit': '60',
    'anthropic-ratelimit-requests-remaining': '59',
  }),
  errorBody,
  errorHeaders,
  streamError: (fault) => ({ name: 'error', data: errorBody(fault), content: false }),
  remember: (_completion, request, memory) => {
    const prefix = prefixOf(request);
    if (prefix !== null) memory.keep(prefix, true);
  },
  listModels,
};

function match(ask: Ask): Place | null {
  if (ask.method !== 'POST') return null;
  const place = { model: null, stream: null, form: null };
  if (endsWithPath(ask, '/messages')) return { ...place, operation: 'generate' };
  return endsWithPath(ask, '/messages/count_tokens') ? { ...place, operation: 'count_tokens', stream: false } : null;
}

/** Whoever names a version of this API gets the list in its shape. */
function listModels(ask: Ask, names: readonly string[]): { status: number; body: string } | null {
  if (ask.headers['anthropic-version'] === undefined) return null;
  const data = names.map((id) => ({ type: 'model', id, display_name: id, created_at: '2026-01-01T00:00:00Z' }));
  const list = { data, has_more: false, first_id: names[0] ?? null, last_id: names.at(-1) ?? null };
  return { status: 200, body: JSON.stringify(list) };
}
