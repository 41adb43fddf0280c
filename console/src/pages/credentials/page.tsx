/** Credentials: what the gateway calls providers with (P-1). */
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { MenuItem } from '../../parts/menu.tsx';
import { Page } from '../../parts/page.tsx';
import { useWorkspaceFilter } from '../../shell/workspace-filter.tsx';
import { useSay, useWords } from '../../words/words.ts';
import { LimitsShown } from '../access/limits.tsx';
import { useManagedColumns, useNameColumns } from '../access/managed.tsx';
import { ObjectTable } from '../access/object-table.tsx';
import { bodyOf, useObjects } from '../access/use-objects.ts';
import { RemoveCredential, RotateSecret } from './credential-deeds.tsx';
import { CredentialForm } from './credential-form.tsx';
import { type Credential, type CredentialHealth, HealthShown, useCredentialHealth } from './credential-health.tsx';
import { words } from './words.ts';

type Doing = { readonly what: 'add' } | { readonly what: 'edit' | 'rotate' | 'remove'; readonly of: Credential };

export default function CredentialsPage() {
  const say = useSay(words);
  const shared = useWords();
  const { workspace } = useWorkspaceFilter();
  const [doing, setDoing] = useState<Doing | null>(null);
  const credentials = useObjects('credentials', workspace, async (page) =>
    bodyOf(await api.GET('/admin/v1/credentials', { params: { query: page } })),
  );
  const health = useCredentialHealth(workspace);
  const columns = useColumns(health);
  const close = () => setDoing(null);
  const add = (
    <Button kind="main" icon="plus" onPress={() => setDoing({ what: 'add' })}>
      {say('add')}
    </Button>
  );
  const actions = (
    <>
      <LinkButton to="/routing">{say('change_order')}</LinkButton>
      {add}
    </>
  );
  return (
    <Page title={shared('page.credentials')} about={say('about')} actions={actions}>
      <ObjectTable
        label={shared('page.credentials')}
        objects={credentials}
        columns={columns}
        tone={({ name }) => toneOf(health?.get(name))}
        menu={(of) =>
          of.managed_by === 'file' ? null : (
            <>
              <MenuItem onAction={() => setDoing({ what: 'rotate', of })}>{say('rotate')}</MenuItem>
              <MenuItem onAction={() => setDoing({ what: 'edit', of })}>{shared('do.edit')}</MenuItem>
              <MenuItem danger onAction={() => setDoing({ what: 'remove', of })}>
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
      {doing?.what === 'add' && <CredentialForm of={null} workspace={workspace} onClose={close} />}
      {doing?.what === 'edit' && <CredentialForm of={doing.of} workspace={workspace} onClose={close} />}
      {doing?.what === 'rotate' && <RotateSecret of={doing.of} onClose={close} />}
      {doing?.what === 'remove' && <RemoveCredential of={doing.of} onClose={close} />}
    </Page>
  );
}

function toneOf(health: CredentialHealth | undefined): 'bad' | 'warn' | undefined {
  if (health === undefined || health.bad === 0) return undefined;
  return health.bad === health.all ? 'bad' : 'warn';
}

function useColumns(health: ReadonlyMap<string, CredentialHealth> | undefined): readonly Column<Credential>[] {
  const say = useSay(words);
  const names = useNameColumns<Credential>();
  const managed = useManagedColumns<Credential>();
  return [
    ...names,
    { id: 'provider', header: say('provider'), cell: ({ provider }) => provider ?? '–', sort: (of) => of.provider },
    {
      id: 'health',
      header: say('health'),
      cell: ({ name }) => <HealthShown name={name} health={health} />,
      sort: ({ name }) => health?.get(name)?.bad ?? 0,
    },
    { id: 'order', header: say('order'), cell: ({ order }) => order, sort: ({ order }) => order, align: 'end' },
    { id: 'limits', header: say('limits'), cell: ({ limits }) => <LimitsShown limits={limits} />, wideOnly: true },
    ...managed,
  ];
}
