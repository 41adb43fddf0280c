/** `POST /v1/plan`: the dry run of a request, for the key that would send it. No record, no call, nothing used up. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KeyEntry } from '../config/snapshot.ts';
import { gatewayError } from '../core/errors/catalogue.ts';
import type { GatewayError } from '../core/errors/gateway-error.ts';
import type { Read } from '../core/request/read.ts';
import { recognise } from './authenticate.ts';
import { deliverError } from './deliver-error.ts';
import { HttpDelivery } from './delivery.ts';
import { dryRun } from './dry-run.ts';
import { admitDryRun } from './dry-run-limit.ts';
import type { Gateway } from './gateway.ts';
import { observeRefusal } from './key-rests.ts';
import type { PlanAnswer } from './plan-answer.ts';
import { type Principal, principalOfKey } from './principal.ts';
import { ClientLeft, readBody } from './read-body.ts';
import type { Arrival, DataRoute, Routed } from './reception.ts';
import { type Identity, identityHeaders, validClientRequestId, withJsonHeaders } from './response-headers.ts';

/** `route`: where the request would be sent. Rejects only when not even an error could be sent. */
export async function servePlan(
  gateway: Gateway,
  routed: Routed,
  http: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { route } = routed;
  const identity: Identity = {
    requestId: gateway.newId('req_'),
    clientRequestId: validClientRequestId(http.headers['x-request-id']),
  };
  const delivery = new HttpDelivery(response, gateway.clock);
  const fail = (error: GatewayError): void => {
    const where = { codec: route.codec, identity, classic: route.classic };
    deliverError(delivery, where, error, { attempts: 0, wall: gateway.clock.wall() });
  };
  try {
    const answer = await plan(gateway, routed, http, identity);
    if (!answer.ok) return fail(answer.error);
    const body = Buffer.from(JSON.stringify(answer.value));
    const headers = withJsonHeaders(identityHeaders(identity), body.length);
    headers.push('cache-control', 'no-store');
    delivery.open(200, headers);
    delivery.end(body);
  } catch (error) {
    if (error instanceof ClientLeft) return;
    gateway.reportBug(error, identity.requestId);
    fail(gatewayError('internal_error', 'a fault inside the gateway; report it with the request id'));
  }
}

/** The same for an operator: as if this key had sent it, with everything a routing trace shows (G-8). */
export function planOfKey(
  gateway: Gateway,
  route: DataRoute,
  key: KeyEntry,
  asked: { readonly body: Uint8Array; readonly headers: Readonly<Record<string, string>> },
): Read<PlanAnswer> {
  const request = route.codec.readRequest(asked.body);
  if (!request.ok) return request;
  const arrival = {
    route,
    http: { headers: asked.headers },
    identity: { requestId: gateway.newId('req_'), clientRequestId: null },
    snapshot: gateway.snapshot(),
  };
  return dryRun(gateway, arrival, principalOfKey(key), request.value, true);
}

async function plan(
  gateway: Gateway,
  routed: Routed,
  http: IncomingMessage,
  identity: Identity,
): Promise<Read<PlanAnswer>> {
  const { principal, snapshot } = await recognise(gateway, http);
  if (!principal.ok) return principal;
  const answer = await planFor(gateway, { ...routed, http, identity, snapshot }, principal.value);
  // What is wrong in itself is the key's fault here as well (G-6).
  if (!answer.ok) observeRefusal(gateway, principal.value.key.name, identity.requestId, answer.error);
  return answer;
}

async function planFor(
  gateway: Gateway,
  arrival: Arrival & Routed & { readonly http: IncomingMessage },
  principal: Principal,
): Promise<Read<PlanAnswer>> {
  const { snapshot, http, route, place } = arrival;
  const tooMany = admitDryRun(gateway, snapshot, principal.key);
  if (tooMany !== null) return { ok: false, error: tooMany };
  const body = await readBody(http, snapshot.server.bodyLimit);
  if (!body.ok) return body;
  const request = route.codec.readRequest(body.value, place);
  if (!request.ok) return request;
  return dryRun(gateway, arrival, principal, request.value, false);
}
