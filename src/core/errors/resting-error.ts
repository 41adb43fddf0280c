/** P-4: no upstream call was made because nothing could be called. */
import { GUARDRAIL_BLOCKED } from '../failover/guardrail-failure.ts';
import type { FailoverState, RefusalReason } from '../failover/machine.ts';
import type { SkipReason } from '../failover/plan-types.ts';
import { attemptSummaries } from './attempt-summaries.ts';
import { gatewayError } from './catalogue.ts';
import type { GatewayError } from './gateway-error.ts';

/** S0's words, exactly. */
export const ALL_RESTING = 'all upstream credentials for this model are rate limited';

type Kind =
  | 'auth'
  | 'quota'
  | 'model_not_found'
  | 'limit'
  | 'price'
  | 'window'
  | 'incapable'
  | 'guardrail'
  | 'byok'
  | 'not_enabled'
  | 'entitlement';

const KINDS: Partial<Record<RefusalReason, Kind>> = {
  cooling_auth: 'auth',
  cooling_permission: 'auth',
  cooling_quota: 'quota',
  cooling_model_not_found: 'model_not_found',
  guardrail: 'guardrail',
  incapable: 'incapable',
  price_unknown: 'price',
  no_larger_window: 'window',
  byok_only: 'byok',
  channel_not_enabled: 'not_enabled',
  entitlement_unavailable: 'entitlement',
};

/** Kinds that say nothing about a rest: they speak only where no target rests, the first of several for all of them. */
const NO_REST: readonly Kind[] = ['price', 'window', 'incapable', 'guardrail', 'byok', 'not_enabled'];

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
  const resting = [...kinds].filter((kind) => !NO_REST.includes(kind));
  if (resting.length > 0) return resting.length === 1 ? resting[0]! : 'limit';
  return NO_REST.find((kind) => kinds.has(kind)) ?? 'limit';
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
      return gatewayError('guardrail_blocked', GUARDRAIL_BLOCKED);
    case 'incapable':
      return gatewayError('unsupported_model_input', 'no model of the chain takes this request; choose another one');
    case 'window':
      return gatewayError('context_length_exceeded', 'the input is too long for every model of the chain; shorten it');
    case 'price':
      return gatewayError(
        'retry_exhausted',
        'no target with a known price is left, and max_cost_usd or a prepaid balance asks for one',
        { budget: 'cost', attempts: attemptSummaries(state) },
      );
    case 'byok':
      return gatewayError(
        'upstream_credentials_rejected',
        'this workspace uses only credentials of its own for this model and has none; an admin has to add one, your key is fine',
      );
    case 'not_enabled':
      return gatewayError(
        'model_not_allowed',
        'no channel of this model is enabled in this workspace, which has no credential of its own for it either; ask an admin',
      );
    case 'entitlement':
      return gatewayError(
        'entitlement_unavailable',
        'every provider of this model asks for a signed token, and the gateway cannot sign one right now; its operator has been told',
      );
    case 'limit':
      return gatewayError('rate_limited', ALL_RESTING);
  }
}
