/** What a request asks of the gateway beside its content: its chain and its options, or the error that refuses it. */
import type { FailoverOptions } from '../failover/options.ts';
import type { CallerRules } from './caller-rules.ts';
import { type Chain, resolveChain } from './chain.ts';
import { resolveOptions } from './options.ts';
import { good, type Read } from './read.ts';

/** As the codec read the body. Undefined = absent. */
export interface AskedRequest {
  readonly model: unknown;
  readonly models: unknown;
  readonly fallbackModels: unknown;
  readonly redundancy: unknown;
}

export interface ResolvedRequest {
  readonly chain: Chain;
  readonly options: FailoverOptions;
}

/** What the endpoint says about every request of its own. */
export interface EndpointRules {
  /** False where nothing but the requested model may answer (C-7). */
  readonly crossesModels: boolean;
}

/**
 * C, C-3, C-4, D-4. `headers`: the client's, names in lower case, as Node gives them; read are x-understudy-models,
 * x-understudy-redundancy, idempotency-key and the announced timeouts.
 */
export function resolveRequest(
  asked: AskedRequest,
  headers: Readonly<Record<string, unknown>>,
  rules: CallerRules,
  { crossesModels }: EndpointRules = { crossesModels: true },
): Read<ResolvedRequest> {
  const headerModels = textOf(headers['x-understudy-models']);
  const { model, models, fallbackModels, redundancy } = asked;
  const chain = resolveChain({ model, models, fallbackModels, headerModels }, rules, crossesModels);
  if (!chain.ok) return chain;
  const defaults = rules.defaultsFor(chain.value.virtual);
  const headerRedundancy = textOf(headers['x-understudy-redundancy']);
  const resolved = resolveOptions({ redundancy, headerRedundancy, headers, chain: chain.value }, defaults);
  if (!resolved.ok) return resolved;
  return good({ chain: resolved.value.chain, options: resolved.value.options });
}

function textOf(header: unknown): string | undefined {
  return typeof header === 'string' ? header : undefined;
}
