/** The administration commands as the command line knows them. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { ROLES } from '../core/access/roles.ts';
import { DEFAULT_URL } from './admin-client.ts';
import type { AdminOptions } from './admin-output.ts';
import {
  type AddCredentialOptions,
  addCredential,
  listCredentials,
  orderCredentials,
  removeCredential,
  rotateSealKey,
  rotateSecret,
} from './credentials.ts';
import { examples } from './examples.ts';
import { type CreateKeyOptions, createKey, liftKey, listKeys, revokeKey } from './keys.ts';
import { type AddMemberOptions, addMember, listMembers, removeMember } from './members.ts';
import type { SecretOptions } from './secret-input.ts';
import type { Shell } from './shell.ts';
import {
  changeBalance,
  listWorkspaces,
  removeWorkspace,
  type SetWorkspaceOptions,
  setWorkspace,
  showWorkspace,
} from './workspaces.ts';

function whole(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number of at least 1.');
}

function place(text: string): number {
  if (/^\d{1,7}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is a whole number of at least 0.');
}

function dollars(text: string): number {
  if (/^-?\d{1,10}(\.\d{1,9})?$/.test(text) && Number(text) !== 0) return Number(text);
  throw new InvalidArgumentError('It is an amount in USD such as 50 or 0.25, with at most nine decimals.');
}

/** Says once what all of them need. */
function group(program: Command, name: string, summary: string, ...lines: readonly string[]): Command {
  const needs = `\nThe admin token, or a member's, is read from UNDERSTUDY_ADMIN_TOKEN.\n${examples(...lines)}`;
  return program
    .command(name)
    .summary(summary)
    .description(`${summary[0]!.toUpperCase()}${summary.slice(1)}.`)
    .addHelpText('after', needs);
}

/** One command of a group, with the options every one has. */
function sub(parent: Command, usage: string, description: string, ...lines: readonly string[]): Command {
  return parent
    .command(usage)
    .description(description)
    .option('--url <address>', `the gateway (default: UNDERSTUDY_URL, else ${DEFAULT_URL})`)
    .option('--json', 'print the answer as JSON')
    .addHelpText('after', examples(...lines));
}

export function addKeys(program: Command, shell: Shell): void {
  const keys = group(
    program,
    'keys',
    'make, list and revoke client keys',
    'keys create app --workspace acme',
    'keys list',
  );
  sub(
    keys,
    'create <name>',
    'Make a client key. It is printed once, to standard output.',
    'keys create app --workspace acme --model "vendor/*" --rpm 600',
    'keys create app > app.key',
  )
    .option('--workspace <name>', 'the workspace it belongs to (default: default, or yours)')
    .option('--model <pattern...>', 'models it may call (default: all)')
    .option('--expires-at <date>', 'the first moment it no longer works: 2027-12-31')
    .option('--rpm <number>', 'requests per minute', whole)
    .option('--tpm <number>', 'tokens per minute', whole)
    .option('--concurrent <number>', 'requests at the same time', whole)
    .option('--usd-per-day <usd>', 'spend per UTC day', dollars)
    .option('--usd-per-month <usd>', 'spend per UTC month', dollars)
    .option('--allow-rehearse', 'it may fail its own requests on purpose')
    .action((name: string, options: CreateKeyOptions) => createKey(shell, name, options));
  sub(keys, 'list', 'List client keys with what they used.', 'keys list --workspace acme --json')
    .option('--workspace <name>', 'only those of this workspace')
    .action((options: AdminOptions & { workspace?: string }) => listKeys(shell, options));
  sub(keys, 'revoke <name>', 'Revoke a client key, at once and for good.', 'keys revoke app').action(
    (name: string, options: AdminOptions) => revokeKey(shell, name, options),
  );
  sub(keys, 'lift <name>', 'End the suspension or the ban of a client key.', 'keys lift app').action(
    (name: string, options: AdminOptions) => liftKey(shell, name, options),
  );
}

const SECRET_ENV = [
  '--secret-env <variable>',
  'environment variable that holds the secret (default: standard input)',
] as const;

