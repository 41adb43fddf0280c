/** A request as it arrives: its route, its connection, its id. */
import type { IncomingMessage } from 'node:http';
import type { Snapshot } from '../config/snapshot.ts';
import type { DialectCodec } from '../dialects/contract.ts';
import type { HttpDelivery } from './delivery.ts';
import type { LiveRequest } from './gateway.ts';
import type { RequestLog } from './request-log.ts';
import type { Identity } from './response-headers.ts';

/** One row of the table path → dialect. */
export interface DataRoute {
  readonly endpoint: string;
  readonly codec: DialectCodec;
  readonly classic: boolean;
  readonly upstreamPath: string;
}

/** What is known of a request before it has a plan; errors on the way need no more. */
export interface Reception {
  readonly route: DataRoute;
  readonly http: IncomingMessage;
  readonly delivery: HttpDelivery;
  readonly identity: Identity;
  readonly snapshot: Snapshot;
  readonly log: RequestLog;
  readonly live: LiveRequest;
}
