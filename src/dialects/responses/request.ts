/**
 * A client's Responses request: what the gateway must know of it, and the body an upstream gets. Only what the gateway
 * itself reads is judged here; the rest is the upstream's to judge.
 */
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import { bad, good, type Read } from '../../core/request/read.ts';
import { type BodyView, member, readBoolean, readJson, readString, valueByte } from '../bytes/body-view.ts';
import { readBody } from '../bytes/client-body.ts';
import { type Edit, edit, setJson } from '../bytes/edit.ts';
import { CLOSE_BRACKET, OPEN_BRACKET, QUOTE, skipSpace } from '../bytes/json-grammar.ts';
import { OWN_FIELDS } from '../bytes/own-fields.ts';
import type { ClientRequest, RequestPlace, UpstreamBody, UpstreamWrite } from '../contract.ts';
import { degradeEdits } from './degrade.ts';
import { raiseOutput } from './longer-answer.ts';
import { reasoningEdits } from './native-reasoning.ts';

const BODY_ALONE: RequestPlace = {};
const NOTHING = { edits: [], changes: [] };
const NULL = 0x6e;
/** What a request may go on from instead of saying something itself. */
const INSTEAD_OF_INPUT = ['previous_response_id', 'conversation', 'prompt'];

export function readRequest(bytes: Uint8Array, place: RequestPlace = BODY_ALONE): Read<ClientRequest> {
  const body = readBody(bytes);
  if (!body.ok) return body;
  const view = body.value;
  const model = readString(view, 'model');
  if (model === undefined) return bad('invalid_chain', '`model` must be a string.', 'model');
  const badInput = checkInput(view);
  if (badInput !== null) return badInput;
  const stream = readBoolean(view, 'stream');
  if (stream === undefined) return bad('invalid_parameter', '`stream` must be true or false.', 'stream');
  const value: ClientRequest = {
    view,
    place,
    model: model ?? place.model ?? null,
    models: readJson(view, 'models'),
    fallbackModels: readJson(view, 'fallback_models'),
    redundancy: readJson(view, 'redundancy'),
    stream: stream ?? false,
    includeUsage: true,
    n: 1,
  };
  return good(value);
}

function hasValue(view: BodyView, key: string): boolean {
  const first = valueByte(view, key);
  return first !== 0 && first !== NULL;
}

function checkInput(view: BodyView): { ok: false; error: GatewayError } | null {
  if (!hasValue(view, 'input')) {
    if (INSTEAD_OF_INPUT.some((key) => hasValue(view, key))) return null;
    return bad('missing_required_parameter', '`input` is missing.', 'input');
  }
  const { valueStart, valueEnd } = member(view, 'input')!;
  const first = view.bytes[valueStart];
  const isArray = first === OPEN_BRACKET;
  const isEmpty = isArray && view.bytes[skipSpace(view.bytes, valueStart + 1, valueEnd)] === CLOSE_BRACKET;
  if (first === QUOTE || (isArray && !isEmpty)) return null;
  if (isEmpty && INSTEAD_OF_INPUT.some((key) => hasValue(view, key))) return null;
  return bad('invalid_parameter', '`input` must be a string or an array of at least one item.', 'input');
}

/**
 * The body for one upstream, always made from the client's own bytes: the model swapped, our fields out, the entry's
 * degradations done, reasoning only where its maker gets it.
 */
export function writeUpstream(request: ClientRequest, write: UpstreamWrite): UpstreamBody {
  const { view } = request;
  const edits: Edit[] = [setJson('model', write.target.upstreamModel)];
  for (const key of OWN_FIELDS) edits.push({ op: 'remove', key });
  const degraded = degradeEdits(view, write.degrade);
  edits.push(...degraded.edits);
  const raised = write.outputTokens === undefined ? NOTHING : raiseOutput(view, write.degrade, write.outputTokens);
  edits.push(...raised.edits);
  const reasoning = reasoningEdits(view, write);
  edits.push(...reasoning.edits);
  const changes = [...degraded.changes, ...raised.changes, ...reasoning.changes];
  const dropped = degraded.dropped || reasoning.changes.length > 0;
  return { bytes: edit(view, edits), changes, dropped, ...(reasoning.opaque ? { opaque: true } : {}) };
}
