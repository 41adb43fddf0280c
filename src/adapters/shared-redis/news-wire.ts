/** News of health and keys over Redis: told to all, kept for those who come later (H-4). */
import type { Clock } from '../../ports/clock.ts';
import type { News, NewsWire } from '../../ports/shared.ts';
import type { Link } from './link.ts';
import { BOARD, TELL } from './scripts/news.ts';

/** Where replicas of this layout speak. */
export const CHANNEL = 'us1:news';
const BOARD_KEY = 'us1:h';
/** Until it is taken away. */
const FOR_EVER = -1;
/** News that wait for the shared state to come back, at most: beyond them the oldest are dropped. */
const WAITING = 1000;

/** Where news stand on the board, and what they take away from it. */
interface Place {
  /** Null = nothing is kept of it. */
  readonly field: string | null;
  readonly forMs: number;
  readonly away: readonly string[];
}

interface Waiting {
  readonly news: News;
  /** Monotonic ms at which it was told. */
  readonly at: number;
}

export class RedisNews implements NewsWire {
  readonly #link: Pick<Link, 'run' | 'up'>;
  readonly #replica: string;
  readonly #clock: Pick<Clock, 'now'>;
  #waiting: Waiting[] = [];
  readonly #listeners: ((news: News) => void)[] = [];

  constructor(link: Pick<Link, 'run' | 'up'>, replica: string, clock: Pick<Clock, 'now'>) {
    this.#link = link;
    this.#replica = replica;
    this.#clock = clock;
  }

  tell(news: News): void {
    const at = this.#clock.now();
    if (this.#link.up) void this.#put(news).then((told) => told || this.#keep({ news, at }));
    else this.#keep({ news, at });
  }

  hear(listener: (news: News) => void): void {
    this.#listeners.push(listener);
  }

  /** What a replica has said, as it came. */
  heard(message: string): void {
    const { from, news } = JSON.parse(message) as { readonly from: string; readonly news: News };
    if (from !== this.#replica) this.#pass(news);
  }

  /** Connected: tells what has waited, then takes over all that holds. */
  async catchUp(): Promise<void> {
    const now = this.#clock.now();
    for (const { news, at } of this.#waiting.splice(0)) {
      const left = later(news, now - at);
      if (left !== null) await this.#put(left);
    }
    const answers = await this.#link.run([{ script: BOARD, keys: [BOARD_KEY], args: [] }]);
    const found = (answers?.[0] ?? []) as readonly (string | number)[];
    for (let i = 0; i + 1 < found.length; i += 2) {
      const news = JSON.parse(String(found[i])) as News;
      const forMs = Number(found[i + 1]);
      this.#pass(forMs === FOR_EVER ? news : ({ ...news, forMs } as News));
    }
  }

  async #put(news: News): Promise<boolean> {
    const { field, forMs, away } = placeOf(news);
    const message = JSON.stringify({ from: this.#replica, news });
    const args = [message, CHANNEL, field ?? '', JSON.stringify(news), Math.ceil(forMs), ...away];
    return (await this.#link.run([{ script: TELL, keys: [BOARD_KEY], args }])) !== null;
  }

  #keep(waiting: Waiting): void {
    this.#waiting.push(waiting);
    if (this.#waiting.length > WAITING) this.#waiting.shift();
  }

  #pass(news: News): void {
    for (const listener of this.#listeners) listener(news);
  }
}

function placeOf(news: News): Place {
  switch (news.kind) {
    case 'rest': {
      const both = [`guess ${news.key}`, `rest ${news.key}`];
      if (news.forMs <= 0) return { field: null, forMs: 0, away: both };
      // Apart: a guess never takes the place of a stated time.
      return { field: news.reason === 'cooling_backoff' ? both[0]! : both[1]!, forMs: news.forMs, away: [] };
    }
    case 'circuit': {
      const field = `circuit ${news.channel}`;
      return news.forMs > 0 ? { field, forMs: news.forMs, away: [] } : { field: null, forMs: 0, away: [field] };
    }
    case 'drain':
      return { field: `drain ${news.id}`, forMs: FOR_EVER, away: [] };
    case 'undrain':
      return { field: null, forMs: 0, away: [`drain ${news.id}`] };
    case 'suspended':
      return { field: `key ${news.key}`, forMs: news.forMs, away: [] };
    case 'banned':
      return { field: `ban ${news.key}`, forMs: FOR_EVER, away: [] };
    case 'lifted':
    case 'afresh':
      return { field: null, forMs: 0, away: [`key ${news.key}`, `ban ${news.key}`] };
    case 'unanswered':
    case 'answered':
      return { field: null, forMs: 0, away: [] };
  }
}

/** The same so many ms later; null = it is over. */
function later(news: News, ms: number): News | null {
  if (!('forMs' in news) || news.forMs <= 0) return news;
  return news.forMs > ms ? { ...news, forMs: news.forMs - ms } : null;
}
