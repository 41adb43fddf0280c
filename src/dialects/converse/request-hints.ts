/** Hints that this dialect has words for: metadata and the tier of service. */
import type { JsonText } from '../canonical.ts';
import { dropped, sortHints } from '../cross/hints.ts';
import type { RequestChanges } from './request-changes.ts';

const CARRIED: ReadonlySet<string> = new Set(['metadata', 'service_tier']);
const TIERS: ReadonlySet<string> = new Set(['default', 'flex', 'priority', 'reserved']);
/** Tiers that ask for nothing. */
const USUAL: ReadonlySet<string> = new Set(['auto', 'default']);
const MOST_PAIRS = 16;
const PAIR_TEXT = /^[A-Za-z0-9\s:_@$#=/+,\-.]{0,256}$/;

export function writeHints(
  hints: ReadonlyMap<string, JsonText>,
  changes: RequestChanges,
): (readonly [string, JsonText])[] {
  const sorted = sortHints(hints, CARRIED);
  for (const words of sorted.changes) changes.note(words);
  const members: (readonly [string, JsonText])[] = [];
  const metadata = sorted.kept.get('metadata');
  if (metadata !== undefined && metadata !== '{}') {
    if (isTaken(JSON.parse(metadata))) members.push(['requestMetadata', metadata]);
    else changes.note(dropped('metadata'));
  }
  const tier = sorted.kept.get('service_tier');
  const word: unknown = tier === undefined ? 'auto' : JSON.parse(tier);
  if (typeof word === 'string' && TIERS.has(word) && !USUAL.has(word)) {
    members.push(['serviceTier', `{"type":${JSON.stringify(word)}}`]);
  } else if (typeof word !== 'string' || !USUAL.has(word)) changes.note(dropped('service_tier'));
  return members;
}

/** A few short pairs of plain letters, all of them texts. */
function isTaken(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const pairs = Object.entries(value);
  return (
    pairs.length <= MOST_PAIRS &&
    pairs.every(([key, text]) => key !== '' && PAIR_TEXT.test(key) && typeof text === 'string' && PAIR_TEXT.test(text))
  );
}
