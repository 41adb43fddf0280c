/** What names are looked up in, and what a caller may use of it. */
import type { ModelIx } from '../failover/plan-types.ts';

/** The part of the configuration that names are looked up in. */
export interface ModelCatalogue {
  readonly models: readonly { readonly ix: ModelIx; readonly id: string }[];
  readonly modelById: ReadonlyMap<string, ModelIx>;
  /** Last path segment → models ending in it. */
  readonly modelsByTail: ReadonlyMap<string, readonly ModelIx[]>;
  readonly aliases: ReadonlyMap<string, string>;
}

/** Glob patterns of the models a caller may use. */
export interface ModelAccess {
  readonly enabledInWorkspace: readonly string[];
  readonly allowedByKey: readonly string[];
}

export interface ResolvedModel {
  readonly model: ModelIx;
  /** Public id. */
  readonly id: string;
}
