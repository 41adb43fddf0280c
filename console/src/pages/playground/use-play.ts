/** One try of the playground: sent, followed, stopped; its key goes with the page. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { beforeSignOut } from '../../session/session.ts';
import { dropPlayKey, playKey } from './play-key.ts';
import { type Answer, NO_ANSWER, type Order, send } from './send.ts';

export interface Play {
  /** Null = nothing was sent yet. */
  readonly answer: Answer | null;
  /** By which the trace is found: the gateway's id once it is known, ours before. */
  readonly traceId: string | null;
  readonly busy: boolean;
  /** When the last one was over, by this browser's clock; null = it runs, or there was none. */
  readonly endedAt: number | null;
  /** Why there is no key to send with. */
  readonly trouble: unknown;
  readonly start: (order: Order, workspace: string | null) => void;
  readonly stop: () => void;
}

export function usePlay(): Play {
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [clientId, setClientId] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [endedAt, setEndedAt] = useState<number | null>(null);
  const [trouble, setTrouble] = useState<unknown>(null);
  const abort = useRef<AbortController | null>(null);

  const stop = useCallback(() => abort.current?.abort(), []);

  const start = useCallback(async (order: Order, workspace: string | null) => {
    abort.current?.abort();
    const mine = new AbortController();
    abort.current = mine;
    const id = `playground-${crypto.randomUUID()}`;
    const isMine = (): boolean => abort.current === mine;
    setBusy(true);
    setEndedAt(null);
    setTrouble(null);
    setAnswer(NO_ANSWER);
    setClientId(id);
    try {
      const { secret } = await playKey(workspace);
      if (mine.signal.aborted) return;
      const tell = (next: Answer): void => {
        // A key that is known no more, ended or revoked by somebody: the next try makes another.
        if (next.status === 401) void dropPlayKey();
        if (isMine()) setAnswer(next);
      };
      await send(order, { secret, clientId: id, signal: mine.signal, tell });
    } catch (thrown) {
      if (!isMine()) return;
      setTrouble(thrown);
      setAnswer(null);
      // Nothing was sent: there is no trace to look for.
      setClientId(null);
    } finally {
      if (isMine()) {
        setBusy(false);
        setEndedAt(Date.now());
      }
    }
  }, []);

  useEffect(() => {
    window.addEventListener('pagehide', dropPlayKey);
    // Once signed out nobody could revoke it.
    const stays = beforeSignOut(dropPlayKey);
    return () => {
      window.removeEventListener('pagehide', dropPlayKey);
      stays();
      abort.current?.abort();
      void dropPlayKey();
    };
  }, []);

  return {
    answer,
    traceId: answer?.requestId ?? clientId,
    busy,
    endedAt,
    trouble,
    start: (order, workspace) => void start(order, workspace),
    stop,
  };
}
