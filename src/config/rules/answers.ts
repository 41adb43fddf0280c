/** Static answers (E-4): their names, and who refers to them. */
import type { Path } from '../problem.ts';
import { listAt, mappingAt, mappingOf, type Review, report, reportUnknown, stringOf } from './loose.ts';

export function checkAnswers(review: Review): void {
  const names = Object.keys(mappingAt(review, 'answers'));
  for (const name of names) {
    if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(name)) continue;
    const message = 'the name must be of letters, digits, dot, dash and underscore';
    report(review, 'invalid_value', ['answers', name], message, 'key');
  }
  for (const place of ladders(review)) {
    listAt(review, ...place).forEach((rung, index) => {
      const name = stringOf(mappingOf(rung)['default']);
      if (name === null || name === '' || names.includes(name)) return;
      reportUnknown(review, [...place, index, 'default'], 'entry under `answers` called', name, names);
    });
  }
}

/** Every place where the configuration may say `on_exhausted`. */
function ladders(review: Review): Path[] {
  const owners: Path[] = [['defaults']];
  for (const workspace of Object.keys(mappingAt(review, 'workspaces'))) {
    owners.push(['workspaces', workspace]);
    for (const virtual of Object.keys(mappingAt(review, 'workspaces', workspace, 'virtual_models'))) {
      owners.push(['workspaces', workspace, 'virtual_models', virtual]);
    }
  }
  listAt(review, 'keys').forEach((_, index) => {
    owners.push(['keys', index]);
  });
  return owners.map((owner) => [...owner, 'redundancy', 'on_exhausted']);
}
