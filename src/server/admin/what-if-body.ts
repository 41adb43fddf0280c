/** A decision table as a call brings it: cells in the shape of the configuration, or as the list of policies shows them. */
import * as z from 'zod';
import {
  POLICIES,
  POLICY_NAMES,
  type PolicyCell,
  type PolicyRow,
  STEPS,
  type Step,
} from '../../core/failover/policy.ts';
import { badParameter } from './bad-parameter.ts';

const must = (what: string) => ({ error: () => `must be ${what}` });

/** More repeats than a request may make attempts say nothing. */
const MOST_REPEATS = 100;

const STEP_LIST = z
  .array(z.enum(STEPS, must(`one of ${STEPS.join(', ')}`)), must('a list of steps'))
  .min(1, must('a list of at least one step'));
const CELL = z.strictObject(
  {
    steps: STEP_LIST,
    repeat_only_if_single: z.boolean(must('true or false')).optional(),
    repeats: z
      .int(must('a whole number, or null'))
      .min(0, must('0 or more'))
      .max(MOST_REPEATS, must(`at most ${MOST_REPEATS}`))
      .nullable()
      .optional(),
    keyed_reads_class: z.boolean(must('true or false')).optional(),
  },
  must('a list of steps, or an object with `steps`'),
);
const ROWS = Object.keys(POLICIES.standard) as PolicyRow[];
const TABLE = z.strictObject(
  Object.fromEntries(ROWS.map((row) => [row, z.union([CELL, STEP_LIST]).optional()])),
  must('an object of rows'),
);
const INSTANT = z.iso.datetime({ offset: true, ...must('a date and time with zone (2026-11-29T10:00:00Z)') });

export const WHAT_IF_BODY = z.strictObject({
  policy: z
    .enum(POLICY_NAMES, must(`one of ${POLICY_NAMES.join(', ')}, or null`))
    .nullable()
    .describe('Every request is judged as if it had asked for this policy; null: each under the policy it ran under.')
    .optional(),
  table: TABLE.nullable()
    .describe(
      'Cells laid over that policy’s table as it is in force: a list of steps, or an object as `GET /v1/policies` shows it. Rows that are not named stay.',
    )
    .optional(),
  recorded_policy: z
    .enum(POLICY_NAMES, must(`one of ${POLICY_NAMES.join(', ')}, or null`))
    .nullable()
    .describe('Only requests that ran under this policy.')
    .optional(),
  from: INSTANT.describe('Requests from this instant on; default 24 hours before `to`.').optional(),
  to: INSTANT.describe('Requests before this instant; default now.').optional(),
  workspace: z
    .string(must('the name of a workspace'))
    .min(1, must('the name of a workspace'))
    .nullable()
    .describe('Only this workspace.')
    .optional(),
});

export type WhatIfBody = z.infer<typeof WHAT_IF_BODY>;

type Given = readonly Step[] | z.infer<typeof CELL>;

/** The cells of a table. Throws `ClientError` 400 for a cell that says something else than it does. */
export function cellsOf(table: WhatIfBody['table']): Partial<Record<PolicyRow, PolicyCell>> {
  const cells: Partial<Record<PolicyRow, PolicyCell>> = {};
  for (const [row, given] of Object.entries(table ?? {}) as [PolicyRow, Given | undefined][]) {
    if (given !== undefined) cells[row] = cellOf(row, given);
  }
  return cells;
}

function cellOf(row: PolicyRow, given: Given): PolicyCell {
  const isList = 'length' in given;
  const steps = isList ? given : given.steps;
  checkSteps(isList ? `table.${row}` : `table.${row}.steps`, steps);
  const more: Partial<z.infer<typeof CELL>> = isList ? {} : given;
  return {
    steps,
    repeatOnlyIfSingle: more.repeat_only_if_single ?? false,
    repeats: more.repeats ?? null,
    keyedReadsClass: more.keyed_reads_class ?? false,
  };
}

/** As the configuration checks its own (D-12). */
function checkSteps(path: string, steps: readonly Step[]): void {
  const stop = steps.indexOf('stop');
  for (const [index, step] of steps.entries()) {
    if (steps.indexOf(step) !== index) throw badParameter(`${path}.${index}`, `names the step \`${step}\` twice`);
    if (stop !== -1 && index > stop && step !== 'alert') {
      throw badParameter(
        `${path}.${index}`,
        'is a step after `stop`, which is never reached (only `alert` may follow)',
      );
    }
  }
}
