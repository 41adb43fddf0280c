/** `GET /v1/models`: what this key may call by a configured name, with capabilities and price. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { KeyEntry, ModelEntry, Snapshot } from '../config/snapshot.ts';
import { gatewayError } from '../core/errors/catalogue.ts';
import { mayCall } from '../core/request/allowed-models.ts';
import { authenticate } from '../runtime/authenticate.ts';
import type { Gateway } from '../runtime/gateway.ts';
import { preparedFor } from '../runtime/prepared.ts';
import { requestIdOf, sendError } from './error-reply.ts';

export function registerModels(app: FastifyInstance, gateway: Gateway): void {
  app.get('/v1/models', (request, reply) => {
    const known = principalOf(gateway, request, reply);
    if (known === null) return reply;
    const { snapshot, key } = known;
    const data = snapshot.models
      .filter((model) => model.wildcard !== true && callable(snapshot, key, model))
      .map((model) => modelObject(snapshot, model));
    return named(gateway, reply).send({ object: 'list', data });
  });

  // Ids contain slashes: the rest of the path is the id.
  app.get<{ Params: { '*': string } }>('/v1/models/*', (request, reply) => {
    const known = principalOf(gateway, request, reply);
    if (known === null) return reply;
    const asked = request.params['*'];
    const snapshot = gateway.snapshotFor([asked]);
    // By the names a request may use; what this key may not call is as good as not there.
    const found = preparedFor(snapshot).rulesOf(known.key).resolve(asked, 'model');
    if (!found.ok) {
      const message = `the model ${JSON.stringify(asked.slice(0, 200))} is not known here; GET /v1/models lists those configured by name`;
      return sendError(gateway, reply, gatewayError('model_not_found', message, { param: 'model' }));
    }
    const model = snapshot.models[found.value.model]!;
    return named(gateway, reply).send(modelObject(snapshot, model));
  });
}

/** every answer has an id of the gateway's own. */
function named(gateway: Gateway, reply: FastifyReply): FastifyReply {
  requestIdOf(gateway, reply);
  return reply;
}

function callable(snapshot: Snapshot, key: KeyEntry, model: ModelEntry): boolean {
  const workspace = snapshot.workspaces.get(key.workspace);
  return mayCall(key.models, model.id) && mayCall(workspace?.enabledModels ?? ['*'], model.id);
}

/** OpenAI's model object, and beside it what a caller of a gateway wants to know. Prices in USD per million tokens. */
function modelObject(snapshot: Snapshot, model: ModelEntry): object {
  const price = model.price;
  return {
    id: model.id,
    object: 'model',
    created: 0,
    owned_by: ownerOf(snapshot, model),
    context_window: model.contextWindow,
    capabilities: model.capabilities,
    price:
      price === null
        ? null
        : {
            input: usd(price.input),
            output: usd(price.output),
            cached_input: usd(price.cachedInput),
            unit: 'USD per 1M tokens',
          },
  };
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
