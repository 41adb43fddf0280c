/** Problems of a workspace's objects, in the words of somebody who may know only what that workspace may use (G-8). */
import type { PlanCatalogue } from '../../core/plan/plan-catalogue.ts';
import { modelMatcher } from '../../core/request/allowed-models.ts';
import { hint } from '../hint.ts';
import type { NamedInProblem } from '../problem.ts';
import type { Snapshot } from '../snapshot.ts';
import type { ObjectProblem } from './stored-entry.ts';

/** Whether somebody may know of a thing; `name` is whole: `MODEL#CHANNEL` for a channel. */
export type MayKnow = (kind: NamedInProblem['kind'], name: string) => boolean;

/** The problem without the names that are none of the reader's affair. */
export function toldTo(mayKnow: MayKnow, problem: ObjectProblem): ObjectProblem {
  const { field, names } = problem;
  if (names === undefined) return problem;
  const { plain, kind, written, known, before } = names;
  const own = known.filter((name) => mayKnow(kind, before + name));
  return { field, message: own.length === 0 ? plain : `${plain}${hint(written, own).text}` };
}

/** What a workspace may use: the models enabled and not denied, their channels it can call, and whose those are. */
export function knownIn(workspace: string, snapshot: Snapshot, catalogue: PlanCatalogue): MayKnow {
  const { enabledModels, guardrails } = snapshot.workspaces.get(workspace) ?? {};
  const enabled = modelMatcher(enabledModels ?? []);
  const denied = modelMatcher(guardrails?.denyModels ?? []);
  const view = catalogue.view(workspace);
  const channels = new Set<string>();
  const providers = new Set<string>();
  for (const model of snapshot.models) {
    if (!enabled(model.id) || denied(model.id)) continue;
    for (const { channel, groups } of view.model(model.ix).channels) {
      if (groups.length === 0) continue;
      const { healthKey, provider } = snapshot.channels[channel]!;
      channels.add(healthKey);
      providers.add(provider.name);
    }
  }
  const isModel = (name: string): boolean => enabled(name) && !denied(name);
  return (kind, name) => {
    if (kind === 'workspace') return name === workspace;
    if (kind === 'model') return isModel(snapshot.aliases.get(name) ?? name);
    return (kind === 'channel' ? channels : providers).has(name);
  };
}
