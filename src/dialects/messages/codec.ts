/** The Messages dialect as the runtime uses it. */
import type { DialectCodec } from '../contract.ts';
import { actsUpstream } from './acts-upstream.ts';
import { answerToStream } from './answer-stream.ts';
import { requestAsks } from './asks.ts';
import { callerMark } from './caller-mark.ts';
import { KEEP_ALIVE, renderError, streamError } from './errors.ts';
import { classifyAnswer } from './failure.ts';
import { isCut, longerOutput } from './longer-answer.ts';
import { namedState } from './named-state.ts';
import { requestNeeds } from './needs.ts';
import { readRequest, writeUpstream } from './request.ts';
import { readAnswer, writeAnswer } from './response.ts';
import { staticAnswer } from './static-answer.ts';
import { messagesTap } from './stream.ts';
import { suppliedUrls } from './supplied-urls.ts';

export const messagesCodec: DialectCodec = {
  dialect: 'anthropic',
  readRequest,
  needs: (request, degrade) => requestNeeds(request.view, degrade),
  asks: requestAsks,
  callerMark: (request) => callerMark(request.view),
  suppliedUrls: (request) => suppliedUrls(request.view),
  namedState: (request) => namedState(request.view),
  writeUpstream,
  readAnswer,
  isCut,
  longerOutput,
  actsUpstream: (request) => actsUpstream(request.view),
  writeAnswer,
  answerToStream,
  staticAnswer,
  classify: classifyAnswer,
  // No reason of this dialect says that the answer failed: errors are events.
  failedFinish: () => null,
  streamTap: messagesTap,
  renderError,
  streamError,
  keepAlive: () => KEEP_ALIVE,
};
