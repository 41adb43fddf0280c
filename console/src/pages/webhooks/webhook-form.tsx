/** Asks where a webhook leads and what it tells: for a new one, and for one that is there. */
import { useState } from 'react';
import { api, type Shape } from '../../api/client.ts';
import { FormDialog } from '../../parts/dialog.tsx';
import { Switch } from '../../parts/switch.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { showDone } from '../../parts/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useSay, useWords } from '../../words/words.ts';
import { patchOf, said } from '../access/body.ts';
import { NameField } from '../access/name-field.tsx';
import { LinesField, linesOf } from '../access/text-lists.tsx';
import { bodyOf, ifVersion, useChange } from '../access/use-objects.ts';
import { WorkspaceField } from '../access/workspace-field.tsx';
import { words } from './words.ts';

export type Webhook = Shape<'Webhook'>;

/** Those that were chosen; `*` alone is no choice. */
export function chosenEvents({ events = [] }: Webhook): readonly string[] {
  return events.length === 1 && events[0] === '*' ? [] : events;
}

function draftOf(webhook: Webhook | null, workspace: string | null) {
  return {
    name: '',
    url: webhook?.url ?? '',
    events: webhook === null ? '' : chosenEvents(webhook).join('\n'),
    workspace: (webhook === null ? workspace : webhook.workspace) ?? '',
    enabled: webhook?.enabled ?? true,
  };
}
type Draft = ReturnType<typeof draftOf>;

function bodyFrom({ url, events, workspace, enabled }: Draft) {
  const chosen = linesOf(events);
  return {
    url: url.trim(),
    events: chosen.length === 0 ? ['*'] : chosen,
    workspace: workspace.trim() === '' ? undefined : workspace.trim(),
    enabled,
  };
}

export interface WebhookFormProps {
  /** Null = a new one. */
  readonly of: Webhook | null;
  /** Where a new one belongs at first. */
  readonly workspace: string | null;
  readonly onClose: () => void;
  readonly onMade?: (name: string, secret: string) => void;
}

export function WebhookForm({ of: webhook, workspace, onClose, onMade }: WebhookFormProps) {
  const say = useSay(words);
  const shared = useWords();
  const { role } = useSession();
  const changing = useChange('webhooks');
  const [draft, setDraft] = useState<Draft>(() => draftOf(webhook, workspace));
  const put = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }));
  const send = async () => {
    const body = bodyFrom(draft);
    if (webhook === null) {
      const made = { ...said(body), name: draft.name.trim(), url: body.url };
      const answer = bodyOf(await changing(() => api.POST('/admin/v1/webhooks', { body: made })));
      onMade?.(answer.webhook.name, answer.secret);
      return;
    }
    const params = { path: { id: webhook.name }, header: ifVersion(webhook) };
    const patch = patchOf(body, bodyFrom(draftOf(webhook, workspace)));
    await changing(() => api.PATCH('/admin/v1/webhooks/{id}', { params, body: patch }));
    showDone(say('saved', { name: webhook.name }));
  };
  return (
    <FormDialog
      title={webhook === null ? say('add') : say('edit', { name: webhook.name })}
      open
      onClose={onClose}
      action={webhook === null ? say('add_do') : shared('do.save')}
      disabled={(webhook === null && draft.name.trim() === '') || draft.url.trim() === ''}
      onSubmit={send}
    >
      {webhook === null && <NameField value={draft.name} onChange={(name) => put({ name })} />}
      <TextField
        label={say('url')}
        hint={say('url_hint')}
        type="url"
        value={draft.url}
        onChange={(url) => put({ url })}
        placeholder="https://"
        code
      />
      <LinesField
        label={say('events')}
        hint={say('events_hint')}
        value={draft.events}
        onChange={(events) => put({ events })}
      />
      {role === 'account_admin' && (
        <WorkspaceField
          hint={say('workspace_hint')}
          value={draft.workspace}
          onChange={(next) => put({ workspace: next })}
        />
      )}
      <Switch on={draft.enabled} onChange={(enabled) => put({ enabled })}>
        {say('enabled')}
      </Switch>
    </FormDialog>
  );
}
