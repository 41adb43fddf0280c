/** What the administration commands have in common: options, lists in full, and how answers are printed. */
import { type AdminClient, adminClient, type Json } from './admin-client.ts';
import { CommandFailure, type Shell } from './shell.ts';
import { type Cell, table } from './table.ts';

export interface AdminOptions {
  readonly url?: string;
  readonly json?: boolean;
}

/** Pages per list at most: a gateway that never ends one must not keep the command running. */
const MOST_PAGES = 1000;

/** All entries of a list, page by page. */
export async function listAll(client: AdminClient, path: string, query: Readonly<Record<string, string | undefined>>) {
  const entries: Json[] = [];
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  let cursor: string | null = null;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const parameters = new URLSearchParams(given);
    if (cursor !== null) parameters.set('cursor', cursor);
    const search = parameters.size === 0 ? '' : `?${parameters}`;
    const answer = await client.call('GET', `${path}${search}`);
    if (Array.isArray(answer['data'])) entries.push(...(answer['data'] as Json[]));
    if (typeof answer['next_cursor'] !== 'string') return entries;
    cursor = answer['next_cursor'];
  }
  throw new CommandFailure('the list of the gateway does not end');
}

/** A list as a table, or as JSON. */
export async function printList(
  shell: Shell,
  options: AdminOptions,
  list: {
    readonly path: string;
    readonly query?: Readonly<Record<string, string | undefined>>;
    readonly titles: readonly string[];
    readonly row: (entry: Json) => readonly Cell[];
    /** Said where there is nothing to list. */
    readonly none: string;
  },
): Promise<void> {
  const entries = await listAll(adminClient(shell, options.url), list.path, list.query ?? {});
  if (options.json === true) shell.print(JSON.stringify(entries, null, 2));
  else if (entries.length === 0) shell.print(list.none);
  else shell.print(table(list.titles, entries.map(list.row), shell.paint));
}

/** The answer as JSON, or in words. */
export function printAnswer(shell: Shell, options: AdminOptions, answer: Json, inWords: string): void {
  shell.print(options.json === true ? JSON.stringify(answer, null, 2) : inWords);
}

/** A field of an answer as a cell; objects have none. */
export function cell(entry: Json, field: string): Cell {
  const value = entry[field];
  return typeof value === 'object' || typeof value === 'undefined' ? null : (value as Cell);
}

export function part(entry: Json, field: string): Json {
  const value = entry[field];
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

/** The path of one object, below `/admin`. */
export function objectPath(list: string, name: string): string {
  if (name === '') throw new CommandFailure('the name is empty', 2);
  return `${list}/${encodeURIComponent(name)}`;
}

/** Fields that were given, for a body. */
export function given(fields: Readonly<Record<string, unknown>>): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
