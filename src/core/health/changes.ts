/** What the end of a call has changed about a target, as other replicas are told it (H-4). */
import type { Cooldown } from './cooldown.ts';
import type { HealthNews, RestNews } from './news.ts';
import type { TargetHealth } from './targets.ts';

/** How a target stood before. */
export interface Marks {
  readonly credential: number;
  readonly credentialModel: number;
  readonly epoch: number;
}

export function marksOf({ credential, credentialModel, channel }: TargetHealth): Marks {
  return { credential: credential.until, credentialModel: credentialModel.until, epoch: channel.breaker.epoch };
}

/** In the order they matter; nothing where nothing has changed. */
export function changesOf(
  { keys, credential, credentialModel, channel }: TargetHealth,
  before: Marks,
  now: number,
): readonly HealthNews[] {
  const { breaker } = channel;
  const news: HealthNews[] = [];
  if (breaker.epoch !== before.epoch) {
    const forMs = breaker.openUntil === null ? 0 : breaker.openUntil - now;
    news.push({ kind: 'circuit', channel: channel.key, forMs, level: breaker.level, cause: breaker.cause });
  }
  pushRest(news, keys.credentialKey, credential, before.credential, now);
  pushRest(news, keys.credentialModel, credentialModel, before.credentialModel, now);
  return news;
}

function pushRest(to: HealthNews[], key: string, rest: Cooldown, before: number, now: number): void {
  if (rest.until === before) return;
  const { reason, cause, stated, level } = rest;
  if (rest.until > now && reason !== null && cause !== null) {
    to.push({ kind: 'rest', key, reason, cause, forMs: rest.until - now, stated, level });
  } else if (before > now) to.push(restOver(key));
}

/** A rest that has ended before its time. */
export function restOver(key: string): RestNews {
  return { kind: 'rest', key, reason: 'cooling_backoff', cause: 'rate_limit', forMs: 0, stated: false, level: 0 };
}

/** The same news so many ms later; null = it no longer holds. */
export function afterMs(news: HealthNews, ms: number): HealthNews | null {
  if (!('forMs' in news) || news.forMs <= 0) return news;
  return news.forMs > ms ? { ...news, forMs: news.forMs - ms } : null;
}
