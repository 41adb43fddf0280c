/** `SharedLimits` over Redis: one script per scope, all of a turn in one round trip (H-4). */
import type { LimitReached, LimitScope } from '../../core/limits/limits.ts';
import type { BlockAsk, BlockGrant } from '../../core/limits/room.ts';
import type { SharedLimits } from '../../ports/shared.ts';
import type { Link } from './link.ts';
import { TAKE } from './scripts/take.ts';

export function redisLimits(link: Pick<Link, 'run' | 'send'>, replica: string): SharedLimits {
  return {
    async take(asks) {
      const calls = asks.map((ask) => ({ script: TAKE, keys: keysOf(ask.scope), args: argsOf(replica, ask) }));
      const answers = await link.run(calls);
      return answers === null ? null : answers.map((answer, i) => grantOf(answer as readonly string[], asks[i]!));
    },
    forget: (scope) => link.send('DEL', ...keysOf(scope)),
  };
}

/** The braces keep both on one node of a cluster. */
function keysOf({ kind, id }: Pick<LimitScope, 'kind' | 'id'>): [string, string] {
  return [`us1:l:{${kind}:${id}}`, `us1:r:{${kind}:${id}}`];
}

/** As the script reads them, in its order. */
export function argsOf(replica: string, ask: BlockAsk): string[] {
  const { own, need, least, want, corrections, dayElsewhere } = ask;
  const { requestsPerMinute, tokensPerMinute, concurrent, requestsPerDay } = ask.scope.limits;
  const limits = [requestsPerMinute, tokensPerMinute, concurrent, requestsPerDay].map((limit) => limit ?? -1);
  const periods = [own.day, own.month].flatMap(({ start, requests, tokens, spend }) => [
    start,
    requests,
    tokens,
    spend,
  ]);
  const rooms = [need, least, want].flatMap(({ requests, tokens, slots }) => [requests, tokens, slots]);
  const corrected = corrections.flatMap(({ slice, requests, tokens }) => [slice, requests, tokens]);
  const figures = [
    own.slots,
    own.idleRequests,
    own.idleTokens,
    own.heldTokens,
    own.heldSpend,
    ...periods,
    ...rooms,
    dayElsewhere,
  ];
  return [replica, ...[...limits, ...figures, ...corrected].map(String)];
}

/** `answer` as the script gives it. */
export function grantOf(answer: readonly (string | number)[], { own }: BlockAsk): BlockGrant {
  const figures = answer.map(Number);
  const at = (index: number): number => figures[index]!;
  const text = (index: number): string => String(answer[index]);
  return {
    got: { requests: at(0), tokens: at(1), slots: at(2) },
    slice: at(3),
    known: at(4) === 1,
    reached: text(5) === '' ? null : (text(5) as LimitReached['limit']),
    freeInMs: at(6) < 0 ? null : at(6),
    fleet: {
      peers: at(7),
      requests: at(8),
      tokens: at(9),
      slots: at(10),
      others: {
        heldTokens: at(11),
        heldSpend: BigInt(text(12)),
        day: { start: own.day.start, requests: at(13), tokens: at(14), spend: BigInt(text(15)) },
        month: { start: own.month.start, requests: at(16), tokens: at(17), spend: BigInt(text(18)) },
      },
    },
  };
}
