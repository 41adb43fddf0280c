/** What answers to a client of this dialect are made of, whole or in chunks: parts as JSON text. */
import type { AnswerIdentity, Call, JsonText, Opaque } from '../canonical.ts';
import type { ClientRequest } from '../contract.ts';
import { argumentsObject, objectText } from '../cross/json-text.ts';
import type { MediaPart } from '../cross/media.ts';
import { ownVendor, writeOpaque } from '../cross/opaque-marks.ts';
import { objectGiven, valueGiven } from './fields.ts';
import { CONFIG, THINKING } from './request-edits.ts';
import { MODEL_KEY } from './response.ts';

const OWN = ownVendor('gemini');

/** The client asked to read thoughts. */
export function wantsThoughts({ view }: ClientRequest): boolean {
  const config = objectGiven(view, CONFIG);
  const thinking = config === null ? null : objectGiven(config, THINKING);
  return thinking !== null && valueGiven(thinking, 'includeThoughts') === true;
}

/** What stands behind the candidates of every answer and chunk: model and id. */
export function footText({ servedModel, id }: AnswerIdentity): JsonText {
  return `"${MODEL_KEY}":${JSON.stringify(servedModel)},"responseId":${JSON.stringify(id)}`;
}

export function textPart(text: string, opaque: Opaque | undefined, vendor: string): JsonText {
  const signed = opaque === undefined ? '' : signatureMember(opaque, vendor);
  return `{"text":${JSON.stringify(text)}${signed}}`;
}

export function thoughtPart(text: string, opaque: Opaque | null, vendor: string): JsonText {
  const signed = opaque === null ? '' : signatureMember(opaque, vendor);
  return `{"text":${JSON.stringify(text)},"thought":true${signed}}`;
}

export function callPart(call: Omit<Call, 'type'>, vendor: string): JsonText {
  const { id, name, form, input, opaque } = call;
  const args = form === 'custom' ? objectText([['input', JSON.stringify(input)]]) : argumentsObject(input);
  const signed = opaque === undefined ? '' : signatureMember(opaque, vendor);
  return `{"functionCall":{"id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"args":${args}}${signed}}`;
}

/** Null = it is plain text, which a text part says. */
export function mediaPart({ mime, source }: MediaPart): JsonText | null {
  if (source.by === 'text') return null;
  if (source.by === 'base64') {
    const inlineData = { mimeType: mime ?? 'application/octet-stream', data: source.data };
    return JSON.stringify({ inlineData });
  }
  return JSON.stringify({ fileData: { ...(mime === null ? {} : { mimeType: mime }), fileUri: source.url } });
}

/** The state as this dialect's clients take it: the vendor's own as it is, all else wrapped. */
function signatureMember(opaque: Opaque, vendor: string): string {
  return `,"thoughtSignature":${JSON.stringify(writeOpaque(opaque, OWN, vendor))}`;
}
