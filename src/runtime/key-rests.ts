/** G-6 at work: results of requests go to the key breaker, its verdicts to callers, operators and the store of bans. */
import { gatewayError } from '../core/errors/catalogue.ts';
import type { GatewayError } from '../core/errors/gateway-error.ts';
import type { KeyEvent } from '../core/key-breaker/key-breaker.ts';
import { type EndedRequest, keyResult } from '../core/key-breaker/key-result.ts';
import { quotedName } from '../core/quoted-name.ts';
import type { Gateway } from './gateway.ts';
import type { Peers } from './peers.ts';

/** What refuses a key that rests; null = it may call. Asked before its body is read: a refusal costs next to nothing. */
export function restError(gateway: Gateway, key: string): GatewayError | null {
  const rest = gateway.keyBreaker.rest(key, gateway.clock.now(), gateway.clock.wall());
  if (rest === null) return null;
  if (rest.state === 'banned') {
    return gatewayError(
      'api_key_banned',
      'this key was suspended too often and is banned; ask an admin to lift the ban',
    );
  }
  const message = 'nearly all recent requests of this key failed; correct them, and send again after `Retry-After`';
  const shouldRetry = rest.until - gateway.clock.wall() <= LONGEST_INVITED_MS;
  return gatewayError('api_key_suspended', message, { retryAt: Math.ceil(rest.until), shouldRetry });
}

/** D-7. */
const LONGEST_INVITED_MS = 60_000;

/** A request of a known key has ended. */
export function observeKey(
  gateway: Gateway,
  ended: EndedRequest & { readonly id: string; readonly key: string | null },
): void {
  const result = ended.key === null ? null : keyResult(ended);
  if (ended.key === null || result === null) return;
  const event = gateway.keyBreaker.observe(ended.key, result, gateway.clock.now(), gateway.clock.wall());
  if (event !== null) tell(gateway, event, ended.id);
}

/** The gateway itself has refused a call of a known key that gets no record. */
export function observeRefusal(gateway: Gateway, key: string, id: string, { status, code }: GatewayError): void {
  observeKey(gateway, { id, key, status, ending: 'rejected', outcome: 'client_error', error_code: code });
}

/** An admin lets the key call again. False = it did not rest. */
export function liftKey(gateway: Lifting, key: string): boolean {
  gateway.bans.lift(key);
  gateway.peers?.tell({ kind: 'lifted', key });
  return gateway.keyBreaker.lift(key, gateway.clock.now(), gateway.clock.wall());
}

/** A new key may have the name of one that is gone, perhaps of another workspace: nothing of that one is its own (G-6, G-8). */
export function startAfresh(
  gateway: Lifting & { readonly limits: Pick<Gateway['limits'], 'forget'> },
  key: string,
): void {
  liftKey(gateway, key);
  gateway.limits.forget({ kind: 'key', id: key }, gateway.clock.now(), gateway.clock.wall());
  gateway.peers?.tell({ kind: 'afresh', key });
}

type Lifting = Pick<Gateway, 'bans' | 'keyBreaker' | 'clock'> & { readonly peers: Pick<Peers, 'tell'> | null };

function tell(gateway: Gateway, event: KeyEvent, requestId: string): void {
  if (event.type === 'banned') gateway.bans.ban(event.key, event.since);
  gateway.peers?.tell(
    event.type === 'banned'
      ? { kind: 'banned', key: event.key, since: event.since }
      : { kind: 'suspended', key: event.key, forMs: event.until - gateway.clock.wall() },
  );
  const whose = event.type === 'suspended' && event.madeBy === 'upstream' ? "the upstreams'" : 'of its own making';
  gateway.alerts.raise({
    kind: `key.${event.type}`,
    message:
      event.type === 'banned'
        ? `key ${quotedName(event.key)} is banned: suspended too often within 24 h; an admin can lift it`
        : `key ${quotedName(event.key)} is suspended: nearly all its requests of the last minute failed, faults ${whose}`,
    requestId,
    at: gateway.clock.wall(),
    data: event.type === 'banned' ? { key: event.key } : { key: event.key, until: event.until, made_by: event.madeBy },
  });
}
