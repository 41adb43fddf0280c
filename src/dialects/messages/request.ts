/**
 * A client's Messages request: what the gateway must know of it, and the body an upstream gets. Only what the gateway
 * itself reads is judged here; the rest is the upstream's to judge, unknown fields and every API version included.
 */
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import { bad, good, type Read } from '../../core/request/read.ts';
import { type BodyView, member, readBoolean, readJson, readString } from '../bytes/body-view.ts';
import { readBody } from '../bytes/client-body.ts';
import { type Edit, edit, setJson } from '../bytes/edit.ts';
import { CLOSE_BRACKET, OPEN_BRACKET, skipSpace } from '../bytes/json-grammar.ts';
import { OWN_FIELDS } from '../bytes/own-fields.ts';
import type { ClientRequest, RequestPlace, UpstreamBody, UpstreamWrite } from '../contract.ts';
import { degradeEdits } from './degrade.ts';
import { raiseOutput } from './longer-answer.ts';
import { rewriteThoughts } from './thoughts.ts';

const BODY_ALONE: RequestPlace = {};

export function readRequest(bytes: Uint8Array, place: RequestPlace = BODY_ALONE): Read<ClientRequest> {
  const body = readBody(bytes);
  if (!body.ok) return body;
  const view = body.value;
  const model = readString(view, 'model');
  if (model === undefined) return bad('invalid_chain', '`model` must be a string.', 'model');
  const badMessages = checkMessages(view);
  if (badMessages !== null) return badMessages;
  const stream = readBoolean(view, 'stream');
  if (stream === undefined) return bad('invalid_parameter', '`stream` must be true or false.', 'stream');
  return good({
    view,
    place,
    model: model ?? place.model ?? null,
    models: readJson(view, 'models'),
    fallbackModels: readJson(view, 'fallback_models'),
    redundancy: readJson(view, 'redundancy'),
    stream: stream ?? place.stream ?? false,
    includeUsage: true,
    n: 1,
  });
}

function checkMessages(view: BodyView): { ok: false; error: GatewayError } | null {
  const messages = member(view, 'messages');
  if (messages === null) return bad('missing_required_parameter', '`messages` is missing.', 'messages');
  const { valueStart, valueEnd } = messages;
  const isArray = view.bytes[valueStart] === OPEN_BRACKET;
  if (isArray && view.bytes[skipSpace(view.bytes, valueStart + 1, valueEnd)] !== CLOSE_BRACKET) return null;
  return bad('invalid_parameter', '`messages` must be an array of at least one message.', 'messages');
}

/**
 * The body for one upstream, always made from the client's own bytes: the model swapped, our fields out, the entry's
 * degradations done, thoughts left only with those who made them.
 */
export function writeUpstream(request: ClientRequest, write: UpstreamWrite): UpstreamBody {
  const { view } = request;
  const edits: Edit[] = [setJson('model', write.target.upstreamModel)];
  for (const key of OWN_FIELDS) edits.push({ op: 'remove', key });
  const degraded = degradeEdits(view, write.degrade);
  edits.push(...degraded.edits);
  const changes = [...degraded.changes];
  if (write.outputTokens !== undefined) {
    const raised = raiseOutput(view, write.outputTokens);
    edits.push(...raised.edits);
    changes.push(...raised.changes);
  }
  const thoughts = rewriteThoughts(view, { vendor: write.target.vendor, bare: write.bare === true });
  edits.push(...thoughts.edits.filter(({ key }) => !edits.some((one) => one.key === key)));
  changes.push(...thoughts.changes);
  const bytes = edit(view, edits);
  return { bytes, changes, dropped: degraded.dropped || thoughts.dropped, opaque: thoughts.opaque };
}
