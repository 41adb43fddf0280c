/** What an operator is told of an attempt's failure, where its cell of the table says `alert` (§5, G-7). */
import type { Target } from '../core/failover/plan-types.ts';
import type { Failure } from '../core/failure.ts';
import type { Gateway } from './gateway.ts';
import type { Job } from './job.ts';

/** With its target: alerts that say the same are one, and another credential's refusal is another's. */
export function raiseAlert(gateway: Gateway, job: Job, target: Target | null, failure: Failure): void {
  const keys = target === null ? null : job.healthKeys(target);
  const credential = keys?.credential == null ? '' : ` (${keys.credential})`;
  const where = keys === null ? '' : `${keys.model} via ${keys.channelId}${credential}: `;
  gateway.alerts.raise({
    kind: `upstream.${failure.class}`,
    message: where + failure.message,
    requestId: job.identity.requestId,
    at: gateway.clock.wall(),
    data: {
      class: failure.class,
      status: failure.status,
      model: keys?.model ?? null,
      channel: keys?.channelId ?? null,
      credential: keys?.credential ?? null,
    },
  });
}

/** Ids and headers go into the record as the upstream wrote them, unless it wrote a secret of ours (E-5). */
export function guardedFailure(guard: (text: string) => string, failure: Failure): Failure {
  const { requestId, rateLimitHeaders } = failure;
  if (requestId === null && rateLimitHeaders === null) return failure;
  const pairs = Object.entries(rateLimitHeaders ?? {}).map(([name, value]) => [guard(name), guard(value)]);
  return {
    ...failure,
    requestId: requestId === null ? null : guard(requestId),
    rateLimitHeaders: rateLimitHeaders === null ? null : Object.fromEntries(pairs),
  };
}
