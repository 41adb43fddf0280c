/** Virtual models (C-6): a workspace's names for ordered lists of models, as one caller may use them (G-3). */
import { type ModelMatcher, modelMatcher } from './allowed-models.ts';
import type { ModelAccess, ModelCatalogue, ResolvedModel } from './model-catalogue.ts';
import type { RedundancyInput } from './redundancy-types.ts';
import type { Routing } from './routing.ts';

/** The built-in one, over the workspace's `auto` list. */
export const AUTO = 'understudy/auto';

/** Most models of one. */
export const MAX_VIRTUAL_MODELS = 10;

/** As configured. */
export interface VirtualModel {
  readonly name: string;
  /** Model ids, in order. */
  readonly models: readonly string[];
  /** Null = the workspace's. */
  readonly routing: Routing | null;
  /** Beats the key's and the workspace's, is beaten by the request's (C-3). */
  readonly redundancy: RedundancyInput;
}

/** What a workspace says about names of its own. */
export interface VirtualSource {
  readonly virtualModels: ReadonlyMap<string, VirtualModel>;
  /** Model ids behind `understudy/auto`; empty = it has none. */
  readonly auto: readonly string[];
}

/** A virtual model as one caller may use it. */
export interface VirtualChain {
  readonly name: string;
  /** In order, without those the caller may not call. */
  readonly models: readonly ResolvedModel[];
  /** Members that are not for this caller: never called, told to admins alone. */
  readonly leftOut: readonly ResolvedModel[];
  /** No member is enabled in the workspace at all, whatever the key may call. */
  readonly disabled: boolean;
  /** How many models it was configured with. */
  readonly size: number;
  readonly routing: Routing | null;
  readonly redundancy: RedundancyInput;
}

/** All virtual models of a workspace by name, `understudy/auto` among them where it is set up. */
export function virtualChains(
  source: VirtualSource,
  catalogue: Pick<ModelCatalogue, 'modelById'>,
  access: ModelAccess,
): Map<string, VirtualChain> {
  const chains = new Map<string, VirtualChain>();
  if (source.virtualModels.size === 0 && source.auto.length === 0) return chains;
  const enabled = modelMatcher(access.enabledInWorkspace);
  const allowed = modelMatcher(access.allowedByKey);
  const add = (virtual: VirtualModel) => chains.set(virtual.name, chainOf(virtual, catalogue, { enabled, allowed }));
  for (const virtual of source.virtualModels.values()) add(virtual);
  if (source.auto.length > 0) add({ name: AUTO, models: source.auto, routing: null, redundancy: {} });
  return chains;
}

function chainOf(
  { name, models, routing, redundancy }: VirtualModel,
  { modelById }: Pick<ModelCatalogue, 'modelById'>,
  { enabled, allowed }: { readonly enabled: ModelMatcher; readonly allowed: ModelMatcher },
): VirtualChain {
  const usable: ResolvedModel[] = [];
  const leftOut: ResolvedModel[] = [];
  for (const id of new Set(models)) {
    const model = modelById.get(id);
    // The rules of the configuration have seen to it that every member exists.
    if (model === undefined) continue;
    (enabled(id) && allowed(id) ? usable : leftOut).push({ model, id });
  }
  return {
    name,
    models: usable,
    leftOut,
    disabled: !models.some(enabled),
    size: usable.length + leftOut.length,
    routing,
    redundancy,
  };
}
