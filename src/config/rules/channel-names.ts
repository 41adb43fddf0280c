/** Names of channels: within their model in `routing`, as `MODEL#CHANNEL` in lists of patterns (P-1, P-3, G-2). */
import type { Path } from '../problem.ts';
import { listAt, mappingAt, type Review, report, reportUnknown, textAt } from './loose.ts';
import { impliedProvider } from './model-ids.ts';
import { aliasTarget, checkModelName, isModel } from './model-names.ts';

/** Ids of a model's channels: listed ones, else the one that its name implies; null where that can't be told. */
function channelIds(review: Review, model: string): string[] | null {
  if (!isModel(review, model)) return null;
  const listed = listAt(review, 'models', model, 'channels');
  if (listed.length === 0) {
    const provider = impliedProvider(model, (name) => Object.hasOwn(mappingAt(review, 'providers'), name));
    return provider === null ? null : [provider];
  }
  return listed.map((_, index) => {
    const channel = ['models', model, 'channels', index];
    return textAt(review, ...channel, 'id') ?? textAt(review, ...channel, 'provider') ?? '';
  });
}

/** A wish for a channel that does not exist would be lost in silence, `byok_only` among them. */
export function checkRouting(review: Review, owner: Path): void {
  const path = [...owner, 'routing', 'channels'];
  const named = new Map<string, string>();
  for (const [name, channels] of Object.entries(mappingAt(review, ...path))) {
    checkModelName(review, [...path, name], name);
    const model = aliasTarget(review, name);
    const twin = named.get(model);
    if (twin !== undefined) {
      report(review, 'duplicate', [...path, name], `\`${twin}\` is the same model; name it once`, 'key');
    }
    named.set(model, name);
    const ids = channelIds(review, model);
    if (ids === null || typeof channels !== 'object' || channels === null) continue;
    for (const id of Object.keys(channels)) {
      if (!ids.includes(id)) reportUnknown(review, [...path, name, id], 'channel', id, ids, `${model}#`);
    }
  }
}

/** Names without `*` must be channels that exist: a list that names nothing would enable, or forbid, nothing. */
export function checkChannelPatterns(review: Review, path: Path): void {
  listAt(review, ...path).forEach((_, index) => {
    const name = textAt(review, ...path, index);
    if (name === null || name === '' || name.includes('*')) return;
    const hash = name.lastIndexOf('#');
    const model = name.slice(0, hash);
    if (hash > 0 && channelIds(review, model)?.includes(name.slice(hash + 1)) === true) return;
    reportUnknown(review, [...path, index], 'channel', name, allChannels(review));
  });
}

/** As `MODEL#CHANNEL`. */
function allChannels(review: Review): string[] {
  const models = Object.keys(mappingAt(review, 'models')).filter((id) => !id.includes('*'));
  return models.flatMap((model) => (channelIds(review, model) ?? []).map((id) => `${model}#${id}`));
}
