/** Asks who somebody is: name, role, workspace. For a new member, and for one that is there. */
import { useState } from 'react';
import { api, type Shape } from '../../api/client.ts';
import { FormDialog } from '../../parts/dialog.tsx';
import { Select } from '../../parts/select.tsx';
import { showDone } from '../../parts/toast.tsx';
import { useSay, useWords } from '../../words/words.ts';
import { NameField } from '../access/name-field.tsx';
import { bodyOf, ifVersion, useChange } from '../access/use-objects.ts';
import { WorkspaceField } from '../access/workspace-field.tsx';
import { words } from './words.ts';

export type Member = Shape<'Member'>;

const ROLES = ['account_admin', 'workspace_admin', 'member'] as const;

export interface MemberFormProps {
  /** Null = a new one. */
  readonly member: Member | null;
  readonly onClose: () => void;
  readonly onMade: (name: string, token: string) => void;
}

export function MemberForm({ member, onClose, onMade }: MemberFormProps) {
  const say = useSay(words);
  const shared = useWords();
  const changing = useChange('members');
  const [name, setName] = useState('');
  const [role, setRole] = useState<Member['role']>(member?.role ?? 'workspace_admin');
  const [workspace, setWorkspace] = useState(member?.workspace ?? '');
  const needsWorkspace = role !== 'account_admin';
  const make = async () => {
    const body = { name: name.trim(), role, ...(needsWorkspace ? { workspace: workspace.trim() } : {}) };
    const made = bodyOf(await changing(() => api.POST('/admin/v1/members', { body })));
    onMade(made.member.name, made.token);
  };
  const change = async (of: Member) => {
    const params = { path: { id: of.name }, header: ifVersion(of) };
    const body = { role, workspace: needsWorkspace ? workspace.trim() : null };
    await changing(() => api.PATCH('/admin/v1/members/{id}', { params, body }));
    showDone(say('saved', { name: of.name }));
  };
  return (
    <FormDialog
      title={member === null ? say('add') : say('edit', { name: member.name })}
      open
      onClose={onClose}
      action={member === null ? say('add_do') : shared('do.save')}
      disabled={(member === null && name.trim() === '') || (needsWorkspace && workspace.trim() === '')}
      onSubmit={() => (member === null ? make() : change(member))}
    >
      {member === null && <NameField value={name} onChange={setName} />}
      <Select
        label={say('role')}
        options={ROLES.map((id) => ({ id, label: shared(`role.${id}`), note: say(`role_${id}`) }))}
        value={role}
        onChange={(next) => setRole(ROLES.find((one) => one === next) ?? role)}
      />
      {needsWorkspace && <WorkspaceField value={workspace} onChange={setWorkspace} />}
    </FormDialog>
  );
}
