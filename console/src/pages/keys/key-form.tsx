/** Asks what a key may: for a new one, and for one that is there. */
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { FormDialog } from '../../parts/dialog.tsx';
import { Stack } from '../../parts/page.tsx';
import { Select } from '../../parts/select.tsx';
import { Switch } from '../../parts/switch.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { showDone } from '../../parts/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useSay, useWords } from '../../words/words.ts';
import { patchOf, said } from '../access/body.ts';
import { JsonField, readSettings, settingsText } from '../access/json-field.tsx';
import { LimitFields, type Limits, limitsOf } from '../access/limits.tsx';
import { instantOf, localText } from '../access/local-time.ts';
import { NameField } from '../access/name-field.tsx';
import { LinesField, linesOf } from '../access/text-lists.tsx';
import { bodyOf, ifVersion, useChange } from '../access/use-objects.ts';
import { WorkspaceField } from '../access/workspace-field.tsx';
import type { Key } from './key-use.ts';
import { words } from './words.ts';

export interface KeyFormProps {
  /** Null = a new one. */
  readonly of: Key | null;
  /** Where a new one belongs at first. */
  readonly workspace: string;
  readonly onClose: () => void;
  readonly onMade: (name: string, secret: string) => void;
}

const JSON_FIELDS = ['failover_defaults', 'redundancy', 'ceilings'] as const;
const SCOPES = ['of_workspace', 'key', 'workspace'] as const;

/** What is asked for, as the fields show it. */
function draftOf(key: Key | null, workspace: string) {
  return {
    name: '',
    workspace: key?.workspace ?? workspace,
    models: (key?.models ?? []).filter((pattern) => pattern !== '*').join('\n'),
    expires: localText(key?.expires_at),
    rehearse: key?.allow_rehearse ?? false,
    autoIdempotency: key?.auto_idempotency ?? false,
    scope: key?.idempotency_scope ?? 'of_workspace',
    limits: (key?.limits ?? {}) as Limits,
    failover_defaults: settingsText(key?.failover_defaults),
    redundancy: settingsText(key?.redundancy),
    ceilings: settingsText(key?.ceilings),
  };
}
type Draft = ReturnType<typeof draftOf>;

/** The same as the API takes it. Settings are the gateway's to judge. */
function bodyFrom(draft: Draft, before: Key | null) {
  const settings = <Name extends (typeof JSON_FIELDS)[number]>(name: Name) =>
    readSettings(draft[name]).settings as Key[Name];
  const untouched = before?.expires_at !== undefined && draft.expires === localText(before.expires_at);
  const expires = untouched ? before.expires_at : (instantOf(draft.expires) ?? undefined);
  const models = linesOf(draft.models);
  return {
    workspace: draft.workspace.trim(),
    models: models.length === 0 ? ['*'] : models,
    expires_at: expires,
    allow_rehearse: draft.rehearse ? true : undefined,
    auto_idempotency: draft.autoIdempotency ? true : undefined,
    idempotency_scope: draft.scope === 'of_workspace' ? undefined : (draft.scope as Key['idempotency_scope']),
    limits: limitsOf(draft.limits).limits,
    failover_defaults: draft.failover_defaults.trim() === '' ? undefined : settings('failover_defaults'),
    redundancy: settings('redundancy'),
    ceilings: settings('ceilings'),
  };
}
export function KeyForm({ of: key, workspace, onClose, onMade }: KeyFormProps) {
  const say = useSay(words);
  const shared = useWords();
  const { role } = useSession();
  const changing = useChange('keys');
  const [draft, setDraft] = useState<Draft>(() => draftOf(key, workspace));
  const put = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }));
  const unreadable = JSON_FIELDS.some((field) => readSettings(draft[field]).fault !== null);
  const send = async () => {
    const body = bodyFrom(draft, key);
    if (key === null) {
      const made = bodyOf(
        await changing(() => api.POST('/admin/v1/keys', { body: { ...said(body), name: draft.name.trim() } })),
      );
      onMade(made.key.name, made.secret);
      return;
    }
    const params = { path: { id: key.name }, header: ifVersion(key) };
    const patch = patchOf(body, bodyFrom(draftOf(key, workspace), key));
    await changing(() => api.PATCH('/admin/v1/keys/{id}', { params, body: patch }));
    showDone(say('saved', { name: key.name }));
  };
  return (
    <FormDialog
      title={key === null ? say('create') : say('edit', { name: key.name })}
      open
      wide
      onClose={onClose}
      action={key === null ? say('create_do') : shared('do.save')}
      disabled={(key === null && draft.name.trim() === '') || draft.workspace.trim() === '' || unreadable}
      onSubmit={send}
    >
      {key === null && <NameField value={draft.name} onChange={(name) => put({ name })} />}
      {role === 'account_admin' && (
        <WorkspaceField value={draft.workspace} onChange={(next) => put({ workspace: next })} />
      )}
      <LinesField
        label={say('models')}
        hint={say('models_hint')}
        value={draft.models}
        onChange={(models) => put({ models })}
      />
      <TextField
        label={say('expires')}
        hint={say('expires_hint')}
        type="datetime-local"
        value={draft.expires}
        onChange={(expires) => put({ expires })}
      />
      <LimitFields limits={draft.limits} onChange={(limits) => put({ limits })} />
      <Switch on={draft.rehearse} onChange={(rehearse) => put({ rehearse })}>
        {say('rehearse')}
      </Switch>
      <Switch on={draft.autoIdempotency} onChange={(autoIdempotency) => put({ autoIdempotency })}>
        {say('auto_idempotency')}
      </Switch>
      <Select
        label={say('scope')}
        options={SCOPES.map((id) => ({ id, label: say(`scope.${id}`) }))}
        value={draft.scope}
        onChange={(next) => put({ scope: SCOPES.find((one) => one === next) ?? 'of_workspace' })}
      />
      <details>
        <summary>{say('more')}</summary>
        <Stack>
          {JSON_FIELDS.map((field) => (
            <JsonField
              key={field}
              label={say(field)}
              hint={say('more_hint')}
              value={draft[field]}
              onChange={(text) => put({ [field]: text })}
            />
          ))}
        </Stack>
      </details>
    </FormDialog>
  );
}
