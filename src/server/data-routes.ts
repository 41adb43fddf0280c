/** The one table path → dialect of the data plane. */
import type { IncomingHttpHeaders } from 'node:http';
import { chatCodec } from '../dialects/chat/codec.ts';
import type { DialectCodec, RequestPlace } from '../dialects/contract.ts';
import { generateCodec } from '../dialects/generate/codec.ts';
import { generateCountCodec, countAnswer as generateCounted } from '../dialects/generate/count-codec.ts';
import { messagesCodec } from '../dialects/messages/codec.ts';
import { messagesCountCodec, countAnswer as messagesCounted } from '../dialects/messages/count-codec.ts';
import { responsesCodec } from '../dialects/responses/codec.ts';
import { MESSAGES_VERSION_HEADER } from '../providers/headers.ts';
import type { DataRoute, Routed } from '../runtime/reception.ts';
import { boundMethodsOf } from './bound-routes.ts';
import { modelPath } from './model-path.ts';
import { PLAIN_MODEL_ROUTES, PLAIN_ROUTES } from './plain-routes.ts';

const NOTHING_BESIDE: RequestPlace = {};

const chat: DataRoute = {
  endpoint: 'chat',
  operation: 'generate',
  codec: chatCodec,
  classic: false,
  crossesModels: true,
};

const responses: DataRoute = { ...chat, endpoint: 'responses', codec: responsesCodec };

const messages: DataRoute = {
  ...chat,
  endpoint: 'messages',
  codec: messagesCodec,
  placeIn: (headers) => ({ version: textOf(headers[MESSAGES_VERSION_HEADER]) }),
};

/** Its own endpoint under a key: a count is no answer to the same body. */
const messagesCount: DataRoute = {
  ...messages,
  endpoint: 'messages_count',
  api: 'messages',
  operation: 'count_tokens',
  codec: messagesCountCodec,
  estimated: messagesCounted,
};

const generate: DataRoute = { ...chat, endpoint: 'gemini', codec: generateCodec };

const generateCount: DataRoute = {
  ...generate,
  endpoint: 'generate_count',
  api: 'gemini',
  operation: 'count_tokens',
  codec: generateCountCodec,
  estimated: generateCounted,
};

/** POST paths that carry a client's request and name no model. */
export const DATA_ROUTES: ReadonlyMap<string, DataRoute> = new Map([
  ['/v1/chat/completions', chat],
  ['/openai/v1/chat/completions', chat],
  ['/chat/completions', { ...chat, classic: true }],
  ['/v1/responses', responses],
  ['/openai/v1/responses', responses],
  ['/v1/messages', messages],
  ['/v1/messages/count_tokens', messagesCount],
  ...PLAIN_ROUTES,
]);

/** A route whose path names the model. `stream`: it says as well whether it streams. */
interface ModelRoute {
  readonly route: DataRoute;
  readonly stream?: boolean;
}

/** What follows the model in a path that names it: `:verb`, or the rest of a deployment's path. */
const MODEL_ROUTES: ReadonlyMap<string, ModelRoute> = new Map<string, ModelRoute>([
  ['/chat/completions', { route: chat }],
  [':generateContent', { route: generate, stream: false }],
  [':streamGenerateContent', { route: generate, stream: true }],
  [':countTokens', { route: generateCount, stream: false }],
  ...PLAIN_MODEL_ROUTES,
]);

/** Every route by one path that leads to it, the model left out: what a queued request is found again by. */
export const JOB_ROUTES: ReadonlyMap<string, DataRoute> = new Map([
  ...[...MODEL_ROUTES].map(([rest, { route }]): [string, DataRoute] => [rest, route]),
  ...DATA_ROUTES,
]);

/** POST paths of dry runs, with where the request would be sent. */
export const PLAN_ROUTES: ReadonlyMap<string, Routed> = new Map([['/v1/plan', { route: chat, place: NOTHING_BESIDE }]]);

/** Where an operator's dry run would be sent. */
export const PLANNED: DataRoute = chat;

/** Of paths that say all there is to say, made once: the usual request costs a look-up. */
const constant = new Map<string, Routed>();

/** @param url the request's target as it came, query and all. Null = no path of the data plane. */
export function routeOf(method: string, url: string, headers: IncomingHttpHeaders): Routed | null {
  if (method !== 'POST') return null;
  const path = pathOf(url);
  return constant.get(path) ?? exactRoute(path, headers) ?? modelRoute(path, url, headers);
}

function exactRoute(path: string, headers: IncomingHttpHeaders): Routed | null {
  const route = DATA_ROUTES.get(path);
  if (route === undefined) return null;
  if (route.placeIn !== undefined) return { route, place: route.placeIn(headers) };
  const routed = { route, place: NOTHING_BESIDE };
  constant.set(path, routed);
  return routed;
}

/** A path that names its model. The query says in which form a stream is wanted. */
function modelRoute(path: string, url: string, headers: IncomingHttpHeaders): Routed | null {
  const named = modelPath(path);
  const found = named === null ? undefined : MODEL_ROUTES.get(named.rest);
  if (named === null || found === undefined) return null;
  const { route, stream } = found;
  const place: RequestPlace = { ...route.placeIn?.(headers), model: named.model };
  if (stream === undefined) return { route, place };
  const form = stream && !asksForEvents(url) ? 'array' : 'events';
  return { route, place: { ...place, stream, form } };
}

function textOf(header: string | string[] | undefined): string | null {
  return typeof header === 'string' ? header : null;
}

function asksForEvents(url: string): boolean {
  const query = url.indexOf('?');
  if (query < 0) return false;
  const parameters = new URLSearchParams(url.slice(query + 1));
  return (parameters.get('alt') ?? parameters.get('$alt')) === 'sse';
}

/** Paths of the interface that a later version carries out: told apart from a mistyped path. */
const LATER = /^\/v1\/(?:videos|responses)\//;
/** Of those, what stands where others have an id. */
const NO_ID = /^\/v1\/responses\/(?:compact|input_tokens)$/;

/** In whose words a path is refused that leads nowhere, or before it is known where (E-5). */
export function codecAt(path: string): DialectCodec {
  if (/^\/v1\/messages(?:\/|$)/.test(path)) return messagesCodec;
  return /^\/v1beta\//.test(path) || VERB.test(path) ? generateCodec : chatCodec;
}

/** A verb behind a model, served here or not; model ids may end in colon and word as well. */
const VERB = /^\/v1\/models\/.+(?::|%3A)(?:streamGenerate|generate|count|embed|batch|predict)[a-zA-Z]*$/;

/** Paths that are read only. */
const READ_ONLY =
  /^\/(?:v1(?:beta)?\/models(?:\/|$)|v1\/key\/?$|v1\/requests\/[^/]+\/?$|v1\/jobs\/[^/]+\/?$|(?:healthz|readyz|metrics|openapi\.json)\/?$)/;

/** The methods of a path that exists, as `Allow` names them; null = no such path. */
export function methodsOf(path: string): string | null {
  if (isRouted(path) || PLAN_ROUTES.has(path)) return 'POST';
  const bound = boundMethodsOf(path);
  if (bound !== null) return bound;
  return READ_ONLY.test(path) ? 'GET, HEAD' : null;
}

export function isLaterPath(path: string): boolean {
  if (NO_ID.test(path)) return true;
  return !isRouted(path) && boundMethodsOf(path) === null && LATER.test(path);
}

function isRouted(path: string): boolean {
  return routeOf('POST', path, {}) !== null;
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
