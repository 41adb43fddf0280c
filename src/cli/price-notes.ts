/** Notes on prices that someone will miss: under a prepaid balance or `max_cost_usd` they decide what is called (G-4). */
import type { ChannelEntry, KeyEntry, Snapshot, WorkspaceEntry } from '../config/snapshot.ts';
import { modelMatcher } from '../core/request/allowed-models.ts';
import { listed } from './listed.ts';

export function priceNotes(snapshot: Snapshot): string[] {
  const workspaces = [...snapshot.workspaces.values()].filter((workspace) => asksForPrices(workspace, snapshot));
  if (workspaces.length === 0) return [];
  const enabled = workspaces.map(({ enabledModels }) => modelMatcher(enabledModels));
  const channels = snapshot.channels.filter(({ model }) => {
    const { id } = snapshot.models[model]!;
    return enabled.some((matches) => matches(id));
  });
  const unpriced = channels.filter((channel) => !hasPrice(snapshot, channel)).map(({ healthKey }) => healthKey);
  const guessed = channels.filter(isEstimate).map(({ healthKey }) => healthKey);
  const notes: string[] = [];
  const unknown = [...unpriced, ...unpricedWildcards(snapshot)];
  const who = `a prepaid balance or max_cost_usd (${workspaces.map(({ name }) => name).join(', ')})`;
  if (unknown.length > 0) notes.push(`no price is known of ${listed(unknown)}: left out under ${who}`);
  if (guessed.length > 0)
    notes.push(`the price is an estimate of the catalogue for ${listed(guessed)}; \`price\` of the file is exact`);
  return notes;
}

function asksForPrices({ name, balance, redundancy, ceilings }: WorkspaceEntry, snapshot: Snapshot): boolean {
  const bounds = [snapshot.defaults, redundancy, ceilings];
  const keys = [...snapshot.keys.values()].filter(({ workspace }) => workspace === name);
  return balance !== null || bounds.some(({ max_cost_usd: most }) => most !== undefined) || keys.some(isBounded);
}

function isBounded({ redundancy, ceilings, failoverDefaults }: KeyEntry): boolean {
  return [redundancy, ceilings, failoverDefaults?.options].some((options) => options?.max_cost_usd !== undefined);
}

/** Enough for a call of text: what goes in and what comes out. */
function hasPrice(snapshot: Snapshot, channel: ChannelEntry): boolean {
  const price = channel.price ?? snapshot.models[channel.model]!.price;
  return price !== null && price.input !== null && price.output !== null;
}

function isEstimate({ catalogued }: ChannelEntry): boolean {
  return catalogued?.price !== undefined && catalogued.price.estimate !== null;
}

function unpricedWildcards({ wildcards }: Snapshot): string[] {
  const all = [...(wildcards?.byProvider ?? [])];
  const without = all.filter(([, { like, provider }]) => like.price === null && provider.catalogue === null);
  return without.map(([name]) => `${name}/*`);
}
