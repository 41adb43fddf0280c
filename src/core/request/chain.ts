/** The ordered models one request may use (C-1 to C-5, C-9). */
import type { ModelIx, PlannedModel } from '../failover/plan-types.ts';
import type { Routing } from '../plan/routing.ts';
import { type ChainInput, type NamedEntry, readChainFields } from './chain-entries.ts';
import { bad, good, type Read } from './read.ts';
import type { ChainEntryInput, Degrade } from './redundancy-types.ts';
import type { ModelResolver, ResolvedModel } from './resolve-model.ts';

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
  /** Public id of the first model. Reports name it, however the plan orders the models (P-5). */
  readonly requestedModel: string;
  /** A virtual model's own order of channels (C-6); null or absent = the workspace's. */
  readonly routing?: Routing | null;
}

export interface ChainContext {
  readonly resolve: ModelResolver;
  /** The key's `failover_defaults.models`; null = none. */
  readonly failoverDefaults: readonly string[] | null;
}

/** Reads, resolves and collapses a chain. One bad entry fails the whole request; nothing is skipped (C-2). */
export function resolveChain(input: ChainInput, context: ChainContext): Read<Chain> {
  const written = readChainFields(input);
  if (!written.ok) return written;
  const { entries, explicit } = written.value;
  const chain = resolveAll([], entries, 'request', context.resolve);
  if (!chain.ok) return chain;
  const goesOn = explicit ? null : continueThroughDefaults(chain.value[0]!, context);
  if (goesOn === null) return good(chainOf(chain.value, explicit));
  return goesOn.ok ? good(chainOf(goesOn.value, true)) : goesOn;
}

function chainOf(entries: readonly ChainEntry[], explicit: boolean): Chain {
  return { entries, explicit, requestedModel: entries[0]!.name };
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
    return found.ok && found.value.model === head.model;
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
    const found = resolve(entry.model, param);
    if (!found.ok) return found;
    if (entries.some(({ model }) => model === found.value.model)) continue;
    if (entries.length === MAX_CHAIN_MODELS) {
      return bad('invalid_chain', `a chain may name at most ${MAX_CHAIN_MODELS} distinct models`, param);
    }
    entries.push(chainEntry(entry, found.value, origin));
  }
  return good(entries);
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
