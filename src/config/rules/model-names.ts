/** Which model names a document knows: listed ones, wildcards, those it names elsewhere, and aliases. */
import { listAt, mappingAt, type Review, report, reportNames, reportUnknown, textAt } from './loose.ts';
import { impliedModels } from './named-models.ts';

const implied = new WeakMap<Review, ReadonlySet<string>>();

/** What the document makes a model by naming it; found once per review. */
function impliedIn(review: Review): ReadonlySet<string> {
  let names = implied.get(review);
  if (names === undefined) {
    names = impliedModels(review.document.root);
    implied.set(review, names);
  }
  return names;
}

/** Whether `name` is a model by itself, through `PROVIDER/*`, or by being named where a model stands. */
export function isModel(review: Review, name: string): boolean {
  const models = mappingAt(review, 'models');
  if (name.includes('*')) return false;
  if (Object.hasOwn(models, name) || impliedIn(review).has(name)) return true;
  const slash = name.indexOf('/');
  return slash > 0 && slash < name.length - 1 && Object.hasOwn(models, `${name.slice(0, slash)}/*`);
}

const listedModels = (review: Review): string[] =>
  Object.keys(mappingAt(review, 'models')).filter((id) => !id.includes('*'));

export function isModelOrAlias(review: Review, name: string): boolean {
  return isModel(review, name) || Object.hasOwn(mappingAt(review, 'aliases'), name);
}

/** Where an alias ends; any other name stays itself. Circles are reported elsewhere. */
export function aliasTarget(review: Review, name: string): string {
  const aliases = mappingAt(review, 'aliases');
  let current = name;
  for (let hops = 0; hops < 100 && !isModel(review, current) && Object.hasOwn(aliases, current); hops++) {
    const next = textAt(review, 'aliases', current);
    if (next === null) break;
    current = next;
  }
  return current;
}

/** Reports a name that is neither model nor alias. */
export function checkModelName(review: Review, path: readonly (string | number)[], name: string): void {
  if (isModelOrAlias(review, name)) return;
  reportUnknown(review, path, 'model', name, [...listedModels(review), ...Object.keys(mappingAt(review, 'aliases'))]);
}

/** C-9: aliases lead to a model, never in a circle, and never hide one. */
export function checkAliases(review: Review): void {
  const aliases = mappingAt(review, 'aliases');
  for (const name of Object.keys(aliases)) {
    if (Object.hasOwn(mappingAt(review, 'models'), name)) {
      report(
        review,
        'duplicate',
        ['aliases', name],
        'a model has this very id, so the alias would never be used',
        'key',
      );
    }
    const target = textAt(review, 'aliases', name);
    if (target === null) continue;
    const round = circle(review, name);
    if (round !== null) report(review, 'alias_loop', ['aliases', name], `leads back to itself: ${round.join(' → ')}`);
    else checkModelName(review, ['aliases', name], target);
  }
}

/** The way from `name` back to itself, or null. */
function circle(review: Review, name: string): string[] | null {
  const way = [name];
  let next = textAt(review, 'aliases', name);
  while (next !== null && !isModel(review, next) && Object.hasOwn(mappingAt(review, 'aliases'), next)) {
    if (next === name) return [...way, name];
    if (way.includes(next)) return null;
    way.push(next);
    next = textAt(review, 'aliases', next);
  }
  return null;
}

/** Exact names in lists of patterns must exist; patterns with `*` may match models to come. */
export function checkPatterns(review: Review, path: readonly (string | number)[]): void {
  listAt(review, ...path).forEach((_, index) => {
    const name = textAt(review, ...path, index);
    if (name === null || name === '' || name.includes('*') || isModel(review, name)) return;
    const target = Object.hasOwn(mappingAt(review, 'aliases'), name) ? textAt(review, 'aliases', name) : null;
    if (target === null) reportUnknown(review, [...path, index], 'model', name, listedModels(review));
    else {
      const plain = 'is an alias; name the model itself';
      const names = { plain, kind: 'model', written: name, known: [target], before: '' } as const;
      const message = `${plain}: \`${target}\``;
      reportNames(review, 'unknown_reference', [...path, index], { message, suggestion: null, ...names });
    }
  });
}
