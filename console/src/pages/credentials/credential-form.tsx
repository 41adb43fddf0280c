/** Asks what a credential is: for a new one, and for one that is there. Its secret is asked for once, and never shown. */
import { useState } from 'react';
import { api, query } from '../../api/client.ts';
import { ComboBox } from '../../parts/combo-box.tsx';
import { FormDialog } from '../../parts/dialog.tsx';
import { NumberField } from '../../parts/number-field.tsx';
import { Select } from '../../parts/select.tsx';
import { TextField } from '../../parts/text-field.tsx';
import { showDone } from '../../parts/toast.tsx';
import { useSession } from '../../session/session.ts';
import { useSay, useWords } from '../../words/words.ts';
import { patchOf, said } from '../access/body.ts';
import { LimitFields, type Limits, limitsOf } from '../access/limits.tsx';
import { NameField } from '../access/name-field.tsx';
import { ifVersion, useChange } from '../access/use-objects.ts';
import { WorkspaceField } from '../access/workspace-field.tsx';
import type { Credential } from './credential-health.tsx';
import { words } from './words.ts';

const KINDS = ['platform', 'byok'] as const;

/** What is asked for, as the fields show it. */
function draftOf(credential: Credential | null, workspace: string | null, kind: Credential['kind']) {
  return {
    name: '',
    provider: credential?.provider ?? '',
    kind: credential?.kind ?? kind,
    workspace: credential?.workspace ?? workspace ?? '',
    secret: '',
    base_url: credential?.base_url ?? '',
    order: (credential?.order ?? 0) as number | null,
    limits: (credential?.limits ?? {}) as Limits,
  };
}
type Draft = ReturnType<typeof draftOf>;

function bodyFrom({ provider, kind, workspace, base_url: url, order, limits }: Draft) {
  const own = kind === 'byok';
  return {
    provider: provider.trim(),
    kind,
    workspace: own ? workspace.trim() : undefined,
    base_url: own && url.trim() !== '' ? url.trim() : undefined,
    order: order ?? 0,
    limits: limitsOf(limits).limits,
  };
}

export interface CredentialFormProps {
  /** Null = a new one. */
  readonly of: Credential | null;
  /** Where a new one belongs at first. */
  readonly workspace: string | null;
  readonly onClose: () => void;
}

export function CredentialForm({ of: credential, workspace, onClose }: CredentialFormProps) {
  const say = useSay(words);
  const shared = useWords();
  const { role } = useSession();
  const changing = useChange('credentials');
  const account = role === 'account_admin';
  const first = () => draftOf(credential, workspace, account && workspace === null ? 'platform' : 'byok');
  const [draft, setDraft] = useState<Draft>(first);
  const put = (changes: Partial<Draft>) => setDraft((before) => ({ ...before, ...changes }));
  const own = draft.kind === 'byok';
  const send = async () => {
    const body = bodyFrom(draft);
    if (credential === null) {
      const name = draft.name.trim();
      const made = { ...said(body), name, provider: body.provider, secret: draft.secret };
      await changing(() => api.POST('/admin/v1/credentials', { body: made }));
      showDone(say('added', { name }));
      return;
    }
    const params = { path: { id: credential.name }, header: ifVersion(credential) };
    const patch = patchOf(body, bodyFrom(first()));
    await changing(() => api.PATCH('/admin/v1/credentials/{id}', { params, body: patch }));
    showDone(say('saved', { name: credential.name }));
  };
  const missing = credential === null && (draft.name.trim() === '' || draft.secret === '');
  return (
    <FormDialog
      title={credential === null ? say('add') : say('edit', { name: credential.name })}
      open
      wide
      onClose={onClose}
      action={credential === null ? say('add_do') : shared('do.save')}
      disabled={missing || draft.provider.trim() === '' || (own && draft.workspace.trim() === '')}
      onSubmit={send}
    >
      {credential === null && <NameField value={draft.name} onChange={(name) => put({ name })} />}
      <ProviderField value={draft.provider} onChange={(provider) => put({ provider })} />
      {credential === null && <SecretField value={draft.secret} onChange={(secret) => put({ secret })} />}
      {account && (
        <Select
          label={say('kind')}
          options={KINDS.map((id) => ({ id, label: say(`kind.${id}`), note: say(`kind.${id}_note`) }))}
          value={draft.kind}
          onChange={(next) => put({ kind: KINDS.find((one) => one === next) ?? draft.kind })}
        />
      )}
      {account && own && <WorkspaceField value={draft.workspace} onChange={(next) => put({ workspace: next })} />}
      {own && (
        <TextField
          label={say('base_url')}
          hint={say('base_url_hint')}
          type="url"
          value={draft.base_url}
          onChange={(url) => put({ base_url: url })}
          code
        />
      )}
      <NumberField
        label={say('order')}
        hint={say('order_hint')}
        value={draft.order}
        onChange={(order) => put({ order })}
        min={0}
        max={1_000_000}
      />
      <LimitFields limits={draft.limits} onChange={(limits) => put({ limits })} />
    </FormDialog>
  );
}

interface FieldProps {
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** Providers that some model is called at come first to hand; any other is written. */
function ProviderField({ value, onChange }: FieldProps) {
  const say = useSay(words);
  const models = query.useQuery('get', '/admin/v1/models', { params: { query: { limit: 1000 } } });
  const channels = models.data?.data.flatMap(({ channels: of }) => of) ?? [];
  const names = [...new Set(channels.map(({ provider }) => provider))].sort();
  return (
    <ComboBox
      label={say('provider')}
      hint={say('provider_hint')}
      options={names.map((name) => ({ id: name, label: name }))}
      value={value}
      onChange={onChange}
      free
    />
  );
}

/** Of a new credential, and in place of an old secret. */
export function SecretField({ value, onChange }: FieldProps) {
  const say = useSay(words);
  return (
    <TextField
      label={say('secret')}
      hint={say('secret_hint')}
      type="password"
      autoComplete="new-password"
      value={value}
      onChange={onChange}
      code
    />
  );
}
