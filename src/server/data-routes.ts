/** The one table path → dialect of the data plane. */
import { chatCodec } from '../dialects/chat/codec.ts';
import type { DataRoute } from '../runtime/reception.ts';

const chat: DataRoute = {
  endpoint: 'chat',
  codec: chatCodec,
  classic: false,
  upstreamPath: '/chat/completions',
  crossesModels: true,
};

/** POST paths that carry a client's request. */
export const DATA_ROUTES: ReadonlyMap<string, DataRoute> = new Map([
  ['/v1/chat/completions', chat],
  ['/openai/v1/chat/completions', chat],
  ['/chat/completions', { ...chat, classic: true }],
]);

/** POST paths of dry runs, with where the request would be sent. */
export const PLAN_ROUTES: ReadonlyMap<string, DataRoute> = new Map([['/v1/plan', chat]]);

/** Where an operator's dry run would be sent. */
export const PLANNED: DataRoute = chat;

/** Paths of the interface that a later version carries out: told apart from a mistyped path. */
const LATER: readonly RegExp[] = [
  /^\/(?:openai\/)?v1\/(?:responses|messages|embeddings|moderations|rerank|completions|videos|images|audio)(?:\/|$)/,
  /^\/(?:v1|v1beta)\/models\/[^?]+:[a-zA-Z]+$/,
  /^\/v1beta\/models(?:\/|$)/,
  /^\/openai\/deployments\//,
];

/** Paths that are read only. */
const READ_ONLY =
  /^\/(?:v1\/models(?:\/|$)|v1\/key\/?$|v1\/requests\/[^/]+\/?$|v1\/jobs\/[^/]+\/?$|(?:healthz|readyz|metrics|openapi\.json)\/?$)/;

/** The methods of a path that exists, as `Allow` names them; null = no such path. */
export function methodsOf(path: string): string | null {
  if (DATA_ROUTES.has(path) || PLAN_ROUTES.has(path)) return 'POST';
  return READ_ONLY.test(path) ? 'GET, HEAD' : null;
}

export function isLaterPath(path: string): boolean {
  return LATER.some((pattern) => pattern.test(path));
}

/** The path without its query, of either form in which a request may name its target; no allocation for the usual. */
export function pathOf(url: string): string {
  const start = url.startsWith('/') ? 0 : pathStart(url);
  const query = url.indexOf('?', start);
  return query < 0 ? url.slice(start) : url.slice(start, query);
}

/** Where the path begins in the absolute form (`http://host/path`), which every server has to understand. */
function pathStart(url: string): number {
  const scheme = /^https?:\/\//i.exec(url)?.[0].length ?? 0;
  return scheme === 0 ? 0 : Math.max(0, url.indexOf('/', scheme));
}
