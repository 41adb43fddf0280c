/** Google's `generateContent`, its stream in both forms, and `countTokens`. */
import type { SimRequest } from '../../answer/request.ts';
import type { Ask, Fault, Place, SimDialect, StreamEvent } from '../dialect.ts';
import { errorBody, errorOf } from './errors.ts';
import { ARRAY_FRAMES, SSE_FRAMES, UNFRAMED } from './frames.ts';
import { CLOSING, renderBody, renderStream } from './render.ts';
import { ownOf, readRequest } from './request.ts';

/** Under any prefix: `/v1`, `/v1beta`, a project's path. Names may hold `/` and `:`; the last `:` starts the verb. */
const PATH = /\/models\/(.+):(generateContent|streamGenerateContent|countTokens)$/;

export const generateDialect: SimDialect = {
  name: 'gemini',
  match: placeOf,
  read: readRequest,
  renderBody,
  renderStream,
  framing: (request) => (ownOf(request).form === 'array' ? ARRAY_FRAMES : SSE_FRAMES),
  errorBody: (fault, request) => (isArray(request) ? `[${errorBody(fault).trimEnd()}\n]\n` : errorBody(fault)),
  // This API tells when to come back in the body alone.
  errorHeaders: () => ({}),
  streamError,
  listModels,
};

/** A stream in the array's form: its errors come in one as well. */
function isArray(request: SimRequest | undefined): boolean {
  return request?.stream === true && ownOf(request).form === 'array';
}

function placeOf(ask: Ask): Place | null {
  const match = ask.method === 'POST' ? PATH.exec(ask.path) : null;
  const name = match?.[1];
  if (name === undefined) return null;
  const verb = match?.[2];
  return {
    operation: verb === 'countTokens' ? 'count_tokens' : 'generate',
    model: decoded(name),
    stream: verb === 'streamGenerateContent',
    form: (ask.query.get('alt') ?? ask.query.get('$alt')) === 'sse' ? 'sse' : 'array',
  };
}

/** As it was sent where it is badly encoded: no such model is found then. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function streamError(fault: Fault, _shown: readonly StreamEvent[], request: SimRequest): StreamEvent {
  const { form, traits } = ownOf(request);
  // After an error the array is closed, as the vendor does.
  if (form === 'array') return { data: `${errorBody(fault)}${CLOSING}`, content: false };
  if (traits.unframed) return { data: errorBody(fault), content: false, name: UNFRAMED };
  return { data: JSON.stringify(errorOf(fault)), content: false };
}

const METHODS = ['generateContent', 'streamGenerateContent', 'countTokens'];

/** On `/v1beta`, or for callers who show this dialect's key or client. */
function listModels(ask: Ask, names: readonly string[]): { status: number; body: string } | null {
  const { headers, path } = ask;
  const asked =
    /\/v1beta\/models\/?$/.test(path) ||
    headers['x-goog-api-key'] !== undefined ||
    headers['x-goog-api-client'] !== undefined;
  if (!asked) return null;
  const models = names.map((name) => ({
    name: `models/${name}`,
    version: '001',
    displayName: name,
    inputTokenLimit: 1_048_576,
    outputTokenLimit: 65_536,
    supportedGenerationMethods: METHODS,
  }));
  return { status: 200, body: `${JSON.stringify({ models }, null, 2)}\n` };
}
