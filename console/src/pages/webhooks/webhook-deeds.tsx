/** What is asked before it is done to a webhook: its secrets, removing it. */
import { api } from '../../api/client.ts';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { showDone } from '../../parts/toast.tsx';
import { useSay, useWords } from '../../words/words.ts';
import { bodyOf, ifVersion, useChange } from '../access/use-objects.ts';
import type { Webhook } from './webhook-form.tsx';
import { words } from './words.ts';

export interface DeedProps {
  readonly of: Webhook;
  readonly onClose: () => void;
}

export function RenewSecret({
  of: webhook,
  onClose,
  onMade,
}: DeedProps & { readonly onMade: (secret: string) => void }) {
  const say = useSay(words);
  const changing = useChange('webhooks');
  const { name } = webhook;
  const renew = async () => {
    const params = { path: { id: name }, header: ifVersion(webhook) };
    onMade(bodyOf(await changing(() => api.POST('/admin/v1/webhooks/{id}/renew-secret', { params }))).secret);
  };
  return (
    <ConfirmDialog open title={say('renew_title', { name })} action={say('renew')} onClose={onClose} onConfirm={renew}>
      {say('renew_text')}
    </ConfirmDialog>
  );
}

export function EndRenewal({ of: webhook, onClose }: DeedProps) {
  const say = useSay(words);
  const changing = useChange('webhooks');
  const { name } = webhook;
  const end = async () => {
    const params = { path: { id: name }, header: ifVersion(webhook) };
    await changing(() => api.DELETE('/admin/v1/webhooks/{id}/previous-secret', { params }));
    showDone(say('ended', { name }));
  };
  return (
    <ConfirmDialog open danger title={say('end_renewal')} action={say('end_renewal')} onClose={onClose} onConfirm={end}>
      {say('end_text')}
    </ConfirmDialog>
  );
}

export function RemoveWebhook({ of: webhook, onClose, onRemoved }: DeedProps & { readonly onRemoved: () => void }) {
  const say = useSay(words);
  const shared = useWords();
  const changing = useChange('webhooks');
  const { name } = webhook;
  const remove = async () => {
    const params = { path: { id: name }, header: ifVersion(webhook) };
    await changing(async () => {
      await api.DELETE('/admin/v1/webhooks/{id}', { params });
      // Left before it is read again, which would find it gone.
      onRemoved();
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
