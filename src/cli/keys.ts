/** `understudy keys …`: client keys of a running gateway. */
import { adminClient, type Json } from './admin-client.ts';
import { type AdminOptions, cell, given, objectPath, part, printAnswer, printList } from './admin-output.ts';
import type { Shell } from './shell.ts';

const PATH = '/v1/keys';

export interface CreateKeyOptions extends AdminOptions {
  readonly workspace?: string;
  /** Patterns of model ids. */
  readonly model?: readonly string[];
  readonly expiresAt?: string;
  readonly rpm?: number;
  readonly tpm?: number;
  readonly concurrent?: number;
  readonly usdPerDay?: number;
  readonly usdPerMonth?: number;
  readonly allowRehearse?: boolean;
}

export async function createKey(shell: Shell, name: string, options: CreateKeyOptions): Promise<void> {
  const { workspace, model, expiresAt, rpm, tpm, concurrent, usdPerDay, usdPerMonth, allowRehearse } = options;
  const limits = given({ rpm, tpm, concurrent, usd_per_day: usdPerDay, usd_per_month: usdPerMonth });
  const body = given({
    name,
    workspace,
    models: model,
    expires_at: expiresAt,
    limits: Object.keys(limits).length === 0 ? undefined : limits,
    allow_rehearse: allowRehearse,
  });
  const answer = await adminClient(shell, options.url).call('POST', PATH, body);
  const made = part(answer, 'key');
  if (options.json !== true) {
    shell.complain(
      `The key \`${name}\` of the workspace ${String(made['workspace'])} was made. It is shown this once:`,
    );
  }
  printAnswer(shell, options, answer, String(answer['secret']));
}

export async function listKeys(shell: Shell, options: AdminOptions & { readonly workspace?: string }): Promise<void> {
  await printList(shell, options, {
    path: PATH,
    query: { workspace: options.workspace },
    titles: ['NAME', 'WORKSPACE', 'STATE', 'EXPIRES', 'REQUESTS TODAY', 'USD THIS MONTH', 'OWNER'],
    row: (key) => [
      cell(key, 'name'),
      cell(key, 'workspace'),
      stateOf(key),
      cell(key, 'expires_at'),
      cell(part(part(key, 'usage'), 'day'), 'requests'),
      cell(part(part(key, 'usage'), 'month'), 'spend_usd'),
      cell(key, 'managed_by'),
    ],
    none: 'There is no client key.',
  });
}

function stateOf(key: Json): string {
  if (typeof key['problem'] === 'string') return `out of use: ${key['problem']}`;
  return String(part(key, 'breaker')['state'] ?? 'ok');
}

export async function revokeKey(shell: Shell, name: string, options: AdminOptions): Promise<void> {
  const answer = await adminClient(shell, options.url).call('DELETE', objectPath(PATH, name));
  printAnswer(shell, options, answer, `The key \`${name}\` is revoked: it is refused from now on.`);
}

export async function liftKey(shell: Shell, name: string, options: AdminOptions): Promise<void> {
  const answer = await adminClient(shell, options.url).call('POST', `${objectPath(PATH, name)}/lift`);
  const words = answer['lifted'] === true ? 'may call again' : 'was neither suspended nor banned';
  printAnswer(shell, options, answer, `The key \`${name}\` ${words}.`);
}
