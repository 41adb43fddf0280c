/** A client's body as one JSON object, or the 400 that says where it is none. */
import { isUtf8 } from 'node:buffer';
import { bad, good, type Read } from '../../core/request/read.ts';
import { type BodyView, isScanError, type ScanError, scanObject } from './body-view.ts';

/** Every dialect's requests: UTF-8, one object, no top-level key twice (C-4). */
export function readBody(bytes: Uint8Array): Read<BodyView> {
  if (!isUtf8(bytes)) return bad('invalid_json', 'The body is not valid UTF-8.');
  const view = scanObject(bytes, { uniqueKeys: true });
  return isScanError(view) ? bad('invalid_json', jsonMessage(bytes, view)) : good(view);
}

/** Byte, line and column, so that the spot can be found in any editor. */
function jsonMessage(bytes: Uint8Array, { offset, message }: ScanError): string {
  let line = 1;
  let lineStart = 0;
  for (let i = 0; i < offset; i++) {
    if (bytes[i] !== 0x0a) continue;
    line++;
    lineStart = i + 1;
  }
  return `The body is not one valid JSON object: ${message} at byte ${offset} (line ${line}, column ${offset - lineStart + 1}).`;
}
