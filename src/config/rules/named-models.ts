/**
 * Models that are named without being listed. A name `PROVIDER/NAME` of a configured provider, where only a model can
 * stand, is a model with its one implied channel, as if it were listed empty.
 */
import { AUTO } from '../../core/request/virtual-models.ts';
import { listOf, mappingOf, stringOf } from './loose.ts';
import { impliedProvider, isModelName } from './model-ids.ts';

const textsOf = (value: unknown): string[] =>
  listOf(value)
    .map(stringOf)
    .filter((text) => text !== null);

const routed = (owner: unknown): string[] => Object.keys(mappingOf(mappingOf(mappingOf(owner)['routing'])['channels']));

function namedByWorkspace(workspace: unknown): string[] {
  const { default_model: fallback, auto, virtual_models: virtual } = mappingOf(workspace);
  const members = Object.values(mappingOf(virtual)).flatMap((entry) => [
    ...textsOf(mappingOf(entry)['models']),
    ...routed(entry),
  ]);
  return [...textsOf([fallback]), ...textsOf(auto), ...members, ...routed(workspace)];
}

/**
 * Every name that stands where a model, or an alias of one, is meant: targets of aliases, default chains of keys, and what
 * workspaces name. In the document's order, repeats included; patterns are none of them.
 * @param root a configuration as written, sound or not
 */
export function namedModels(root: unknown): string[] {
  const { aliases, workspaces, keys } = mappingOf(root);
  const chains = listOf(keys).flatMap((key) => textsOf(mappingOf(mappingOf(key)['failover_defaults'])['models']));
  return [
    ...textsOf(Object.values(mappingOf(aliases))),
    ...Object.values(mappingOf(workspaces)).flatMap(namedByWorkspace),
    ...chains,
  ];
}

/**
 * Those of `namedModels` that are models by being named: a configured provider's, neither listed nor covered by
 * `PROVIDER/*`. What is an alias or some workspace's virtual model stays that.
 */
export function impliedModels(root: unknown): ReadonlySet<string> {
  const { models, aliases, providers, workspaces } = mappingOf(root);
  const listed = mappingOf(models);
  const virtual = new Set(
    Object.values(mappingOf(workspaces)).flatMap((one) => Object.keys(mappingOf(mappingOf(one)['virtual_models']))),
  );
  const isImplied = (name: string): boolean => {
    const provider = impliedProvider(name, (one) => Object.hasOwn(mappingOf(providers), one));
    if (provider === null || !isModelName(name) || name === AUTO || virtual.has(name)) return false;
    return ![name, `${provider}/*`].some((id) => Object.hasOwn(listed, id)) && !Object.hasOwn(mappingOf(aliases), name);
  };
  return new Set(namedModels(root).filter(isImplied));
}