export function addCredentials(program: Command, shell: Shell): void {
  const credentials = group(
    program,
    'credentials',
    'add, list and exchange secrets for providers',
    'credentials add acme-own --provider vendor --workspace acme --secret-env ACME_KEY',
    'credentials list',
  );
  sub(
    credentials,
    'add <name>',
    'Add a credential. Its secret comes from standard input or the environment.',
    'credentials add vendor-main --provider vendor --secret-env VENDOR_KEY',
    'credentials add acme-own --provider vendor --workspace acme < secret.txt',
  )
    .requiredOption('--provider <name>', 'the provider it is for')
    .option('--workspace <name>', 'make it this workspace’s own (BYOK); without: the platform’s')
    .option('--order <number>', 'lower is tried first', place)
    .option('--base-url <address>', 'the workspace’s own address of the provider')
    .option(...SECRET_ENV)
    .action((name: string, options: AddCredentialOptions) => addCredential(shell, name, options));
  sub(credentials, 'list', 'List credentials, without their secrets.', 'credentials list --workspace acme')
    .option('--workspace <name>', 'only those of this workspace')
    .action((options: AdminOptions & { workspace?: string }) => listCredentials(shell, options));
  sub(
    credentials,
    'remove <name>',
    'Remove a credential; calls under way with it finish.',
    'credentials remove acme-own',
  ).action((name: string, options: AdminOptions) => removeCredential(shell, name, options));
  sub(
    credentials,
    'reorder <name...>',
    'Set the order in which credentials are tried: all of the workspace, or of the platform, the first one first.',
    'credentials reorder acme-second acme-first --workspace acme',
  )
    .option('--workspace <name>', 'whose; without: the platform’s, or yours')
    .action((names: string[], options: AdminOptions & { workspace?: string }) =>
      orderCredentials(shell, names, options),
    );
  sub(
    credentials,
    'rotate-secret <name>',
    'Give a credential a new secret, from standard input or the environment.',
    'credentials rotate-secret acme-own --secret-env NEW_KEY',
  )
    .option(...SECRET_ENV)
    .action((name: string, options: AdminOptions & SecretOptions) => rotateSecret(shell, name, options));
  sub(credentials, 'rotate-key', 'Seal everything anew with a fresh sealing key.', 'credentials rotate-key').action(
    (options: AdminOptions) => rotateSealKey(shell, options),
  );
}

export function addWorkspaces(program: Command, shell: Shell): void {
  const workspaces = group(
    program,
    'workspaces',
    'make and change workspaces, and top them up',
    'workspaces set acme default_model=vendor/model',
    'workspaces topup acme 50',
  );
  sub(workspaces, 'list', 'List workspaces.', 'workspaces list --json').action((options: AdminOptions) =>
    listWorkspaces(shell, options),
  );
  sub(workspaces, 'show <name>', 'Show one workspace with its balance.', 'workspaces show acme').action(
    (name: string, options: AdminOptions) => showWorkspace(shell, name, options),
  );
  sub(
    workspaces,
    'set <name> [field=value...]',
    'Make a workspace, or change fields of one: as in the configuration file; null takes a field away.',
    'workspaces set acme balance_usd=50 "auto=[vendor/model]"',
    'workspaces set acme --file acme.yaml',
  )
    .option('--file <file>', 'fields as YAML or JSON; - reads standard input')
    .action((name: string, fields: string[], options: SetWorkspaceOptions) =>
      setWorkspace(shell, name, fields, options),
    );
  sub(workspaces, 'remove <name>', 'Remove a workspace that nothing belongs to.', 'workspaces remove acme').action(
    (name: string, options: AdminOptions) => removeWorkspace(shell, name, options),
  );
  sub(
    workspaces,
    'topup <name>',
    'Pay money in. Each call is one more entry.',
    'workspaces topup acme 50 --note "invoice 17"',
  )
    .argument('<usd>', 'amount in USD', dollars)
    .option('--note <text>', 'kept with the entry')
    .action((name: string, usd: number, options: AdminOptions & { note?: string }) =>
      changeBalance(shell, name, { topup_usd: usd }, options),
    );
  sub(
    workspaces,
    'adjust <name>',
    'Correct a balance, up or down.',
    'workspaces adjust acme --by -2.50 --note "charged twice"',
  )
    .requiredOption('--by <usd>', 'amount in USD; negative takes money away', dollars)
    .option('--note <text>', 'kept with the entry')
    .action((name: string, options: AdminOptions & { by: number; note?: string }) =>
      changeBalance(shell, name, { adjust_usd: options.by }, options),
    );
}

export function addMembers(program: Command, shell: Shell): void {
  const members = group(
    program,
    'members',
    'add, list and remove people with a token of their own',
    'members add ann --role workspace_admin --workspace acme',
  );
  sub(
    members,
    'add <name>',
    'Add a member. The token is printed once, to standard output.',
    'members add ann --role workspace_admin --workspace acme',
  )
    .addOption(new Option('--role <role>', 'what the member may do').choices(ROLES).makeOptionMandatory())
    .option('--workspace <name>', 'the workspace; an account_admin has none')
    .action((name: string, options: AddMemberOptions) => addMember(shell, name, options));
  sub(members, 'list', 'List members with their roles.', 'members list').action((options: AdminOptions) =>
    listMembers(shell, options),
  );
  sub(members, 'remove <name>', 'Remove a member; the token is refused from then on.', 'members remove ann').action(
    (name: string, options: AdminOptions) => removeMember(shell, name, options),
  );
}
