/** One cell: what the failure is, what is in force and built in, and other steps to try. */
import { useState } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { Button, IconButton } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ReorderList } from '../../parts/reorder-list.tsx';
import { Select } from '../../parts/select.tsx';
import { useSay, useWords } from '../../words/words.ts';
import { notesOf, Steps } from './decision-table.tsx';
import styles from './policies.module.css';
import {
  cellOf,
  NAMES,
  type Policy,
  type PolicyName,
  problemOf,
  type RowName,
  STEPS,
  type Step,
  sameSteps,
} from './table.ts';
import { words } from './words.ts';

export interface CellDialogProps {
  readonly policies: readonly Policy[];
  readonly policy: PolicyName;
  readonly row: RowName;
  /** What the draft says of this cell so far. */
  readonly draft: readonly Step[] | undefined;
  /** Null = back to what is in force. */
  readonly onApply: (steps: readonly Step[] | null) => void;
  readonly onClose: () => void;
}

export function CellDialog({ policies, policy, row, draft, onApply, onClose }: CellDialogProps) {
  const say = useSay(words);
  const shared = useWords();
  const cell = cellOf(policies, policy, row);
  const [steps, setSteps] = useState<readonly Step[]>(draft ?? cell?.steps ?? []);
  if (cell === undefined) return null;
  const problem = problemOf(steps);
  const [note] = notesOf(cell, say);
  const unchanged = sameSteps(steps, cell.steps);
  const apply = () => {
    onApply(unchanged ? null : steps);
    onClose();
  };
  const presets = [
    { id: 'in_force', name: say('edit_in_force'), steps: cell.steps },
    ...NAMES.map((name) => ({
      id: name,
      name: say('compare_policy', { policy: name }),
      steps: cellOf(policies, name, row)?.built_in ?? [],
    })),
  ];
  return (
    <Dialog
      title={say('edit_title', { failure: say(`row_${row}`), policy })}
      open
      onClose={onClose}
      keep
      wide
      actions={
        <>
          {draft !== undefined && (
            <Button
              onPress={() => {
                onApply(null);
                onClose();
              }}
            >
              {say('edit_reset')}
            </Button>
          )}
          <Button onPress={onClose}>{shared('do.cancel')}</Button>
          <Button kind="main" isDisabled={problem !== null} onPress={apply}>
            {say('edit_apply')}
          </Button>
        </>
      }
    >
      <p>{say(`row_${row}_why`)}</p>
      <StepEditor steps={steps} onChange={setSteps} />
      {problem !== null && (
        <p className={styles.problem} role="alert">
          {say(problem)}
        </p>
      )}
      {!unchanged && note !== undefined && <p className={styles.note}>{say('edit_exact', { note })}</p>}
      <h3>{say('edit_presets')}</h3>
      <ul className={styles.presets}>
        {presets.map((preset) => (
          <li key={preset.id} className={styles.preset}>
            <span className={styles.presetName}>{preset.name}</span>
            <span className={styles.presetSteps}>
              <Steps steps={preset.steps} />
            </span>
            {sameSteps(preset.steps, steps) ? (
              <Badge tone="ok">{say('edit_same')}</Badge>
            ) : (
              <Button
                small
                aria-label={say('edit_use_of', { name: preset.name })}
                onPress={() => setSteps(preset.steps)}
              >
                {say('edit_use')}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

interface StepEditorProps {
  readonly steps: readonly Step[];
  readonly onChange: (steps: readonly Step[]) => void;
}

/** Steps in order, each once: what cannot be said twice is not offered twice. */
function StepEditor({ steps, onChange }: StepEditorProps) {
  const say = useSay(words);
  const left = STEPS.filter((step) => !steps.includes(step));
  return (
    <div className={styles.editor}>
      {steps.length > 0 && (
        <ReorderList
          label={say('edit_steps')}
          items={steps}
          itemId={(step) => step}
          itemName={(step) => say(`step_${step}`)}
          onChange={onChange}
        >
          {(step, index) => (
            <span className={styles.step}>
              <Badge plain>{index + 1}</Badge>
              <span className={styles.stepWords}>
                <span className={styles.stepName}>{say(`step_${step}`)}</span>
                <span className={styles.note}>{say(`step_${step}_why`)}</span>
              </span>
              <IconButton
                icon="close"
                label={say('edit_remove', { step: say(`step_${step}`) })}
                onPress={() => onChange(steps.filter((other) => other !== step))}
              />
            </span>
          )}
        </ReorderList>
      )}
      {left.length === 0 ? (
        <p className={styles.note}>{say('edit_none_left')}</p>
      ) : (
        <Select
          label={say('edit_add')}
          hideLabel
          placeholder={say('edit_add')}
          options={left.map((id) => ({ id, label: say(`step_${id}`), note: say(`step_${id}_why`) }))}
          value={null}
          onChange={(id) => onChange([...steps, id as Step])}
        />
      )}
    </div>
  );
}
