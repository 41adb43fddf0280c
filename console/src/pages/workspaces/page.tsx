/** Workspaces: who shares the gateway (G-2, G-4, G-8). One of them has a page of its own. */
import { useState } from 'react';
import { useParams } from 'react-router';
import { api } from '../../api/client.ts';
import { Badge } from '../../parts/badge.tsx';
import { Button } from '../../parts/button.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Money } from '../../parts/figures.tsx';
import { Page } from '../../parts/page.tsx';
import { useSession } from '../../session/session.ts';
import { useWorkspaceFilter } from '../../shell/workspace-filter.tsx';
import { useSay, useWords } from '../../words/words.ts';
import { LimitsShown } from '../access/limits.tsx';
import { useManagedColumns, useNameColumns } from '../access/managed.tsx';
import { ObjectTable } from '../access/object-table.tsx';
import { LinesShown } from '../access/text-lists.tsx';
import { bodyOf, useObjects } from '../access/use-objects.ts';
import { nanoOf, useBalance } from './balance.tsx';
import { chosen, type Workspace } from './draft.ts';
import { OneWorkspace } from './one-workspace.tsx';
import { words } from './words.ts';
import { WorkspaceForm } from './workspace-form.tsx';

export default function WorkspacesPage() {
  const { name } = useParams();
  return name === undefined ? <AllWorkspaces /> : <OneWorkspace key={name} name={name} />;
}

function AllWorkspaces() {
  const say = useSay(words);
  const shared = useWords();
  const { role } = useSession();
  const { workspace } = useWorkspaceFilter();
  const [adding, setAdding] = useState(false);
  const workspaces = useObjects('workspaces', workspace, async (page) =>
    bodyOf(await api.GET('/admin/v1/workspaces', { params: { query: page } })),
  );
  const columns = useColumns(workspaces.rows ?? []);
  const add = role === 'account_admin' && (
    <Button kind="main" icon="plus" onPress={() => setAdding(true)}>
      {say('add')}
    </Button>
  );
  return (
    <Page title={shared('page.workspaces')} about={say('about')} actions={add}>
      <ObjectTable
        label={shared('page.workspaces')}
        objects={workspaces}
        columns={columns}
        link={({ name }) => `/workspaces/${encodeURIComponent(name)}`}
        empty={<Empty title={say('none')} action={add} />}
      />
      {adding && <WorkspaceForm of={null} onClose={() => setAdding(false)} />}
    </Page>
  );
}

/** Each balance is a question of its own: of more workspaces than this only their pages show it. */
const MOST_BALANCES = 20;

function useColumns(rows: readonly Workspace[]): readonly Column<Workspace>[] {
  const say = useSay(words);
  // Every name is its own workspace's here.
  const names = useNameColumns<Workspace & { workspace?: string }>().slice(0, 1);
  const managed = useManagedColumns<Workspace>();
  const areFew = rows.filter(isPrepaid).length <= MOST_BALANCES;
  return [
    ...names,
    {
      id: 'money',
      header: say('balance'),
      cell: (of) => {
        if (!isPrepaid(of)) return say('not_prepaid');
        return areFew ? <BalanceOf name={of.name} /> : say('prepaid');
      },
    },
    {
      id: 'models',
      header: say('models'),
      cell: ({ enabled_models: models }) => <LinesShown lines={chosen(models)} none={say('all')} />,
    },
    { id: 'limits', header: say('limits'), cell: ({ limits }) => <LimitsShown limits={limits} />, wideOnly: true },
    ...managed,
  ];
}

const isPrepaid = ({ balance_usd: granted }: Workspace): boolean => granted !== undefined && granted !== null;

function BalanceOf({ name }: { readonly name: string }) {
  const nano = nanoOf(useBalance(name).data?.balance_nano_usd ?? null);
  if (nano !== null && nano <= 0) {
    return (
      <Badge tone="bad">
        <Money nano={nano} />
      </Badge>
    );
  }
  return <Money nano={nano} />;
}
