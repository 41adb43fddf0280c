/** `understudy check FILE`: is this configuration good? */

import { impliedNotes } from '../config/implied-notes.ts';
import { formatProblems, type LoadResult, loadConfigFile } from '../config/load.ts';
import type { Snapshot } from '../config/snapshot.ts';
import { capabilityNotes } from './capability-notes.ts';
import { priceNotes } from './price-notes.ts';
import { regionNotes } from './region-notes.ts';
import { CommandFailure, type Shell } from './shell.ts';

/** What a configuration holds, in numbers. */
export function summarise(snapshot: Snapshot) {
  const providers = new Set(snapshot.channels.map((channel) => channel.provider.name));
  const wildcards = [...(snapshot.wildcards?.byProvider.keys() ?? [])];
  for (const name of wildcards) providers.add(name);
  return {
    providers: providers.size,
    credentials: snapshot.credentials.length,
    models: snapshot.models.length,
    channels: snapshot.channels.length,
    wildcards: wildcards.map((name) => `${name}/*`),
    aliases: snapshot.aliases.size,
    workspaces: snapshot.workspaces.size,
    keys: snapshot.keys.size,
  };
}

function summaryLine(summary: ReturnType<typeof summarise>): string {
  const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`;
  const named = count(summary.models, 'model');
  const all = `all of ${summary.wildcards.join(', ')}`;
  const models = summary.wildcards.length === 0 ? named : summary.models === 0 ? all : `${named} and ${all}`;
  return [
    `${count(summary.providers, 'provider')} in use`,
    count(summary.credentials, 'credential'),
    models,
    count(summary.channels, 'channel'),
    `${summary.aliases} alias${summary.aliases === 1 ? '' : 'es'}`,
    count(summary.workspaces, 'workspace'),
    count(summary.keys, 'client key'),
  ].join(', ');
}

/** What is allowed and still seldom meant. */
function notesOn(snapshot: Snapshot, summary: ReturnType<typeof summarise>): string[] {
  const notes = [
    ...impliedNotes(snapshot),
    ...priceNotes(snapshot),
    ...regionNotes(snapshot),
    ...capabilityNotes(snapshot),
  ];
  if (summary.models === 0 && summary.wildcards.length === 0) {
    notes.push('no model is named: every request would be answered with 404');
  }
  if (summary.keys === 0) notes.push('no client key is named: one is made at the first start and shown once');
  return notes;
}

function resultForPrograms(file: string, result: LoadResult): object {
  if (!result.ok) return { ok: false, file, problems: result.problems };
  const summary = summarise(result.snapshot);
  return { ok: true, file, summary, notes: notesOn(result.snapshot, summary) };
}

export async function check(shell: Shell, file: string, options: { readonly json?: boolean }): Promise<void> {
  const result = await loadConfigFile(file, { env: shell.env });
  if (options.json === true) {
    shell.print(JSON.stringify(resultForPrograms(file, result), null, 2));
  } else if (result.ok) {
    const summary = summarise(result.snapshot);
    shell.print(`${shell.paint.good('OK')}  ${file}: ${summaryLine(summary)}`);
    for (const note of notesOn(result.snapshot, summary)) shell.print(shell.paint.note(`    ${note}`));
  } else {
    shell.print(formatProblems(result.problems, file));
  }
  if (result.ok) return;
  const count = result.problems.length;
  throw new CommandFailure(options.json === true ? '' : `${count} problem${count === 1 ? '' : 's'} in ${file}`);
}
