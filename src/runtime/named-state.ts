/**
 * P-8: state that lives at one upstream account and that was not made through this gateway, so that it does not know whose
 * an id is: sent elsewhere it would be unknown at best, and at an account that workspaces share it could be another's.
 */
import type { Snapshot } from '../config/snapshot.ts';
import type { CredentialIx, Plan, SkipReason } from '../core/failover/plan-types.ts';
import { quotedName } from '../core/quoted-name.ts';
import { bad, good, type Read } from '../core/request/read.ts';
import type { ClientRequest, ClientSide } from '../dialects/contract.ts';

/** Candidates that this request may never call. */
const NEVER: ReadonlySet<SkipReason> = new Set(['byok_only', 'channel_not_enabled', 'guardrail', 'model_not_allowed']);

/** 400 `unsupported_state`, unless the request can reach no account but one that is its workspace's own. */
export function checkNamedState(
  codec: ClientSide,
  request: ClientRequest,
  plan: Plan,
  snapshot: Pick<Snapshot, 'credentials'>,
): Read<null> {
  const named = codec.namedState(request);
  if (named === null || reachesOneOwnAccount(plan, snapshot)) return good(null);
  const { param, id } = named;
  const what = id === null ? '' : ` (${quotedName(id, 100)})`;
  return bad(
    'unsupported_state',
    `\`${param}\`${what} names state that lives at an upstream account, and it is not known at which; send the content itself`,
    param,
  );
}

/** All that could be called, now or once it is back, calls with one credential of the workspace's own. */
function reachesOneOwnAccount({ candidates }: Plan, { credentials }: Pick<Snapshot, 'credentials'>): boolean {
  const used = new Set<CredentialIx | null>();
  for (const { target, skip } of candidates) {
    if (skip === null || !NEVER.has(skip.reason)) used.add(target.credential);
  }
  const [only] = used;
  return used.size === 1 && only !== undefined && only !== null && credentials[only]!.kind === 'byok';
}
