/** Lists of models: what a key may call by a configured name, with capabilities and price, in three dialects' shapes. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { KeyEntry, ModelEntry, Snapshot } from '../config/snapshot.ts';
import { gatewayError } from '../core/errors/catalogue.ts';
import { quotedName } from '../core/quoted-name.ts';
import { type ModelMatcher, modelMatcher } from '../core/request/allowed-models.ts';
import type { CallerRules } from '../core/request/caller-rules.ts';
import type { VirtualChain } from '../core/request/virtual-models.ts';
import { GENERATE_CLIENT_HEADER } from '../providers/headers.ts';
import { recognise } from '../runtime/authenticate.ts';
import type { Gateway } from '../runtime/gateway.ts';
import { preparedFor } from '../runtime/prepared.ts';
import { idHeaderOf } from '../runtime/response-headers.ts';
import { methodsOf, pathOf } from './data-routes.ts';
import { requestIdOf, sendError } from './error-reply.ts';
import { type ModelShape, type ShownModel, shapeFor } from './model-shapes.ts';

type Rest = { Params: { '*': string } };

export function registerModels(app: FastifyInstance, gateway: Gateway): void {
  for (const path of ['/v1/models', '/v1beta/models', '/openai/v1/models']) {
    app.get(path, (request, reply) => sendList(gateway, request, reply));
    // Ids contain slashes: the rest of the path is the id.
    app.get<Rest>(`${path}/*`, (request, reply) => sendOne(gateway, request, reply, request.params['*']));
  }
  // Clients of one dialect leave out the collection before a name that has a slash of its own.
  app.get<Rest>('/v1beta/*', (request, reply) => sendOne(gateway, request, reply, request.params['*']));
  app.get<Rest>('/v1/*', async (request, reply) => {
    if (request.headers[GENERATE_CLIENT_HEADER] !== undefined) {
      return sendOne(gateway, request, reply, request.params['*']);
    }
    reply.callNotFound();
    return reply;
  });
}

async function sendList(gateway: Gateway, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const shape = shapeOf(request);
  const known = await principalOf(gateway, request, reply, shape);
  if (known === null) return reply;
  const { url } = request;
  const query = new URLSearchParams(url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');
  const list = shape.list(listed(viewOf(known.snapshot, known.key)), query);
  return list.ok ? named(gateway, reply, shape).send(list.value) : sendError(gateway, reply, list.error, shape.codec);
}

async function sendOne(
  gateway: Gateway,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: string,
): Promise<FastifyReply> {
  const shape = shapeOf(request);
  const known = await principalOf(gateway, request, reply, shape);
  if (known === null) return reply;
  const found = lookedUp(viewOf(gateway.snapshotFor([asked]), known.key), asked);
  if (found !== null) return named(gateway, reply, shape).send(shape.one(found));
  // A path that ends in a verb asks something of a model: with another method.
  if (methodsOf(pathOf(request.url)) === 'POST') {
    reply.callNotFound();
    return reply;
  }
  const message = `the model ${quotedName(asked, 200)} is not known here; GET /v1/models lists those configured by name`;
  return sendError(gateway, reply, gatewayError('model_not_found', message, { param: 'model' }), shape.codec);
}

function shapeOf({ url, headers }: FastifyRequest): ModelShape {
  return shapeFor(pathOf(url), headers);
}

/** every answer has an id of the gateway's own. */
function named(gateway: Gateway, reply: FastifyReply, { codec }: ModelShape): FastifyReply {
  const id = requestIdOf(gateway, reply);
  const header = idHeaderOf(codec.dialect);
  return header === null ? reply : reply.header(header, id);
}

/** The models as one key sees them. */
interface View {
  readonly snapshot: Snapshot;
  readonly key: KeyEntry;
  readonly rules: CallerRules;
}

function viewOf(snapshot: Snapshot, key: KeyEntry): View {
  return { snapshot, key, rules: preparedFor(snapshot).rulesOf(key) };
}

