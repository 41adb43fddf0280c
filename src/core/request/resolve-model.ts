/** From the name a client sends to one model (C-9), within what workspace and key may call (G-3, G-11). */
import type { ModelIx } from '../failover/plan-types.ts';
import { type ModelMatcher, modelMatcher } from './allowed-models.ts';
import { bad, good, quoted, type Read } from './read.ts';

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

/** Name → model, or the error that fails the whole request (C-2). `param` is the field that named it. */
export type ModelResolver = (name: string, param: string) => Read<ResolvedModel>;

/** The built-in virtual model (C-6). */
const AUTO = 'understudy/auto';
/** More candidates than this make a message nobody reads. */
const NAMED_CANDIDATES = 5;

/** Makes the resolver of one caller. Keep it with the key and the snapshot: patterns are compiled here. */
export function modelResolver(catalogue: ModelCatalogue, access: ModelAccess): ModelResolver {
  const enabled = modelMatcher(access.enabledInWorkspace);
  const allowed = modelMatcher(access.allowedByKey);
  return (name, param) => {
    const ix = lookUp(catalogue, enabled, name);
    if (ix === null) return unknown(name, param);
    if (typeof ix !== 'number') return ambiguous(catalogue, ix, allowed, name, param);
    const { id } = catalogue.models[ix]!;
    if (enabled(id) && allowed(id)) return good({ model: ix, id });
    const message = `this key may not call the model ${quoted(id)}; use another model or ask for access`;
    return bad('model_not_allowed', message, param);
  };
}

/** Exact id, then alias, then the enabled models of that tail: one, several, or none (null). */
function lookUp(catalogue: ModelCatalogue, enabled: ModelMatcher, name: string): ModelIx | readonly ModelIx[] | null {
  const exact = catalogue.modelById.get(name);
  if (exact !== undefined) return exact;
  const alias = catalogue.aliases.get(name);
  if (alias !== undefined) return catalogue.modelById.get(alias) ?? null;
  const ending = catalogue.modelsByTail.get(name)?.filter((ix) => enabled(catalogue.models[ix]!.id)) ?? [];
  if (ending.length === 0) return null;
  return ending.length === 1 ? ending[0]! : ending;
}

function unknown(name: string, param: string): Read<ResolvedModel> {
  if (name === AUTO) {
    return bad('not_available', `the virtual model ${AUTO} is not available in this version; name a model`, param);
  }
  const message = `the model ${quoted(name)} does not exist; GET /v1/models lists those configured by name`;
  return bad('model_not_found', message, param);
}

/** Only models the key may call are named: the rest is not its business. */
function ambiguous(
  catalogue: ModelCatalogue,
  candidates: readonly ModelIx[],
  allowed: ModelMatcher,
  name: string,
  param: string,
): Read<ResolvedModel> {
  const ids = candidates.map((ix) => catalogue.models[ix]!.id).filter(allowed);
  const named = ids.slice(0, NAMED_CANDIDATES).map(quoted).join(', ');
  const hint = ids.length > 0 ? `, e.g. one of ${named}` : '';
  return bad('ambiguous_model', `several models are called ${quoted(name)}; use a full id${hint}`, param);
}
