/** What a caller's key and workspace say about every request of his, worked out once per key and configuration. */
import { modelMatcher } from './allowed-models.ts';
import type { ModelAccess, ModelCatalogue, ResolvedModel } from './model-catalogue.ts';
import { type OptionDefaults, type OptionSources, optionDefaults } from './option-defaults.ts';
import type { RedundancyInput } from './redundancy-types.ts';
import { type ModelResolver, modelResolver } from './resolve-model.ts';
import { type VirtualChain, type VirtualSource, virtualChains } from './virtual-models.ts';

/** The part of a workspace that rules requests. */
export interface RuleWorkspace extends NonNullable<OptionSources['workspace']>, VirtualSource {
  readonly enabledModels: readonly string[];
  /** Model id (C-7); null = none. */
  readonly defaultModel: string | null;
}

/** The part of the configuration that rules requests. */
export interface RuleSource extends ModelCatalogue {
  readonly workspaces: ReadonlyMap<string, RuleWorkspace>;
  readonly defaults: OptionSources['defaults'];
  readonly policies: OptionSources['policies'];
  readonly backoff: OptionSources['backoff'];
}

export interface CallerKey {
  readonly workspace: string;
  /** Patterns of models it may call. */
  readonly models: readonly string[];
  readonly failoverDefaults: { readonly models: readonly string[] | null; readonly options: RedundancyInput } | null;
  readonly redundancy: RedundancyInput;
  readonly ceilings: OptionSources['key']['ceilings'];
}

export interface CallerRules {
  readonly resolve: ModelResolver;
  /** C-5's chain; null = none. */
  readonly failoverDefaults: readonly string[] | null;
  /** C-7's model, where this key may call it; null = none. */
  readonly defaultModel: ResolvedModel | null;
  /** The workspace's virtual models by name (C-6), `understudy/auto` among them. */
  readonly virtuals: ReadonlyMap<string, VirtualChain>;
  /** Of requests that name no virtual model. */
  readonly defaults: OptionDefaults;
  /** Of requests for this virtual model; undefined or an unknown name = `defaults`. */
  defaultsFor(virtual: string | undefined): OptionDefaults;
}

/** Keep the result with the key and the configuration it was made of: a request then only looks things up. */
export function callerRules(source: RuleSource, key: CallerKey): CallerRules {
  const workspace = source.workspaces.get(key.workspace) ?? null;
  const access: ModelAccess = {
    // A key whose workspace is gone may call nothing.
    enabledInWorkspace: workspace?.enabledModels ?? [],
    allowedByKey: key.models,
  };
  const virtuals = workspace === null ? new Map<string, VirtualChain>() : virtualChains(workspace, source, access);
  const { defaults: operator, policies, backoff } = source;
  const sources = { key, workspace, defaults: operator, policies, backoff };
  const defaults = optionDefaults(sources);
  const byVirtual = new Map<VirtualChain, OptionDefaults>();
  return {
    resolve: modelResolver(source, access, virtuals),
    failoverDefaults: key.failoverDefaults?.models ?? null,
    defaultModel: usable(source, access, workspace?.defaultModel ?? null),
    virtuals,
    defaults,
    defaultsFor(name) {
      const virtual = name === undefined ? undefined : virtuals.get(name);
      if (virtual === undefined || Object.keys(virtual.redundancy).length === 0) return defaults;
      let own = byVirtual.get(virtual);
      if (own === undefined) {
        own = optionDefaults({ ...sources, virtual: virtual.redundancy });
        byVirtual.set(virtual, own);
      }
      return own;
    },
  };
}

/** G-3: a default model the key may not call is none. */
function usable({ modelById }: ModelCatalogue, access: ModelAccess, id: string | null): ResolvedModel | null {
  const model = id === null ? undefined : modelById.get(id);
  if (id === null || model === undefined) return null;
  const patterns = [access.enabledInWorkspace, access.allowedByKey];
  return patterns.every((list) => modelMatcher(list)(id)) ? { model, id } : null;
}
