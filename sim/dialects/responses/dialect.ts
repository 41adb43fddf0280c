/** OpenAI Responses. */
import { errorHeaders } from '../chat/errors.ts';
import { endsWithPath, type Place, type SimDialect } from '../dialect.ts';
import { EVENT_FRAMES } from '../event-frames.ts';
import { errorBody, streamError } from './errors.ts';
import { remember, serve } from './read-again.ts';
import { readResponsesRequest } from './request.ts';
import { renderBody } from './response.ts';
import { renderStream } from './stream.ts';

const GENERATE: Place = { operation: 'generate', model: null, stream: null, form: null };
const COUNT: Place = { operation: 'count_tokens', model: null, stream: false, form: null };

export const responsesDialect: SimDialect = {
  name: 'openai-responses',
  match: (ask) => {
    if (ask.method !== 'POST') return null;
    if (endsWithPath(ask, '/responses')) return GENERATE;
    return endsWithPath(ask, '/responses/input_tokens') ? COUNT : null;
  },
  read: readResponsesRequest,
  renderBody,
  renderStream,
  framing: () => EVENT_FRAMES,
  errorBody,
  errorHeaders,
  streamError,
  remember,
  serve,
};
