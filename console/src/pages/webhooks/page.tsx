/** Webhooks: who is told what happens (G-7). One of them has a page of its own. */
import { useState } from 'react';
import { useParams } from 'react-router';
import { api } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import type { Column } from '../../parts/data-table.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Page } from '../../parts/page.tsx';
import { useWorkspaceFilter } from '../../shell/workspace-filter.tsx';
import { useSay, useWords } from '../../words/words.ts';
import { useManagedColumns, useNameColumns } from '../access/managed.tsx';
import { NewSecret } from '../access/new-secret.tsx';
import { ObjectTable } from '../access/object-table.tsx';
import { LinesShown } from '../access/text-lists.tsx';
import { bodyOf, useObjects } from '../access/use-objects.ts';
import { OneWebhook } from './one-webhook.tsx';
import { chosenEvents, type Webhook, WebhookForm } from './webhook-form.tsx';
import { WebhookBadges } from './webhook-state.tsx';
import { words } from './words.ts';

type Doing = { readonly what: 'add' } | { readonly what: 'show'; readonly name: string; readonly secret: string };

export default function WebhooksPage() {
  const { name } = useParams();
  return name === undefined ? <AllWebhooks /> : <OneWebhook key={name} name={name} />;
}

function AllWebhooks() {
  const say = useSay(words);
  const shared = useWords();
  const { workspace } = useWorkspaceFilter();
  const [doing, setDoing] = useState<Doing | null>(null);
  const webhooks = useObjects('webhooks', workspace, async (page) =>
    bodyOf(await api.GET('/admin/v1/webhooks', { params: { query: page } })),
  );
  const columns = useColumns();
  const add = (
    <Button kind="main" icon="plus" onPress={() => setDoing({ what: 'add' })}>
      {say('add')}
    </Button>
  );
  return (
    <Page title={shared('page.webhooks')} about={say('about')} actions={add}>
      <ObjectTable
        label={shared('page.webhooks')}
        objects={webhooks}
        columns={columns}
        link={({ name }) => `/webhooks/${encodeURIComponent(name)}`}
        empty={
          <Empty title={say('none')} action={add}>
            {say('none_text')}
          </Empty>
        }
      />
      {doing?.what === 'add' && (
        <WebhookForm
          of={null}
          workspace={workspace}
          onClose={() => setDoing((now) => (now?.what === 'show' ? now : null))}
          onMade={(name, secret) => setDoing({ what: 'show', name, secret })}
        />
      )}
      {doing?.what === 'show' && (
        <NewSecret
          title={say('made', { name: doing.name })}
          label={say('secret')}
          secret={doing.secret}
          onClose={() => setDoing(null)}
        >
          {say('made_text')}
        </NewSecret>
      )}
    </Page>
  );
}

function useColumns(): readonly Column<Webhook>[] {
  const say = useSay(words);
  const names = useNameColumns<Webhook>();
  const managed = useManagedColumns<Webhook>((webhook) => <WebhookBadges of={webhook} />);
  return [
    ...names,
    { id: 'url', header: say('url'), cell: ({ url }) => <code>{url}</code>, sort: ({ url }) => url },
    {
      id: 'events',
      header: say('events'),
      cell: (webhook) => <LinesShown lines={chosenEvents(webhook)} none={say('events_all')} />,
      wideOnly: true,
    },
    ...managed,
  ];
}
