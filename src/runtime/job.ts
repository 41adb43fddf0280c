/** One request on its way: everything the driver and the relay read, fixed once the plan is made. */

import type { IncomingHttpHeaders } from 'node:http';
import type { KeyEntry, Snapshot } from '../config/snapshot.ts';
import type { FailoverOptions } from '../core/failover/options.ts';
import type { Plan, PlannedTarget, Target } from '../core/failover/plan-types.ts';
import type { HealthKeys } from '../core/health/keys.ts';
import type { LimitScope } from '../core/limits/limits.ts';
import type { Chain } from '../core/request/chain.ts';
import type { Rehearsal } from '../core/request/rehearsal.ts';
import type { ClientRequest, ClientSide } from '../dialects/contract.ts';
import type { Unfit } from './fitness.ts';
import type { DataRoute } from './reception.ts';
import type { RequestMoney } from './request-money.ts';
import type { Identity } from './response-headers.ts';

/** Everything it refers to is of one snapshot: a reload does not reach it. */
export interface Job {
  readonly identity: Identity;
  /** Whose request it is. */
  readonly workspace: string;
  readonly key: KeyEntry;
  readonly snapshot: Snapshot;
  /** How it came. */
  readonly route: DataRoute;
  readonly codec: ClientSide;
  readonly classic: boolean;
  readonly request: ClientRequest;
  readonly chain: Chain;
  readonly options: FailoverOptions;
  readonly plan: Plan;
  /** Earlier requests had this very plan object. */
  readonly planRecurs: boolean;
  /** Failures asked for on purpose; null = none. */
  readonly rehearsal: Rehearsal | null;
  /** Read by providers whose row forwards some of them; nothing else reads them (G-10). */
  readonly clientHeaders: IncomingHttpHeaders;
  planned(rank: number): PlannedTarget;
  healthKeys(target: Target): HealthKeys;
  /** What counts the target's calls: its credential and channel, as far as they have limits (P-4). */
  limitScopes(target: Target): readonly LimitScope[];
  readonly money: RequestMoney;
  /** Why a target can not do what the request asks (P-6); null = it can, or nobody knows. */
  unfit(target: Target): Unfit | null;
  /** Its calls need a token that can't be signed right now (G-5). */
  lacksEntitlement(target: Target): boolean;
}
