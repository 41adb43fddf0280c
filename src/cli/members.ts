/** `understudy members …`: people with a role and a token of their own. */
import { adminClient } from './admin-client.ts';
import { type AdminOptions, cell, given, objectPath, printAnswer, printList } from './admin-output.ts';
import type { Shell } from './shell.ts';

const PATH = '/v1/members';

export interface AddMemberOptions extends AdminOptions {
  readonly role: string;
  readonly workspace?: string;
}

export async function addMember(shell: Shell, name: string, options: AddMemberOptions): Promise<void> {
  const { role, workspace } = options;
  const answer = await adminClient(shell, options.url).call('POST', PATH, given({ name, role, workspace }));
  if (options.json !== true) shell.complain(`The member \`${name}\` is ${role}. The token is shown this once:`);
  printAnswer(shell, options, answer, String(answer['token']));
}

export async function listMembers(shell: Shell, options: AdminOptions): Promise<void> {
  await printList(shell, options, {
    path: PATH,
    titles: ['NAME', 'ROLE', 'WORKSPACE', 'OWNER', 'PROBLEM'],
    row: (one) => ['name', 'role', 'workspace', 'managed_by', 'problem'].map((field) => cell(one, field)),
    none: 'There is no member; the admin token opens everything.',
  });
}

export async function removeMember(shell: Shell, name: string, options: AdminOptions): Promise<void> {
  const answer = await adminClient(shell, options.url).call('DELETE', objectPath(PATH, name));
  printAnswer(shell, options, answer, `The member \`${name}\` is removed: the token is refused from now on.`);
}
