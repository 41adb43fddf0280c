/** Counting a Messages request's tokens: the same request without an answer. Never a stream, never billed. */

import type { Read } from '../../core/request/read.ts';
import type { Usage } from '../../core/usage/usage.ts';
import { isScanError, readInteger, scanObject } from '../bytes/body-view.ts';
import { type Edit, edit } from '../bytes/edit.ts';
import { jsonBytes } from '../bytes/text.ts';
import type { Answer, AnswerWrite, ClientRequest, DialectCodec, RequestPlace } from '../contract.ts';
import { classifyWith } from '../failure/classify.ts';
import { MESSAGES_FAULTS } from './answer-fault.ts';
import { messagesCodec } from './codec.ts';
import { readRequest } from './request.ts';
import { reportEdit } from './response.ts';

const FREE: Usage = {
  input: 0,
  output: 0,
  cacheRead: null,
  cacheWrite: null,
  reasoning: null,
  audioInput: null,
  audioOutput: null,
  total: 0,
  estimated: false,
};
/** About what a token is of a text nobody has counted. */
const BYTES_PER_TOKEN = 4;

/** An answer that says so many input tokens. */
export function countAnswer(inputTokens: number): Answer {
  const answer = readCount(jsonBytes({ input_tokens: inputTokens }));
  if (answer === null) throw new Error('a count can not be read');
  return answer;
}

function readCount(bytes: Uint8Array): Answer | null {
  const view = scanObject(bytes);
  if (isScanError(view) || typeof readInteger(view, 'input_tokens') !== 'number') return null;
  return { view, content: 'content', contentBytes: 0, usage: FREE, finishReasons: [] };
}

function writeCount(answer: Answer, { report }: AnswerWrite): Uint8Array {
  const edits: Edit[] = report === null ? [] : [reportEdit(report)];
  return edit(answer.view, edits);
}

function readCountRequest(bytes: Uint8Array, place?: RequestPlace): Read<ClientRequest> {
  const request = readRequest(bytes, place);
  return request.ok ? { ok: true, value: { ...request.value, stream: false } } : request;
}

export const messagesCountCodec: DialectCodec = {
  ...messagesCodec,
  readRequest: readCountRequest,
  asks: (request, degrade) => ({ ...messagesCodec.asks(request, degrade), maxOutputTokens: 0, answers: 0 }),
  // Counting acts nowhere, whatever tools the request offers.
  actsUpstream: () => false,
  readAnswer: readCount,
  writeAnswer: writeCount,
  answerToStream: writeCount,
  isCut: () => false,
  longerOutput: () => null,
  staticAnswer: ({ text }) => countAnswer(Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)),
  classify: classifyWith({ ...MESSAGES_FAULTS, answerName: 'count of tokens', answerFault: () => null }),
};
