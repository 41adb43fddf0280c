/** Shows what only this answer of the gateway knows; closed by the word that it is kept. */
import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Stack } from '../../parts/page.tsx';
import { SecretOnce } from '../../parts/secret-once.tsx';
import { useSay } from '../../words/words.ts';
import styles from './access.module.css';
import { accessWords } from './words.ts';

export interface NewSecretProps {
  readonly title: string;
  /** What it is good for, and where it goes now. */
  readonly children: ReactNode;
  /** What kind of secret it is. */
  readonly label: string;
  readonly secret: string;
  readonly onClose: () => void;
}

export function NewSecret({ title, children, label, secret, onClose }: NewSecretProps) {
  const say = useSay(accessWords);
  return (
    <Dialog
      title={title}
      open
      keep
      onClose={onClose}
      actions={
        <Button kind="main" onPress={onClose}>
          {say('kept')}
        </Button>
      }
    >
      <Stack>
        <div className={styles.text}>{children}</div>
        <SecretOnce label={label} secret={secret} />
      </Stack>
    </Dialog>
  );
}
