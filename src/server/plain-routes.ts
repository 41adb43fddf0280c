/** Routes of the endpoints that are never translated and never leave the requested model (C-7, S0). */
import type { Operation } from '../core/wire-names.ts';
import type { PlainEndpoint } from '../dialects/plain/endpoint.ts';
import { PLAIN_ENDPOINTS } from '../dialects/plain/endpoints.ts';
import { plainCodec } from '../dialects/plain/json-codec.ts';
import type { DataRoute } from '../runtime/reception.ts';

/** Under which every endpoint of this family is found a second time. */
export const TWIN = '/openai/v1';

/** As records, keys and `apis` name them. */
const NAMES: Readonly<Partial<Record<Operation, string>>> = {
  image_generation: 'images',
  image_edit: 'image_edits',
  transcription: 'transcriptions',
  translation: 'translations',
  video: 'videos',
};

function routeOfEndpoint(endpoint: PlainEndpoint): DataRoute {
  const { operation } = endpoint;
  const name = NAMES[operation] ?? operation;
  return {
    endpoint: name,
    operation,
    codec: plainCodec(endpoint),
    classic: false,
    // Text for text: another model may go on where one failed. All else is bound to the model that was asked for.
    crossesModels: operation === 'completions',
  };
}

const made: readonly [path: string, DataRoute][] = PLAIN_ENDPOINTS.map((one) => [one.path, routeOfEndpoint(one)]);

/** By what follows a deployment's name. */
export const PLAIN_MODEL_ROUTES: ReadonlyMap<string, { readonly route: DataRoute }> = new Map(
  made.map(([path, route]) => [path, { route }]),
);

/** By path. */
export const PLAIN_ROUTES: ReadonlyMap<string, DataRoute> = new Map(
  made.flatMap(([path, route]): [string, DataRoute][] => [
    [`/v1${path}`, route],
    [`${TWIN}${path}`, route],
  ]),
);
