/** The decision tables as in force, cell by cell, with what is built in beside it (D-12). */
import {
  POLICIES,
  POLICY_NAMES,
  type PolicyName,
  type PolicyRow,
  policyTable,
  STEPS,
} from '../../core/failover/policy.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminRoute } from './admin-route.ts';
import { arrayOf, FLAG, listOf, object, TEXT, WHOLE_OR_NULL } from './openapi-parts.ts';
import { pageOf, pageParameters, readPage } from './paging.ts';

const STEP_LIST = { type: 'array', items: { enum: STEPS } } as const;

export const POLICY_SCHEMAS: Readonly<Record<string, object>> = {
  Policy: object({ name: { enum: POLICY_NAMES }, cells: arrayOf('PolicyCell') }),
  PolicyCell: object({
    row: TEXT,
    steps: { ...STEP_LIST, description: 'In force now, in order.' },
    built_in: STEP_LIST,
    overridden: FLAG,
    repeat_only_if_single: { ...FLAG, description: 'The target is repeated only where the plan has no other.' },
    repeats: { ...WHOLE_OR_NULL, description: 'Repeats of this cell; null = the policy’s own (D-9).' },
    keyed_reads_class: { ...FLAG, description: 'Under an idempotency key the row of the class holds instead.' },
  }),
};

export function policyRoutes(deps: AdminDeps): AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/v1/policies',
      summary: 'The decision tables of all policies.',
      needs: 'policies.read',
      parameters: pageParameters(100, 500),
      answer: listOf('Policy'),
      handle: ({ query }) => {
        const page = readPage(query, 100, 500);
        const { data, next_cursor } = pageOf(POLICY_NAMES, (name) => String(POLICY_NAMES.indexOf(name)), page);
        return { data: data.map((name) => shownPolicy(deps, name)), next_cursor };
      },
    },
  ];
}

function shownPolicy({ gateway }: AdminDeps, name: PolicyName): object {
  const overrides = gateway.snapshot().policies[name];
  const table = policyTable(name, overrides);
  const cells = (Object.keys(table) as PolicyRow[]).map((row) => ({
    row,
    steps: table[row].steps,
    built_in: POLICIES[name][row].steps,
    overridden: overrides?.[row] !== undefined,
    repeat_only_if_single: table[row].repeatOnlyIfSingle,
    repeats: table[row].repeats,
    keyed_reads_class: table[row].keyedReadsClass,
  }));
  return { name, cells };
}
