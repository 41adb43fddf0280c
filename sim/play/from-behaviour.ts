/** The bytes of a ready-made behaviour for one request. */
import type { Behaviour } from '../answer/behaviour.ts';
import { type Completion, composeCompletion } from '../answer/completion.ts';
import type { Asked, Fault, StreamEvent } from '../dialects/dialect.ts';
import { edgeAnswer } from '../dialects/edge-errors.ts';
import { namedFault } from '../dialects/named-faults.ts';
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
  asked: Asked,
  chance: Chance,
  extraHeaders: Readonly<Record<string, string | number>> = {},
  run = 0,
): Reply {
  const plain = plainReply(behaviour, asked, chance);
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

function plainReply(behaviour: Behaviour, asked: Asked, chance: Chance): Reply {
  const { dialect, request } = asked;
  if (behaviour.fault !== undefined) {
    const fault = namedFault(behaviour.fault, dialect);
    return wholeReply(
      behaviour,
      fault.status,
      'application/json',
      dialect.errorBody(fault, request),
      dialect.errorName?.(fault),
    );
  }
  const status = behaviour.status ?? 200;
  if (status < 200 || status > 299) return failureReply(behaviour, status, asked);
  if (behaviour.body !== undefined) return wholeReply(behaviour, status, 'application/json', behaviour.body);
  if (behaviour.html === true) return wholeReply(behaviour, status, 'text/html; charset=utf-8', PAGE);
  const completion = composeCompletion(request, behaviour, chance.seed, chance.call);
  if (request.stream) return streamReply(behaviour, status, completion, asked);
  if (behaviour.errorAfter !== undefined) {
    const fault = brokenDown(behaviour);
    return wholeReply(
      behaviour,
      status,
      'application/json',
      dialect.errorBody(fault, request),
      dialect.errorName?.(fault),
    );
  }
  if (behaviour.garbageAfter !== undefined) return wholeReply(behaviour, status, 'application/json', GARBAGE);
  dialect.remember?.(completion, request, asked.memory);
  const headers = dialect.answerHeaders?.(completion, request);
  const body = dialect.renderBytes?.(completion, request) ?? dialect.renderBody(completion, request);
  return wholeReply(behaviour, status, 'application/json', body, headers);
}

/** What an error under status 200 says: that the model broke down, or what its status means. */
function brokenDown({ errorStatus }: Behaviour): Fault {
  if (errorStatus !== undefined) return { status: errorStatus };
  return { status: 500, message: 'The model failed while answering.', code: 'internal_error' };
}

function failureReply(behaviour: Behaviour, status: number, { dialect, request }: Asked): Reply {
  const edge = edgeAnswer(status);
  const fault = { status, retryAfterS: behaviour.retryAfterS };
  const headers = edge?.headers ?? { ...dialect.errorName?.(fault), ...dialect.errorHeaders(fault) };
  if (behaviour.body !== undefined) return wholeReply(behaviour, status, 'application/json', behaviour.body, headers);
  const contentType = edge?.contentType ?? 'application/json';
  return wholeReply(behaviour, status, contentType, edge?.body ?? dialect.errorBody(fault, request), headers);
}

/** A body known whole. A cut one announces its full length and ends half-way. */
function wholeReply(
  behaviour: Behaviour,
  status: number,
  contentType: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
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

function streamReply(behaviour: Behaviour, status: number, completion: Completion, asked: Asked): Reply {
  const { dialect, request } = asked;
  const cut = behaviour.cutAfter;
  const healthy = cut === undefined && behaviour.errorAfter === undefined && behaviour.garbageAfter === undefined;
  if (healthy) dialect.remember?.(completion, request, asked.memory);
  const opening = { 'content-type': dialect.framing(request).contentType, 'cache-control': 'no-cache' };
  return {
    delayMs: behaviour.delayMs ?? 0,
    socket: behaviour.socket ?? null,
    status,
    headers: headerMap(opening, dialect.answerHeaders?.(completion, request)),
    pieces: streamPieces(behaviour, completion, asked),
    length: null,
    end: behaviour.end ?? (cut === undefined ? 'clean' : 'fin'),
  };
}

function streamPieces(behaviour: Behaviour, completion: Completion, { dialect, request }: Asked): Piece[] {
  const framing = dialect.framing(request);
  const stopAt = behaviour.cutAfter ?? behaviour.errorAfter ?? behaviour.garbageAfter;
  const { events, terminator } = dialect.renderStream(completion, request, behaviour.without !== 'finish');
  const shown = stopAt === undefined ? events : firstCounted(events, stopAt);
  const pieces: Piece[] = [];
  let at = 0;
  const framed = (event: StreamEvent): Uint8Array => {
    at += 1;
    return Buffer.from(framing.event(event, at - 1, behaviour.lineEnd));
  };
  if (behaviour.comments === true) {
    const comment = Buffer.from(framing.comment('SIMULATOR PROCESSING', behaviour.lineEnd));
    if (comment.byteLength > 0) pieces.push(comment, comment);
  }
  let waited = (behaviour.firstTokenMs ?? 0) === 0;
  shown.forEach((event, i) => {
    // An answer without content waits before its last event.
    if (!waited && (event.content || i === events.length - 1)) {
      pieces.push({ waitMs: behaviour.firstTokenMs ?? 0 });
      waited = true;
    } else if (i > 0 && event.counted !== false && (behaviour.gapMs ?? 0) > 0) {
      pieces.push({ waitMs: behaviour.gapMs ?? 0 });
    }
    pieces.push(framed(event));
  });
  if (behaviour.cutAfter !== undefined) return pieces;
  if (behaviour.errorAfter !== undefined)
    return [...pieces, framed(dialect.streamError(brokenDown(behaviour), shown, request))];
  if (behaviour.garbageAfter !== undefined) return [...pieces, framed(garbageAs(events, shown.length))];
  return behaviour.without === 'done' || terminator === null ? pieces : [...pieces, framed(terminator)];
}

/** Garbage stands where an event would, under that event's name. */
function garbageAs(events: readonly StreamEvent[], place: number): StreamEvent {
  const name = (events[place] ?? events.at(-1))?.name;
  return { data: GARBAGE, content: false, ...(name === undefined ? {} : { name }) };
}

/** The events up to the nth that counts. */
function firstCounted(events: readonly StreamEvent[], n: number): readonly StreamEvent[] {
  let counted = 0;
  for (let i = 0; i < events.length; i += 1) {
    if (counted === n) return events.slice(0, i);
    if (events[i]?.counted !== false) counted += 1;
  }
  return events;
}
