import { bad, good, type Read } from '../request/read.ts';
import type { Rung } from './rungs.ts';

/** A static answer must exist when it is asked for, not only when it is needed (E-4). `answers`: those configured. */
export function checkRungs(rungs: readonly Rung[], answers: { has(name: string): boolean }): Read<null> {
  for (const rung of rungs) {
    if (rung.kind !== 'default' || answers.has(rung.name)) continue;
    const param = 'redundancy.on_exhausted';
    const shown = JSON.stringify(rung.name.slice(0, 100));
    return bad('invalid_redundancy', `\`${param}\` names the default ${shown}, which is not configured here`, param);
  }
  return good(null);
}
