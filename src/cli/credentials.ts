/** `understudy credentials …`: secrets for providers, sealed in the gateway. */
import { adminClient } from './admin-client.ts';
import { type AdminOptions, cell, given, objectPath, printAnswer, printList } from './admin-output.ts';
import { readSecret, type SecretOptions } from './secret-input.ts';
import type { Shell } from './shell.ts';

const PATH = '/v1/credentials';

export interface AddCredentialOptions extends AdminOptions, SecretOptions {
  readonly provider: string;
  /** Makes it the workspace's own (`byok`). */
  readonly workspace?: string;
  readonly order?: number;
  readonly baseUrl?: string;
}

export async function addCredential(shell: Shell, name: string, options: AddCredentialOptions): Promise<void> {
  const { provider, workspace, order, baseUrl } = options;
  // Before it is asked for: without an address or token the secret is of no use.
  const client = adminClient(shell, options.url);
  const secret = await readSecret(shell, options);
  const own = workspace === undefined ? {} : { kind: 'byok', workspace };
  const body = given({ name, provider, secret, ...own, order, base_url: baseUrl });
  const answer = await client.call('POST', PATH, body);
  printAnswer(shell, options, answer, `The credential \`${name}\` for ${provider} is in use.`);
}

export async function listCredentials(
  shell: Shell,
  options: AdminOptions & { readonly workspace?: string },
): Promise<void> {
  await printList(shell, options, {
    path: PATH,
    query: { workspace: options.workspace },
    titles: ['NAME', 'PROVIDER', 'KIND', 'WORKSPACE', 'ORDER', 'OWNER', 'PROBLEM'],
    row: (one) => ['name', 'provider', 'kind', 'workspace', 'order', 'managed_by', 'problem'].map((f) => cell(one, f)),
    none: 'There is no credential.',
  });
}

export async function removeCredential(shell: Shell, name: string, options: AdminOptions): Promise<void> {
  const answer = await adminClient(shell, options.url).call('DELETE', objectPath(PATH, name));
  printAnswer(shell, options, answer, `The credential \`${name}\` is removed.`);
}

/** Sets the order in which the credentials of a workspace, or of the platform, are tried. */
export async function orderCredentials(
  shell: Shell,
  names: readonly string[],
  options: AdminOptions & { readonly workspace?: string },
): Promise<void> {
  const body = given({ workspace: options.workspace, names });
  const answer = await adminClient(shell, options.url).call('POST', `${PATH}/reorder`, body);
  printAnswer(shell, options, answer, `They are tried in this order: ${names.join(', ')}.`);
}

export async function rotateSecret(shell: Shell, name: string, options: AdminOptions & SecretOptions): Promise<void> {
  const client = adminClient(shell, options.url);
  const secret = await readSecret(shell, options);
  const answer = await client.call('PATCH', objectPath(PATH, name), { secret });
  printAnswer(
    shell,
    options,
    answer,
    `The credential \`${name}\` has its new secret; cooldowns of the old one are over.`,
  );
}

export async function rotateSealKey(shell: Shell, options: AdminOptions): Promise<void> {
  const answer = await adminClient(shell, options.url).call('POST', '/v1/seal/rotate');
  const broken = Array.isArray(answer['broken']) ? (answer['broken'] as unknown[]).map(String) : [];
  const lines = [`Sealed anew with the key ${String(answer['key_id'])}: ${String(answer['resealed'])}.`];
  if (answer['key_source'] === 'environment') {
    lines.push(
      'The key comes from the environment: to exchange it, set a new one there and keep the old among the old.',
    );
  }
  if (Number(answer['older_keys']) > 0)
    lines.push(`Older keys still kept, while something is sealed with them: ${String(answer['older_keys'])}.`);
  if (broken.length > 0) lines.push(`No known key opens: ${broken.join(', ')}.`);
  printAnswer(shell, options, answer, lines.join('\n'));
}
