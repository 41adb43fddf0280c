/** Where nobody tells of runs elsewhere, whoever waits looks by itself: their end is seen, their bytes are not (I-6). */
import type { Clock } from '../../ports/clock.ts';
import type { RemoteJoins } from '../../ports/remote-joins.ts';

export function lookingOnly(clock: Clock): Pick<RemoteJoins, 'wait'> {
  return {
    wait: () => ({
      parts: async () => [],
      woken: (ms) => new Promise((resolve) => void clock.after(ms, resolve)),
      leave: () => undefined,
    }),
  };
}
