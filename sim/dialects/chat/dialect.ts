/** OpenAI Chat Completions. */
import { endsWithPath, type SimDialect } from '../dialect.ts';
import { EVENT_FRAMES } from '../event-frames.ts';
import { errorBody, errorHeaders } from './errors.ts';
import { renderBody, renderStream } from './render.ts';
import { readChatRequest } from './request.ts';

export const chatDialect: SimDialect = {
  name: 'openai-chat',
  match: (ask) =>
    ask.method === 'POST' && endsWithPath(ask, '/chat/completions')
      ? { operation: 'generate', model: null, stream: null, form: null }
      : null,
  read: readChatRequest,
  renderBody,
  renderStream: (completion, request, finish) => ({
    events: renderStream(completion, request, finish),
    terminator: { data: '[DONE]', content: false },
  }),
  framing: () => EVENT_FRAMES,
  errorBody,
  errorHeaders,
  streamError: (fault) => ({ data: errorBody(fault), content: false }),
  listModels: (_ask, names) => ({
    status: 200,
    body: JSON.stringify({
      object: 'list',
      data: names.map((id) => ({ id, object: 'model', created: 0, owned_by: 'simulator' })),
    }),
  }),
};
