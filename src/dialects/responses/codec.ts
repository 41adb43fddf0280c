/** The Responses dialect as the runtime uses it. */
import { callerMark } from '../chat/caller-mark.ts';
import type { DialectCodec } from '../contract.ts';
import { EventTap } from '../stream/event-tap.ts';
import { actsUpstream } from './acts-upstream.ts';
import { answerToStream } from './answer-stream.ts';
import { requestAsks } from './asks.ts';
import { KEEP_ALIVE, renderError, streamError } from './errors.ts';
import { classifyAnswer } from './failure.ts';
import { failedFinish } from './finish.ts';
import { ResponsesGrammar } from './grammar.ts';
import { isCut, longerOutput } from './longer-answer.ts';
import { namedState } from './named-state.ts';
import { requestNeeds } from './needs.ts';
import { readRequest, writeUpstream } from './request.ts';
import { readAnswer, writeAnswer } from './response.ts';
import { staticAnswer } from './static-answer.ts';
import { suppliedUrls } from './supplied-urls.ts';

export const responsesCodec: DialectCodec = {
  dialect: 'openai-responses',
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
  failedFinish,
  streamTap: (options) => new EventTap(options, new ResponsesGrammar(options.servedModel)),
  renderError,
  streamError,
  keepAlive: () => KEEP_ALIVE,
};