/** Virtual models first: they are what a workspace made for its callers. */
function listed(view: View): ShownModel[] {
  const { snapshot, key, rules } = view;
  const enabled = modelMatcher(snapshot.workspaces.get(key.workspace)?.enabledModels ?? []);
  const allowed = modelMatcher(key.models);
  const denied = deniedIn(view);
  const isListed = (id: string): boolean => enabled(id) && allowed(id) && !denied(id);
  const models = snapshot.models.filter(({ id, wildcard }) => wildcard !== true && isListed(id));
  const virtuals = [...rules.virtuals.values()].filter(isUsable);
  return [...virtuals.map((one) => virtualModel(view, one)), ...models.map((one) => shownModel(view, one))];
}

/** By the names a request may use; what this key may not call is as good as not there (null). */
function lookedUp(view: View, asked: string): ShownModel | null {
  const found = view.rules.resolve(asked, 'model');
  if (!found.ok) return null;
  switch (found.value.kind) {
    case 'model':
      return deniedIn(view)(found.value.id) ? null : shownModel(view, view.snapshot.models[found.value.model]!);
    case 'virtual':
      return isUsable(found.value.virtual) ? virtualModel(view, found.value.virtual) : null;
    case 'not_enabled':
      return null;
  }
}

/** G-2: nobody of the workspace gets an answer of these. */
function deniedIn({ snapshot, key }: View): ModelMatcher {
  return modelMatcher(snapshot.workspaces.get(key.workspace)?.guardrails.denyModels ?? []);
}

function isUsable({ models }: VirtualChain): boolean {
  return models.length > 0;
}

/** A virtual model (C-6): its workspace owns it; `models` are those of it this key may call, in order. */
function virtualModel({ key }: View, { name, models }: VirtualChain): ShownModel {
  const members = models.map(({ id }) => id);
  const object = { id: name, object: 'model', created: 0, owned_by: key.workspace, models: members };
  return { id: name, contextWindow: null, maxOutputTokens: null, object };
}

function shownModel(view: View, model: ModelEntry): ShownModel {
  const { id, contextWindow, maxOutputTokens } = model;
  return { id, contextWindow, maxOutputTokens: maxOutputTokens ?? null, object: modelObject(view, model) };
}

/** OpenAI's model object, and beside it what a caller of a gateway wants to know. Prices in USD per million tokens. */
function modelObject({ snapshot, rules }: View, model: ModelEntry): Readonly<Record<string, unknown>> {
  const price = model.price;
  return {
    id: model.id,
    object: 'model',
    created: 0,
    owned_by: ownerOf(snapshot, model),
    // C-7: who gets answers of a model nobody asked for finds it marked here.
    ...(rules.defaultModel?.model === model.ix ? { default: true } : {}),
    context_window: model.contextWindow,
    max_output_tokens: model.maxOutputTokens ?? null,
    capabilities: model.capabilities,
    price:
      price === null
        ? null
        : {
            input: usd(price.input),
            output: usd(price.output),
            cached_input: usd(price.cachedInput),
            unit: 'USD per 1M tokens',
            ...sourceOf(model),
          },
  };
}

/** Where a price comes from; a catalogue's is of a day, and may be an estimate. */
function sourceOf({ catalogued }: ModelEntry): object {
  if (catalogued?.price === undefined) return { source: 'configuration' };
  const { date, estimate } = catalogued.price;
  return { source: 'catalogue', as_of: date, ...(estimate === null ? {} : { estimate }) };
}

function ownerOf(snapshot: Snapshot, model: ModelEntry): string {
  const slash = model.id.indexOf('/');
  if (slash > 0) return model.id.slice(0, slash);
  const first = model.channels[0];
  return first === undefined ? 'understudy' : snapshot.channels[first]!.provider.name;
}

/** Nano-dollars per million tokens → dollars per million tokens. */
function usd(nano: bigint | null): number | null {
  return nano === null ? null : Number(nano) / 1e9;
}

async function principalOf(
  gateway: Gateway,
  request: FastifyRequest,
  reply: FastifyReply,
  { codec }: ModelShape,
): Promise<{ snapshot: Snapshot; key: KeyEntry } | null> {
  const { principal, snapshot } = await recognise(gateway, request.raw);
  if (principal.ok) return { snapshot, key: principal.value.key };
  sendError(gateway, reply, principal.error, codec);
  return null;
}
