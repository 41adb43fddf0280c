/**
 * Models of wildcards. `PROVIDER/*` stands for names nobody has listed, so a model comes into being when a request
 * first names it: as a new snapshot with one more row at the end of its tables. The file's own ids never change; a
 * snapshot never does, so requests under way keep reading theirs.
 */
import type { ModelIx } from '../../core/failover/plan-types.ts';
import type { ModelEntry, Snapshot } from '../snapshot.ts';
import { CATALOGUE_DAY } from './figures.ts';
import { addImplied, type ModelTables } from './models.ts';

/** Most models on demand in one snapshot: a client that makes up names must not fill the memory. */
export const MAX_WILDCARD_MODELS = 512;

/** Longest id on demand: names come from clients. */
const MAX_ID = 256;
const VISIBLE = /^[\x21-\x7e]+$/;

/**
 * Everything behind a slash → models, for C-9's `*​/NAME`: `a/b/c` is found as `b/c` and as `c`. Models on demand stay out:
 * a short name must not depend on traffic.
 */
export function indexTails(models: readonly ModelEntry[]): Map<string, ModelIx[]> {
  const tails = new Map<string, ModelIx[]>();
  for (const { id, ix, wildcard } of models) {
    if (wildcard === true) continue;
    for (let slash = id.indexOf('/'); slash !== -1; slash = id.indexOf('/', slash + 1)) {
      const tail = id.slice(slash + 1);
      tails.set(tail, [...(tails.get(tail) ?? []), ix]);
    }
  }
  return tails;
}

export function indexIds(models: readonly ModelEntry[]): Map<string, ModelIx> {
  return new Map(models.map((model) => [model.id, model.ix] as const));
}

/**
 * The snapshot with model `name` in it: the same one when it is there already, is an alias, or no wildcard covers it;
 * else a new one whose version is one higher. Beyond MAX_WILDCARD_MODELS the models on demand start afresh.
 */
export function withModel(snapshot: Snapshot, name: string): Snapshot {
  const { wildcards } = snapshot;
  if (wildcards === undefined || snapshot.modelById.has(name) || snapshot.aliases.has(name)) return snapshot;
  const slash = name.indexOf('/');
  const entry = slash > 0 ? wildcards.byProvider.get(name.slice(0, slash)) : undefined;
  const sound = slash < name.length - 1 && name.length <= MAX_ID && VISIBLE.test(name) && !/[*,]/.test(name);
  if (entry === undefined || !sound) return snapshot;
  const full = snapshot.models.length - wildcards.ownModels >= MAX_WILDCARD_MODELS;
  const tables: ModelTables = {
    models: snapshot.models.slice(0, full ? wildcards.ownModels : undefined),
    channels: snapshot.channels.slice(0, full ? wildcards.ownChannels : undefined),
  };
  addImplied(tables, name, entry, { by: 'on_demand', day: wildcards.day ?? CATALOGUE_DAY });
  return { ...snapshot, ...tables, modelById: indexIds(tables.models), version: snapshot.version + 1 };
}

/** The snapshot with every one of `names` that a wildcard covers (a chain's entries). */
export function withModels(snapshot: Snapshot, names: readonly string[]): Snapshot {
  return names.reduce(withModel, snapshot);
}
