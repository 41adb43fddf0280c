/** The ordered models one request may use (C-1 to C-7, C-9). */
import type { GatewayError } from '../errors/gateway-error.ts';
import type { ModelIx, PlannedModel } from '../failover/plan-types.ts';
import { quotedName } from '../quoted-name.ts';
import { type ChainInput, type NamedEntry, readChainFields } from './chain-entries.ts';
import { bad, good, type Read } from './read.ts';
import type { ChainEntryInput, Degrade } from './redundancy-types.ts';
import type { ModelResolver, ResolvedModel, ResolvedName } from './resolve-model.ts';
import type { Routing } from './routing.ts';
import type { VirtualChain } from './virtual-models.ts';

export type { ChainInput };

/** C-2: more distinct models than this are refused. */
export const MAX_CHAIN_MODELS = 3;

export interface ChainEntry {
  readonly model: ModelIx;
  /** Public id. */
  readonly name: string;
  /** As the client, or the key's defaults, wrote it. */
  readonly requestedName: string;
  /** Null = the request's. */
  readonly timeoutMs: number | null;
  readonly firstTokenTimeoutMs: number | null;
  readonly degrade: Degrade | null;
  readonly origin: PlannedModel['origin'];
}

export interface Chain {
  /** At least one; models are distinct. */
  readonly entries: readonly ChainEntry[];
  /** From `models`, `fallback_models` or `failover_defaults` (E-1 or E-2, C-7). */
  readonly explicit: boolean;
  /**
   * Public id of the first model; of the one that was asked for where the default model stands in for it (C-7). Reports
   * name it, however the plan orders the models (P-5).
   */
  readonly requestedModel: string;
  /** Name of the virtual model that was asked for (C-6). Absent = none was. */
  readonly virtual?: string;
  /** The virtual model's own routing; absent or null = the workspace's (P-2, P-3). */
  readonly routing?: Routing | null;
  /** Members of the virtual model that this caller may not call (G-3): for the trace, after all candidates (P-7). */
  readonly leftOut?: readonly ChainEntry[];
  /**
   * The default model stands in for a model that is not enabled here (C-7): what the client is told instead where the
   * request may not leave its model (C-8).
   */
  readonly standsInFor?: GatewayError;
}

export interface ChainContext {
  readonly resolve: ModelResolver;
  /** The key's `failover_defaults.models`; null = none. */
  readonly failoverDefaults: readonly string[] | null;
  /** The workspace's default model (C-7), where this key may call it; null = none. */
  readonly defaultModel: ResolvedModel | null;
}

/**
 * Reads, resolves and collapses a chain. One bad entry fails the whole request; nothing is skipped (C-2). Without
 * `crossesModels` the endpoint never leaves the requested model: images, video, audio, embeddings and the like (C-7).
 */
export function resolveChain(input: ChainInput, context: ChainContext, crossesModels: boolean): Read<Chain> {
  const written = readChainFields(input);
  if (!written.ok) return written;
  const { entries, explicit } = written.value;
  if (!explicit) return crossesModels ? resolveAlone(entries[0]!, context) : resolveFixed(entries[0]!, context);
  const chain = resolveAll([], entries, 'request', context.resolve);
  if (!chain.ok) return chain;
  if (chain.value.length > 1 && !crossesModels) return staysOnModel(entries.at(-1)!.param);
  return good(chainOf(chain.value, true));
}

function chainOf(entries: readonly ChainEntry[], explicit: boolean): Chain {
  return { entries, explicit, requestedModel: entries[0]!.name };
}

function staysOnModel(param: string): Read<never> {
  return bad('invalid_chain', 'this endpoint never leaves the requested model (C-7); name one model alone', param);
}

/** A name that stands alone: a model with what the key and the workspace add to it, or a virtual model. */
function resolveAlone({ entry, param }: NamedEntry, context: ChainContext): Read<Chain> {
  const found = context.resolve(entry.model, param);
  if (!found.ok) return found;
  switch (found.value.kind) {
    case 'virtual':
      return virtualChain(found.value.virtual, param, context);
    case 'not_enabled':
      return standIn(found.value.id, found.value.refusal, entry.model, context);
    case 'model':
      return directChain(chainEntry(entry, found.value, 'request'), context);
  }
}

/** C-7: where nothing but the requested model may answer, neither the key nor the workspace adds to it. */
function resolveFixed({ entry, param }: NamedEntry, { resolve }: ChainContext): Read<Chain> {
  const found = resolve(entry.model, param);
  if (!found.ok) return found;
  switch (found.value.kind) {
    case 'virtual':
      if (found.value.virtual.size > 1) return staysOnModel(param);
      return virtualChain(found.value.virtual, param, NOTHING_ADDED);
    case 'not_enabled':
      return found.value.refusal;
    case 'model':
      return good(chainOf([chainEntry(entry, found.value, 'request')], false));
  }
}

