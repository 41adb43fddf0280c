/** Asks what a workspace is and may; of a workspace's admin only what is its own affair (G-8). */
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { FormDialog } from '../../parts/dialog.tsx';
import { NumberField } from '../../parts/number-field.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { showDone } from '../../parts/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useSay, useWords } from '../../words/words.ts';
import { patchOf, said } from '../access/body.ts';
import { JsonField } from '../access/json-field.tsx';
import { LimitFields } from '../access/limits.tsx';
import { NameField } from '../access/name-field.tsx';
import { LinesField } from '../access/text-lists.tsx';
import { ifVersion, useChange } from '../access/use-objects.ts';
import { bodyFrom, type Draft, draftOf, unreadable, type Workspace } from './draft.ts';
import { AnswerFields, RuleFields } from './rule-fields.tsx';
import { words } from './words.ts';

export interface WorkspaceFormProps {
  /** Null = a new one. */
  readonly of: Workspace | null;
  readonly onClose: () => void;
}

export function WorkspaceForm({ of: workspace, onClose }: WorkspaceFormProps) {
  const say = useSay(words);
  const shared = useWords();
  const { role } = useSession();
  const changing = useChange('workspaces');
  const [draft, setDraft] = useState<Draft>(() => draftOf(workspace));
  const put = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }));
  const account = role === 'account_admin';
  const send = async () => {
    const body = bodyFrom(draft);
    if (workspace === null) {
      const name = draft.name.trim();
      await changing(() => api.POST('/admin/v1/workspaces', { body: { ...said(body), name } }));
      showDone(say('added', { name }));
      return;
    }
    const { name } = workspace;
    const params = { path: { id: name }, header: ifVersion(workspace) };
    const patch = patchOf(body, bodyFrom(draftOf(workspace)));
    await changing(() => api.PATCH('/admin/v1/workspaces/{id}', { params, body: patch }));
    showDone(say('saved', { name }));
  };
  return (
    <FormDialog
      title={workspace === null ? say('add') : say('edit', { name: workspace.name })}
      open
      wide
      onClose={onClose}
      action={workspace === null ? say('add_do') : shared('do.save')}
      disabled={(workspace === null && draft.name.trim() === '') || unreadable(draft)}
      onSubmit={send}
    >
      {workspace === null && <NameField value={draft.name} onChange={(name) => put({ name })} />}
      {account ? <GrantFields draft={draft} put={put} /> : <p>{say('settings_own')}</p>}
      <RuleFields draft={draft} put={put} />
      {account && <AnswerFields draft={draft} put={put} />}
      {account && (
        <JsonField
          label={say('ceilings')}
          hint={say('ceilings_hint')}
          value={draft.ceilings}
          onChange={(ceilings) => put({ ceilings })}
        />
      )}
    </FormDialog>
  );
}

interface FieldsProps {
  readonly draft: Draft;
  readonly put: (changes: Partial<Draft>) => void;
}

/** What the account grants it. */
function GrantFields({ draft, put }: FieldsProps) {
  const say = useSay(words);
  return (
    <>
      <LinesField
        label={say('models')}
        hint={say('models_hint')}
        value={draft.models}
        onChange={(models) => put({ models })}
      />
      <LinesField
        label={say('channels')}
        hint={say('channels_hint')}
        value={draft.channels}
        onChange={(channels) => put({ channels })}
      />
      <TextField
        label={say('default_model')}
        hint={say('default_hint')}
        value={draft.default_model}
        onChange={(model) => put({ default_model: model })}
        code
      />
      <NumberField
        label={say('granted')}
        hint={say('granted_hint')}
        value={draft.granted}
        onChange={(granted) => put({ granted })}
        min={0}
      />
      <LimitFields limits={draft.limits} onChange={(limits) => put({ limits })} />
    </>
  );
}
