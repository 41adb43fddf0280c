/**
 * What several boards inside one process share (H-4): the promise of the port without a server. Replicas that share
 * nothing need none of it; it is the measure that the one over Redis is held against.
 */
import type { LimitScope } from '../../core/limits/limits.ts';
import { SharedScope } from '../../core/limits/shared-scope.ts';
import type { Clock } from '../../ports/clock.ts';
import type { News, Shared } from '../../ports/shared.ts';
import { later, placeOf } from '../shared-board.ts';

/** Whoever joins is a replica. */
export class SharedHub {
  readonly #clock: Pick<Clock, 'now'>;
  #scopes = new Map<string, SharedScope>();
  readonly #members = new Set<Member>();
  readonly #probes = new Map<string, string>();
  /** By field: what holds, told at an instant of the clock. */
  readonly #board = new Map<string, { readonly news: News; readonly at: number }>();
  #up = true;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  get up(): boolean {
    return this.#up;
  }

  /** Away, or back again. */
  set up(up: boolean) {
    if (up === this.#up) return;
    this.#up = up;
    for (const { changed } of this.#members) for (const hear of changed) hear(up);
  }

  /** As after a restart of a server that keeps nothing. */
  empty(): void {
    this.#scopes = new Map();
  }

  /** One replica’s view; `name` is its own. */
  join(name: string): Shared {
    const member: Member = { changed: [], listeners: [] };
    this.#members.add(member);
    const up = (): boolean => this.#up;
    return {
      get up() {
        return up();
      },
      limits: {
        take: async (asks) => {
          if (!this.#up) return null;
          return asks.map((ask) => this.#scope(ask.scope).take(name, ask, this.#clock.now()));
        },
        forget: (scope) => void this.#scopes.delete(nameOf(scope)),
      },
      news: {
        tell: (news) => this.#tell(member, news),
        hear: (listener) => {
          member.listeners.push(listener);
          for (const news of this.#standing()) listener(news);
        },
      },
      probes: {
        take: async (channel) => (this.#up ? this.#probe(channel, name) : null),
        end: (channel) => {
          if (this.#probes.get(channel) === name) this.#probes.delete(channel);
        },
      },
      onChange: (hear) => void member.changed.push(hear),
      close: async () => void this.#members.delete(member),
    };
  }

  #scope(scope: LimitScope): SharedScope {
    const name = nameOf(scope);
    const known = this.#scopes.get(name) ?? new SharedScope();
    this.#scopes.set(name, known);
    return known;
  }

  #tell(from: Member, news: News): void {
    if (!this.#up) return;
    const { field, away } = placeOf(news);
    for (const gone of away) this.#board.delete(gone);
    const at = this.#clock.now();
    const known = field === null ? undefined : this.#board.get(field);
    // What holds longer stays.
    const isLonger = known === undefined || endOf(news, at) > endOf(known.news, known.at);
    if (field !== null && isLonger) this.#board.set(field, { news, at });
    for (const member of this.#members) {
      if (member !== from) for (const hear of member.listeners) hear(news);
    }
  }

  #standing(): News[] {
    const now = this.#clock.now();
    return [...this.#board.values()].map(({ news, at }) => later(news, now - at)).filter((news) => news !== null);
  }

  #probe(channel: string, name: string): boolean {
    const holder = this.#probes.get(channel) ?? name;
    this.#probes.set(channel, holder);
    return holder === name;
  }
}

interface Member {
  readonly changed: ((up: boolean) => void)[];
  readonly listeners: ((news: News) => void)[];
}

/** When news that were told at `at` hold no longer. */
function endOf(news: News, at: number): number {
  return 'forMs' in news ? at + news.forMs : Number.POSITIVE_INFINITY;
}

function nameOf({ kind, id }: Pick<LimitScope, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}
