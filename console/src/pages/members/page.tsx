/** Members: who may open the console, and as what (G-8). */
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { MenuItem } from '../../parts/menu.tsx';
import { Page } from '../../parts/page.tsx';
import { showDone } from '../../parts/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useWorkspaceFilter } from '../../shell/workspace-filter.tsx';
import { useSay, useWords } from '../../words/words.ts';
import { useManagedColumns, useNameColumns } from '../access/managed.tsx';
import { NewSecret } from '../access/new-secret.tsx';
import { ObjectTable } from '../access/object-table.tsx';
import { bodyOf, ifVersion, useChange, useObjects } from '../access/use-objects.ts';
import { type Member, MemberForm } from './member-form.tsx';
import { words } from './words.ts';

type Doing =
  | { readonly what: 'add' }
  | { readonly what: 'edit' | 'remove'; readonly member: Member }
  | { readonly what: 'show'; readonly name: string; readonly token: string };

export default function MembersPage() {
  const say = useSay(words);
  const shared = useWords();
  const { workspace } = useWorkspaceFilter();
  const [doing, setDoing] = useState<Doing | null>(null);
  const members = useObjects('members', workspace, async (page) =>
    bodyOf(await api.GET('/admin/v1/members', { params: { query: page } })),
  );
  const columns = useColumns();
  const close = () => setDoing(null);
  const add = (
    <Button kind="main" icon="plus" onPress={() => setDoing({ what: 'add' })}>
      {say('add')}
    </Button>
  );
  return (
    <Page title={shared('page.members')} about={say('about')} actions={add}>
      <ObjectTable
        label={shared('page.members')}
        objects={members}
        columns={columns}
        menu={(member) =>
          member.managed_by === 'file' ? null : (
            <>
              <MenuItem onAction={() => setDoing({ what: 'edit', member })}>{shared('do.edit')}</MenuItem>
              <MenuItem danger onAction={() => setDoing({ what: 'remove', member })}>
                {shared('do.remove')}
              </MenuItem>
            </>
          )
        }
        empty={
          <Empty title={say('none')} action={add}>
            {say('none_text')}
          </Empty>
        }
      />
      {doing?.what === 'add' && (
        <MemberForm
          member={null}
          onClose={() => setDoing((now) => (now?.what === 'show' ? now : null))}
          onMade={(name, token) => setDoing({ what: 'show', name, token })}
        />
      )}
      {doing?.what === 'edit' && <MemberForm member={doing.member} onClose={close} onMade={close} />}
      {doing?.what === 'remove' && <RemoveMember member={doing.member} onClose={close} />}
      {doing?.what === 'show' && <NewToken name={doing.name} token={doing.token} onClose={close} />}
    </Page>
  );
}

function useColumns(): readonly Column<Member>[] {
  const say = useSay(words);
  const shared = useWords();
  const { name: own } = useSession();
  const names = useNameColumns<Member>(({ name }) => (name === own ? `${name} (${say('you')})` : name));
  const managed = useManagedColumns<Member>();
  return [
    ...names,
    { id: 'role', header: say('role'), cell: ({ role }) => shared(`role.${role}`), sort: ({ role }) => role },
    ...managed,
  ];
}

function RemoveMember({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const say = useSay(words);
  const shared = useWords();
  const { name } = member;
  const changing = useChange('members');
  const remove = async () => {
    const params = { path: { id: name }, header: ifVersion(member) };
    await changing(() => api.DELETE('/admin/v1/members/{id}', { params }));
    showDone(say('removed', { name }));
  };
  return (
    <ConfirmDialog
      open
      danger
      title={say('remove', { name })}
      action={shared('do.remove')}
      onClose={onClose}
      onConfirm={remove}
    >
      {say('remove_text', { name })}
    </ConfirmDialog>
  );
}

interface NewTokenProps {
  readonly name: string;
  readonly token: string;
  readonly onClose: () => void;
}

function NewToken({ name, token, onClose }: NewTokenProps) {
  const say = useSay(words);
  const address = `${window.location.origin}/console/`;
  return (
    <NewSecret title={say('made', { name })} label={say('token')} secret={token} onClose={onClose}>
      {say('made_text', { name, address })}
    </NewSecret>
  );
}
