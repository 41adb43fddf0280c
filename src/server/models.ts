/** `GET /v1/models`: what this key may call by a configured name, with capabilities and price. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { KeyEntry, ModelEntry, Snapshot } from '../config/snapshot.ts';
import { gatewayError } from '../core/errors/catalogue.ts';
import { quotedName } from '../core/quoted-name.ts';
import { type ModelMatcher, modelMatcher } from '../core/request/allowed-models.ts';
import type { CallerRules } from '../core/request/caller-rules.ts';
import type { VirtualChain } from '../core/request/virtual-models.ts';
import { authenticate } from '../runtime/authenticate.ts';
import type { Gateway } from '../runtime/gateway.ts';
import { preparedFor } from '../runtime/prepared.ts';
import { requestIdOf, sendError } from './error-reply.ts';

export function registerModels(app: FastifyInstance, gateway: Gateway): void {
  app.get('/v1/models', (request, reply) => {
    const known = principalOf(gateway, request, reply);
    if (known === null) return reply;
    return named(gateway, reply).send({ object: 'list', data: listed(viewOf(known.snapshot, known.key)) });
  });

  // Ids contain slashes: the rest of the path is the id.
  app.get<{ Params: { '*': string } }>('/v1/models/*', (request, reply) => {
    const known = principalOf(gateway, request, reply);
    if (known === null) return reply;
    const asked = request.params['*'];
    const found = lookedUp(viewOf(gateway.snapshotFor([asked]), known.key), asked);
    if (found !== null) return named(gateway, reply).send(found);
    const message = `the model ${quotedName(asked, 200)} is not known here; GET /v1/models lists those configured by name`;
    return sendError(gateway, reply, gatewayError('model_not_found', message, { param: 'model' }));
  });
}

/** every answer has an id of the gateway's own. */
function named(gateway: Gateway, reply: FastifyReply): FastifyReply {
  requestIdOf(gateway, reply);
  return reply;
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
function listed(view: View): object[] {
  const { snapshot, key, rules } = view;
  const enabled = modelMatcher(snapshot.workspaces.get(key.workspace)?.enabledModels ?? []);
  const allowed = modelMatcher(key.models);
  const denied = deniedIn(view);
  const isListed = (id: string): boolean => enabled(id) && allowed(id) && !denied(id);
  const models = snapshot.models.filter(({ id, wildcard }) => wildcard !== true && isListed(id));
  const virtuals = [...rules.virtuals.values()].filter(isUsable);
  return [...virtuals.map((one) => virtualObject(view, one)), ...models.map((one) => modelObject(view, one))];
}

/** By the names a request may use; what this key may not call is as good as not there (null). */
function lookedUp(view: View, asked: string): object | null {
  const found = view.rules.resolve(asked, 'model');
  if (!found.ok) return null;
  switch (found.value.kind) {
    case 'model':
      return deniedIn(view)(found.value.id) ? null : modelObject(view, view.snapshot.models[found.value.model]!);
    case 'virtual':
      return isUsable(found.value.virtual) ? virtualObject(view, found.value.virtual) : null;
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
function virtualObject({ key }: View, { name, models }: VirtualChain): object {
  return { id: name, object: 'model', created: 0, owned_by: key.workspace, models: models.map(({ id }) => id) };
}

/** OpenAI's model object, and beside it what a caller of a gateway wants to know. Prices in USD per million tokens. */
function modelObject({ snapshot, rules }: View, model: ModelEntry): object {
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

function principalOf(
  gateway: Gateway,
  request: FastifyRequest,
  reply: FastifyReply,
): { snapshot: Snapshot; key: KeyEntry } | null {
  const snapshot = gateway.snapshot();
  const principal = authenticate(request.raw, snapshot, gateway.clock.wall());
  if (principal.ok) return { snapshot, key: principal.value.key };
  sendError(gateway, reply, principal.error);
  return null;
}
