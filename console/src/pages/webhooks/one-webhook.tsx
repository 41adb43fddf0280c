/** One webhook: whether it sends, whether it arrives, what became of each message. */
import { type ReactNode, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { api } from '../../api/client.ts';
import { troubleOf } from '../../api/trouble.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { KeyValue } from '../../parts/key-value.tsx';
import { MenuButton, MenuItem } from '../../parts/menu.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { showDone, showTrouble } from '../../parts/toast.tsx';
import { useSay, useWords } from '../../words/words.ts';
import { StateOf } from '../access/managed.tsx';
import { NewSecret } from '../access/new-secret.tsx';
import { LinesShown } from '../access/text-lists.tsx';
import { bodyOf, ifVersion, useChange, useObject } from '../access/use-objects.ts';
import { Deliveries } from './deliveries.tsx';
import { TestIt } from './test-it.tsx';
import { EndRenewal, RemoveWebhook, RenewSecret } from './webhook-deeds.tsx';
import { chosenEvents, type Webhook, WebhookForm } from './webhook-form.tsx';
import { WebhookBadges } from './webhook-state.tsx';
import { words } from './words.ts';

type Doing =
  | { readonly what: 'edit' | 'renew' | 'end' | 'remove' }
  | { readonly what: 'show'; readonly secret: string };

export function OneWebhook({ name }: { readonly name: string }) {
  const say = useSay(words);
  const read = useObject('webhooks', name, async () =>
    bodyOf(await api.GET('/admin/v1/webhooks/{id}', { params: { path: { id: name } } })),
  );
  const back = <Link to="/webhooks">← {say('back')}</Link>;
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

function Known({ of: webhook, back }: { readonly of: Webhook; readonly back: ReactNode }) {
  const say = useSay(words);
  const shared = useWords();
  const navigate = useNavigate();
  const changing = useChange('webhooks');
  const [doing, setDoing] = useState<Doing | null>(null);
  const { name, renewing } = webhook;
  const close = () => setDoing(null);
  const stored = webhook.managed_by === 'store';
  const on = webhook.enabled !== false;
  const turn = () => {
    const params = { path: { id: name }, header: ifVersion(webhook) };
    changing(() => api.PATCH('/admin/v1/webhooks/{id}', { params, body: { enabled: !on } }))
      .then(() => showDone(say(on ? 'switched_off' : 'switched_on', { name })))
      .catch(showTrouble);
  };
  const actions = stored && (
    <>
      <Button onPress={() => setDoing({ what: 'edit' })}>{shared('do.edit')}</Button>
      <MenuButton>
        <MenuItem onAction={turn}>{say(on ? 'switch_off' : 'switch_on')}</MenuItem>
        {renewing ? (
          <MenuItem onAction={() => setDoing({ what: 'end' })}>{say('end_renewal')}</MenuItem>
        ) : (
          <MenuItem onAction={() => setDoing({ what: 'renew' })}>{say('renew')}</MenuItem>
        )}
        <MenuItem danger onAction={() => setDoing({ what: 'remove' })}>
          {shared('do.remove')}
        </MenuItem>
      </MenuButton>
    </>
  );
  const facts = [
    { name: say('url'), value: <code>{webhook.url}</code> },
    { name: say('events'), value: <LinesShown lines={chosenEvents(webhook)} none={say('events_all')} /> },
    { name: shared('top.workspace'), value: webhook.workspace ?? shared('top.all_workspaces') },
  ];
  return (
    <Page
      title={name}
      back={back}
      marks={
        <StateOf object={webhook}>
          <WebhookBadges of={webhook} />
        </StateOf>
      }
      actions={actions}
    >
      {renewing && <p>{say('renewing_text')}</p>}
      <KeyValue facts={facts} />
      <TestIt name={name} />
      <Section title={say('deliveries')} about={say('deliveries_about')} bare>
        <Deliveries webhook={name} />
      </Section>
      {doing?.what === 'edit' && <WebhookForm of={webhook} workspace={null} onClose={close} />}
      {doing?.what === 'renew' && (
        <RenewSecret
          of={webhook}
          onClose={() => setDoing((now) => (now?.what === 'show' ? now : null))}
          onMade={(secret) => setDoing({ what: 'show', secret })}
        />
      )}
      {doing?.what === 'end' && <EndRenewal of={webhook} onClose={close} />}
      {doing?.what === 'remove' && (
        <RemoveWebhook of={webhook} onClose={close} onRemoved={() => void navigate('/webhooks')} />
      )}
      {doing?.what === 'show' && (
        <NewSecret title={say('renewed', { name })} label={say('secret')} secret={doing.secret} onClose={close}>
          {say('made_text')}
        </NewSecret>
      )}
    </Page>
  );
}
