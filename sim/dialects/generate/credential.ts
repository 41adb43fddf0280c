/** Whose key opens the door, and in which header. */
import type { Refusal } from '../../answer/request.ts';
import type { Ask } from '../dialect.ts';

/**
 * A key belongs into `x-goog-api-key` or `?key=`; on a project's own path a bearer token does. No key at all is fine, as
 * everywhere in the simulator, but strict models want one. A key in another dialect's header is always refused.
 */
export function credentialProblem(ask: Ask, strict: boolean): Refusal | null {
  const { headers, query, path } = ask;
  if (isKey(headers['x-goog-api-key']) || isKey(query.get('key'))) return null;
  if (isKey(headers.authorization)) {
    if (/\/projects\/[^/]+\/locations\//.test(path)) return null;
    return {
      status: 401,
      message:
        'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid ' +
        'authentication credential.',
      param: null,
      code: 'ACCESS_TOKEN_TYPE_UNSUPPORTED',
    };
  }
  if (!strict && !isKey(headers['x-api-key']) && !isKey(headers['api-key'])) return null;
  return {
    status: 403,
    message:
      "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other " +
      'form of API consumer identity to call this API.',
    param: null,
  };
}

function isKey(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== '';
}
