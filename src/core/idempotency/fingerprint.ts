/** Whether two requests under one idempotency key are the same request (I-5). */
import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { canonicalObject } from './canonical-json.ts';

export interface Fingerprinted {
  readonly endpoint: string;
  /** The model in the path, where the dialect has it there; null elsewhere. */
  readonly pathModel: string | null;
  /** The request's body: one valid JSON object. */
  readonly body: Uint8Array;
}

/** How a request is carried out, not what it asks for. */
const NOT_ASKED: ReadonlySet<string> = new Set(['"redundancy"']);

/**
 * SHA-256, hex, over endpoint, path model and canonical body, `models` and `stream` included; headers and `redundancy`
 * have no part in it. A body that is no UTF-8 counts byte for byte.
 */
export function fingerprintOf({ endpoint, pathModel, body }: Fingerprinted): string {
  const place = JSON.stringify([endpoint, pathModel]);
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (!isUtf8(bytes)) return hash('sha256', Buffer.concat([Buffer.from(`${place}bytes\n`), bytes]), 'hex');
  return hash('sha256', `${place}json\n${canonicalObject(bytes.toString('utf8'), NOT_ASKED)}`, 'hex');
}
