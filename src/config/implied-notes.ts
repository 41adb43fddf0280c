/** Notes on models that are such only because something names them: a slip of the pen would be one as well. */
import { nearestName } from '../core/nearest-name.ts';
import type { Snapshot } from './snapshot.ts';

/** In plain words, one a model; `before`: only of models that it did not have. */
export function impliedNotes({ models, aliases }: Snapshot, before?: Pick<Snapshot, 'modelById'>): string[] {
  const declared = [...models.filter(({ implied }) => implied !== true).map(({ id }) => id), ...aliases.keys()];
  return models
    .filter(({ id, implied }) => implied === true && before?.modelById.has(id) !== true)
    .map(({ id }) => {
      const nearest = nearestName(id, declared);
      const hint = nearest === null ? '' : `; did you mean \`${nearest}\`?`;
      return `\`${id}\` is not listed under models and has one implied channel, because it is named elsewhere${hint}`;
    });
}
