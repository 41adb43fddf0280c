/** Bedrock Converse. */
import { type Ask, isStrict, type Place, type SimDialect } from '../dialect.ts';
import { errorBody, errorName, streamError } from './errors.ts';
import { BENT_FRAMES, FRAMES } from './frames.ts';
import { NO_TRAITS, type Traits } from './labels.ts';
import { renderBody, renderStream } from './render.ts';
import { readConverseRequest } from './request.ts';
import { credentialProblem } from './signature.ts';

const PATH = /\/model\/([^/]+)\/(converse|converse-stream)$/;
const NOTHING = new Uint8Array();

export const converseDialect: SimDialect = {
  name: 'bedrock',
  match,
  read: (body, place, ask, _memory, raw) =>
    credentialProblem(ask, isStrict(place.model ?? ''), raw ?? NOTHING) ?? readConverseRequest(body, place),
  renderBody,
  renderStream,
  framing: ({ own }) => (((own as Traits | null) ?? NO_TRAITS).badChecksum ? BENT_FRAMES : FRAMES),
  answerHeaders: ({ id }) => ({ 'x-amzn-requestid': `req-${id}` }),
  errorBody,
  errorName,
  errorHeaders: ({ retryAfterS }): Readonly<Record<string, string>> =>
    retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) },
  streamError: (fault) => streamError(fault),
};

function match(ask: Ask): Place | null {
  const found = ask.method === 'POST' ? PATH.exec(ask.path) : null;
  if (found === null) return null;
  const [, id = '', verb] = found;
  return { operation: 'generate', model: decoded(id), stream: verb === 'converse-stream', form: null };
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
