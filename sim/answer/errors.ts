/** Error answers as providers and the edges in front of them really write them. */

export interface ErrorAnswer {
  readonly contentType: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Row {
  readonly message: string;
  readonly type: string;
  readonly code: string | null;
}

function row(message: string, type: string, code: string | null = null): Row {
  return { message, type, code };
}

const INVALID = 'invalid_request_error';

const BY_STATUS: Readonly<Record<number, Row>> = {
  400: row("Invalid value for 'messages'.", INVALID, 'invalid_value'),
  401: row('Incorrect API key provided.', INVALID, 'invalid_api_key'),
  402: row('Insufficient balance.', 'billing_error', 'insufficient_balance'),
  403: row('You are not allowed to use this model.', 'permission_error', 'permission_denied'),
  404: row('The model does not exist or you do not have access to it.', INVALID, 'model_not_found'),
  408: row('The request timed out.', 'timeout'),
  409: row('The request conflicts with another one.', INVALID, 'conflict'),
  413: row('The request is too large.', INVALID, 'request_too_large'),
  415: row('Unsupported media type.', INVALID),
  422: row('The request could not be processed.', INVALID, 'unprocessable_entity'),
  429: row('Rate limit reached. Please try again later.', 'requests', 'rate_limit_exceeded'),
  500: row('The server had an error while processing your request.', 'server_error'),
  503: row('The engine is currently overloaded, please try again later.', 'server_error', 'overloaded'),
  529: row('Overloaded', 'overloaded_error', 'overloaded_error'),
};

/** Statuses that come from the edge, as an HTML page. */
const PAGES: Readonly<Record<number, string>> = {
  502: 'Bad Gateway',
  504: 'Gateway Time-out',
  520: 'Web server is returning an unknown error',
  521: 'Web server is down',
  522: 'Connection timed out',
  523: 'Origin is unreachable',
  524: 'A timeout occurred',
  525: 'SSL handshake failed',
  526: 'Invalid SSL certificate',
  527: 'Railgun error',
  530: 'Origin DNS error',
};

/** The body and headers a provider sends with a status. */
export function errorAnswer(status: number): ErrorAnswer {
  const title = PAGES[status];
  if (title !== undefined) {
    const name = `${status} ${title}`;
    const body = `<html>\r\n<head><title>${name}</title></head>\r\n<body><center><h1>${name}</h1></center></body>\r\n</html>\r\n`;
    return { contentType: 'text/html', body, headers: { server: status >= 520 ? 'cloudflare' : 'nginx' } };
  }
  if (status < 400) return { contentType: 'text/plain', body: '', headers: { location: '/elsewhere' } };
  const fallback = status >= 500 ? row('Internal error.', 'server_error') : row('The request was refused.', INVALID);
  return {
    contentType: 'application/json',
    body: errorBody(BY_STATUS[status] ?? fallback),
    headers: headersFor(status),
  };
}

/** An OpenAI-style error object as JSON text. */
export function errorBody(error: {
  message: string;
  type: string;
  code: string | null;
  param?: string | null;
}): string {
  return JSON.stringify({
    error: { message: error.message, type: error.type, param: error.param ?? null, code: error.code },
  });
}

function headersFor(status: number): Record<string, string> {
  if (status !== 429) return {};
  return {
    'retry-after': '1',
    'x-ratelimit-limit-requests': '60',
    'x-ratelimit-remaining-requests': '0',
    'x-ratelimit-reset-requests': '1s',
  };
}
