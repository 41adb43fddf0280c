/** What the headers say of a caller: version, betas and key. */
import type { IncomingHttpHeaders } from 'node:http';
import { RefusedRequest, refuse } from './refused.ts';

export interface Caller {
  /** The version of 2026-10-21 or later. */
  readonly newVersion: boolean;
  readonly beta: boolean;
}

const OLD_VERSIONS = ['2023-01-01', '2023-06-01'];
const NEW_VERSION = '2026-10-21';

/** A missing key passes unless `keyed`; two different ones never do. Throws RefusedRequest. */
export function readCaller(headers: IncomingHttpHeaders, keyed: boolean): Caller {
  checkKey(headers, keyed);
  const version = headers['anthropic-version'];
  if (typeof version !== 'string' || version === '') refuse('anthropic-version', 'header is required');
  if (version !== NEW_VERSION && !OLD_VERSIONS.includes(version)) {
    refuse('anthropic-version', `"${version}" is not a valid version`);
  }
  return { newVersion: version === NEW_VERSION, beta: (headers['anthropic-beta'] ?? '') !== '' };
}

function checkKey(headers: IncomingHttpHeaders, keyed: boolean): void {
  const own = headers['x-api-key'];
  const bearer = /^Bearer\s+(.+)$/i.exec(headers.authorization ?? '')?.[1];
  if (own !== undefined && bearer !== undefined && own !== bearer) {
    throw new RefusedRequest({ status: 401, message: 'x-api-key and authorization name two keys', param: null });
  }
  if (keyed && (own ?? bearer ?? '') === '') {
    throw new RefusedRequest({ status: 401, message: 'x-api-key header is required', param: null });
  }
}
