/** A request as it arrives: its route, its connection, its id. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Snapshot } from '../config/snapshot.ts';
import { gatewayError } from '../core/errors/catalogue.ts';
import type { GatewayError } from '../core/errors/gateway-error.ts';
import type { Operation } from '../core/wire-names.ts';
import type { Answer, ClientRequest, DialectCodec, RequestPlace } from '../dialects/contract.ts';
import type { Home } from '../ports/bound-state.ts';
import type { UploadSpool } from '../ports/upload-spool.ts';
import { deliverError, type ErrorPlace } from './deliver-error.ts';
import type { HttpDelivery } from './delivery.ts';
import type { Gateway, LiveRequest } from './gateway.ts';
import type { Relay } from './relay.ts';
import type { RequestLog } from './request-log.ts';
import type { Identity } from './response-headers.ts';
import type { FailoverRun } from './run-failover.ts';

/** One row of the table path → dialect. */
export interface DataRoute {
  /** The endpoint's name in records and under keys, and in a model's `apis` unless it says `api`. */
  readonly endpoint: string;
  readonly api?: string;
  readonly operation: Operation;
  readonly codec: DialectCodec;
  readonly classic: boolean;
  /** False where nothing but the requested model may answer: images, audio, embeddings and the like (C-7). */
  readonly crossesModels: boolean;
  /** Of counts of tokens: the answer that says so many, for models that nobody counts for; absent = there is none. */
  readonly estimated?: (inputTokens: number) => Answer;
  /** What the headers say beside the body; absent = nothing is read of them. */
  readonly placeIn?: (headers: IncomingHttpHeaders) => RequestPlace;
}

/** A route, and what the path, its query and the headers say beside the body. */
export interface Routed {
  readonly route: DataRoute;
  readonly place: RequestPlace;
}

/** How a request came: what a plan needs of it, whoever asks. */
export interface Arrival {
  readonly route: DataRoute;
  readonly http: { readonly headers: IncomingHttpHeaders };
  readonly identity: Identity;
  readonly snapshot: Snapshot;
  /** Where what it names lives upstream (P-8); null = it names nothing that is known. */
  home?: Home | null;
}

/** What is known of a request before it has a plan; errors on the way need no more. */
export interface Reception extends Arrival {
  /** What was in force when its caller was recognised. */
  snapshot: Snapshot;
  readonly http: IncomingMessage;
  readonly place: RequestPlace;
  readonly delivery: HttpDelivery;
  /** Null until it has been read. */
  request: ClientRequest | null;
  readonly log: RequestLog;
  readonly live: LiveEntry;
}

/**
 * A request as a drain sees it. Fields, not closures: a closure in a place that outlives the request kept its whole
 * context, and every garbage collection carried all requests of the last seconds (measured: a third of the CPU time).
 */
export class LiveEntry implements LiveRequest {
  /** Set while the request is on its way in. */
  incoming: { readonly gateway: Gateway; readonly reception: Reception } | null = null;
  /** Set once it has a plan. */
  running: { readonly relay: Relay; readonly run: FailoverRun } | null = null;
  /** Holds its body, where that is a form. */
  spool: UploadSpool | null = null;
  /** What is known of it, until its answer is on its way out; for whoever looks at what is under way. */
  log: RequestLog | null;

  constructor(log: RequestLog) {
    this.log = log;
  }

  terminate(): void {
    if (this.running !== null) this.running.relay.terminate(this.running.run);
    else if (this.incoming !== null) refuseDraining(this.incoming.gateway, this.incoming.reception);
  }

  /** Nothing is left to end, and no attempt that could want the body. */
  release(): void {
    this.incoming = null;
    this.running = null;
    this.spool?.close();
    this.spool = null;
  }
}

/** How its client is told an error. */
export function errorPlace({ route, identity, request }: Reception): ErrorPlace {
  return { codec: route.codec, identity, classic: route.classic, request: request ?? undefined };
}

/** Ends a request that never got a plan, or whose plan was refused. */
export function reject(gateway: Gateway, reception: Reception, error: GatewayError): void {
  deliverError(reception.delivery, errorPlace(reception), error, { attempts: 0, wall: gateway.clock.wall() });
  reception.log.rejected(error);
}

/** The process stops: this request is not begun any more. */
export function refuseDraining(gateway: Gateway, reception: Reception): void {
  reject(gateway, reception, drainingError(gateway.clock.wall()));
}

/** @param wall wall ms */
export function drainingError(wall: number): GatewayError {
  const message = 'this gateway is shutting down; send the request again';
  return gatewayError('draining', message, { shouldRetry: true, retryAt: wall + 1000 });
}
