/** From the name a client sends to what it stands for (C-9), within what workspace and key may call (G-3, G-11). */
import type { ModelIx } from '../failover/plan-types.ts';
import { quotedName } from '../quoted-name.ts';
import { type ModelMatcher, modelMatcher } from './allowed-models.ts';
import type { ModelAccess, ModelCatalogue, ResolvedModel } from './model-catalogue.ts';
import { bad, good, type Read } from './read.ts';
import { AUTO, type VirtualChain } from './virtual-models.ts';

export type { ModelAccess, ModelCatalogue, ResolvedModel };

/** What a name stands for. */
export type ResolvedName =
  | (ResolvedModel & { readonly kind: 'model' })
  | { readonly kind: 'virtual'; readonly virtual: VirtualChain }
  /** Known, and the key might call it, but its workspace has not enabled it; `refusal` where nothing stands in (C-7). */
  | (ResolvedModel & { readonly kind: 'not_enabled'; readonly refusal: Refused });

type Refused = Extract<Read<never>, { readonly ok: false }>;

/** Name → model or virtual model, or the error that fails the whole request (C-2). `param` is the field that named it. */
export type ModelResolver = (name: string, param: string) => Read<ResolvedName>;

/** More candidates than this make a message nobody reads. */
const NAMED_CANDIDATES = 5;

/**
 * Makes the resolver of one caller. Keep it with the key and the snapshot: patterns are compiled here. `virtuals`: the
 * workspace's virtual models by name, as this caller may use them.
 */
export function modelResolver(
  catalogue: ModelCatalogue,
  access: ModelAccess,
  virtuals: ReadonlyMap<string, VirtualChain> = new Map(),
): ModelResolver {
  const enabled = modelMatcher(access.enabledInWorkspace);
  const allowed = modelMatcher(access.allowedByKey);
  const known = (ix: ModelIx, param: string): Read<ResolvedName> => {
    const { id } = catalogue.models[ix]!;
    if (!allowed(id)) return notAllowed(id, param);
    if (!enabled(id)) return good({ kind: 'not_enabled', model: ix, id, refusal: notEnabled(id, param) });
    return good({ kind: 'model', model: ix, id });
  };
  return (name, param) => {
    const exact = catalogue.modelById.get(name);
    if (exact !== undefined) return known(exact, param);
    const virtual = virtuals.get(name);
    if (virtual !== undefined) return good({ kind: 'virtual', virtual });
    if (name === AUTO) return noAuto(param);
    const ix = lookUp(catalogue, enabled, name);
    if (ix === null) return unknown(name, param);
    return typeof ix === 'number' ? known(ix, param) : ambiguous(catalogue, ix, allowed, name, param);
  };
}

/** An alias, then the enabled models of that tail: one, several, or none (null). */
function lookUp(catalogue: ModelCatalogue, enabled: ModelMatcher, name: string): ModelIx | readonly ModelIx[] | null {
  const alias = catalogue.aliases.get(name);
  if (alias !== undefined) return catalogue.modelById.get(alias) ?? null;
  const ending = catalogue.modelsByTail.get(name)?.filter((ix) => enabled(catalogue.models[ix]!.id)) ?? [];
  if (ending.length === 0) return null;
  return ending.length === 1 ? ending[0]! : ending;
}

function notAllowed(id: string, param: string): Refused {
  const message = `this key may not call the model ${quotedName(id)}; use another model or ask for access`;
  return bad('model_not_allowed', message, param);
}

function notEnabled(id: string, param: string): Refused {
  const message = `the model ${quotedName(id)} is not enabled in this key's workspace; use another model or ask for access`;
  return bad('model_not_allowed', message, param);
}

function unknown(name: string, param: string): Refused {
  const message = `the model ${quotedName(name)} does not exist; GET /v1/models lists those configured by name`;
  return bad('model_not_found', message, param);
}

function noAuto(param: string): Refused {
  const message = `${AUTO} is not set up in this key's workspace: its \`auto\` list names no models; ask an admin, or name a model`;
  return bad('model_not_found', message, param);
}

/** Only models the key may call are named: the rest is not its business. */
function ambiguous(
  catalogue: ModelCatalogue,
  candidates: readonly ModelIx[],
  allowed: ModelMatcher,
  name: string,
  param: string,
): Refused {
  const ids = candidates.map((ix) => catalogue.models[ix]!.id).filter(allowed);
  const named = ids
    .slice(0, NAMED_CANDIDATES)
    .map((id) => quotedName(id))
    .join(', ');
  const hint = ids.length > 0 ? `, e.g. one of ${named}` : '';
  return bad('ambiguous_model', `several models are called ${quotedName(name)}; use a full id${hint}`, param);
}
