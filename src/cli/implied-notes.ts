/** Notes on models that are such only because something names them: a slip of the pen would be one as well. */
import type { Snapshot } from '../config/snapshot.ts';
import { nearestName } from '../core/nearest-name.ts';

export function impliedNotes({ models, aliases }: Snapshot): string[] {
  const declared = [...models.filter(({ implied }) => implied !== true).map(({ id }) => id), ...aliases.keys()];
  return models
    .filter(({ implied }) => implied === true)
    .map(({ id }) => {
      const nearest = nearestName(id, declared);
      const hint = nearest === null ? '' : `; did you mean \`${nearest}\`?`;
      return `${id} is not listed under models and has one implied channel, because it is named elsewhere${hint}`;
    });
}
