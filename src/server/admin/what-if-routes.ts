/** What the requests of the last hours would have done under another decision table (D-12). */
import { ClientError, gatewayError } from '../../core/errors/catalogue.ts';
import { POLICIES, type PolicyName, type PolicyOverrides, policyTable } from '../../core/failover/policy.ts';
import { COURSES, type OtherTable } from '../../core/failover/what-if.ts';
import { WhatIfTally } from '../../core/failover/what-if-tally.ts';
import { FAILURE_CLASSES } from '../../core/failure.ts';
import { OUTCOMES } from '../../core/outcome.ts';
import { judgeRecorded, type WhatIfAnswer } from '../../runtime/judge-recorded.ts';
import type { AdminDeps } from './admin-deps.ts';
import type { AdminCall, AdminRoute } from './admin-route.ts';
import { badParameter } from './bad-parameter.ts';
import {
  arrayOf,
  FLAG,
  INSTANT,
  INSTANT_OR_NULL,
  object,
  schemaRef,
  TEXTS,
  WHOLE,
  WHOLE_OR_NULL,
} from './openapi-parts.ts';
import { cellsOf, WHAT_IF_BODY, type WhatIfBody } from './what-if-body.ts';

/** Without `from`. */
const DEFAULT_SPAN_MS = 86_400_000;

const COURSE = { enum: COURSES } as const;

export const WHAT_IF_SCHEMAS: Readonly<Record<string, object>> = {
  WhatIf: object({
    from: INSTANT,
    to: INSTANT,
    requests: { ...WHOLE, description: 'Requests of which at least one call failed, rehearsals aside.' },
    replayed: { ...WHOLE, description: 'Those whose decisions could be made again.' },
    not_replayable: {
      ...WHOLE,
      description: 'Those whose record lacks what their run started from, or tells of another version’s decisions.',
    },
    changed: { ...WHOLE, description: 'Those that would have gone another way; `by_cell` says where.' },
    other_error: { ...WHOLE, description: 'Those that would have gone the same way to another error.' },
    undecided: {
      ...WHOLE,
      description: 'Those in which a call would have had another time limit: how it would have ended is not known.',
    },
    partial: { ...FLAG, description: 'Only the newest were looked at: there were too many, or it took too long.' },
    oldest_at: { ...INSTANT_OR_NULL, description: 'Of the oldest request that was looked at.' },
    by_cell: { ...arrayOf('WhatIfCell'), description: 'By the first decision that differs; most requests first.' },
  }),
  WhatIfCell: object({
    row: {
      enum: [...Object.keys(POLICIES.standard), null],
      description: 'The row that was read; null: nothing had failed, models that rest were passed or not (P-4).',
    },
    class: { enum: [...FAILURE_CLASSES, null], description: 'What had failed.' },
    was: { ...COURSE, description: 'What was decided.' },
    would: {
      ...COURSE,
      description:
        'What would have been. `hedge`, `no_hedge`: a second call beside the first (D-8). The same word as `was`: at another target.',
    },
    requests: WHOLE,
    outcomes: {
      ...object(Object.fromEntries(OUTCOMES.map((outcome) => [outcome, WHOLE]))),
      description: 'How they really ended. Where `would` is `stop`, those of `success` would have been lost.',
    },
    calls_saved: {
      ...WHOLE_OR_NULL,
      description: 'Calls that followed and would not have been made; known where `would` is `stop` alone.',
    },
    cost_saved_nano_usd: { ...WHOLE_OR_NULL, description: 'What those cost; null: nobody knows.' },
    example_request_ids: { ...TEXTS, maxItems: 3, description: 'The newest of them.' },
  }),
};

export function whatIfRoutes(deps: AdminDeps): AdminRoute[] {
  return [
    {
      method: 'POST',
      audit: 'nothing',
      path: '/v1/policies/what-if',
      summary:
        'What recorded requests would have done under another decision table, up to the first decision that differs. Calls nobody, changes nothing.',
      needs: 'requests.read',
      parameters: [],
      body: WHAT_IF_BODY,
      answer: schemaRef('WhatIf'),
      handle: (call) => judge(deps, call),
    },
  ];
}

async function judge({ gateway }: AdminDeps, { body, scope }: AdminCall): Promise<object> {
  const asked = body as WhatIfBody;
  const to = asked.to === undefined ? gateway.clock.wall() + 1 : Date.parse(asked.to);
  const from = asked.from === undefined ? to - DEFAULT_SPAN_MS : Date.parse(asked.from);
  if (from > to) throw badParameter('from', 'is later than `to`');
  const other = otherTable(gateway.snapshot().policies, asked);
  const workspace = asked.workspace ?? scope;
  const question = {
    from,
    to,
    ...(workspace === null ? {} : { workspace }),
    other,
    recordedPolicy: asked.recorded_policy ?? null,
  };
  // Another workspace than one's own has nothing to show; that it exists is nobody's business.
  if (scope !== null && workspace !== scope) {
    return shown(from, to, { tally: new WhatIfTally(other), partial: false, oldestAt: null });
  }
  const answer = await judgeRecorded(gateway, question);
  if (answer === null) {
    const message = 'Other questions of this kind are being worked on; ask again in a moment.';
    throw new ClientError(gatewayError('conflict', message));
  }
  return shown(from, to, answer);
}

function otherTable(
  policies: Readonly<Partial<Record<PolicyName, PolicyOverrides>>>,
  { policy, table }: WhatIfBody,
): OtherTable {
  if (policy == null && table == null) {
    throw badParameter('policy', 'or `table` must say what to judge: the name of a policy, cells of a table, or both');
  }
  const named = policy == null ? null : { name: policy, table: policyTable(policy, policies[policy]) };
  return { policy: named, cells: cellsOf(table) };
}

function shown(from: number, to: number, { tally, partial, oldestAt }: WhatIfAnswer): object {
  return {
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    requests: tally.requests,
    replayed: tally.replayed,
    not_replayable: tally.notReplayable,
    changed: tally.changed,
    other_error: tally.otherError,
    undecided: tally.undecided,
    partial,
    oldest_at: oldestAt,
    by_cell: tally.cells,
  };
}
