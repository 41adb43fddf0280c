/** Asks what recorded requests would have done under other decisions (D-12). */
import { useMutation } from '@tanstack/react-query';
import { api, type Shape } from '../../api/client.ts';
import { type Draft, drafted, type PolicyName } from './table.ts';

export type WhatIf = Shape<'WhatIf'>;
export type WhatIfCell = WhatIf['by_cell'][number];
/** The draft, or everything under one policy as it is in force. */
export type Judged = 'draft' | PolicyName;

export interface JudgeQuestion {
  readonly what: Judged;
  readonly draft: Draft;
  readonly workspace: string | null;
}

export interface JudgeAnswer {
  readonly question: JudgeQuestion;
  /** One for each policy that the draft changes: each holds for the requests that ran under it. */
  readonly answers: readonly { readonly policy: PolicyName; readonly answer: WhatIf }[];
}

async function judge(question: JudgeQuestion): Promise<JudgeAnswer> {
  const { what, draft, workspace } = question;
  const scope = workspace === null ? {} : { workspace };
  const answers: { policy: PolicyName; answer: WhatIf }[] = [];
  // One after the other: the gateway works on few of these at once.
  for (const policy of what === 'draft' ? drafted(draft) : [what]) {
    const cells = Object.entries(draft[policy] ?? {}).map(([row, steps]) => [row, [...steps]] as const);
    const body =
      what === 'draft' ? { table: Object.fromEntries(cells), recorded_policy: policy, ...scope } : { policy, ...scope };
    const { data } = await api.POST('/admin/v1/policies/what-if', { body });
    if (data !== undefined) answers.push({ policy, answer: data });
  }
  return { question, answers };
}

export function useJudge() {
  return useMutation({ mutationFn: judge });
}
