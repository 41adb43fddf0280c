/** The one probe of a half-open circuit among all replicas, over Redis (H-1, H-4). */
import type { Cancel, Clock } from '../../ports/clock.ts';
import { SHARED_MS, type SharedProbes } from '../../ports/shared.ts';
import type { Link } from './link.ts';
import { END_PROBE, PROBE } from './scripts/probe.ts';
import { within } from './within.ts';

/** A replica that is gone keeps a probe for so long; one that lives says so in time. */
const HELD_MS = 15_000;
const RENEW_MS = 5000;

export function redisProbes(link: Pick<Link, 'run'>, replica: string, clock: Clock): SharedProbes {
  const held = new Map<string, Cancel>();
  const ask = async (channel: string): Promise<boolean | null> => {
    const answers = await link.run([{ script: PROBE, keys: [keyOf(channel)], args: [replica, HELD_MS] }]);
    return answers === null ? null : Number(answers[0]) === 1;
  };
  const renew = (channel: string): void => {
    held.set(
      channel,
      clock.after(RENEW_MS, () => {
        void ask(channel);
        if (held.has(channel)) renew(channel);
      }),
    );
  };
  const end = (channel: string): void =>
    void link.run([{ script: END_PROBE, keys: [keyOf(channel)], args: [replica] }]);
  return {
    async take(channel) {
      const asked = ask(channel);
      const mine = await within(clock, SHARED_MS, asked);
      if (mine === true && !held.has(channel)) renew(channel);
      // Nobody has waited for it: it must not keep others from theirs.
      if (mine === null) void asked.then((late) => late === true && !held.has(channel) && end(channel));
      return mine;
    },
    end(channel) {
      held.get(channel)?.();
      if (held.delete(channel)) end(channel);
    },
  };
}

function keyOf(channel: string): string {
  return `us1:p:{${channel}}`;
}
