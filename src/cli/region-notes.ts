/** Notes on guardrails by region that leave out more than somebody meant: a channel without a region is in none (G-2). */
import type { Snapshot, WorkspaceEntry } from '../config/snapshot.ts';
import { modelMatcher } from '../core/request/allowed-models.ts';
import { listed } from './listed.ts';

export function regionNotes(snapshot: Snapshot): string[] {
  return [...snapshot.workspaces.values()].flatMap((workspace) => notesOn(workspace, snapshot));
}

function notesOn({ name, guardrails, enabledModels }: WorkspaceEntry, snapshot: Snapshot): string[] {
  const { allowRegions, denyRegions } = guardrails;
  const named = [...new Set([...(allowRegions ?? []), ...denyRegions])];
  const nowhere = named.filter((region) => !snapshot.channels.some((channel) => channel.region === region));
  const notes: string[] = [];
  if (nowhere.length > 0) notes.push(`workspace ${name}: no channel is in the region ${listed(nowhere)}`);
  if (allowRegions === null) return notes;
  const enabled = modelMatcher(enabledModels);
  const channels = snapshot.channels.filter(
    ({ region, model }) => region === null && enabled(snapshot.models[model]!.id),
  );
  const wildcards = [...(snapshot.wildcards?.byProvider.keys() ?? [])].map((provider) => `${provider}/*`);
  const without = [...channels.map(({ healthKey }) => healthKey), ...wildcards];
  if (without.length > 0) {
    notes.push(`workspace ${name}: allow_regions leaves out what names no region: ${listed(without)}`);
  }
  return notes;
}
