/** P-6 at the turn of a target: can its model do what the request asks, and if so, can this channel. */
import type { Snapshot } from '../config/snapshot.ts';
import type { Target } from '../core/failover/plan-types.ts';
import type { Failure } from '../core/failure.ts';
import {
  type Capabilities,
  incapable,
  missing,
  type Needs,
  ofChannel,
  saysNothing,
} from '../core/request/capabilities.ts';
import type { Chain } from '../core/request/chain.ts';
import type { ClientRequest, DialectCodec } from '../dialects/contract.ts';

/** `failure`: no channel of the model can, which ends the request; null = another one can. */
export interface Unfit {
  readonly failure: Failure | null;
}

const OTHERS_CAN: Unfit = { failure: null };

export interface Asked {
  readonly endpoint: string;
  readonly codec: DialectCodec;
  readonly request: ClientRequest;
  readonly chain: Chain;
}

/** Null = the target can, or nobody knows. */
export function unfitness(snapshot: Snapshot, asked: Asked, target: Target): Unfit | null {
  const model = snapshot.models[target.model]!;
  const can = (channel: number): Capabilities =>
    ofChannel(model.capabilities, snapshot.channels[channel]!.capabilities);
  const own = can(target.channel);
  if (saysNothing(own)) return null;
  const degrade = asked.chain.entries.find((entry) => entry.model === target.model)?.degrade ?? null;
  const needs = (): Needs => asked.codec.needs(asked.request, degrade);
  const miss = missing(own, asked.endpoint, needs);
  if (miss === null) return null;
  const othersCan = model.channels.some((channel) => missing(can(channel), asked.endpoint, needs) === null);
  return othersCan ? OTHERS_CAN : { failure: incapable(model.id, miss) };
}