const NOTHING_ADDED = { defaultModel: null };

function directChain(head: ChainEntry, context: ChainContext): Read<Chain> {
  const goesOn = continueThroughDefaults(head, context);
  if (goesOn === null) return good(withDefaultModel(chainOf([head], false), context));
  return goesOn.ok ? good(chainOf(goesOn.value, true)) : goesOn;
}

type Adding = Pick<ChainContext, 'defaultModel'>;

/** C-6. Members the key may not call are passed over, never called (G-3); with none left the name is not for this key. */
function virtualChain(virtual: VirtualChain, param: string, context: Adding): Read<Chain> {
  const { name, models, leftOut, routing } = virtual;
  if (models.length === 0) {
    const why = virtual.disabled ? "is enabled in this key's workspace" : 'may be called by this key';
    const message = `no model of the virtual model ${quotedName(name)} ${why}; use another model or ask for access`;
    const refusal = bad('model_not_allowed', message, param);
    return virtual.disabled ? standIn(name, refusal, name, context) : refusal;
  }
  const entryOf = (found: ResolvedModel) => chainEntry({ model: name }, found, 'virtual');
  const chain: Chain = { ...chainOf(models.map(entryOf), false), virtual: name, routing };
  return good(withDefaultModel(leftOut.length === 0 ? chain : { ...chain, leftOut: leftOut.map(entryOf) }, context));
}

/** C-7: tried last, unless it is in the chain already. */
function withDefaultModel(chain: Chain, { defaultModel }: Adding): Chain {
  if (defaultModel === null) return chain;
  if (chain.entries.some(({ model }) => model === defaultModel.model)) return chain;
  const last = chainEntry({ model: defaultModel.id }, defaultModel, 'default_model');
  return { ...chain, entries: [...chain.entries, last] };
}

/** C-7: the default model alone, for a model that is known and not enabled here. */
function standIn(
  requestedModel: string,
  refusal: Extract<Read<never>, { readonly ok: false }>,
  requestedName: string,
  { defaultModel }: Adding,
): Read<Chain> {
  if (defaultModel === null) return refusal;
  const entry = chainEntry({ model: requestedName }, defaultModel, 'default_model');
  return good({ entries: [entry], explicit: false, requestedModel, standsInFor: refusal.error });
}

/** C-5: a lone model that stands in the key's defaults goes on through what follows it. Null = it does not. */
function continueThroughDefaults(
  head: ChainEntry,
  { failoverDefaults, resolve }: ChainContext,
): Read<readonly ChainEntry[]> | null {
  if (failoverDefaults === null) return null;
  const param = 'failover_defaults.models';
  const position = failoverDefaults.findIndex((name) => {
    const found = resolve(name, param);
    return found.ok && found.value.kind === 'model' && found.value.model === head.model;
  });
  if (position === -1) return null;
  const rest = failoverDefaults.slice(position + 1).map((model) => ({ entry: { model }, param }));
  return resolveAll([head], rest, 'failover_defaults', resolve);
}

/** Repeats collapse after resolution, the first position wins. */
function resolveAll(
  before: readonly ChainEntry[],
  named: readonly NamedEntry[],
  origin: ChainEntry['origin'],
  resolve: ModelResolver,
): Read<ChainEntry[]> {
  const entries = [...before];
  for (const { entry, param } of named) {
    const found = resolveMember(resolve(entry.model, param), param);
    if (!found.ok) return found;
    if (entries.some(({ model }) => model === found.value.model)) continue;
    if (entries.length === MAX_CHAIN_MODELS) {
      return bad('invalid_chain', `a chain may name at most ${MAX_CHAIN_MODELS} distinct models`, param);
    }
    entries.push(chainEntry(entry, found.value, origin));
  }
  return good(entries);
}

/** In a chain only models: a virtual name stands alone (C-6), and nothing stands in for what is not enabled (C-2). */
function resolveMember(found: Read<ResolvedName>, param: string): Read<ResolvedModel> {
  if (!found.ok) return found;
  switch (found.value.kind) {
    case 'virtual': {
      const name = quotedName(found.value.virtual.name);
      const message = `${name} is a virtual model and stands alone: send it as \`model\`, without a chain (C-6)`;
      return bad('invalid_chain', message, param);
    }
    case 'not_enabled':
      return found.value.refusal;
    case 'model':
      return good(found.value);
  }
}

function chainEntry(input: ChainEntryInput, found: ResolvedModel, origin: ChainEntry['origin']): ChainEntry {
  return {
    model: found.model,
    name: found.id,
    requestedName: input.model,
    timeoutMs: input.timeout_ms ?? null,
    firstTokenTimeoutMs: input.first_token_timeout_ms ?? null,
    degrade: input.degrade ?? null,
    origin,
  };
}
