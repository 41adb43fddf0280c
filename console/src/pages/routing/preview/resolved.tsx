/** What a request resolves to: its chain, policy and budgets. */
import { formatDuration } from '../../../parts/format.ts';
import { type Fact, KeyValue } from '../../../parts/key-value.tsx';
import { useSay } from '../../../words/words.ts';
import { words } from '../words.ts';
import type { Plan } from './plan-marks.ts';

export function Resolved({ plan }: { readonly plan: Plan }) {
  const say = useSay(words);
  const { chain, virtual_model, policy, on, budgets, clamped } = plan;
  const facts: Fact[] = [
    { name: say('fact_chain'), value: chain.join(' → ') },
    ...(virtual_model === null ? [] : [{ name: say('fact_virtual'), value: virtual_model }]),
    { name: say('fact_policy'), value: policy },
    { name: say('fact_on'), value: on.length === 0 ? say('fact_on_none') : on.join(', ') },
    { name: say('fact_attempts'), value: budgets.max_attempts },
    { name: say('fact_deadline'), value: formatDuration(budgets.deadline_ms) },
    { name: say('fact_wait'), value: formatDuration(budgets.max_wait_ms) },
    ...clamped.map(({ field, asked, given }) => ({
      name: say('fact_clamped'),
      value: say('clamped', { field, asked, given }),
    })),
  ];
  return <KeyValue facts={facts} />;
}
