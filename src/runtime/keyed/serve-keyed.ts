/** A request under an idempotency key: runs it, joins who runs it, gets what it came to before, or is refused (section 8). */
import type { ClientRequest } from '../../dialects/contract.ts';
import type { Gateway } from '../gateway.ts';
import type { Principal } from '../principal.ts';
import { drainingError, type Reception, reject } from '../reception.ts';
import type { KeyedAsk } from './ask.ts';
import { type Follower, join, replay } from './follow.ts';
import type { JoinableRun } from './joinable-run.ts';
import type { Found } from './keyed-runs.ts';
import { runOwn } from './own-round.ts';
import { Reader } from './reader.ts';
import { attemptsSpent, givenUp, inProgress, keyReused, ledgerUnavailable, resultNotStored } from './refusals.ts';

/** False = nothing of it concerns this request, which goes on as a plain one: only under a derived key (I-10). */
export async function serveKeyed(
  gateway: Gateway,
  reception: Reception,
  principal: Principal,
  request: ClientRequest,
  ask: KeyedAsk,
): Promise<boolean> {
  const reader = new Reader(reception, gateway.clock);
  const reached = ask.explicit ? null : reception.delivery.reached();
  const who: Follower = { reception, principal, request, ask, reader, since: gateway.clock.now(), reached };
  let found = await findAlive(gateway, who);
  while (!reader.isOver && ask.onDuplicate === 'join') {
    const run = runOf(gateway, who, found);
    if (run === null) break;
    if (await join(gateway, who, run)) return true;
    found = await findAlive(gateway, who);
  }
  if (reader.isOver) {
    await leaveBefore(gateway, who, found);
    return true;
  }
  switch (found.kind) {
    case 'owner':
      await runOwn(gateway, who, found.run);
      return true;
    case 'succeeded':
      if (found.answer === null) break;
      await replay(gateway, who, { ...found, answer: found.answer });
      return true;
    default:
  }
  // I-10: a client that sent no key is not refused for one.
  if (!ask.explicit) {
    reader.detach();
    return false;
  }
  const { log } = reception;
  log.keyed({ key_hash: ask.ref.keyHash, role: 'refused', digest: null, ...standing(found) });
  reject(gateway, reception, refusal(found, gateway.clock.wall()));
  return true;
}

/** What there is to join, here or elsewhere; null = nothing. */
function runOf({ keyed }: Gateway, { reception, request, ask }: Follower, found: Found): JoinableRun | null {
  if (found.kind === 'running') return found.run;
  return found.kind === 'elsewhere' ? keyed.follow(ask, found, { codec: reception.route.codec, request }) : null;
}

/** A run that ended between being found and being joined is no answer: the key is asked for again. */
async function findAlive(gateway: Gateway, { reception, ask, reader }: Follower): Promise<Found> {
  for (;;) {
    const found = await gateway.keyed.find(ask, reception.identity.requestId);
    if (found.kind !== 'running' || !found.run.isClosed || reader.isOver) return found;
  }
}

/** The client has left, or a drain has answered it, while the ledger was asked. Others may wait for its round (I-9). */
async function leaveBefore(gateway: Gateway, who: Follower, found: Found): Promise<void> {
  const { log, delivery } = who.reception;
  if (found.kind === 'owner') {
    const isLeft = !delivery.ended;
    if (isLeft && found.run.spool.readers > 0) return runOwn(gateway, who, found.run);
    found.run.isLeft = isLeft;
    const error = isLeft ? givenUp() : drainingError(gateway.clock.wall());
    found.run.refuse({ error, exhausted: false, release: true });
  }
  if (!delivery.ended) log.clientLeft();
}

function refusal(found: Found, wall: number) {
  switch (found.kind) {
    case 'reused':
      return keyReused();
    case 'exhausted':
      return attemptsSpent(found.failure);
    case 'succeeded':
      return resultNotStored();
    case 'unavailable':
      return ledgerUnavailable(wall);
    default:
      return inProgress(wall);
  }
}

/** What the record says of the key. */
function standing(found: Found): { readonly state: string; readonly round: number } {
  switch (found.kind) {
    case 'succeeded':
      return { state: 'succeeded', round: found.round };
    case 'elsewhere':
      return { state: 'running', round: found.round };
    case 'running':
      return { state: 'running', round: found.run.own.round };
    case 'exhausted':
      return { state: 'failed', round: 0 };
    default:
      return { state: 'unknown', round: 0 };
  }
}
