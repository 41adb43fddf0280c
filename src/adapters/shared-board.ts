/** The board of what holds among replicas (H-4): where news stand on it, for how long, and what they take away. */
import type { News } from '../ports/shared.ts';

/** Until it is taken away. */
export const FOR_EVER = -1;

/** Where news stand on the board, and what they take away from it. */
export interface Place {
  /** Null = nothing is kept of it. */
  readonly field: string | null;
  readonly forMs: number;
  readonly away: readonly string[];
}

export function placeOf(news: News): Place {
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

/** The same news so many ms later; null = it is over. */
export function later(news: News, ms: number): News | null {
  if (!('forMs' in news) || news.forMs <= 0) return news;
  return news.forMs > ms ? { ...news, forMs: news.forMs - ms } : null;
}
