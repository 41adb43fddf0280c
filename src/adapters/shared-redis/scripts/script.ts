/** A script inside Redis: known there by its digest, so that replicas of two versions run their own beside each other. */
import { createHash } from 'node:crypto';

export interface Script {
  readonly name: string;
  readonly source: string;
  /** SHA-1 of the source, as Redis names it. */
  readonly digest: string;
}

/** `version` counts up with each change of what it does or of what it is handed. */
export function script(name: string, version: number, body: string): Script {
  const source = `-- ${name} v${version}\n${body}`;
  return { name, source, digest: createHash('sha1').update(source).digest('hex') };
}

/** Redis’ own clock, whole ms: no replica’s is asked. */
export const CLOCK = `local function clock()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
`;
