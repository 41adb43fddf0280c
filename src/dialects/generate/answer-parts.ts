/** Parts of an upstream's answer, whole or in chunks. */
import { type BodyView, member } from '../bytes/body-view.ts';
import { objectAt } from '../bytes/nested.ts';
import type { Opaque } from '../canonical.ts';
import { argumentsText, memberText, objectsAt } from '../cross/json-text.ts';
import { type MediaPart, mediaOf } from '../cross/media.ts';
import { unwrapOpaque } from '../cross/opaque-marks.ts';
import { type Json, objectOf } from '../failure/answer-faults.ts';

/** The signature on a part: the upstream's own (vendor null), or what another gateway of this kind has wrapped. */
export function signatureOf(part: Json): Opaque | null {
  const data = part['thoughtSignature'];
  if (typeof data !== 'string' || data === '') return null;
  return unwrapOpaque(data) ?? { vendor: null, kind: 'signature', data, id: null };
}

/** A signature without anything it signs: a thought nobody can read. */
export function sealedOf(opaque: Opaque): Opaque {
  return opaque.vendor === null ? { ...opaque, kind: 'sealed' } : opaque;
}

/** Media in a part; null = it holds none. */
export function mediaIn(part: Json): MediaPart | null {
  const inline = objectOf(part['inlineData']);
  const file = objectOf(part['fileData']);
  const type = (inline ?? file)?.['mimeType'];
  const mime = typeof type === 'string' && type !== '' ? type : null;
  const base = {
    type: 'media',
    media: mime === null ? 'image' : mediaOf(mime),
    mime,
    name: null,
    detail: null,
  } as const;
  const data = inline?.['data'];
  if (typeof data === 'string' && data !== '') return { ...base, source: { by: 'base64', data } };
  const url = file?.['fileUri'];
  return typeof url === 'string' && url !== '' ? { ...base, source: { by: 'url', url } } : null;
}

/** The arguments of each call as they were written, by candidate and by place of the call among its parts. */
export function argumentsIn(answer: BodyView): string[][] {
  return (objectsAt(answer, 'candidates') ?? []).map((candidate) => {
    const content = candidate === null ? null : objectAt(candidate, 'content');
    return (content === null ? [] : (objectsAt(content, 'parts') ?? [])).flatMap((part) => {
      const call = part === null ? null : objectAt(part, 'functionCall');
      if (call === null) return [];
      const args = member(call, 'args');
      return [args === null || call.bytes[args.valueStart] === NULL ? '{}' : argumentsText(memberText(call, args))];
    });
  });
}

const NULL = 0x6e;

/** What calls without an id are called: by the answer's own name, so that no two of a conversation are alike. */
export function callPrefix(responseId: unknown): string {
  if (typeof responseId !== 'string' || responseId === '') return 'call_';
  return `call_${responseId.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(-24)}_`;
}

export function nameOf(call: Json): string | null {
  const name = call['name'];
  return typeof name === 'string' && name !== '' ? name : null;
}
