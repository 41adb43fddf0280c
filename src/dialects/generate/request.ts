/**
 * A client's request: what the gateway must know of it, and the body an upstream gets. Only what the gateway itself reads
 * is judged here; the rest is the upstream's to judge.
 */
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import { bad, good, type Read } from '../../core/request/read.ts';
import type { Degrade } from '../../core/request/redundancy-types.ts';
import { type BodyView, readJson } from '../bytes/body-view.ts';
import { readBody } from '../bytes/client-body.ts';
import { CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET, skipSpace } from '../bytes/json-grammar.ts';
import { OWN_FIELDS } from '../bytes/own-fields.ts';
import type { ClientRequest, DegradedRequest, RequestPlace, UpstreamBody, UpstreamWrite } from '../contract.ts';
import { degradeInto } from './degrade.ts';
import { given, numberOf, objectGiven, valueGiven } from './fields.ts';
import { raiseInto } from './longer-answer.ts';
import { CONFIG, RequestEdits } from './request-edits.ts';
import { signContents } from './signatures.ts';

const BODY_ALONE: RequestPlace = {};

export function readRequest(bytes: Uint8Array, place: RequestPlace = BODY_ALONE): Read<ClientRequest> {
  const body = readBody(bytes);
  if (!body.ok) return body;
  const view = body.value;
  const problem = contentsProblem(view);
  if (problem !== null) return problem;
  const n = candidateCount(view);
  if (!n.ok) return n;
  return good({
    view,
    place,
    model: modelOf(view, place),
    models: readJson(view, 'models'),
    fallbackModels: readJson(view, 'fallback_models'),
    redundancy: readJson(view, 'redundancy'),
    stream: place.stream ?? false,
    includeUsage: true,
    n: n.value,
  });
}

/** The path names it; what the body says beside it is how the path is spelt: `models/NAME`. */
function modelOf(view: BodyView, place: RequestPlace): string | null {
  if (place.model !== undefined) return place.model;
  const named = valueGiven(view, 'model');
  return typeof named === 'string' ? named.replace(/^models\//, '') : null;
}

function contentsProblem(view: BodyView): { ok: false; error: GatewayError } | null {
  const contents = given(view, 'contents');
  if (contents === null) return bad('missing_required_parameter', '`contents` is missing.', 'contents');
  const { bytes } = view;
  const { valueStart, valueEnd } = contents;
  // One content may stand for a list of one.
  if (bytes[valueStart] === OPEN_BRACE) return null;
  const isArray = bytes[valueStart] === OPEN_BRACKET;
  if (isArray && bytes[skipSpace(bytes, valueStart + 1, valueEnd)] !== CLOSE_BRACKET) return null;
  return bad('invalid_parameter', '`contents` must be an array of at least one content.', 'contents');
}

function candidateCount(view: BodyView): Read<number> {
  if (given(view, CONFIG) === null) return good(1);
  const config = objectGiven(view, CONFIG);
  if (config === null) return bad('invalid_parameter', '`generationConfig` must be an object.', CONFIG);
  const asked = valueGiven(config, 'candidateCount');
  const n = asked === undefined ? 1 : numberOf(asked);
  if (n !== null && Number.isSafeInteger(n) && n >= 1) return good(n);
  const param = 'generationConfig.candidateCount';
  return bad('invalid_parameter', `\`${param}\` must be a whole number of at least 1.`, param);
}

/**
 * The body for one upstream, always made from the client's own bytes: our fields out, the entry's degradations done,
 * opaque state for its maker alone. The model stands in the path.
 */
export function writeUpstream(request: ClientRequest, write: UpstreamWrite): UpstreamBody {
  const edits = withoutOwn(request.view);
  const degraded = degradeInto(edits, write.degrade);
  const raised = write.outputTokens === undefined ? [] : raiseInto(edits, write.degrade, write.outputTokens);
  const signed = signContents(request.view, write);
  if (signed.contents !== null) edits.setTop('contents', signed.contents);
  return {
    bytes: edits.write(),
    changes: [...degraded.changes, ...raised, ...signed.changes],
    dropped: degraded.dropped || signed.changes.length > 0,
    ...(signed.opaque ? { opaque: true } : {}),
  };
}

/** The request as an entry's `degrade` leaves it, still in its dialect. */
export function degraded(request: ClientRequest, degrade: Degrade | null): DegradedRequest {
  if (degrade === null) return { request, changes: [], dropped: false };
  const edits = new RequestEdits(request.view);
  const { changes, dropped } = degradeInto(edits, degrade);
  if (changes.length === 0) return { request, changes, dropped };
  const read = readRequest(edits.write(), request.place);
  if (!read.ok) throw new Error(`a degraded request can not be read: ${read.error.message}`);
  return { request: { ...request, view: read.value.view, n: read.value.n }, changes, dropped };
}

function withoutOwn(view: BodyView): RequestEdits {
  const edits = new RequestEdits(view);
  for (const key of OWN_FIELDS) edits.removeTop(key);
  edits.removeTop('model');
  return edits;
}
