/** Workspaces, keys and policies: references, duplicates and chains. */
import type { Path } from '../problem.ts';
import { checkChannelPatterns, checkRouting } from './channel-names.ts';
import { listAt, mappingAt, type Review, report, reportUnknown, textAt } from './loose.ts';
import { aliasTarget, checkModelName, checkPatterns } from './model-names.ts';
import { checkWorkspaceModels, reportVirtual } from './workspace-models.ts';

/** C-2's bound on a chain. */
const MAX_CHAIN = 3;

export function checkWorkspaces(review: Review): void {
  for (const name of Object.keys(mappingAt(review, 'workspaces'))) {
    const path = ['workspaces', name];
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) {
      report(review, 'invalid_value', path, 'the name must be of letters, digits, dot, dash and underscore', 'key');
    }
    checkPatterns(review, [...path, 'enabled_models']);
    checkChannelPatterns(review, [...path, 'enabled_channels']);
    checkPatterns(review, [...path, 'guardrails', 'deny_models']);
    checkChannelPatterns(review, [...path, 'guardrails', 'deny_channels']);
    checkWorkspaceModels(review, name);
    checkRouting(review, path);
    for (const virtual of Object.keys(mappingAt(review, ...path, 'virtual_models'))) {
      checkRouting(review, [...path, 'virtual_models', virtual]);
    }
  }
}

/** C-5's chain: models, at most three, and no virtual one (C-6). */
function checkChain(review: Review, workspace: string, path: Path): void {
  const names: string[] = [];
  listAt(review, ...path).forEach((_, index) => {
    const name = textAt(review, ...path, index);
    if (name === null || name === '') return;
    names.push(aliasTarget(review, name));
    if (!reportVirtual(review, workspace, [...path, index], name)) checkModelName(review, [...path, index], name);
  });
  const distinct = new Set(names);
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
    checkChain(review, workspace ?? 'default', [...path, 'failover_defaults', 'models']);
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
