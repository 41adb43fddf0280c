/** Workspaces, keys and policies: references, duplicates and chains. */
import { listAt, mappingAt, type Review, report, reportUnknown, textAt } from './loose.ts';
import { checkModelName, checkPatterns } from './model-names.ts';

/** C-2's bound on a chain. */
const MAX_CHAIN = 3;

function checkModelList(review: Review, path: readonly (string | number)[]): void {
  listAt(review, ...path).forEach((_, index) => {
    const name = textAt(review, ...path, index);
    if (name !== null && name !== '') checkModelName(review, [...path, index], name);
  });
}

function checkRouting(review: Review, workspace: string): void {
  const path = ['workspaces', workspace, 'routing', 'channels'];
  for (const [model, channels] of Object.entries(mappingAt(review, ...path))) {
    checkModelName(review, [...path, model], model);
    const configured = listAt(review, 'models', model, 'channels');
    if (configured.length === 0 || typeof channels !== 'object' || channels === null) continue;
    const ids = configured.map((_, index) => {
      const channel = ['models', model, 'channels', index];
      return textAt(review, ...channel, 'id') ?? textAt(review, ...channel, 'provider') ?? '';
    });
    for (const id of Object.keys(channels)) {
      if (!ids.includes(id)) reportUnknown(review, [...path, model, id], 'channel', id, ids);
    }
  }
}

export function checkWorkspaces(review: Review): void {
  for (const name of Object.keys(mappingAt(review, 'workspaces'))) {
    const path = ['workspaces', name];
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) {
      report(review, 'invalid_value', path, 'the name must be of letters, digits, dot, dash and underscore', 'key');
    }
    checkPatterns(review, [...path, 'enabled_models']);
    const fallback = textAt(review, ...path, 'default_model');
    if (fallback !== null && fallback !== '') checkModelName(review, [...path, 'default_model'], fallback);
    checkModelList(review, [...path, 'auto']);
    for (const virtual of Object.keys(mappingAt(review, ...path, 'virtual_models'))) {
      checkModelList(review, [...path, 'virtual_models', virtual, 'models']);
    }
    checkRouting(review, name);
  }
}

/** Where an alias ends, for counting distinct models. */
function resolved(review: Review, name: string): string {
  const aliases = mappingAt(review, 'aliases');
  let current = name;
  for (let hops = 0; hops < 100 && Object.hasOwn(aliases, current); hops++) {
    const next = textAt(review, 'aliases', current);
    if (next === null) break;
    current = next;
  }
  return current;
}

function checkChain(review: Review, path: readonly (string | number)[]): void {
  checkModelList(review, path);
  const names = listAt(review, ...path).filter((name): name is string => typeof name === 'string');
  const distinct = new Set(names.map((name) => resolved(review, name)));
  if (distinct.size <= MAX_CHAIN) return;
  report(review, 'invalid_value', path, `must name at most ${MAX_CHAIN} distinct models, got ${distinct.size}`);
}

export function checkKeys(review: Review): void {
  const workspaces = ['default', ...Object.keys(mappingAt(review, 'workspaces'))];
  const names = new Map<string, number>();
  const secrets = new Map<string, number>();
  listAt(review, 'keys').forEach((_, index) => {
    const path = ['keys', index];
    const name = textAt(review, ...path, 'name');
    const secret = textAt(review, ...path, 'secret');
    const workspace = textAt(review, ...path, 'workspace');
    if (workspace !== null && !workspaces.includes(workspace)) {
      reportUnknown(review, [...path, 'workspace'], 'workspace', workspace, workspaces);
    }
    const sameName = name === null ? undefined : names.get(name);
    if (sameName !== undefined)
      report(review, 'duplicate', [...path, 'name'], `keys[${sameName}] has the name \`${name}\` too`);
    else if (name !== null) names.set(name, index);
    const sameSecret = secret === null ? undefined : secrets.get(secret);
    if (sameSecret !== undefined)
      report(
        review,
        'duplicate',
        [...path, 'secret'],
        `keys[${sameSecret}] has the same secret; every key needs its own`,
      );
    else if (secret !== null) secrets.set(secret, index);
    checkPatterns(review, [...path, 'models']);
    checkChain(review, [...path, 'failover_defaults', 'models']);
  });
}

/** D-12: a cell whose steps after `stop` could never happen says something else than it does. */
export function checkPolicies(review: Review): void {
  for (const [policy, rows] of Object.entries(mappingAt(review, 'policies'))) {
    if (typeof rows !== 'object' || rows === null) continue;
    for (const row of Object.keys(rows)) {
      const path = ['policies', policy, row];
      const steps = listAt(review, ...path);
      const stop = steps.indexOf('stop');
      steps.forEach((step, index) => {
        if (steps.indexOf(step) !== index)
          report(review, 'duplicate', [...path, index], `step \`${String(step)}\` is named twice`);
        else if (stop !== -1 && index > stop && step !== 'alert') {
          report(
            review,
            'invalid_value',
            [...path, index],
            'a step after `stop` is never reached (only `alert` may follow)',
          );
        }
      });
    }
  }
}
