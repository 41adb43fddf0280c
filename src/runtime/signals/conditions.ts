/** What is wrong at this replica for as long as it lasts (O-4). */
import type { FailureClass } from '../../core/failure.ts';
import type { TargetReport } from '../../core/health/board.ts';
import type { Condition } from '../../ports/signals.ts';

export interface ReplicaState {
  readonly targets: readonly Pick<TargetReport, 'state' | 'class' | 'credential'>[];
  /** `channel`: `MODEL#ID`. */
  readonly circuits: readonly { readonly channel: string; readonly state: 'closed' | 'half_open' | 'open' }[];
  /** Prepaid workspaces of whose balance nothing is left. */
  readonly empty: readonly string[];
  /** The workspace whose own a credential is; null = the operator's. */
  readonly ownerOf: (credential: string) => string | null;
  readonly isStoreAway: boolean;
  readonly isSharedAway: boolean;
}

/** What no waiting heals: somebody has to renew or to pay. */
const UNHEALTHY: ReadonlySet<FailureClass> = new Set(['auth', 'permission', 'quota_exhausted']);

export function conditionsOf(state: ReplicaState): Condition[] {
  const { targets, circuits, empty, ownerOf, isStoreAway, isSharedAway } = state;
  const resting = targets.filter((target) => target.state === 'cooling' && UNHEALTHY.has(target.class!));
  const credentials = new Set(resting.map(({ credential }) => credential).filter((name) => name !== null));
  const open = circuits.filter(({ state }) => state !== 'closed');
  return [
    ...[...credentials].map((subject) => ownedBy(ownerOf(subject), { kind: 'credential_unhealthy', subject })),
    ...empty.map((subject) => ownedBy(subject, { kind: 'balance_empty', subject })),
    ...open.map(({ channel }): Condition => ({ kind: 'circuit_open', subject: channel })),
    ...(isStoreAway ? [{ kind: 'store_lost', subject: '' } as const] : []),
    ...(isSharedAway ? [{ kind: 'shared_lost', subject: '' } as const] : []),
  ];
}

function ownedBy(workspace: string | null, condition: Condition): Condition {
  return workspace === null ? condition : { ...condition, workspace };
}
