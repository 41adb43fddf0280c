/** What is changed and not saved yet, and what to do with it; for workspaces of the file its lines to copy. */

import { troubleOf } from '../../api/trouble.ts';
import { Button } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/code-block.tsx';
import { ErrorBox } from '../../parts/error-box.tsx';
import { Row, Section } from '../../parts/page.tsx';
import { showDone } from '../../parts/toast.tsx';
import { yamlText } from '../../parts/yaml-text.ts';
import { useSay, useWords } from '../../words/words.ts';
import type { Patch, Workspace } from './draft.ts';
import styles from './routing.module.css';
import type { WorkspaceDraft } from './use-draft.ts';
import { words } from './words.ts';

type Field = keyof Patch;

/** At the bottom of the window while there is something to save or to take back. */
export function SaveBar({ draft }: { readonly draft: WorkspaceDraft }) {
  const say = useSay(words);
  const shared = useWords();
  const { changes, workspace, trouble, busy, undo } = draft;
  if (workspace === undefined || workspace.managed_by === 'file') return null;
  const isConflict = trouble !== null && troubleOf(trouble).status === 409;
  const what =
    changes === null
      ? ''
      : Object.keys(changes)
          .map((field) => say(`field_${field as Field}`))
          .join(', ');
  const save = async () => {
    if (await draft.save()) showDone(say('saved_toast', { what }));
  };
  const takeBack = async () => {
    if (await undo?.()) showDone(say('undone_toast'));
  };
  if (changes === null && trouble === null && draft.last === null) return null;
  return (
    <section className={styles.bar} aria-label={shared('do.save')}>
      {isConflict && changes !== null ? (
        <div className={styles.barTrouble} role="alert">
          <p>{say('conflict')}</p>
          <Row>
            <Button kind="main" onPress={() => void draft.takeOver()}>
              {say('take_over')}
            </Button>
            <Button
              onPress={() => {
                draft.discard();
                draft.reload();
              }}
            >
              {say('drop_mine')}
            </Button>
          </Row>
        </div>
      ) : (
        <>
          {trouble !== null && <ErrorBox error={trouble} />}
          <div className={styles.barRow}>
            <p className={styles.barText}>
              {changes !== null ? say('unsaved', { what }) : say(draft.last === 'undo' ? 'taken_back' : 'saved')}
            </p>
            {changes !== null ? (
              <Row>
                <Button isDisabled={busy} onPress={draft.discard}>
                  {say('discard')}
                </Button>
                <Button kind="main" isPending={busy} onPress={() => void save()}>
                  {shared('do.save')}
                </Button>
              </Row>
            ) : (
              <Row>
                {undo !== undefined && (
                  <Button isPending={busy} onPress={() => void takeBack()}>
                    {shared('do.undo')}
                  </Button>
                )}
                <Button kind="quiet" onPress={draft.settle}>
                  {say('settle')}
                </Button>
              </Row>
            )}
          </div>
        </>
      )}
    </section>
  );
}

/** Why nothing is saved here, and what to write where it is kept. */
export function FileNotice({ draft }: { readonly draft: WorkspaceDraft }) {
  const say = useSay(words);
  const { workspace, changes } = draft;
  if (workspace === undefined || workspace.managed_by !== 'file') return null;
  return (
    <Section
      title={say('of_file')}
      about={say('of_file_why')}
      actions={changes === null ? undefined : <Button onPress={draft.discard}>{say('discard')}</Button>}
    >
      {changes === null ? (
        <p className={styles.soft}>{say('of_file_empty')}</p>
      ) : (
        <>
          <p>{say('of_file_copy')}</p>
          <CodeBlock text={fileLines(workspace, changes)} label={say('file_lines')} />
        </>
      )}
    </Section>
  );
}

/** The changed fields whole, as they stand under the workspace in the file. */
export function fileLines({ name }: Pick<Workspace, 'name'>, changes: Patch): string {
  const whole = Object.fromEntries(
    Object.entries(changes).map(([field, value]) => [field, field === 'auto' ? (value ?? []) : value]),
  );
  return yamlText({ workspaces: { [name]: whole } });
}
