/** How the lives of a gateway end: at named steps of the ledger, and at moments nobody chose. */

export interface Life {
  /** As UNDERSTUDY_FAULT; empty = none. */
  readonly faults: string;
  /** Killed after so many deliveries; null = not so. */
  readonly deliveries: number | null;
  /** Killed so many ms after it was told to start; null = not so. */
  readonly startMs: number | null;
  /** Keys have expired before it. */
  readonly forgets: boolean;
}

const STEPS = ['claim', 'start', 'end', 'succeed', 'fail'];
const sides = (step: string): string[] => [`before:${step}`, `after:${step}`];
const SERVING = STEPS.flatMap(sides);
const RECOVERING = sides('recover');
const EXPIRING = sides('expire');

/** Every fault point there is. */
export const POINTS: readonly string[] = [...SERVING, ...RECOVERING, ...EXPIRING];

const EACH_SERVING = 10;
const EACH_CARING = 8;
const MOMENTS = 84;

const none: Life = { faults: '', deliveries: null, startMs: null, forgets: false };

/**
 * Deaths in an order drawn once. `alone`: whoever starts closes what the one before it left; where others live, that is
 * for those to do who have lived for a while.
 */
export function planLives(draw: (below: number) => number, alone: boolean): readonly Life[] {
  const lives: Life[] = [];
  for (let n = 0; n < EACH_SERVING; n += 1) {
    for (const point of SERVING) {
      // Every third armed at more than one point: whichever comes first.
      const others = n % 3 === 2 ? [SERVING[draw(SERVING.length)]!, SERVING[draw(SERVING.length)]!] : [];
      const points = [...new Set([point, ...others])].map((name) => `${name}:${1 + draw(5)}`);
      lives.push({ ...none, faults: points.join(',') });
    }
  }
  for (let n = 0; n < EACH_CARING; n += 1) {
    const caring = alone ? [...RECOVERING, ...EXPIRING] : EXPIRING;
    for (const point of caring) lives.push({ ...none, faults: `${point}:1`, forgets: point.endsWith('expire') });
  }
  for (let n = 0; n < MOMENTS; n += 1) {
    const isEarly = n % 3 === 0;
    lives.push({ ...none, ...(isEarly ? { startMs: 20 + draw(300) } : { deliveries: 1 + draw(25) }) });
  }
  for (let at = lives.length - 1; at > 0; at -= 1) {
    const other = draw(at + 1);
    [lives[at], lives[other]] = [lives[other]!, lives[at]!];
  }
  return lives;
}

/** Of the replica that lives until it has something to close, its nth life. */
export function closerLife(n: number): Life {
  return { ...none, faults: `${RECOVERING[n % RECOVERING.length]}:${1 + ((n >> 1) % 3)}` };
}
