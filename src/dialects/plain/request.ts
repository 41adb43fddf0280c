/** A client's request at an endpoint that is never translated, and the body an upstream gets of it. */
import { bad, good, type Read } from '../../core/request/read.ts';
import type { Degrade } from '../../core/request/redundancy-types.ts';
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
import { OPEN_BRACE } from '../bytes/json-grammar.ts';
import { OWN_FIELDS } from '../bytes/own-fields.ts';
import { utf8 } from '../bytes/text.ts';
import type { ClientRequest, RequestPlace, UpstreamBody, UpstreamWrite } from '../contract.ts';
import type { PlainEndpoint } from './endpoint.ts';
import { writeForm } from './form-codec.ts';

const BODY_ALONE: RequestPlace = {};
const NULL = 0x6e;
const TRUE = utf8('true');

/** Of a form, `bytes` are its fields as one JSON object. */
export function readPlainRequest(
  endpoint: PlainEndpoint,
  bytes: Uint8Array,
  place: RequestPlace = BODY_ALONE,
): Read<ClientRequest> {
  const body = readBody(bytes);
  if (!body.ok) return body;
  const view = body.value;
  const model = readString(view, 'model');
  if (model === undefined) return bad('invalid_chain', '`model` must be a string.', 'model');
  const absent = endpoint.required.find((key) => !isSet(view, key) && !isSet(view, `${key}[]`));
  if (absent !== undefined) return bad('missing_required_parameter', `\`${absent}\` is missing.`, absent);
  const stream = readBoolean(view, 'stream');
  if (stream === undefined) return bad('invalid_parameter', '`stream` must be true or false.', 'stream');
  const n = endpoint.answers === undefined ? readInteger(view, 'n') : endpoint.answers(view);
  if (n === undefined || (n !== null && n < 1)) {
    return bad('invalid_parameter', '`n` must be a whole number of at least 1.', 'n');
  }
  return good({
    view,
    place,
    model: model ?? place.model ?? null,
    models: readJson(view, 'models'),
    fallbackModels: readJson(view, 'fallback_models'),
    redundancy: readJson(view, 'redundancy'),
    stream: endpoint.output(view) !== 'json',
    includeUsage: usageAsked(view),
    n: n ?? 1,
    ...(place.upload === undefined ? {} : { upload: place.upload }),
  });
}

function isSet(view: BodyView, key: string): boolean {
  const first = valueByte(view, key);
  return first !== 0 && first !== NULL;
}

function streamOptions(view: BodyView): BodyView | null {
  const found = member(view, 'stream_options');
  if (found === null || view.bytes[found.valueStart] !== OPEN_BRACE) return null;
  const options = scanObject(view.bytes, { start: found.valueStart, end: found.valueEnd });
  return isScanError(options) ? null : options;
}

function usageAsked(view: BodyView): boolean {
  const options = streamOptions(view);
  return options !== null && readBoolean(options, 'include_usage') === true;
}

/** The client's own bytes with the model swapped and our fields out; of a form, the pieces of it. */
export function writePlainRequest(endpoint: PlainEndpoint, request: ClientRequest, write: UpstreamWrite): UpstreamBody {
  const { view } = request;
  const dropped = fieldsToDrop(endpoint, view, write.degrade);
  const changes = dropped.map((key) => `dropped ${key}`);
  if (request.upload !== undefined) {
    const form = writeForm(request.upload, write.target.upstreamModel, new Set([...OWN_FIELDS, ...dropped]));
    return { ...form, changes, dropped: dropped.length > 0 };
  }
  const edits: Edit[] = [setJson('model', write.target.upstreamModel)];
  for (const key of [...OWN_FIELDS, ...dropped]) edits.push({ op: 'remove', key });
  const limit = outputLimit(endpoint, view, write);
  if (limit !== null && endpoint.outputLimit !== undefined) {
    edits.push(setJson(endpoint.outputLimit, limit.tokens));
    changes.push(limit.change);
  }
  if (asksForUsage(endpoint, request, write) && !dropped.includes('stream_options')) edits.push(askForUsage(view));
  return { bytes: edit(view, edits), changes, dropped: dropped.length > 0 };
}

/** Counts come in a stream only where they are asked for. */
function asksForUsage(
  { operation }: PlainEndpoint,
  { stream, includeUsage }: ClientRequest,
  { injectUsage }: UpstreamWrite,
): boolean {
  return operation === 'completions' && stream && injectUsage && !includeUsage;
}

function askForUsage(view: BodyView): Edit {
  const options = streamOptions(view);
  const asked: Edit = { op: 'set', key: 'include_usage', value: TRUE };
  const value = options === null ? utf8('{"include_usage":true}') : edit(options, [asked]);
  return { op: 'set', key: 'stream_options', value };
}

/** what the entry's `degrade` takes out, as far as it is there and the request is one without it. */
function fieldsToDrop({ required }: PlainEndpoint, view: BodyView, degrade: Degrade | null): string[] {
  const never = new Set(['model', 'stream', ...required]);
  return (degrade?.drop_params ?? []).filter((key) => !never.has(key) && isSet(view, key));
}

/** What the field that bounds the answer is set to, and why; null = it stays (R-4, D-5). */
function outputLimit(
  { outputLimit: key }: PlainEndpoint,
  view: BodyView,
  { degrade, outputTokens }: UpstreamWrite,
): { readonly tokens: number; readonly change: string } | null {
  if (key === undefined) return null;
  const asked = readInteger(view, key) ?? null;
  const most = degrade?.max_output_tokens ?? null;
  const tokens = outputTokens ?? (most !== null && (asked === null || asked > most) ? most : null);
  if (tokens === null || tokens === asked) return null;
  return { tokens, change: asked === null ? `${key} set to ${tokens}` : `${key} ${asked} → ${tokens}` };
}
