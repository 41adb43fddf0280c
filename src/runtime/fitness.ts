/** P-6 at the turn of a target: can its model do what the request asks, and if so, can this channel. */
import type { Snapshot } from '../config/snapshot.ts';
import type { FailoverOptions } from '../core/failover/options.ts';
import type { ChannelIx, ModelIx, Plan, SkipReason, Target } from '../core/failover/plan-types.ts';
import { reachableModels } from '../core/failover/row.ts';
import type { Failure } from '../core/failure.ts';
import {
  type Capabilities,
  incapable,
  type Miss,
  missing,
  type Needs,
  ofChannel,
  saysNothing,
} from '../core/request/capabilities.ts';
import type { Chain } from '../core/request/chain.ts';
import type { Degrade } from '../core/request/redundancy-types.ts';
import type { ClientRequest } from '../dialects/contract.ts';
import { type Prepared, preparedFor } from './prepared.ts';
import type { DataRoute } from './reception.ts';
import { type Way, wayFor } from './way.ts';

/** `failure`: no channel of the model can, which ends the request; null = another one can, or the model is passed over. */
export interface Unfit {
  readonly failure: Failure | null;
}

const PASSED_OVER: Unfit = { failure: null };

/** What is held against what models can. */
export interface Asked {
  readonly route: DataRoute;
  readonly request: ClientRequest;
  readonly chain: Chain;
  readonly options: FailoverOptions;
  readonly plan: Plan;
}

/** No channel's provider speaks or serves what the endpoint asks. */
function noWay({ endpoint }: DataRoute): Miss {
  return { kind: 'api', name: endpoint };
}

/** Channels this request may never use say nothing about what its models can do for it. */
const NOT_OURS: ReadonlySet<SkipReason> = new Set(['channel_not_enabled', 'byok_only', 'guardrail']);

/** One request's question to each target. Nothing is read of the body unless somebody said what a model can do. */
export class Fitness {
  readonly #snapshot: Snapshot;
  readonly #prepared: Prepared;
  readonly #asked: Asked;
  /** What the request needs, by what its entry drops: a plan may have a thousand targets, the body is read once. */
  #needs: Map<Degrade | null, Needs> | null = null;
  #missed: Map<ModelIx, Miss | null> | null = null;

  constructor(snapshot: Snapshot, asked: Asked) {
    this.#snapshot = snapshot;
    this.#prepared = preparedFor(snapshot);
    this.#asked = asked;
  }

  /** Null = the target can, or nobody knows. */
  of({ model, channel }: Target): Unfit | null {
    const miss = this.#missing(model, channel);
    if (miss === null) return null;
    if (this.#missOf(model) === null) return PASSED_OVER;
    if (this.#asked.options.skipIncapable && !this.#nobodyCan()) return PASSED_OVER;
    return { failure: incapable(this.#snapshot.models[model]!.id, miss) };
  }

  /** `skip_incapable` passes over what can not; where nothing else is left of the whole chain, P-6's 400 says why. */
  #nobodyCan(): boolean {
    const { plan, options } = this.#asked;
    return reachableModels(plan, options).every(({ model }) => this.#missOf(model) !== null);
  }

  /** What a model misses on every channel this request may use; null = one of them can. */
  #missOf(model: ModelIx): Miss | null {
    this.#missed ??= new Map();
    const known = this.#missed.get(model);
    if (known !== undefined) return known;
    const miss = this.#missOnAll(model);
    this.#missed.set(model, miss);
    return miss;
  }

  #missOnAll(model: ModelIx): Miss | null {
    let first: Miss | null = null;
    for (const { target, skip } of this.#asked.plan.candidates) {
      if (target.model !== model || (skip !== null && NOT_OURS.has(skip.reason))) continue;
      const miss = this.#missing(model, target.channel);
      if (miss === null) return null;
      first ??= miss;
    }
    return first;
  }

  #can(model: ModelIx, channel: ChannelIx): Capabilities {
    return ofChannel(this.#snapshot.models[model]!.capabilities, this.#snapshot.channels[channel]!.capabilities);
  }

  /** What the way to a channel cannot carry comes first: no model behind it could. */
  #missing(model: ModelIx, channel: ChannelIx): Miss | null {
    const { route } = this.#asked;
    const way = this.#prepared.wayTo(route, this.#snapshot.channels[channel]!);
    const missed = way.pair === null ? noWay(route) : way.carriesAll ? null : this.#missedOnTheWay(model, way);
    if (missed !== null) return missed;
    const can = this.#can(model, channel);
    if (saysNothing(can)) return null;
    return missing(can, route.api ?? route.endpoint, () => this.#needsOf(this.#degradeOf(model)));
  }

  #missedOnTheWay(model: ModelIx, way: Way): Miss | null {
    const { route, request } = this.#asked;
    const degrade = this.#degradeOf(model);
    const { pair, facts } = wayFor(way, route, request, degrade);
    return pair === null ? noWay(route) : pair.misses(request, degrade, facts);
  }

  #degradeOf(model: ModelIx): Degrade | null {
    return this.#asked.chain.entries.find((entry) => entry.model === model)?.degrade ?? null;
  }

  #needsOf(degrade: Degrade | null): Needs {
    this.#needs ??= new Map();
    let needs = this.#needs.get(degrade);
    if (needs === undefined) {
      needs = this.#asked.route.codec.needs(this.#asked.request, degrade);
      this.#needs.set(degrade, needs);
    }
    return needs;
  }
}
