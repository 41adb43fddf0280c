/** Opens the state that replicas share over Redis, version 7 or later, or Valkey (H-4). */
import type { Clock } from '../../ports/clock.ts';
import type { Shared } from '../../ports/shared.ts';
import { redisLimits } from './limits.ts';
import { Link } from './link.ts';
import { channelOf, RedisNews } from './news-wire.ts';
import { redisProbes } from './probes.ts';

export interface RedisSharedParts {
  /** `redis://HOST:PORT`, `rediss://USER:PASSWORD@HOST/DB`. */
  readonly url: string;
  /** Names this start of the process; no two are ever equal. */
  readonly replica: string;
  readonly clock: Clock;
  /** Away, with the reason in plain words, or back; the first time too, and once per failed try to come back. */
  readonly onLink: (up: boolean, reason: string) => void;
}

/** Resolves after the first try to connect: out of reach it goes on trying by itself. */
export async function openRedisShared({ url, replica, clock, onLink }: RedisSharedParts): Promise<Shared> {
  // Loaded only where it is configured: nobody else pays for it.
  const { Redis } = await import('ioredis');
  const channel = channelOf(url);
  const listeners: ((up: boolean) => void)[] = [];
  let wasUp = false;
  const changed = (up: boolean, reason: string): void => {
    onLink(up, reason);
    if (up === wasUp) return;
    wasUp = up;
    for (const hear of listeners) hear(up);
  };
  const link: Link = new Link({
    url,
    clock,
    create: (address, options) => new Redis(address, options),
    channel,
    onMessage: (message) => news.heard(message),
    replica,
    onUp: (memory) => {
      void news.catchUp(memory);
      changed(true, '');
    },
    onDown: (reason) => changed(false, reason),
  });
  const news = new RedisNews(link, { replica, channel }, clock);
  await link.start();
  return {
    get up() {
      return link.up;
    },
    limits: redisLimits(link, replica),
    news,
    probes: redisProbes(link, replica, clock),
    onChange: (hear) => void listeners.push(hear),
    close: () => link.close(),
  };
}
