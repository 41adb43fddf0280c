/** The bytes of a ready-made behaviour for one request. */
import type { Behaviour } from '../answer/behaviour.ts';
import { type Completion, composeCompletion } from '../answer/completion.ts';
import { errorAnswer, errorBody } from '../answer/errors.ts';
import { renderBody, renderStream } from '../answer/render.ts';
import type { ChatRequest } from '../answer/request.ts';
import { encodePieces, encodingHeader } from './encode.ts';
import { headerMap, type Piece, type Reply } from './reply.ts';
import { splitPieces } from './split.ts';

/** What seeds an answer: the simulator's seed, and how often the model has been called before. */
export interface Chance {
  readonly seed: number;
  readonly call: number;
}

/** Under 200: nothing a JSON or SSE reader can use. */
const GARBAGE = '{"id":"chatcmpl-\u0001\u0002","choices":[{"del\ufffd';
const PAGE = '<!DOCTYPE html><html><body><h1>Service notice</h1><p>This account is suspended.</p></body></html>';

/** Composes the reply. `extraHeaders` win over the behaviour's own. */
export function replyOf(
  behaviour: Behaviour,
  request: ChatRequest,
  chance: Chance,
  extraHeaders: Readonly<Record<string, string | number>> = {},
  run = 0,
): Reply {
  const plain = plainReply(behaviour, request, chance);
  const { encoding, split } = behaviour;
  let pieces = [...plain.pieces];
  if (encoding !== undefined) pieces = encodePieces(pieces, encoding);
  if (split !== undefined) pieces = splitPieces(pieces, split, run);
  const encoded = encoding === undefined ? {} : { 'content-encoding': encodingHeader(encoding) };
  const retry = behaviour.retryAfterS === undefined ? {} : { 'retry-after': behaviour.retryAfterS };
  return {
    ...plain,
    headers: headerMap(Object.fromEntries(plain.headers), retry, encoded, extraHeaders),
    pieces,
    length: encoding === undefined || encoding === 'lying' ? plain.length : null,
  };
}

function plainReply(behaviour: Behaviour, request: ChatRequest, chance: Chance): Reply {
  const status = behaviour.status ?? 200;
  if (status < 200 || status > 299) {
    const error = errorAnswer(status);
    const text = behaviour.body ?? error.body;
    const contentType = behaviour.body === undefined ? error.contentType : 'application/json';
    return wholeReply(behaviour, status, contentType, text, error.headers);
  }
  if (behaviour.body !== undefined) return wholeReply(behaviour, status, 'application/json', behaviour.body);
  if (behaviour.html === true) return wholeReply(behaviour, status, 'text/html; charset=utf-8', PAGE);
  const completion = composeCompletion(request, behaviour, chance.seed, chance.call);
  if (request.stream) return streamReply(behaviour, status, completion, request);
  if (behaviour.errorAfter !== undefined) return wholeReply(behaviour, status, 'application/json', failureBody());
  if (behaviour.garbageAfter !== undefined) return wholeReply(behaviour, status, 'application/json', GARBAGE);
  return wholeReply(behaviour, status, 'application/json', renderBody(completion, request));
}

function failureBody(): string {
  return errorBody({ message: 'The model failed while answering.', type: 'server_error', code: 'internal_error' });
}

/** A body known whole. A cut one announces its full length and ends half-way. */
function wholeReply(
  behaviour: Behaviour,
  status: number,
  contentType: string,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const bytes = Buffer.from(text);
  const cut = behaviour.cutAfter !== undefined;
  const end = behaviour.end ?? (cut ? 'fin' : 'clean');
  const sent = cut ? bytes.subarray(0, behaviour.cutAfter === 0 ? 0 : Math.floor(bytes.byteLength / 2)) : bytes;
  return {
    delayMs: (behaviour.delayMs ?? 0) + (behaviour.firstTokenMs ?? 0),
    socket: behaviour.socket ?? null,
    status,
    headers: headerMap({ 'content-type': contentType }, headers),
    pieces: dripped(sent, behaviour.gapMs),
    length: end === 'clean' || cut ? bytes.byteLength : null,
    end,
  };
}

/** A slow drip sends an eighth at a time. */
function dripped(bytes: Uint8Array, gapMs: number | undefined): Piece[] {
  if (bytes.byteLength === 0) return [];
  if (gapMs === undefined || gapMs === 0) return [bytes];
  const size = Math.max(1, Math.ceil(bytes.byteLength / 8));
  const pieces: Piece[] = [];
  for (let at = 0; at < bytes.byteLength; at += size) {
    if (at > 0) pieces.push({ waitMs: gapMs });
    pieces.push(bytes.subarray(at, at + size));
  }
  return pieces;
}

function streamReply(behaviour: Behaviour, status: number, completion: Completion, request: ChatRequest): Reply {
  const cut = behaviour.cutAfter;
  return {
    delayMs: behaviour.delayMs ?? 0,
    socket: behaviour.socket ?? null,
    status,
    headers: headerMap({ 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' }),
    pieces: streamPieces(behaviour, completion, request),
    length: null,
    end: behaviour.end ?? (cut === undefined ? 'clean' : 'fin'),
  };
}

function streamPieces(behaviour: Behaviour, completion: Completion, request: ChatRequest): Piece[] {
  const nl = behaviour.lineEnd ?? '\n';
  const event = (data: string): Uint8Array => Buffer.from(`data: ${data}${nl}${nl}`);
  const stopAt = behaviour.cutAfter ?? behaviour.errorAfter ?? behaviour.garbageAfter;
  const events = renderStream(completion, request, behaviour.without !== 'finish');
  const shown = stopAt === undefined ? events : events.slice(0, stopAt);
  const pieces: Piece[] = [];
  if (behaviour.comments === true) {
    pieces.push(Buffer.from(`: SIMULATOR PROCESSING${nl}${nl}`), Buffer.from(`: SIMULATOR PROCESSING${nl}${nl}`));
  }
  let waited = (behaviour.firstTokenMs ?? 0) === 0;
  shown.forEach(({ data, content }, i) => {
    // An answer without content waits before its last event.
    if (!waited && (content || i === events.length - 1)) {
      pieces.push({ waitMs: behaviour.firstTokenMs ?? 0 });
      waited = true;
    } else if (i > 0 && (behaviour.gapMs ?? 0) > 0) {
      pieces.push({ waitMs: behaviour.gapMs ?? 0 });
    }
    pieces.push(event(data));
  });
  if (behaviour.cutAfter !== undefined) return pieces;
  if (behaviour.errorAfter !== undefined) return [...pieces, event(failureBody())];
  if (behaviour.garbageAfter !== undefined) return [...pieces, event(GARBAGE)];
  return behaviour.without === 'done' ? pieces : [...pieces, event('[DONE]')];
}
