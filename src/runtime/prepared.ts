/** What is worked out once per snapshot and read by every request: targets in order, and each key's rules. */
import type { ChannelEntry, KeyEntry, Snapshot } from '../config/snapshot.ts';
import { PlanCatalogue } from '../core/plan/plan-catalogue.ts';
import { RecurringPlans } from '../core/plan/recurring-plans.ts';
import { type CallerRules, callerRules } from '../core/request/caller-rules.ts';
import { type Asking, type Way, wayTo } from './way.ts';

/** Of one snapshot; `preparedFor` finds it. */
export class Prepared {
  readonly catalogue: PlanCatalogue;
  readonly plans = new RecurringPlans();
  readonly #snapshot: Snapshot;
  readonly #rules = new Map<KeyEntry, CallerRules>();
  /** By route and the channel's place in the snapshot. */
  readonly #ways = new Map<Asking, (Way | undefined)[]>();

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
    this.catalogue = new PlanCatalogue(snapshot);
  }

  rulesOf(key: KeyEntry): CallerRules {
    let rules = this.#rules.get(key);
    if (rules === undefined) {
      rules = callerRules(this.#snapshot, key);
      this.#rules.set(key, rules);
    }
    return rules;
  }

  /** How a route reaches a channel; the same object every time. */
  wayTo(asking: Asking, channel: ChannelEntry): Way {
    let ways = this.#ways.get(asking);
    if (ways === undefined) {
      ways = new Array<Way | undefined>(this.#snapshot.channels.length);
      this.#ways.set(asking, ways);
    }
    const found = ways[channel.ix];
    if (found !== undefined) return found;
    const way = wayTo(asking, channel, this.outputLimitOf(channel));
    ways[channel.ix] = way;
    return way;
  }

  /** Longest answer in tokens; null = unknown. */
  outputLimitOf({ maxOutputTokens, model }: ChannelEntry): number | null {
    return maxOutputTokens ?? this.#snapshot.models[model]!.maxOutputTokens ?? null;
  }
}

const prepared = new WeakMap<Snapshot, Prepared>();

/** Made at the snapshot's first use, gone with it. */
export function preparedFor(snapshot: Snapshot): Prepared {
  let found = prepared.get(snapshot);
  if (found === undefined) {
    found = new Prepared(snapshot);
    prepared.set(snapshot, found);
  }
  return found;
}
