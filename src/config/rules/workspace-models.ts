/** Models that a workspace names: its virtual models, `auto` and its default model (C-6, C-7). */
import { modelMatcher } from '../../core/request/allowed-models.ts';
import { AUTO } from '../../core/request/virtual-models.ts';
import type { Path } from '../problem.ts';
import { valueAt } from '../shape-problems.ts';
import { listAt, mappingAt, type Review, report, reportNames, stringOf, textAt } from './loose.ts';
import { isModelName } from './model-ids.ts';
import { aliasTarget, checkModelName, isModel, isModelOrAlias } from './model-names.ts';

/** Whether a name stands for a virtual model in this workspace: exact ids of models come first (C-9). */
export function isVirtual(review: Review, workspace: string, name: string): boolean {
  if (isModel(review, name)) return false;
  return name === AUTO || Object.hasOwn(mappingAt(review, 'workspaces', workspace, 'virtual_models'), name);
}

/** Reports a virtual name where only models may stand; true = it was one. */
export function reportVirtual(review: Review, workspace: string, path: Path, name: string): boolean {
  if (!isVirtual(review, workspace, name)) return false;
  report(review, 'invalid_value', path, `\`${name}\` is a virtual model and stands alone (C-6); name models here`);
  return true;
}

/** Names of the workspace's virtual models, their members, `auto` and the default model. */
export function checkWorkspaceModels(review: Review, workspace: string): void {
  const path = ['workspaces', workspace];
  for (const name of Object.keys(mappingAt(review, ...path, 'virtual_models'))) {
    checkVirtualName(review, [...path, 'virtual_models', name], name);
    checkMembers(review, workspace, [...path, 'virtual_models', name, 'models']);
  }
  checkMembers(review, workspace, [...path, 'auto']);
  checkMember(review, workspace, [...path, 'default_model']);
}

function checkMembers(review: Review, workspace: string, path: Path): void {
  listAt(review, ...path).forEach((_, index) => {
    checkMember(review, workspace, [...path, index]);
  });
}

/** Exists, is a model and is enabled here: what could never be called is a mistake, not a reserve. */
function checkMember(review: Review, workspace: string, path: Path): void {
  const name = textAt(review, ...path);
  if (name === null || name === '' || reportVirtual(review, workspace, path, name)) return;
  if (!isModelOrAlias(review, name)) {
    checkModelName(review, path, name);
    return;
  }
  const id = aliasTarget(review, name);
  const list = valueAt(review.document.root, ['workspaces', workspace, 'enabled_models']);
  if (!Array.isArray(list) || modelMatcher(list.map(stringOf).filter((text) => text !== null))(id)) return;
  reportNames(review, 'invalid_value', path, {
    message: `\`${id}\` is not among the workspace's \`enabled_models\`; add it there first`,
    suggestion: null,
    plain: `\`${name}\` is not among the workspace's \`enabled_models\``,
    kind: 'model',
    written: name,
    known: [],
    before: '',
  });
}

/** A name a request can send and that leads here: model ids come before it (C-9). */
function checkVirtualName(review: Review, path: Path, name: string): void {
  const fault = (message: string) => report(review, 'invalid_value', path, message, 'key');
  if (name === AUTO) fault('is built in; list its models under `auto`');
  else if (!isModelName(name)) fault('a virtual model has a name of 1 to 256 characters, no spaces, no commas, no `*`');
  else if (isModel(review, name)) {
    report(review, 'duplicate', path, 'a model has this very id, so the virtual model would never be used', 'key');
  }
}

/** No model and no alias may take the built-in name away. */
export function checkBuiltInName(review: Review): void {
  const wildcard = `${AUTO.slice(0, AUTO.indexOf('/'))}/*`;
  for (const [section, name] of [
    ['models', AUTO],
    ['models', wildcard],
    ['aliases', AUTO],
  ] as const) {
    if (!Object.hasOwn(mappingAt(review, section), name)) continue;
    report(review, 'invalid_value', [section, name], `would hide the built-in virtual model \`${AUTO}\` (C-6)`, 'key');
  }
}
