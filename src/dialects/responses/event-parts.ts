/** Pieces of this dialect's events, cut out and exchanged on bytes. */
import { type BodyView, isScanError, member, scanObject } from '../bytes/body-view.ts';
import { type Edit, edit } from '../bytes/edit.ts';
import { CLOSE_BRACKET, OPEN_BRACKET, skipSpace } from '../bytes/json-grammar.ts';
import { textOf } from '../bytes/text.ts';
import { type Json, objectOf } from '../failure/answer-faults.ts';

/** What a failed response says of its failure, without what it repeats of the request. */
export function failureIn(type: string, response: Json): object {
  const { id, status, error, incomplete_details } = response;
  return { type, response: { id, object: 'response', status: status ?? 'failed', error, incomplete_details } };
}

/** A parsed value as JSON again; null = it is nested deeper than can be written. */
export function jsonText(value: unknown): string | null {
  try {
    return JSON.stringify(value);
  } catch {
    return null;
  }
}

/** Its `output` is an array with something in it. */
export function hasItems(response: BodyView): boolean {
  const output = member(response, 'output');
  if (output === null || response.bytes[output.valueStart] !== OPEN_BRACKET) return false;
  return response.bytes[skipSpace(response.bytes, output.valueStart + 1, output.valueEnd)] !== CLOSE_BRACKET;
}

/** A whole event with the top level of its response changed. */
export function withResponse(event: Uint8Array, edits: readonly Edit[]): Uint8Array {
  const outer = scanObject(event);
  const found = isScanError(outer) ? null : member(outer, 'response');
  const inner = found === null ? null : scanObject(event, { start: found.valueStart, end: found.valueEnd });
  if (found === null || inner === null || isScanError(inner)) throw new Error('a held event can not be read');
  return Buffer.concat([event.subarray(0, found.valueStart), edit(inner, edits), event.subarray(found.valueEnd)]);
}

/** A piece that is an object of texts: some tools' output comes as that. */
export function filledLength(data: Uint8Array, start: number, end: number): number {
  const value: unknown = JSON.parse(textOf(data, start, end));
  const texts = Object.values(objectOf(value) ?? {});
  return texts.reduce<number>((sum, text) => sum + (typeof text === 'string' ? Buffer.byteLength(text) : 0), 0);
}

/** The span holds exactly these bytes. */
export function same(type: Uint8Array, data: Uint8Array, start: number, end: number): boolean {
  if (type.length !== end - start) return false;
  // From the end: types differ there.
  for (let i = type.length - 1, at = end - 1; i >= 0; i--, at--) if (type[i] !== data[at]) return false;
  return true;
}
