/**
 * How often a key may ask what would become of a request: as often as it may send one, in a window of its own, so that
 * asking uses nothing up. Per process; nothing of it outlives a restart.
 */
import type { KeyEntry, Snapshot } from '../config/snapshot.ts';
import type { GatewayError } from '../core/errors/gateway-error.ts';
import { LimitBoard } from '../core/limits/limit-board.ts';
import { limitError } from '../core/limits/limit-error.ts';
import { UNLIMITED } from '../core/limits/unlimited.ts';
import { callerScopes } from './caller-scopes.ts';
import type { Gateway } from './gateway.ts';

const boards = new WeakMap<Pick<Gateway, 'clock'>, LimitBoard>();

/** Counts one dry run under the requests a minute of its key and workspace (G-11); null = it may go on. */
export function admitDryRun(gateway: Pick<Gateway, 'clock'>, snapshot: Snapshot, key: KeyEntry): GatewayError | null {
  const scopes = callerScopes(snapshot, key)
    .limited.filter(({ limits }) => limits.requestsPerMinute !== null)
    .map(({ kind, id, limits: { requestsPerMinute } }) => ({ kind, id, limits: { ...UNLIMITED, requestsPerMinute } }));
  if (scopes.length === 0) return null;
  const board = boards.get(gateway) ?? new LimitBoard();
  boards.set(gateway, board);
  const [now, wall] = [gateway.clock.now(), gateway.clock.wall()];
  const answer = board.admit(scopes, { tokens: 0, cost: null }, now, wall);
  if (!answer.ok) return limitError(answer.scope, answer.reached, wall);
  board.settle(answer.lease, { tokens: 0, cost: 0n }, now, wall);
  return null;
}
