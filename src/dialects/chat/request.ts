/**
 * A client's Chat Completions request: what the gateway must know of it, and the body an upstream gets. Only what the
 * gateway itself reads is judged here; the rest is the upstream's to judge.
 */
import type { GatewayError } from '../../core/errors/gateway-error.ts';
import { bad, good, type Read } from '../../core/request/read.ts';
import {
  type BodyView,
  isScanError,
  member,
  readBoolean,
  readInteger,
  readJson,
  readString,
  scanObject,
  valueByte,
} from '../bytes/body-view.ts';
import { readBody } from '../bytes/client-body.ts';
import { type Edit, edit, setJson } from '../bytes/edit.ts';
import { CLOSE_BRACKET, OPEN_BRACE, OPEN_BRACKET, skipSpace } from '../bytes/json-grammar.ts';
import { OWN_FIELDS } from '../bytes/own-fields.ts';
import { utf8 } from '../bytes/text.ts';
import type { ClientRequest, RequestPlace, UpstreamBody, UpstreamWrite } from '../contract.ts';
import { degradeEdits } from './degrade.ts';
import { raiseOutput } from './longer-answer.ts';
import { reasoningEdits } from './native-reasoning.ts';

const BODY_ALONE: RequestPlace = {};
const NOTHING = { edits: [], changes: [] };
const TRUE = utf8('true');
const USAGE_ASKED = utf8('{"include_usage":true}');

export function readRequest(bytes: Uint8Array, place: RequestPlace = BODY_ALONE): Read<ClientRequest> {
  const body = readBody(bytes);
  if (!body.ok) return body;
  const view = body.value;
  const model = readString(view, 'model');
  if (model === undefined) return bad('invalid_chain', '`model` must be a string.', 'model');
  const named = model ?? place.model ?? null;
  const badMessages = checkMessages(view);
  if (badMessages !== null) return badMessages;
  const stream = readBoolean(view, 'stream');
  if (stream === undefined) return bad('invalid_parameter', '`stream` must be true or false.', 'stream');
  const n = readInteger(view, 'n');
  if (n === undefined || (n !== null && n < 1)) {
    return bad('invalid_parameter', '`n` must be a whole number of at least 1.', 'n');
  }
  const usage = readIncludeUsage(view);
  if (!usage.ok) return usage;
  const value: ClientRequest = {
    view,
    place,
    model: named,
    models: readJson(view, 'models'),
    fallbackModels: readJson(view, 'fallback_models'),
    redundancy: readJson(view, 'redundancy'),
    stream: stream ?? false,
    includeUsage: usage.value,
    n: n ?? 1,
  };
  return good(value);
}

function hasValue(view: BodyView, key: string): boolean {
  const first = valueByte(view, key);
  return first !== 0 && first !== 0x6e;
}

function checkMessages(view: BodyView): { ok: false; error: GatewayError } | null {
  const messages = member(view, 'messages');
  if (messages === null) return bad('missing_required_parameter', '`messages` is missing.', 'messages');
  const { valueStart, valueEnd } = messages;
  const isArray = view.bytes[valueStart] === OPEN_BRACKET;
  if (isArray && view.bytes[skipSpace(view.bytes, valueStart + 1, valueEnd)] !== CLOSE_BRACKET) return null;
  return bad('invalid_parameter', '`messages` must be an array of at least one message.', 'messages');
}

function readIncludeUsage(view: BodyView): Read<boolean> {
  const options = streamOptions(view);
  if (options === null) return good(false);
  const asked = options === 'not_an_object' ? undefined : readBoolean(options, 'include_usage');
  if (asked !== undefined) return good(asked ?? false);
  const message = '`stream_options` must be an object, its `include_usage` true or false.';
  return bad('invalid_parameter', message, 'stream_options');
}

/** Null = absent or JSON null. */
function streamOptions(view: BodyView): BodyView | 'not_an_object' | null {
  if (!hasValue(view, 'stream_options')) return null;
  const { valueStart, valueEnd } = member(view, 'stream_options')!;
  if (view.bytes[valueStart] !== OPEN_BRACE) return 'not_an_object';
  const options = scanObject(view.bytes, { start: valueStart, end: valueEnd });
  return isScanError(options) ? 'not_an_object' : options;
}

/**
 * The body for one upstream, always made from the client's own bytes: the model swapped, our fields out, usage asked
 * for in streams, the entry's degradations done.
 */
export function writeUpstream(request: ClientRequest, write: UpstreamWrite): UpstreamBody {
  const { view } = request;
  const edits: Edit[] = [setJson('model', write.target.upstreamModel)];
  for (const key of OWN_FIELDS) edits.push({ op: 'remove', key });
  const degraded = degradeEdits(view, write.degrade);
  edits.push(...degraded.edits);
  const raised = write.outputTokens === undefined ? NOTHING : raiseOutput(view, write.degrade, write.outputTokens);
  edits.push(...raised.edits);
  const foreign = reasoningEdits(view);
  edits.push(...foreign.edits);
  const touched = degraded.edits.some((change) => change.key === 'stream_options');
  if (request.stream && write.injectUsage && !request.includeUsage && !touched) edits.push(askForUsage(view));
  const more = foreign.changes.length + raised.changes.length;
  const changes = more === 0 ? degraded.changes : [...degraded.changes, ...raised.changes, ...foreign.changes];
  return { bytes: edit(view, edits), changes, dropped: degraded.dropped || foreign.changes.length > 0 };
}

function askForUsage(view: BodyView): Edit {
  const options = streamOptions(view);
  const isObject = options !== null && options !== 'not_an_object';
  const value = isObject ? edit(options, [{ op: 'set', key: 'include_usage', value: TRUE }]) : USAGE_ASKED;
  return { op: 'set', key: 'stream_options', value };
}
