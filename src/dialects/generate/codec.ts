/** The `generateContent` dialect as the runtime uses it, where both sides speak it. */
import type { DialectCodec } from '../contract.ts';
import { isEventStream } from '../stream/is-event-stream.ts';
import { actsUpstream } from './acts-upstream.ts';
import { classifyAnswer } from './answer-fault.ts';
import { requestAsks } from './asks.ts';
import { callerMark } from './caller-mark.ts';
import { renderError, streamError } from './errors.ts';
import { FAILED_FINISH } from './finish-words.ts';
import { isCut, longerOutput } from './longer-answer.ts';
import { namedState } from './named-state.ts';
import { requestNeeds } from './needs.ts';
import { readRequest, writeUpstream } from './request.ts';
import { readAnswer, writeAnswer } from './response.ts';
import { answerToStream, staticAnswer } from './static-answer.ts';
import { streamTap } from './stream.ts';
import { ARRAY_TYPE, BLANK, COMMENT, isArrayForm } from './stream-form.ts';
import { suppliedUrls } from './supplied-urls.ts';

const OPEN_BRACKET = 0x5b;

/** A list is a stream in its other form, whatever its content type. */
export function isStream(contentType: string, firstByte: number): boolean {
  return firstByte === OPEN_BRACKET || isEventStream(contentType, firstByte);
}

export const generateCodec: DialectCodec = {
  dialect: 'gemini',
  readRequest,
  needs: (request, degrade) => requestNeeds(request.view, degrade),
  asks: requestAsks,
  callerMark: (request, by) => callerMark(request.view, by),
  suppliedUrls: (request) => suppliedUrls(request.view),
  namedState: (request) => namedState(request.view),
  writeUpstream,
  readAnswer,
  isCut,
  longerOutput,
  actsUpstream,
  writeAnswer,
  answerToStream,
  staticAnswer,
  classify: classifyAnswer,
  failedFinish: (reason) => FAILED_FINISH.get(reason) ?? null,
  isStream,
  streamTap,
  renderError,
  streamError,
  keepAlive: (request) => (isArrayForm(request) ? BLANK : COMMENT),
  streamType: (request) => (isArrayForm(request) ? ARRAY_TYPE : 'text/event-stream; charset=utf-8'),
};
