/** What else is done to a credential: another secret, removing it. */
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { ConfirmDialog, FormDialog } from '../../parts/dialog.tsx';
import { showDone } from '../../parts/toast.tsx';
import { useSay, useWords } from '../../words/words.ts';
import { ifVersion, useChange } from '../access/use-objects.ts';
import { SecretField } from './credential-form.tsx';
import type { Credential } from './credential-health.tsx';
import { words } from './words.ts';

export interface DeedProps {
  readonly of: Credential;
  readonly onClose: () => void;
}

export function RotateSecret({ of: credential, onClose }: DeedProps) {
  const say = useSay(words);
  const changing = useChange('credentials');
  const [secret, setSecret] = useState('');
  const { name } = credential;
  const rotate = async () => {
    const params = { path: { id: name }, header: ifVersion(credential) };
    await changing(() => api.PATCH('/admin/v1/credentials/{id}', { params, body: { secret } }));
    showDone(say('rotated', { name }));
  };
  return (
    <FormDialog
      title={say('rotate_title', { name })}
      open
      onClose={onClose}
      action={say('rotate_do')}
      disabled={secret === ''}
      onSubmit={rotate}
    >
      <p>{say('rotate_text')}</p>
      <SecretField value={secret} onChange={setSecret} />
    </FormDialog>
  );
}

export function RemoveCredential({ of: credential, onClose }: DeedProps) {
  const say = useSay(words);
  const shared = useWords();
  const changing = useChange('credentials');
  const { name } = credential;
  const remove = async () => {
    const params = { path: { id: name }, header: ifVersion(credential) };
    await changing(() => api.DELETE('/admin/v1/credentials/{id}', { params }));
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
