/** The Chat Completions dialect as the runtime uses it. */
import type { DialectCodec } from '../contract.ts';
import { actsUpstream } from './acts-upstream.ts';
import { FAILED_FINISH } from './answer-fault.ts';
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
import { ChatStreamTap } from './stream.ts';
import { suppliedUrls } from './supplied-urls.ts';

export const chatCodec: DialectCodec = {
  dialect: 'openai-chat',
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
  streamTap: (options) => new ChatStreamTap(options),
  renderError,
  streamError,
  keepAlive: () => KEEP_ALIVE,
};
