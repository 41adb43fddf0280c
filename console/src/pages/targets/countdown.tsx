/** How long it still takes, counting down; all of them tick together, and none while the page is hidden. */
import { useSyncExternalStore } from 'react';
import { serverNow } from '../../api/clock.ts';
import { formatDuration, formatInstant } from '../../parts/format.ts';
import { useLanguage } from '../../words/words.ts';

const TICK_MS = 1000;
const listeners = new Set<() => void>();
let now = serverNow();
let timer: ReturnType<typeof setInterval> | null = null;

function tick(): void {
  if (document.hidden) return;
  now = serverNow();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  now = serverNow();
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

export interface CountdownProps {
  readonly until: string;
  /** What is said with the time that is left. */
  readonly children: (wait: string) => string;
  /** What is said when it is over. */
  readonly over: string;
}

export function Countdown({ until, children, over }: CountdownProps) {
  const language = useLanguage();
  const left = Date.parse(until) - useSyncExternalStore(subscribe, () => now);
  return (
    <time dateTime={until} title={formatInstant(Date.parse(until), language)}>
      {left <= 0 ? over : children(formatDuration(Math.max(1, Math.round(left / 1000)) * 1000))}
    </time>
  );
}
