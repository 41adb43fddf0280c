/** Time that goes on on the screen: one timer for all who show it, none while nobody does or looks. */
import { useSyncExternalStore } from 'react';
import { serverNow } from '../api/clock.ts';

/** A hook that gives the gateway's time, every `tickMs`. Made once, beside its users. */
export function clockOf(tickMs: number): () => number {
  const listeners = new Set<() => void>();
  let now = serverNow();
  let timer: ReturnType<typeof setInterval> | null = null;

  const tick = (): void => {
    if (document.hidden) return;
    now = serverNow();
    for (const listener of listeners) listener();
  };
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    if (timer === null) {
      now = serverNow();
      timer = setInterval(tick, tickMs);
    }
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0 || timer === null) return;
      clearInterval(timer);
      timer = null;
    };
  };
  return () => useSyncExternalStore(subscribe, () => now);
}
