/** Whoever is banned at one replica is banned at all of them, and free at all once one has lifted it (G-6). */

import { bansIn } from '../adapters/ban-keeper.ts';
import type { KeyBreaker } from '../core/key-breaker/key-breaker.ts';
import type { Ban } from '../ports/bans.ts';
import type { Clock } from '../ports/clock.ts';
import type { StoredObject } from '../ports/object-store.ts';
import type { Configuration } from './configuration.ts';

type Breaker = Pick<KeyBreaker, 'restore' | 'lift'>;

export function followBans(configuration: Pick<Configuration, 'onLoaded'>, breaker: Breaker, clock: Clock): void {
  configuration.onLoaded((before, after) => {
    const [had, has] = [bannedIn(before), bannedIn(after)];
    breaker.restore([...has.values()].filter(({ key }) => !had.has(key)));
    for (const key of had.keys()) if (!has.has(key)) breaker.lift(key, clock.now(), clock.wall());
  });
}

function bannedIn(objects: readonly StoredObject[]): ReadonlyMap<string, Ban> {
  return new Map(bansIn(objects).map((ban) => [ban.key, ban]));
}
