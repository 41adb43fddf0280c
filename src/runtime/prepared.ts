/** What is worked out once per snapshot and read by every request: targets in order, and each key's rules. */
import type { ChannelEntry, KeyEntry, Snapshot } from '../config/snapshot.ts';
import { PlanCatalogue } from '../core/plan/plan-catalogue.ts';
import { RecurringPlans } from '../core/plan/recurring-plans.ts';
import { type CallerRules, callerRules } from '../core/request/caller-rules.ts';
import type { TargetFacts } from '../dialects/contract.ts';

const NOTHING_KNOWN: ReadonlySet<string> = new Set();

/** Of one snapshot; `preparedFor` finds it. */
export class Prepared {
  readonly catalogue: PlanCatalogue;
  readonly plans = new RecurringPlans();
  readonly #snapshot: Snapshot;
  readonly #rules = new Map<KeyEntry, CallerRules>();
  readonly #facts = new Map<ChannelEntry, TargetFacts>();

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

  factsOf(channel: ChannelEntry): TargetFacts {
    let facts = this.#facts.get(channel);
    if (facts === undefined) {
      const { upstreamModel, provider, maxOutputTokens } = channel;
      facts = {
        upstreamModel,
        vendor: provider.type,
        maxOutputTokens: maxOutputTokens ?? this.#snapshot.models[channel.model]!.maxOutputTokens ?? null,
        lacks: NOTHING_KNOWN,
      };
      this.#facts.set(channel, facts);
    }
    return facts;
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
