/** Something that must be answered first: a form, a question. Also as a drawer at the side. */
import { type ReactNode, useState } from 'react';
import { Dialog as AriaDialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useWords } from '../words/words.ts';
import { Button, IconButton } from './button.tsx';
import styles from './dialog.module.css';
import { ErrorBox } from './error-box.tsx';

export interface DialogProps {
  readonly title: string;
  readonly open: boolean;
  readonly onClose: () => void;
  /** Buttons at the bottom. */
  readonly actions?: ReactNode;
  /** `drawer`: at the side, as high as the window. */
  readonly as?: 'dialog' | 'drawer';
  readonly wide?: boolean;
  /** A click beside it does not close it: for what would be lost. */
  readonly keep?: boolean;
  readonly alert?: boolean;
  readonly children: ReactNode;
}

export function Dialog(props: DialogProps) {
  const { title, open, onClose, actions, as = 'dialog', wide = false, keep = false, alert = false, children } = props;
  const say = useWords();
  return (
    <ModalOverlay
      className={styles.veil ?? ''}
      data-as={as}
      isOpen={open}
      onOpenChange={(next) => !next && onClose()}
      isDismissable={!keep}
    >
      <Modal className={styles.modal ?? ''} data-as={as} data-wide={wide}>
        <AriaDialog className={styles.dialog ?? ''} role={alert ? 'alertdialog' : 'dialog'}>
          <div className={styles.head}>
            <Heading slot="title" level={2} className={styles.title ?? ''}>
              {title}
            </Heading>
            <IconButton icon="close" label={say('do.close')} onPress={onClose} />
          </div>
          <div className={styles.body}>{children}</div>
          {actions !== undefined && <div className={styles.actions}>{actions}</div>}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}

/** A dialog at the side of the window. */
export function Drawer(props: Omit<DialogProps, 'as' | 'alert'>) {
  return <Dialog {...props} as="drawer" />;
}

export interface ConfirmDialogProps {
  readonly title: string;
  readonly open: boolean;
  readonly onClose: () => void;
  /** What the button says: the deed, not „OK“. */
  readonly action: string;
  /** What is done; the dialog closes when it is, and shows why when it failed. */
  readonly onConfirm: () => Promise<unknown>;
  readonly danger?: boolean;
  /** What it will do, in words. */
  readonly children: ReactNode;
}

/** Asks before something is done. */
export function ConfirmDialog({
  title,
  open,
  onClose,
  action,
  onConfirm,
  danger = false,
  children,
}: ConfirmDialogProps) {
  const say = useWords();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const close = () => {
    setError(null);
    onClose();
  };
  const confirm = async () => {
    setBusy(true);
    setError(null);
    try {
      await onConfirm();
      close();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={title}
      open={open}
      onClose={close}
      alert
      actions={
        <>
          <Button onPress={close}>{say('do.cancel')}</Button>
          <Button kind={danger ? 'danger' : 'main'} isPending={busy} onPress={() => void confirm()}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      <ErrorBox error={error} />
    </Dialog>
  );
}

export interface FormDialogProps {
  readonly title: string;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly action: string;
  /** Sends the form; the dialog closes when it is done, and shows why when it failed. */
  readonly onSubmit: () => Promise<unknown>;
  /** The form cannot be sent yet. */
  readonly disabled?: boolean;
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** A form in a dialog, sent by its button or by Enter. */
export function FormDialog(props: FormDialogProps) {
  const { title, open, onClose, action, onSubmit, disabled = false, wide = false, children } = props;
  const say = useWords();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const close = () => {
    setError(null);
    onClose();
  };
  const send = async () => {
    if (busy || disabled) return;
    setBusy(true);
    setError(null);
    try {
      await onSubmit();
      close();
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} open={open} onClose={close} keep wide={wide}>
      <form
        className={styles.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        {children}
        <ErrorBox error={error} />
        <div className={styles.actions}>
          <Button onPress={close}>{say('do.cancel')}</Button>
          <Button kind="main" type="submit" isPending={busy} isDisabled={disabled}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
