/** How long it still takes, counting down; all of them tick together, and none while the page is hidden. */
import { clockOf } from '../../parts/clock.ts';
import { formatDuration, formatInstant } from '../../parts/format.ts';
import { useLanguage } from '../../words/words.ts';

const useNow = clockOf(1000);

export interface CountdownProps {
  readonly until: string;
  /** What is said with the time that is left. */
  readonly children: (wait: string) => string;
  /** What is said when it is over. */
  readonly over: string;
}

export function Countdown({ until, children, over }: CountdownProps) {
  const language = useLanguage();
  const left = Date.parse(until) - useNow();
  return (
    <time dateTime={until} title={formatInstant(Date.parse(until), language)}>
      {left <= 0 ? over : children(formatDuration(Math.max(1, Math.round(left / 1000)) * 1000))}
    </time>
  );
}
