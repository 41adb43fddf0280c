/** What a caller's key and workspace say about every request of his, worked out once per key and configuration. */
import { type OptionDefaults, type OptionSources, optionDefaults } from './option-defaults.ts';
import type { RedundancyInput } from './redundancy-types.ts';
import { type ModelCatalogue, type ModelResolver, modelResolver } from './resolve-model.ts';

/** The part of the configuration that rules requests. */
export interface RuleSource extends ModelCatalogue {
  readonly workspaces: ReadonlyMap<
    string,
    NonNullable<OptionSources['workspace']> & { readonly enabledModels: readonly string[] }
  >;
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
  readonly defaults: OptionDefaults;
}

/** Keep the result with the key and the configuration it was made of: a request then only looks things up. */
export function callerRules(source: RuleSource, key: CallerKey): CallerRules {
  const workspace = source.workspaces.get(key.workspace) ?? null;
  const { defaults, policies, backoff } = source;
  return {
    resolve: modelResolver(source, {
      // A key whose workspace is gone may call nothing.
      enabledInWorkspace: workspace?.enabledModels ?? [],
      allowedByKey: key.models,
    }),
    failoverDefaults: key.failoverDefaults?.models ?? null,
    defaults: optionDefaults({ key, workspace, defaults, policies, backoff }),
  };
}
