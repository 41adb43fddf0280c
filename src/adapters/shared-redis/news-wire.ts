/** News of health and keys over Redis: told to all, kept for those who come later (H-4). */
import type { Clock } from '../../ports/clock.ts';
import type { News, NewsWire } from '../../ports/shared.ts';
import { FOR_EVER, later, placeOf } from '../shared-board.ts';
import type { Link, Memory } from './link.ts';
import { BOARD, TELL } from './scripts/news.ts';

/** Where replicas of this layout speak. A server has its channels for all of its databases. */
export function channelOf(url: string): string {
  return `us1:news:${/\/(\d+)(\?.*)?$/.exec(url)?.[1] ?? '0'}`;
}

const BOARD_KEY = 'us1:h';
/** News that are remembered for a shared state that was away, at most: beyond them the oldest are dropped. */
const MOST = 1000;
/** A failure makes its next equal request a retry: nobody repeats sooner. */
const GATHER_MS = 20;

/** What this replica has told and still holds, as far as it knows. */
interface Standing {
  readonly news: News;
  /** Monotonic ms at which it was told. */
  readonly at: number;
  /** The board has it. */
  isKept: boolean;
}

/** Who speaks, and where. */
interface Self {
  readonly replica: string;
  readonly channel: string;
}

export class RedisNews implements NewsWire {
  readonly #link: Pick<Link, 'run' | 'send' | 'up'>;
  readonly #replica: string;
  readonly #channel: string;
  readonly #clock: Pick<Clock, 'now' | 'after'>;
  /** By field of the board. */
  readonly #standing = new Map<string, Standing>();
  /** Ends that have not been told. */
  #ends: News[] = [];
  /** Of single requests: told together. */
  #soon: News[] = [];
  readonly #listeners: ((news: News) => void)[] = [];

  constructor(link: Pick<Link, 'run' | 'send' | 'up'>, self: Self, clock: Pick<Clock, 'now' | 'after'>) {
    this.#link = link;
    this.#replica = self.replica;
    this.#channel = self.channel;
    this.#clock = clock;
  }

  tell(news: News): void {
    const { field, away } = placeOf(news);
    if (field === null && away.length === 0) {
      this.#tellSoon(news);
      return;
    }
    for (const gone of away) this.#standing.delete(gone);
    if (field !== null) this.#keep(field, { news, at: this.#clock.now(), isKept: false });
    void this.#put(news).then((told) => {
      if (!told && field === null) this.#ends = [...this.#ends.slice(1 - MOST), news];
    });
  }

  hear(listener: (news: News) => void): void {
    this.#listeners.push(listener);
  }

  /** What a replica has said, as it came. */
  heard(message: string): void {
    const { from, news } = JSON.parse(message) as { readonly from: string; readonly news: readonly News[] };
    if (from === this.#replica) return;
    for (const one of news) {
      for (const gone of placeOf(one).away) this.#standing.delete(gone);
      this.#pass(one);
    }
  }

  /**
   * Connected: tells what could not be told, and of a server that knows nothing any more all that still holds; then takes
   * over what others have told.
   */
  async catchUp(memory: Memory): Promise<void> {
    const now = this.#clock.now();
    for (const news of this.#ends.splice(0)) await this.#put(news);
    for (const [field, { news, at, isKept }] of [...this.#standing]) {
      const left = later(news, now - at);
      if (left === null) this.#standing.delete(field);
      else if (!isKept || memory === 'new') await this.#put(left);
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
    const args = [this.#message([news]), this.#channel, field ?? '', JSON.stringify(news), Math.ceil(forMs), ...away];
    const told = (await this.#link.run([{ script: TELL, keys: [BOARD_KEY], args }])) !== null;
    const standing = field === null ? undefined : this.#standing.get(field);
    if (standing !== undefined) standing.isKept ||= told;
    return told;
  }

  #tellSoon(news: News): void {
    if (!this.#link.up) return;
    this.#soon.push(news);
    if (this.#soon.length > 1) return;
    this.#clock.after(GATHER_MS, () => this.#link.send('PUBLISH', this.#channel, this.#message(this.#soon.splice(0))));
  }

  #message(news: readonly News[]): string {
    return JSON.stringify({ from: this.#replica, news });
  }

  #keep(field: string, standing: Standing): void {
    this.#standing.delete(field);
    this.#standing.set(field, standing);
    if (this.#standing.size > MOST) this.#standing.delete(this.#standing.keys().next().value!);
  }

  #pass(news: News): void {
    for (const listener of this.#listeners) listener(news);
  }
}
