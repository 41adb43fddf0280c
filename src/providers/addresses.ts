/** Where a call goes: base address, dialect, operation and model make the URL. Pure. */
import type { Dialect, Operation } from '../core/wire-names.ts';
import type { ProviderPlace } from './types.ts';
import { publisherOf } from './vendors.ts';

/** What of a call its address depends on. */
export interface Called {
  readonly dialect: Dialect;
  readonly operation: Operation;
  readonly upstreamModel: string;
  readonly stream: boolean;
}

/** A path in two parts: a base address that names a version, or the root itself, has its own say in it. */
interface Parts {
  /** `` = the base holds the version; else what stands before `rest` unless the base ends in a version of its own. */
  readonly root: '' | '/v1' | '/v1beta' | '/openai' | '/openai/v1' | '/';
  readonly rest: string;
}

/** Paths of the OpenAI family, below the version. */
const PATHS: Readonly<Record<Operation, string>> = {
  generate: '/chat/completions',
  count_tokens: '/responses/input_tokens',
  completions: '/completions',
  embeddings: '/embeddings',
  moderations: '/moderations',
  rerank: '/rerank',
  image_generation: '/images/generations',
  image_edit: '/images/edits',
  speech: '/audio/speech',
  transcription: '/audio/transcriptions',
  translation: '/audio/translations',
  video: '/videos',
};

/** `/v1`, `/v1beta`, `/v4` … at the end of a base address. */
const VERSION_TAIL = /\/v\d+(?:(?:alpha|beta)\d*)?$/;
/** What a cloud's own prefix may look like at the end of a base address. */
const PREFIX_TAIL = /\/openai(?:\/v1|\/deployments(?:\/[^/]+)?)?$/;
/** Versions of the path without a date. */
const UNDATED = new Set(['v1', 'preview', 'latest']);

/** Path and query of a call as its dialect has it, to be joined to a base by `joined`. */
export function addressOf(place: ProviderPlace, called: Called): Parts {
  if (place.addressing === 'publishers') return publisherPath(place, called);
  if (place.addressing === 'deployments') return deploymentPath(place, called);
  switch (called.dialect) {
    case 'openai-chat':
      return { root: '', rest: PATHS[called.operation] };
    case 'openai-responses':
      return { root: '', rest: called.operation === 'count_tokens' ? '/responses/input_tokens' : '/responses' };
    case 'anthropic':
      return { root: '/v1', rest: called.operation === 'count_tokens' ? '/messages/count_tokens' : '/messages' };
    case 'gemini':
      return { root: '/v1beta', rest: `/${modelPath(called.upstreamModel)}${verbOf(called)}` };
    case 'bedrock':
      return {
        root: '/',
        rest: `/model/${encodeURIComponent(called.upstreamModel)}/converse${called.stream ? '-stream' : ''}`,
      };
  }
}

/** `models/NAME`; a name that says its collection itself (`tunedModels/x`) keeps it. */
function modelPath(model: string): string {
  const at = /^(models|tunedModels)\//.exec(model)?.[0].length ?? 0;
  return (at === 0 ? 'models/' : model.slice(0, at)) + encodeURIComponent(model.slice(at));
}

function verbOf({ operation, stream }: Called): string {
  if (operation === 'count_tokens') return ':countTokens';
  return stream ? ':streamGenerateContent?alt=sse' : ':generateContent';
}

/** With a dated version: the deployment in the path for all that ever had one, Responses beside them. */
function deploymentPath({ apiVersion }: ProviderPlace, { dialect, operation, upstreamModel }: Called): Parts {
  const path = dialect === 'openai-responses' && operation === 'generate' ? '/responses' : PATHS[operation];
  const query = apiVersion === null || apiVersion === 'v1' ? '' : `?api-version=${encodeURIComponent(apiVersion)}`;
  if (apiVersion === null || UNDATED.has(apiVersion)) return { root: '/openai/v1', rest: path + query };
  if (dialect === 'openai-responses' || operation === 'video') return { root: '/openai', rest: path + query };
  return { root: '/openai', rest: `/deployments/${encodeURIComponent(upstreamModel)}${path}${query}` };
}

function publisherPath({ project, location }: ProviderPlace, called: Called): Parts {
  const { dialect, upstreamModel, operation, stream } = called;
  const { publisher, model } = publisherOf(upstreamModel, dialect);
  const place = `/projects/${encodeURIComponent(project ?? '')}/locations/${encodeURIComponent(location ?? DEFAULT_LOCATION)}`;
  const models = `${place}/publishers/${publisher}/models/`;
  if (dialect === 'gemini') return { root: '/v1', rest: models + encodeURIComponent(model) + verbOf(called) };
  if (operation === 'count_tokens') return { root: '/v1', rest: `${models}count-tokens:rawPredict` };
  return { root: '/v1', rest: `${models}${encodeURIComponent(model)}:${stream ? 'streamRawPredict' : 'rawPredict'}` };
}

/** A call's URL. `base` is without trailing slash; a version it ends in is not said twice, and wins. */
export function joined(base: string, { root, rest }: Parts): string {
  if (root === '') return base + rest;
  if (root === '/') return base.replace(VERSION_TAIL, '') + rest;
  if (root === '/v1' || root === '/v1beta') return VERSION_TAIL.test(base) ? base + rest : base + root + rest;
  return base.replace(PREFIX_TAIL, '') + root + rest;
}

export const DEFAULT_LOCATION = 'global';

/** The address of a type that has one per region or place; null = it has none of its own. */
export function baseUrlOf({
  type,
  region,
  location,
}: Pick<ProviderPlace, 'type' | 'region' | 'location'>): string | null {
  if (type === 'bedrock') {
    if (region === null) return null;
    return `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  }
  if (type !== 'vertex') return null;
  const place = location ?? DEFAULT_LOCATION;
  if (place === 'global') return 'https://aiplatform.googleapis.com';
  // Places of several regions have a host name of another make.
  if (place === 'us' || place === 'eu') return `https://aiplatform.${place}.rep.googleapis.com`;
  return `https://${place}-aiplatform.googleapis.com`;
}

/** The region a signature is made for: as set, else as the host says, else the one that signs for no place. */
export function regionOf(region: string | null, baseUrl: string): string {
  return region ?? /\bbedrock-runtime(?:-fips)?\.([a-z0-9-]+)\./.exec(baseUrl)?.[1] ?? DEFAULT_REGION;
}

const DEFAULT_REGION = 'us-east-1';
