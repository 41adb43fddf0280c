/** Endpoints that are never translated, as the runtime uses them: one row of facts makes one codec. */
import type { Degrade } from '../../core/request/redundancy-types.ts';
import { readInteger } from '../bytes/body-view.ts';
import { jsonBytes } from '../bytes/text.ts';
import { FAILED_FINISH } from '../chat/answer-fault.ts';
import { callerMark } from '../chat/caller-mark.ts';
import { KEEP_ALIVE, renderError, streamError } from '../chat/errors.ts';
import { isCut } from '../chat/longer-answer.ts';
import type { Answer, ClientRequest, DialectCodec, StaticText, StreamTap, StreamTapOptions } from '../contract.ts';
import { EventTap } from '../stream/event-tap.ts';
import { isEventStream } from '../stream/is-event-stream.ts';
import { plainAnswerToStream, readPlainAnswer, writePlainAnswer } from './answer.ts';
import type { PlainEndpoint } from './endpoint.ts';
import { classifierOf } from './faults.ts';
import { plainNamedState } from './named-state.ts';
import { RawTap } from './raw-tap.ts';
import { readPlainRequest, writePlainRequest } from './request.ts';
import { plainSuppliedUrls } from './supplied-urls.ts';

export function plainCodec(endpoint: PlainEndpoint): DialectCodec {
  const isRaw = (request: ClientRequest): boolean => endpoint.output(request.view) === 'bytes';
  return {
    dialect: 'openai-chat',
    readRequest: (bytes, place) => readPlainRequest(endpoint, bytes, place),
    needs: () => ({ input: (missing) => endpoint.needs.find(missing), feature: () => undefined }),
    asks: (request, degrade) => asksOf(endpoint, request, degrade),
    callerMark: (request, by) => callerMark(request.view, by),
    suppliedUrls: (request) => plainSuppliedUrls(request.view),
    namedState: (request) => plainNamedState(request.view),
    actsUpstream: () => endpoint.acts,
    writeUpstream: (request, write) => writePlainRequest(endpoint, request, write),
    readAnswer: (bytes) => readPlainAnswer(endpoint, bytes),
    isCut,
    longerOutput: (request, degrade, answer, most) => longerOutput(endpoint, request, degrade, answer, most),
    writeAnswer: writePlainAnswer,
    answerToStream: (answer, write, request) => plainAnswerToStream(endpoint, answer, write, request),
    staticAnswer: (text) => staticAnswer(endpoint, text),
    classify: classifierOf(endpoint),
    failedFinish: (reason) => FAILED_FINISH.get(reason) ?? null,
    isStream: (contentType, firstByte) => isStream(endpoint, contentType, firstByte),
    streamTap: (options, request) => tapOf(endpoint, options, request),
    renderError,
    streamError: (error, requestId, request) =>
      request !== undefined && isRaw(request) ? 'destroy' : streamError(error, requestId),
    keepAlive: (request) => (isRaw(request) ? null : KEEP_ALIVE),
  };
}

function asksOf(endpoint: PlainEndpoint, { view, n }: ClientRequest, degrade: Degrade | null) {
  const { audioIn, audioOut, noOutput } = endpoint.tokens;
  const asked = endpoint.outputLimit === undefined ? null : (readInteger(view, endpoint.outputLimit) ?? null);
  const lowered = degrade?.max_output_tokens ?? null;
  const most = asked !== null && lowered !== null ? Math.min(asked, lowered) : (asked ?? lowered);
  return {
    maxOutputTokens: noOutput === true ? 0 : most,
    answers: n,
    mediaParts: endpoint.needs.length,
    audioIn: audioIn === true,
    audioOut: audioOut === true,
  };
}

/** D-5: twice the output budget, as far as model and entry allow; null = not more than before. */
function longerOutput(
  { outputLimit }: PlainEndpoint,
  { view, n }: ClientRequest,
  degrade: Degrade | null,
  { usage }: Answer,
  most: number | null,
): number | null {
  if (outputLimit === undefined) return null;
  const used = usage?.output == null ? null : Math.ceil(usage.output / n);
  const before = readInteger(view, outputLimit) ?? used;
  if (before === null || before < 1) return null;
  const bounds = [2 * before, most, degrade?.max_output_tokens ?? null].filter((bound) => bound !== null);
  const longer = Math.min(...bounds);
  return longer > before ? longer : null;
}

/** Events by what they say of themselves; sound and plain text are whatever is neither JSON nor a page. */
function isStream(endpoint: PlainEndpoint, contentType: string, firstByte: number): boolean {
  if (endpoint.events !== undefined && isEventStream(contentType, firstByte)) return true;
  return !/json|html/.test(contentType) && !(contentType === '' && isJsonStart(firstByte));
}

function isJsonStart(byte: number): boolean {
  return byte === 0x7b || byte === 0x3c;
}

function tapOf(endpoint: PlainEndpoint, options: StreamTapOptions, request: ClientRequest | undefined): StreamTap {
  const { events } = endpoint;
  const type = options.contentType?.toLowerCase() ?? '';
  const asked = request === undefined ? null : endpoint.output(request.view);
  const isEvents = asked === null ? type.startsWith('text/event-stream') || !isRawKind(endpoint) : asked === 'events';
  if (events !== undefined && isEvents) return new EventTap(options, events.grammar(options));
  return new RawTap(options, endpoint.plainText === undefined ? 'sound' : 'text');
}

/** It has answers that are nothing but bytes. */
function isRawKind({ operation, plainText }: PlainEndpoint): boolean {
  return operation === 'speech' || plainText !== undefined;
}

/** E-4: text where text was asked for; nothing else can be made of a configured one. */
function staticAnswer(endpoint: PlainEndpoint, { text, id, model, createdAt, n }: StaticText): Answer {
  if (endpoint.operation !== 'completions') throw new Error(`no text stands for a ${endpoint.answerName}`);
  const choices = Array.from({ length: Math.min(Math.max(n, 1), MOST_CHOICES) }, (_, index) => ({
    text,
    index,
    logprobs: null,
    finish_reason: 'stop',
  }));
  const usage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  const created = Math.floor(createdAt / 1000);
  const answer = readPlainAnswer(
    endpoint,
    jsonBytes({ id: `cmpl-${id}`, object: 'text_completion', created, model, choices, usage }),
  );
  if (answer === null) throw new Error('a static answer can not be read');
  return answer;
}

const MOST_CHOICES = 128;
