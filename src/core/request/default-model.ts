/** C-7 against what the request may do: a default model it could never reach is not in its chain. */
import type { FailoverOptions } from '../failover/options.ts';
import { crossesModels } from '../failover/trigger.ts';
import type { Chain } from './chain.ts';
import { good, type Read } from './read.ts';

/**
 * The chain without a default model that C-8, D-1 or `on: []` keeps the request from. Where it stands in for a model
 * that is not enabled the request is refused instead: nothing else may answer it.
 */
export function withoutUnreachableDefault(chain: Chain, options: FailoverOptions): Read<Chain> {
  const last = chain.entries.at(-1)!;
  if (last.origin !== 'default_model' || mayReachDefault(options)) return good(chain);
  if (chain.standsInFor !== undefined) return { ok: false, error: chain.standsInFor };
  return good({ ...chain, entries: chain.entries.slice(0, -1) });
}

/** Under `strict` only the request itself or a virtual model names another model (D-1). */
function mayReachDefault(options: FailoverOptions): boolean {
  return options.policy !== 'strict' && crossesModels(options);
}
