/**
 * One request's life, top to bottom: authenticate → read → (claim its key) → caller's limits → choose chain → plan → fail
 * over → relay → record. Under a key everything from the claim on is `keyed/`.
 * Each line is a door to one room.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gatewayError } from '../core/errors/catalogue.ts';
import type { ClientRequest } from '../dialects/contract.ts';
import { admitCaller, leaveCaller } from './admit-caller.ts';
import { recognise } from './authenticate.ts';
import { homeNamedBy, mayNameState } from './bound-state.ts';
import { HttpDelivery } from './delivery.ts';
import type { Gateway } from './gateway.ts';
import { restError } from './key-rests.ts';
import { asksForKey, readAsk } from './keyed/ask.ts';
import { serveKeyed } from './keyed/serve-keyed.ts';
import { keeperOf } from './ladder/keeper.ts';
import { makeJob } from './make-job.ts';
import type { Principal } from './principal.ts';
import { ClientLeft, receiveBody } from './read-body.ts';
import { LiveEntry, type Reception, type Routed, refuseDraining, reject } from './reception.ts';
import { watchRetries } from './recognise-retry.ts';
import { Relay } from './relay.ts';
import { RequestLog } from './request-log.ts';
import { type Identity, idHeaderOf, validClientRequestId } from './response-headers.ts';
import { FailoverRun } from './run-failover.ts';

/** Serves one request of the data plane, whatever becomes of it. Rejects only when not even an error could be sent. */
export async function serveRequest(
  gateway: Gateway,
  routed: Routed,
  http: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  return during(gateway, receive(gateway, routed, http, response), serve);
}

/** Whatever `serving` does, and however it fails: the request is live until its client has everything. */
export async function during(
  gateway: Gateway,
  reception: Reception,
  serving: (gateway: Gateway, reception: Reception) => Promise<void>,
): Promise<void> {
  gateway.live.add(reception.live);
  try {
    await serving(gateway, reception);
  } catch (error) {
    if (error instanceof ClientLeft) {
      reception.log.clientLeft();
      return;
    }
    gateway.reportBug(error, reception.identity.requestId);
    reject(
      gateway,
      reception,
      gatewayError('internal_error', 'a fault inside the gateway; report it with the request id'),
    );
  } finally {
    leave(gateway, reception);
  }
}

/** No longer live once its last bytes have left. */
function leave(gateway: Gateway, { delivery, live }: Reception): void {
  live.release();
  live.log = null;
  const leaving = delivery.leaving();
  if (leaving === null) {
    gateway.live.delete(live);
    return;
  }
  void leaving.then(() => gateway.live.delete(live));
}

async function serve(gateway: Gateway, reception: Reception): Promise<void> {
  if (gateway.draining) return refuseDraining(gateway, reception);
  reception.live.incoming = { gateway, reception };
  const { http, log, route } = reception;
  const recognised = recognise(gateway, http);
  const { principal, snapshot } = recognised instanceof Promise ? await recognised : recognised;
  reception.snapshot = snapshot;
  if (!principal.ok) return reject(gateway, reception, principal.error);
  log.principal(principal.value);
  const rest = restError(gateway, principal.value.key.name);
  if (rest !== null) return reject(gateway, reception, rest);

  const body = await receiveBody(http, reception, snapshot.server.bodyLimit, gateway.openUpload);
  if (!body.ok) return reject(gateway, reception, body.error);
  const { bytes, place, spool } = body.value;
  reception.live.spool = spool;
  const request = route.codec.readRequest(bytes, place);
  if (!request.ok) return reject(gateway, reception, request.error);
  reception.request = request.value;
  const watch = watchRetries(gateway, http, principal.value, { endpoint: route.endpoint, place, body: bytes });
  log.received(request.value, watch);

  if (mayNameState(route)) {
    const home = await homeNamedBy(gateway, route.codec, principal.value.workspace, request.value);
    if (!home.ok) return reject(gateway, reception, home.error);
    reception.home = home.value;
  }

  // The drain ended while the body came: it has been answered.
  if (reception.delivery.ended) return;
  if (asksForKey(http.headers, principal.value)) {
    const sent = { request: request.value, body: bytes, isRetry: watch.retry.count > 0 };
    const ask = readAsk(gateway, reception, principal.value, sent);
    if (!ask.ok) return reject(gateway, reception, ask.error);
    if (await serveKeyed(gateway, reception, principal.value, request.value, ask.value)) return;
  }
  const asked = admitCaller(gateway, reception, principal.value, request.value);
  const admitted = asked instanceof Promise ? await asked : asked;
  if (!admitted.ok) return reject(gateway, reception, admitted.error);
  try {
    if (reception.delivery.ended) return;
    await failOver(gateway, reception, principal.value, request.value);
  } finally {
    leaveCaller(gateway, reception, admitted.value);
  }
}

/** From a read request to its answer. */
export async function failOver(
  gateway: Gateway,
  reception: Reception,
  principal: Principal,
  request: ClientRequest,
): Promise<void> {
  const { delivery, log, live } = reception;
  const made = makeJob(gateway, reception, principal, request);
  if (!made.ok) return reject(gateway, reception, made.error);
  const job = made.value;
  log.planned(job);
  delivery.patienceMs = job.options.stallTimeoutMs;

  const keeper = keeperOf(gateway, job);
  const relay = new Relay(gateway, job, keeper?.watch(delivery) ?? delivery);
  const setup = {
    plan: job.plan,
    options: job.options,
    keyed: false,
    actsUpstream: job.codec.actsUpstream(job.request),
    attemptOffset: 0,
    now: gateway.clock.now(),
  };
  const run = new FailoverRun(gateway, job, setup, relay);
  live.running = { relay, run };
  if (request.stream) gateway.metrics.streamOpened();
  try {
    relay.armKeepAlive();
    delivery.onGone(() => run.clientGone(false));
    run.begin();
    const result = await relay.result;
    log.finished(run, result);
    keeper?.ended(run, result);
  } finally {
    if (request.stream) gateway.metrics.streamClosed();
  }
}

export function receive(
  gateway: Gateway,
  { route, place }: Routed,
  http: IncomingMessage,
  response: ServerResponse,
): Reception {
  const { traceparent } = http.headers;
  const identity: Identity = {
    requestId: gateway.newId('req_'),
    clientRequestId: validClientRequestId(http.headers['x-request-id']),
    idHeader: idHeaderOf(route.codec.dialect),
    traceparent: typeof traceparent === 'string' ? traceparent : null,
  };
  const log = new RequestLog(gateway, route.endpoint, identity);
  return {
    route,
    place,
    http,
    request: null,
    delivery: new HttpDelivery(response, gateway.clock),
    identity,
    snapshot: gateway.snapshot(),
    log,
    live: new LiveEntry(log),
  };
}
