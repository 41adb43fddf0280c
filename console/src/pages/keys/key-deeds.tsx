/** What is asked before it is done to a key: lifting its ban, revoking it. */
import { api } from '../../api/client.ts';
import { ConfirmDialog } from '../../parts/dialog.tsx';
import { showDone } from '../../parts/toast.tsx';
import { useSay } from '../../words/words.ts';
import { ifVersion, useChange } from '../access/use-objects.ts';
import type { Key } from './key-use.ts';
import { words } from './words.ts';

export interface DeedProps {
  readonly of: Key;
  readonly onClose: () => void;
}

export function LiftKey({ of: key, onClose }: DeedProps) {
  const say = useSay(words);
  const changing = useChange('keys');
  const { name } = key;
  const lift = async () => {
    await changing(() => api.POST('/admin/v1/keys/{id}/lift', { params: { path: { id: name } } }));
    showDone(say('lifted', { name }));
  };
  return (
    <ConfirmDialog open title={say('lift_title', { name })} action={say('lift')} onClose={onClose} onConfirm={lift}>
      {say('lift_text')}
    </ConfirmDialog>
  );
}

export function RevokeKey({ of: key, onClose }: DeedProps) {
  const say = useSay(words);
  const changing = useChange('keys');
  const { name } = key;
  const revoke = async () => {
    const params = { path: { id: name }, header: ifVersion(key) };
    await changing(() => api.DELETE('/admin/v1/keys/{id}', { params }));
    showDone(say('revoked', { name }));
  };
  return (
    <ConfirmDialog
      open
      danger
      title={say('revoke_title', { name })}
      action={say('revoke')}
      onClose={onClose}
      onConfirm={revoke}
    >
      {say('revoke_text')}
    </ConfirmDialog>
  );
}
