/** Other replicas of this gateway (H-4): what happens here is told to them, what they tell is taken up here. */
import type { News, Shared, SharedProbes } from '../ports/shared.ts';
import type { Gateway } from './gateway.ts';

/** What a request or an operator tells of. */
export interface Peers {
  tell(news: News): void;
  readonly probes: SharedProbes;
}

type Followers = Pick<Gateway, 'board' | 'keyBreaker' | 'retryWatch' | 'clock'> & {
  readonly limits: Pick<Gateway['limits'], 'forget'>;
};

/** From here on both sides hear of each other. */
export function joinPeers(parts: Followers, { news, probes }: Pick<Shared, 'news' | 'probes'>): Peers {
  const tell = (one: News): void => news.tell(one);
  parts.board.onNews(tell);
  news.hear((heard) => take(parts, heard));
  return { tell, probes };
}

/** Nothing of it is told on. */
function take({ board, keyBreaker, retryWatch, limits, clock }: Followers, news: News): void {
  const now = clock.now();
  switch (news.kind) {
    case 'suspended':
      keyBreaker.suspend(news.key, news.forMs, now);
      return;
    case 'banned':
      keyBreaker.restore([news]);
      return;
    case 'lifted':
      keyBreaker.lift(news.key, now, clock.wall());
      return;
    case 'afresh':
      keyBreaker.lift(news.key, now, clock.wall());
      limits.forget({ kind: 'key', id: news.key }, now, clock.wall());
      return;
    case 'unanswered':
      retryWatch.note(news.key, news.fingerprint, now, news.calls, news.failed);
      return;
    case 'answered':
      retryWatch.forget(news.key, news.fingerprint);
      return;
    default:
      board.learn(news, now);
  }
}
