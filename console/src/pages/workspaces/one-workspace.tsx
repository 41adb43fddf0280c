/** One workspace: its money, and what it is and may. */
import { type ReactNode, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { api } from '../../api/client.ts';
import { troubleOf } from '../../api/trouble.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { MenuButton, MenuItem } from '../../parts/menu.tsx';
import { Page, Row, Section } from '../../parts/page.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { showDone } from '../../parts/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useSay, useWords } from '../../words/words.ts';
import { StateOf } from '../access/managed.tsx';
import { bodyOf, useChange, useObject } from '../access/use-objects.ts';
import { Balance } from './balance.tsx';
import type { Workspace } from './draft.ts';
import { SettingsShown } from './settings-shown.tsx';
import { words } from './words.ts';
import { WorkspaceForm } from './workspace-form.tsx';

export function OneWorkspace({ name }: { readonly name: string }) {
  const say = useSay(words);
  const read = useObject('workspaces', name, async () =>
    bodyOf(await api.GET('/admin/v1/workspaces/{id}', { params: { path: { id: name } } })),
  );
  const back = <Link to="/workspaces">← {say('back')}</Link>;
  if (read.data !== undefined) return <Known of={read.data} back={back} />;
  return (
    <Page title={name} back={back}>
      {read.error === null && <Skeleton lines={6} />}
      {read.error !== null && troubleOf(read.error).status === 404 && (
        <Empty title={say('gone', { name })}>{say('gone_text')}</Empty>
      )}
      {read.error !== null && troubleOf(read.error).status !== 404 && (
        <ErrorBox error={read.error} onRetry={() => void read.refetch()} />
      )}
    </Page>
  );
}

function Known({ of: workspace, back }: { readonly of: Workspace; readonly back: ReactNode }) {
  const say = useSay(words);
  const shared = useWords();
  const { role } = useSession();
  const [doing, setDoing] = useState<'edit' | 'remove' | null>(null);
  const { name } = workspace;
  const stored = workspace.managed_by === 'store';
  const close = () => setDoing(null);
  return (
    <Page
      title={name}
      back={back}
      marks={<StateOf object={workspace} />}
      actions={
        stored &&
        role === 'account_admin' &&
        name !== 'default' && (
          <MenuButton>
            <MenuItem danger onAction={() => setDoing('remove')}>
              {shared('do.remove')}
            </MenuItem>
          </MenuButton>
        )
      }
    >
      <Row>
        <LinkButton to={`/keys?workspace=${encodeURIComponent(name)}`}>{say('its_keys')}</LinkButton>
        <LinkButton to={`/requests?workspace=${encodeURIComponent(name)}`}>{say('its_requests')}</LinkButton>
      </Row>
      <Balance workspace={name} />
      <Section
        title={say('settings')}
        actions={stored && <Button onPress={() => setDoing('edit')}>{shared('do.edit')}</Button>}
      >
        <SettingsShown of={workspace} />
      </Section>
      {doing === 'edit' && <WorkspaceForm of={workspace} onClose={close} />}
      {doing === 'remove' && <RemoveWorkspace of={workspace} onClose={close} />}
    </Page>
  );
}

function RemoveWorkspace({ of: workspace, onClose }: { readonly of: Workspace; readonly onClose: () => void }) {
  const say = useSay(words);
  const shared = useWords();
  const navigate = useNavigate();
  const changing = useChange('workspaces');
  const { name } = workspace;
  const remove = async () => {
    const params = { path: { id: name } };
    await changing(async () => {
      await api.DELETE('/admin/v1/workspaces/{id}', { params });
      // Left before it is read again, which would find it gone.
      void navigate('/workspaces');
    });
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
      {say('remove_text')}
    </ConfirmDialog>
  );
}
