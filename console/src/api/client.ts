/** The typed client of the admin API: cookies by the browser, the CSRF token by hand, refusals as `ApiTrouble`. */
import createFetchClient, { type Middleware } from 'openapi-fetch';
import createQueryClient from 'openapi-react-query';
import { noteServerTime } from './clock.ts';
import type { components, paths } from './schema.d.ts';
import { ApiTrouble, troubleOf } from './trouble.ts';

/** A named shape of the API: `Shape<'RequestSummary'>`. */
export type Shape<Name extends keyof components['schemas']> = components['schemas'][Name];

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

let csrfToken: string | null = null;
let onSignedOut: () => void = () => {};

/** Told by the session: sent along with everything that changes something. */
export function keepCsrfToken(token: string | null): void {
  csrfToken = token;
}

/** Called whenever the gateway does not know the session any more. */
export function whenSignedOut(callback: () => void): void {
  onSignedOut = callback;
}

/** Headers of a call that changes something, for the few that are no JSON calls. */
export function csrfHeaders(): Record<string, string> {
  return csrfToken === null ? {} : { 'x-understudy-csrf': csrfToken };
}

const guard: Middleware = {
  onRequest({ request }) {
    if (csrfToken !== null && !SAFE.has(request.method)) request.headers.set('x-understudy-csrf', csrfToken);
    return request;
  },
  async onResponse({ response, schemaPath }) {
    noteServerTime(response);
    if (response.ok) return undefined;
    if (response.status === 401 && schemaPath !== '/admin/v1/session') onSignedOut();
    throw await ApiTrouble.from(response);
  },
  onError({ error }) {
    return troubleOf(error);
  },
};

/** Plain calls: `await api.POST('/admin/v1/keys', { body })`. Rejects with `ApiTrouble`. */
export const api = createFetchClient<paths>({ baseUrl: '', credentials: 'same-origin' });
api.use(guard);

/** Calls as React Query hooks: `query.useQuery('get', '/admin/v1/keys')`. Errors are `ApiTrouble`. */
export const query = createQueryClient(api);
