/** Counting a request's tokens: the same contents without an answer. Never a stream, never billed. */
import { good, type Read } from '../../core/request/read.ts';
import type { Usage } from '../../core/usage/usage.ts';
import { type BodyView, isScanError, readInteger, readJson, scanObject } from '../bytes/body-view.ts';
import { readBody } from '../bytes/client-body.ts';
import { type Edit, edit, setJson } from '../bytes/edit.ts';
import { OWN_FIELDS } from '../bytes/own-fields.ts';
import { jsonBytes } from '../bytes/text.ts';
import type {
  Answer,
  AnswerWrite,
  ClientRequest,
  DialectCodec,
  RequestPlace,
  UpstreamBody,
  UpstreamWrite,
} from '../contract.ts';
import { classifyWith } from '../failure/classify.ts';
import { GENERATE_FAULTS } from './answer-fault.ts';
import { generateCodec } from './codec.ts';
import { objectGiven, removal, setting } from './fields.ts';
import { readRequest } from './request.ts';
import { REPORT_KEY } from './response.ts';
import { signContents } from './signatures.ts';

const TOTAL = 'totalTokens';
/** A whole request, to be counted with its tools and instructions. */
const WHOLE = 'generateContentRequest';

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

/** An answer that says so many tokens. */
export function countAnswer(tokens: number): Answer {
  const answer = readCount(jsonBytes({ [TOTAL]: tokens }));
  if (answer === null) throw new Error('a count can not be read');
  return answer;
}

function readCount(bytes: Uint8Array): Answer | null {
  const view = scanObject(bytes);
  // Protobuf's JSON leaves a zero out.
  if (isScanError(view) || readJson(view, 'error') !== undefined || readInteger(view, TOTAL) === undefined) return null;
  if (readInteger(view, TOTAL) === null && view.members.length > 0) return null;
  return { view, content: 'content', contentBytes: 0, usage: FREE, finishReasons: [] };
}

function writeCount(answer: Answer, { report }: Pick<AnswerWrite, 'report'>): Uint8Array {
  const edits: Edit[] = report === null ? [] : [{ op: 'set', key: REPORT_KEY, value: report }];
  return edit(answer.view, edits);
}

/** Of a whole request inside, its own contents are what is looked at. */
function readCountRequest(bytes: Uint8Array, place: RequestPlace = {}): Read<ClientRequest> {
  const body = readBody(bytes);
  if (!body.ok) return body;
  const inner = objectGiven(body.value, WHOLE);
  const counted = inner === null ? bytes : edit(inner, []);
  const read = readRequest(counted, { ...place, stream: false });
  if (!read.ok) return read;
  const { value: view } = body;
  return good({
    ...read.value,
    view,
    models: readJson(view, 'models'),
    fallbackModels: readJson(view, 'fallback_models'),
    redundancy: readJson(view, 'redundancy'),
    n: 1,
  });
}

function writeUpstream({ view }: ClientRequest, write: UpstreamWrite): UpstreamBody {
  const inner = objectGiven(view, WHOLE);
  const signed = signContents(inner ?? view, write);
  const contents: Edit[] = signed.contents === null ? [] : [setting(inner ?? view, 'contents', signed.contents)];
  const own: Edit[] = [...OWN_FIELDS.map((key): Edit => ({ op: 'remove', key })), ...removal(view, 'model')];
  const edits =
    inner === null ? [...own, ...contents] : [...own, setting(view, WHOLE, wholeRequest(inner, write, contents))];
  return {
    bytes: edit(view, edits),
    changes: signed.changes,
    dropped: signed.changes.length > 0,
    ...(signed.opaque ? { opaque: true } : {}),
  };
}

/** It names its model once more, as the path does. */
function wholeRequest(inner: BodyView, { target }: UpstreamWrite, contents: readonly Edit[]): Uint8Array {
  const { upstreamModel } = target;
  const model = /^(?:models|tunedModels)\//.test(upstreamModel) ? upstreamModel : `models/${upstreamModel}`;
  return edit(inner, [setJson('model', model), ...contents]);
}

/** The request inside is where the fields are that other questions ask for. */
const inside = (request: ClientRequest): ClientRequest => {
  const inner = objectGiven(request.view, WHOLE);
  return inner === null ? request : { ...request, view: inner };
};

export const generateCountCodec: DialectCodec = {
  ...generateCodec,
  readRequest: readCountRequest,
  needs: (request, degrade) => generateCodec.needs(inside(request), degrade),
  asks: (request, degrade) => ({ ...generateCodec.asks(inside(request), degrade), maxOutputTokens: 0, answers: 0 }),
  callerMark: (request, by) => generateCodec.callerMark(inside(request), by),
  suppliedUrls: (request) => generateCodec.suppliedUrls(inside(request)),
  namedState: (request) => generateCodec.namedState(inside(request)),
  writeUpstream,
  // Counting acts nowhere, whatever tools the request offers.
  actsUpstream: () => false,
  readAnswer: readCount,
  writeAnswer: writeCount,
  answerToStream: writeCount,
  isCut: () => false,
  longerOutput: () => null,
  staticAnswer: ({ text }) => countAnswer(Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)),
  classify: classifyWith({ ...GENERATE_FAULTS, answerName: 'count of tokens', answerFault: () => null }),
};
