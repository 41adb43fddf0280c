/** `understudy workspaces …`: tenants of a running gateway, and their money. */
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { adminClient, type Json } from './admin-client.ts';
import { type AdminOptions, cell, listAll, objectPath, part, printAnswer, printList } from './admin-output.ts';
import { CommandFailure, type Shell } from './shell.ts';
import { fieldLines } from './table.ts';

const PATH = '/v1/workspaces';

export async function listWorkspaces(shell: Shell, options: AdminOptions): Promise<void> {
  await printList(shell, options, {
    path: PATH,
    titles: ['NAME', 'DEFAULT MODEL', 'STRATEGY', 'VIRTUAL MODELS', 'OWNER', 'PROBLEM'],
    row: (one) => [
      cell(one, 'name'),
      cell(one, 'default_model'),
      cell(part(one, 'routing'), 'strategy'),
      Object.keys(part(one, 'virtual_models')).join(', '),
      cell(one, 'managed_by'),
      cell(one, 'problem'),
    ],
    none: 'There is no workspace.',
  });
}

export async function showWorkspace(shell: Shell, name: string, options: AdminOptions): Promise<void> {
  const client = adminClient(shell, options.url);
  const workspace = await client.call('GET', objectPath(PATH, name));
  const balance = await client.call('GET', `${objectPath(PATH, name)}/balance`);
  const answer = { ...workspace, balance };
  const words =
    balance['prepaid'] === true
      ? `${String(balance['balance_usd'])} USD, of which free ${String(balance['available_usd'])}`
      : null;
  printAnswer(shell, options, answer, fieldLines({ ...workspace, balance: words }));
}

export interface SetWorkspaceOptions extends AdminOptions {
  /** YAML or JSON; `-` = standard input. */
  readonly file?: string;
}

/** Makes the workspace or changes fields of it. `assignments`: `field=value`, the value as in YAML. */
export async function setWorkspace(
  shell: Shell,
  name: string,
  assignments: readonly string[],
  options: SetWorkspaceOptions,
): Promise<void> {
  const fields = { ...(await fileFields(shell, options.file)), ...Object.fromEntries(assignments.map(readAssignment)) };
  const client = adminClient(shell, options.url);
  const known = await listAll(client, PATH, {});
  const exists = known.some((one) => one['name'] === name);
  const answer = exists
    ? await client.call('PATCH', objectPath(PATH, name), fields)
    : await client.call('POST', PATH, { name, ...fields });
  printAnswer(shell, options, answer, `The workspace \`${name}\` is ${exists ? 'changed' : 'made'}.`);
}

function readAssignment(written: string): readonly [string, unknown] {
  const at = written.indexOf('=');
  if (at <= 0) throw new CommandFailure(`${written} is no field=value`, 2);
  return [written.slice(0, at), readYaml(written.slice(at + 1), written)];
}

async function fileFields(shell: Shell, file: string | undefined): Promise<Json> {
  if (file === undefined) return {};
  const fields = readYaml(await fileText(shell, file), file);
  if (typeof fields === 'object' && fields !== null && !Array.isArray(fields)) return fields as Json;
  throw new CommandFailure(`${file} holds no fields of a workspace`, 2);
}

async function fileText(shell: Shell, file: string): Promise<string> {
  if (file === '-') return (await shell.readInput()) ?? '';
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandFailure(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readYaml(text: string, where: string): unknown {
  try {
    return parse(text) as unknown;
  } catch {
    throw new CommandFailure(`${where} is no valid YAML`, 2);
  }
}

export async function removeWorkspace(shell: Shell, name: string, options: AdminOptions): Promise<void> {
  const answer = await adminClient(shell, options.url).call('DELETE', objectPath(PATH, name));
  printAnswer(shell, options, answer, `The workspace \`${name}\` is removed.`);
}

/** Pays in or corrects. */
export async function changeBalance(
  shell: Shell,
  name: string,
  change: { readonly topup_usd: number } | { readonly adjust_usd: number },
  options: AdminOptions & { readonly note?: string },
): Promise<void> {
  const note = options.note === undefined ? {} : { note: options.note };
  const path = `${objectPath(PATH, name)}/balance`;
  const answer = await adminClient(shell, options.url).call('POST', path, { ...change, ...note });
  printAnswer(shell, options, answer, `The workspace \`${name}\` has ${String(answer['balance_usd'])} USD.`);
}
