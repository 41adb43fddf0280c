/** Short messages in the corner: what was done, what failed. Heard as well as seen. */
import { useSyncExternalStore } from 'react';
import { troubleOf } from '../api/trouble.ts';
import { sayNow, useWords } from '../words/words.ts';
import { Button, IconButton } from './button.tsx';
import styles from './toast.module.css';

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: 'ok' | 'bad';
  readonly undo: (() => Promise<unknown>) | undefined;
}

/** More at once would hide the page; the oldest goes. */
const MOST = 4;
/** Successes go by themselves; failures stay until they are read. */
const SHOWN_MS = 5_000;
/** What can be taken back stays until a reader has understood it and found the button. */
const UNDO_MS = 15_000;

let toasts: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();

function put(next: readonly Toast[]): void {
  toasts = next.slice(-MOST);
  for (const listener of listeners) listener();
}

function add(text: string, tone: Toast['tone'], undo?: Toast['undo']): void {
  last += 1;
  const id = last;
  put([...toasts, { id, text, tone, undo }]);
  if (tone === 'ok') setTimeout(() => drop(id), undo === undefined ? SHOWN_MS : UNDO_MS);
}

const drop = (id: number): void => put(toasts.filter((toast) => toast.id !== id));

/** Says that something went well; with `undo` there is a button that takes it back. */
export function showDone(text: string, undo?: () => Promise<unknown>): void {
  add(text, 'ok', undo);
}

/** Says why something failed: for what has no place of its own for an `ErrorBox`. */
export function showTrouble(thrown: unknown): void {
  const trouble = troubleOf(thrown);
  add(trouble.status === 0 ? `${sayNow('error.offline')} (${trouble.message})` : trouble.message, 'bad');
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Once, in the shell. */
export function ToastRegion() {
  const say = useWords();
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className={styles.region} role="log" aria-live="polite">
      {shown.map(({ id, text, tone, undo }) => (
        <div key={id} className={styles.toast} data-tone={tone} role={tone === 'bad' ? 'alert' : undefined}>
          <span className={styles.text}>{text}</span>
          {undo !== undefined && (
            <Button
              small
              onPress={() => {
                drop(id);
                undo().catch(showTrouble);
              }}
            >
              {say('do.undo')}
            </Button>
          )}
          <IconButton icon="close" label={say('do.close')} onPress={() => drop(id)} />
        </div>
      ))}
    </div>
  );
}
