/** P-4: no upstream call was made because nothing could be called. */
import type { FailoverState, RefusalReason } from '../failover/machine.ts';
import type { SkipReason } from '../failover/plan-types.ts';
import { gatewayError } from './catalogue.ts';
import type { GatewayError } from './gateway-error.ts';

/** S0's words, exactly. */
export const ALL_RESTING = 'all upstream credentials for this model are rate limited';

type Kind = 'auth' | 'quota' | 'model_not_found' | 'guardrail' | 'incapable' | 'price' | 'window' | 'limit';

const KINDS: Partial<Record<RefusalReason, Kind>> = {
  cooling_auth: 'auth',
  cooling_permission: 'auth',
  cooling_quota: 'quota',
  cooling_model_not_found: 'model_not_found',
  guardrail: 'guardrail',
  incapable: 'incapable',
  price_unknown: 'price',
  no_larger_window: 'window',
};

/** Kinds that say nothing about a rest: they speak only where no target rests. */
const NO_REST: ReadonlySet<Kind> = new Set(['guardrail', 'incapable', 'price', 'window']);

/** Why the candidates of the models that were skipped are out: planned, then refused. */
function reasons(state: FailoverState): Set<Kind> {
  const kinds = new Set<Kind>();
  const add = (reason: SkipReason | RefusalReason) => kinds.add(KINDS[reason] ?? 'limit');
  for (const { reason } of state.refusals) add(reason);
  for (const { modelPos, reason } of state.skippedModels) {
    const model = state.plan.models[modelPos]?.model;
    const out = state.plan.candidates.filter(({ target, skip }) => target.model === model && skip !== null);
    for (const { skip } of out) if (skip !== null) add(skip.reason);
    if (out.length === 0 && state.refusals.every((refusal) => refusal.modelPos !== modelPos)) add(reason);
  }
  return kinds;
}

function only(kinds: ReadonlySet<Kind>): Kind {
  const resting = [...kinds].filter((kind) => !NO_REST.has(kind));
  const speaking = resting.length > 0 ? resting : [...kinds];
  return speaking.length === 1 ? speaking[0]! : 'limit';
}

/** One kind for all gives its own error, a mixture `rate_limited`. */
export function restingError(state: FailoverState): GatewayError {
  switch (only(reasons(state))) {
    case 'auth':
      return gatewayError(
        'upstream_credentials_rejected',
        'the upstream rejected every credential of the gateway for this model; the operator has to correct them, your key is fine',
      );
    case 'quota':
      return gatewayError('insufficient_quota', 'the quota of every upstream credential for this model is used up');
    case 'model_not_found':
      return gatewayError('model_not_found', 'no upstream knows this model at the moment; choose another one');
    case 'guardrail':
      return {
        ...gatewayError('model_not_allowed', 'Request blocked by guardrail policy'),
        code: 'guardrail_blocked',
      };
    case 'incapable':
      return gatewayError('unsupported_model_input', 'no model of the chain takes this request; choose another one');
    case 'window':
      return gatewayError('context_length_exceeded', 'the input is too long for every model of the chain; shorten it');
    case 'price':
      return gatewayError('retry_exhausted', 'no target with a known price is left under max_cost_usd', {
        budget: 'cost',
      });
    case 'limit':
      return gatewayError('rate_limited', ALL_RESTING);
  }
}
