/** All cells: kinds of failure down, policies across; each cell opens to try other steps in it. */
import { Fragment } from 'react';
import { Badge } from '../../parts/badge.tsx';
import { type Say, useSay } from '../../words/words.ts';
import styles from './policies.module.css';
import {
  type Cell,
  cellOf,
  type Draft,
  GROUPS,
  NAMES,
  type Policy,
  type PolicyName,
  type RowName,
  type Step,
  sameSteps,
} from './table.ts';
import type { en } from './words.en.ts';
import { words } from './words.ts';

/** What cells are held against: what is built in for their own policy, or another policy's built-in cells. */
export type Reference = 'built_in' | PolicyName;

export interface DecisionTableProps {
  readonly policies: readonly Policy[];
  readonly draft: Draft;
  readonly reference: Reference;
  readonly onOpen: (policy: PolicyName, row: RowName) => void;
}

/** Steps in words, in order. */
export function stepWords(steps: readonly Step[], say: Say<typeof en>): string {
  return steps.map((step) => say(`step_${step}`)).join(' → ');
}

/** Steps in order; a line breaks between two of them, never inside one. */
export function Steps({ steps }: { readonly steps: readonly Step[] }) {
  const say = useSay(words);
  return (
    <span className={styles.steps}>
      {steps.map((step, index) => (
        <Fragment key={step}>
          {index > 0 && ' → '}
          <span className={styles.whole}>{say(`step_${step}`)}</span>
        </Fragment>
      ))}
    </span>
  );
}

/** What else holds for a cell, beside its steps. */
export function notesOf(
  { repeat_only_if_single: single, repeats, keyed_reads_class: keyed }: Cell,
  say: Say<typeof en>,
): string[] {
  return [
    ...(single ? [say('only_single')] : []),
    ...(repeats === null ? [] : [say('repeats', { count: repeats })]),
    ...(keyed ? [say('keyed')] : []),
  ];
}

export function DecisionTable({ policies, draft, reference, onOpen }: DecisionTableProps) {
  const say = useSay(words);
  return (
    <table className={styles.table} aria-label={say('table')}>
      <thead>
        <tr>
          <th scope="col">{say('failure')}</th>
          {NAMES.map((name) => (
            <th key={name} scope="col">
              {name}
              <span className={styles.policyAbout}>{say(`policy_${name}`)}</span>
            </th>
          ))}
        </tr>
      </thead>
      {GROUPS.map(({ id, rows }) => (
        <tbody key={id}>
          <tr className={styles.group}>
            <th scope="rowgroup" colSpan={NAMES.length + 1}>
              {say(`group_${id}`)}
            </th>
          </tr>
          {rows.map((row) => (
            <tr key={row} className={styles.row}>
              <th scope="row">
                <span className={styles.rowName}>{say(`row_${row}`)}</span>
                <code className={styles.rowCode}>{row}</code>
                <span className={styles.rowWhy}>{say(`row_${row}_why`)}</span>
              </th>
              {NAMES.map((name) => (
                <td key={name} data-label={name}>
                  <CellButton
                    cell={cellOf(policies, name, row)}
                    against={referenceSteps(policies, reference, name, row)}
                    reference={reference}
                    draft={draft[name]?.[row]}
                    label={say('cell_of', { policy: name, failure: say(`row_${row}`) })}
                    onOpen={() => onOpen(name, row)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      ))}
    </table>
  );
}

function referenceSteps(policies: readonly Policy[], reference: Reference, own: PolicyName, row: RowName) {
  return cellOf(policies, reference === 'built_in' ? own : reference, row)?.built_in;
}

interface CellButtonProps {
  readonly cell: Cell | undefined;
  readonly against: readonly Step[] | undefined;
  readonly reference: Reference;
  readonly draft: readonly Step[] | undefined;
  readonly label: string;
  readonly onOpen: () => void;
}

function CellButton({ cell, against, reference, draft, label, onOpen }: CellButtonProps) {
  const say = useSay(words);
  if (cell === undefined) return null;
  const steps = draft ?? cell.steps;
  const differs = against !== undefined && !sameSteps(steps, against);
  const notes = draft === undefined ? notesOf(cell, say) : [];
  const named = reference === 'built_in' ? say('reference_built_in') : reference;
  return (
    <button
      type="button"
      className={styles.cell}
      data-draft={draft !== undefined}
      data-differs={differs}
      onClick={onOpen}
    >
      <span className={styles.unseen}>{label} </span>
      <Steps steps={steps} />
      {notes.map((note) => (
        <span key={note} className={styles.note}>
          {note}
        </span>
      ))}
      {draft !== undefined && (
        <>
          <Badge tone="warn">{say('drafted')}</Badge>
          <span className={styles.note}>{say('in_force_is', { steps: stepWords(cell.steps, say) })}</span>
        </>
      )}
      {draft === undefined && cell.overridden && <Badge tone="info">{say('changed_by_file')}</Badge>}
      {differs && (
        <>
          {draft === undefined && !cell.overridden && <Badge tone="off">{say('differs')}</Badge>}
          <span className={styles.note}>
            {say('reference_is', { reference: named, steps: stepWords(against, say) })}
          </span>
        </>
      )}
    </button>
  );
}
