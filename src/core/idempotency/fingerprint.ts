/** Whether two requests under one idempotency key are the same request (I-5). */
import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { canonicalObject } from './canonical-json.ts';

export interface Fingerprinted {
  readonly endpoint: string;
  /** What the path asks for, where the dialect says it there. */
  readonly place: AskedInPath;
  /** The request's body: one valid JSON object. */
  readonly body: Uint8Array;
}

/** What a path can ask for beside the body; absent = it says nothing of it. */
export interface AskedInPath {
  readonly model?: string;
  readonly stream?: boolean;
  readonly form?: 'events' | 'array';
}

/** How a request is carried out, not what it asks for. */
const NOT_ASKED: ReadonlySet<string> = new Set(['"redundancy"']);

/**
 * SHA-256, hex, over endpoint, what the path asks for and canonical body, `models` and `stream` included; headers and `redundancy`
 * have no part in it. A body that is no UTF-8 counts byte for byte.
 */
export function fingerprintOf({ endpoint, place, body }: Fingerprinted): string {
  const asked = `[${JSON.stringify(endpoint)},${placeMark(place) || null}]`;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (!isUtf8(bytes)) return hash('sha256', Buffer.concat([Buffer.from(`${asked}bytes\n`), bytes]), 'hex');
  return hash('sha256', `${asked}json\n${canonicalObject(bytes.toString('utf8'), NOT_ASKED)}`, 'hex');
}

/** What the path asks for as one text; empty = nothing. Different wishes have different texts. */
export function placeMark({ model, stream, form }: AskedInPath): string {
  if (model === undefined && stream === undefined) return '';
  return JSON.stringify([model ?? null, stream ?? null, stream === true ? (form ?? 'events') : null]);
}
