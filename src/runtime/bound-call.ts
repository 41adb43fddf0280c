/**
 * A call on something that lives at one upstream account (P-8): authenticate → whose is it → plan of that one target → one
 * attempt → relay → record. Somebody else's is as good as not there.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gatewayError } from '../core/errors/catalogue.ts';
import type { GatewayError } from '../core/errors/gateway-error.ts';
import { quotedName } from '../core/quoted-name.ts';
import type { RequestPlace } from '../dialects/contract.ts';
import { boundRequest } from '../dialects/plain/bound-codec.ts';
import type { Home } from '../ports/bound-state.ts';
import { admitCaller, leaveCaller } from './admit-caller.ts';
import { recognise } from './authenticate.ts';
import { findHome } from './bound-state.ts';
import type { Gateway } from './gateway.ts';
import { restError } from './key-rests.ts';
import { readBody } from './read-body.ts';
import { type DataRoute, type Reception, refuseDraining, reject } from './reception.ts';
import { during, failOver, receive } from './serve-request.ts';

/** What is asked of which thing. */
export interface BoundCall {
  readonly route: DataRoute;
  readonly id: string;
  readonly call: NonNullable<RequestPlace['call']>;
  /** What comes back is no JSON. */
  readonly stream: boolean;
}

const NO_RETRY = { retry: { count: 0, how: null, callsBefore: 0 }, ended: () => undefined };

/** Rejects only when not even an error could be sent. */
export function serveBound(
  gateway: Gateway,
  asked: BoundCall,
  http: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const reception = receive(gateway, { route: asked.route, place: { call: asked.call } }, http, response);
  return during(gateway, reception, () => serve(gateway, reception, asked));
}

async function serve(gateway: Gateway, reception: Reception, { route, id, call, stream }: BoundCall): Promise<void> {
  if (gateway.draining) return refuseDraining(gateway, reception);
  reception.live.incoming = { gateway, reception };
  const { http, log } = reception;
  const recognised = recognise(gateway, http);
  const { principal, snapshot } = recognised instanceof Promise ? await recognised : recognised;
  reception.snapshot = snapshot;
  if (!principal.ok) return reject(gateway, reception, principal.error);
  log.principal(principal.value);
  const { key, workspace } = principal.value;
  const rest = restError(gateway, key.name);
  if (rest !== null) return reject(gateway, reception, rest);
  // Some clients send an empty object along; nothing of it goes on.
  const body = call.method === 'POST' ? await readBody(http, snapshot.server.bodyLimit) : null;
  if (body?.ok === false) return reject(gateway, reception, body.error);

  if (asksForEvents(call.query)) return reject(gateway, reception, eventsUnavailable());
  const home = await findHome(gateway, workspace, id);
  if (!home.ok) return reject(gateway, reception, home.error);
  if (home.value === null) return reject(gateway, reception, unknown(route, id));
  if (!isConfigured(gateway, home.value)) return reject(gateway, reception, unreachable(route, id));
  reception.home = home.value;
  const request = boundRequest(home.value.model, call, stream);
  log.received(request, NO_RETRY);
  if (reception.delivery.ended) return;
  const asked = admitCaller(gateway, reception, principal.value, request);
  const admitted = asked instanceof Promise ? await asked : asked;
  if (!admitted.ok) return reject(gateway, reception, admitted.error);
  try {
    if (reception.delivery.ended) return;
    await failOver(gateway, reception, principal.value, request);
  } finally {
    leaveCaller(gateway, reception, admitted.value);
  }
  if (call.method === 'DELETE' && isServed(reception)) await gateway.bound.forget(workspace, id);
}

function isServed({ live }: Reception): boolean {
  return live.running?.run.traces.some(({ result }) => result === 'served') === true;
}

/** The account is still there, under its names. */
function isConfigured(gateway: Gateway, { model, channel, credential }: Home): boolean {
  const { models, channels, credentials } = gateway.snapshotFor([model]);
  const hasChannel = channels.some((one) => one.id === channel && models[one.model]?.id === model);
  return hasChannel && (credential === null || credentials.some(({ name }) => name === credential));
}

/** What was streamed once is read again whole: going on in the middle of a stream is not carried out. */
function asksForEvents(query: string): boolean {
  return new URLSearchParams(query).get('stream') === 'true';
}

function eventsUnavailable(): GatewayError {
  const message =
    '`stream` is not available for what is stored; ask for it whole, without `stream` and `starting_after`';
  return { ...gatewayError('not_available', message), param: 'stream' };
}

/** Not there, or another workspace's: nobody learns which. */
function unknown({ endpoint }: DataRoute, id: string): GatewayError {
  const message = `nothing named ${quotedName(id, 100)} was made through ${endpoint} for this workspace, or it has expired`;
  return gatewayError('not_found', message);
}

function unreachable({ endpoint }: DataRoute, id: string): GatewayError {
  const message = `${quotedName(id, 100)} was made through ${endpoint} at an account that is no longer configured`;
  return gatewayError('not_found', message);
}
