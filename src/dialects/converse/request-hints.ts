/** Hints that this dialect has words for: metadata, the tier of service, what a cache may keep. */
import type { JsonText } from '../canonical.ts';
import { dropped, leftOut, takeHints } from '../cross/hints.ts';
import { objectText } from '../cross/json-text.ts';
import type { RequestChanges } from '../cross/request-changes.ts';

const CARRIED: ReadonlySet<string> = new Set(['metadata', 'user', 'service_tier', 'cache_control']);
const TIERS: ReadonlySet<string> = new Set(['flex', 'priority', 'reserved']);
const MOST_PAIRS = 16;
const PAIR_TEXT = /^[A-Za-z0-9\s:_@$#=/+,\-.]{0,256}$/;

export interface WrittenHints {
  readonly members: readonly (readonly [string, JsonText])[];
  /** The block behind which a cache may keep the request; null = none. */
  readonly cachePoint: JsonText | null;
}

/** `caches`: the model is known to take cache points. */
export function writeHints(
  hints: ReadonlyMap<string, JsonText>,
  caches: boolean,
  changes: RequestChanges,
): WrittenHints {
  const kept = takeHints(hints, CARRIED, changes);
  const members: (readonly [string, JsonText])[] = [];
  const metadata = metadataText(kept, changes);
  if (metadata !== null) members.push(['requestMetadata', metadata]);
  const tier = kept.get('service_tier') ?? '"auto"';
  if (TIERS.has(tier.slice(1, -1))) members.push(['serviceTier', objectText([['type', tier]])]);
  else if (tier === '"default"') changes.mention(leftOut('service_tier'));
  else if (tier !== '"auto"') changes.note(dropped('service_tier'));
  const mark = kept.get('cache_control');
  const isMark = caches && mark?.includes('"ephemeral"') === true;
  if (mark !== undefined && !isMark) changes.note(dropped('cache_control'));
  return { members, cachePoint: isMark ? pointText(mark.includes('"1h"')) : null };
}

function pointText(long: boolean): JsonText {
  return `{"cachePoint":{"type":"default"${long ? ',"ttl":"1h"' : ''}}}`;
}

/** A few short pairs of plain letters, all of them texts; who asks is one of them. */
function metadataText(kept: ReadonlyMap<string, JsonText>, changes: RequestChanges): JsonText | null {
  const given = kept.get('metadata');
  const user = kept.get('user');
  const pairs: [string, JsonText][] = [];
  if (given !== undefined) {
    const value: unknown = JSON.parse(given);
    if (isTaken(value)) for (const [key, text] of Object.entries(value)) pairs.push([key, JSON.stringify(text)]);
    else changes.note(dropped('metadata'));
  }
  if (user !== undefined) {
    const told = pairs.find(([key]) => key === 'user_id')?.[1];
    const taken = isTaken({ user_id: JSON.parse(user) as unknown });
    if (told !== undefined) {
      if (told !== user) changes.note(dropped('user'));
    } else if (taken && pairs.length < MOST_PAIRS) pairs.push(['user_id', user]);
    else changes.note(dropped('user'));
  }
  return pairs.length === 0 ? null : objectText(pairs);
}

function isTaken(value: unknown): value is Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const pairs = Object.entries(value);
  return (
    pairs.length <= MOST_PAIRS &&
    pairs.every(([key, text]) => key !== '' && PAIR_TEXT.test(key) && typeof text === 'string' && PAIR_TEXT.test(text))
  );
}
