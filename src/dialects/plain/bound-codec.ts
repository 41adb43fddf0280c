/**
 * Calls on what an upstream made before: to look at it, to fetch what is in it, to delete it (P-8). Their requests are
 * addresses; their answers pass as they came.
 */
import { type Failure, makeFailure } from '../../core/failure.ts';
import type { Usage } from '../../core/usage/usage.ts';
import type { ClientDialectName } from '../../core/wire-names.ts';
import { type BodyView, isScanError, scanObject } from '../bytes/body-view.ts';
import { jsonBytes } from '../bytes/text.ts';
import type { Answer, ClientRequest, DialectCodec, FailureSource, RequestPlace } from '../contract.ts';
import { errorIn } from '../failure/answer-faults.ts';
import { classifyWith } from '../failure/classify.ts';
import { writePlainAnswer } from './answer.ts';
import type { PlainEndpoint } from './endpoint.ts';
import { isFilled } from './faults.ts';
import { plainCodec } from './json-codec.ts';
import { RawTap } from './raw-tap.ts';

/** Nothing is generated, and what was is not paid for twice. */
const NOTHING_USED: Usage = {
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

const NOTHING = new Uint8Array(0);

/** `/ID` or `/ID/…`. */
function idIn(path: string): string {
  return decodeURIComponent(path.split('/')[1] ?? '');
}

/** Of one kind of thing: `name` for messages (`video`). */
export function boundCodec(dialect: ClientDialectName, name: string): DialectCodec {
  const endpoint: PlainEndpoint = {
    operation: 'video',
    path: '',
    answerName: name,
    input: 'json',
    required: [],
    output: () => 'json',
    artifact: () => 'there',
    acts: false,
    needs: [],
    tokens: { noOutput: true },
  };
  return {
    ...plainCodec(endpoint),
    dialect,
    suppliedUrls: () => [],
    namedState: ({ place }) => ({ param: 'id', id: idIn(place.call?.path ?? '') }),
    // Asked for once, whatever comes of it: a look changes nothing, and what a deletion did nobody knows.
    actsUpstream: (request) => request.place.call?.method !== 'GET',
    writeUpstream: () => ({ bytes: NOTHING, changes: [], dropped: false }),
    readAnswer: readBound,
    writeAnswer: (answer, write) => writePlainAnswer(answer, { ...write, report: null }),
    classify: classifierFor(name),
    isStream: (contentType) => !/json|html/.test(contentType),
    streamTap: (options) => new RawTap(options, NOTHING_USED),
    streamError: () => 'destroy',
    keepAlive: () => null,
  };
}

/** The call on something of this model; `stream`: what is in it comes as bytes. */
export function boundRequest(model: string, call: NonNullable<RequestPlace['call']>, stream: boolean): ClientRequest {
  // One attempt, and nothing in its place: nobody else has it.
  const redundancy = { max_attempts: 1, retries: 0, commit: 'first_token', on_exhausted: [] };
  const view = scanObject(jsonBytes({ model }));
  if (isScanError(view)) throw new Error('a model cannot be written as JSON');
  const place = { call };
  const none = { models: undefined, fallbackModels: undefined };
  return { view, place, model, ...none, redundancy, stream, includeUsage: false, n: 1 };
}

function readBound(bytes: Uint8Array): Answer | null {
  const view = scanObject(bytes);
  if (isScanError(view) || isError(view)) return null;
  return { view, content: 'content', contentBytes: 0, usage: NOTHING_USED, finishReasons: [] };
}

/** A thing that has failed holds its error; an answer that is an error names nothing. */
function isError(view: BodyView): boolean {
  return isFilled(view, 'error') && !isFilled(view, 'id');
}

/** What is wrong with an id is wrong with nothing else: no account rests for it (H-2). */
function classifierFor(name: string): (source: FailureSource) => Failure {
  const classify = classifyWith({
    answerName: name,
    errorIn: (value) => errorIn(value, () => false),
    answerFault: () => null,
  });
  return (source) => {
    const found = classify(source);
    return CALLERS.has(source.status) ? makeFailure({ ...found, class: 'invalid_request' }) : found;
  };
}

const CALLERS: ReadonlySet<number> = new Set([400, 404, 405, 409, 410, 416, 422]);
