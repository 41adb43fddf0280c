/** D-5: which answers were cut by their length, and how a longer one is asked for. */
import type { Degrade } from '../../core/request/redundancy-types.ts';
import { type BodyView, readJson } from '../bytes/body-view.ts';
import { type Edit, setJson } from '../bytes/edit.ts';
import type { Answer, ClientRequest } from '../contract.ts';
import { outputLimit } from './asks.ts';
import { fieldsToDrop, OUTPUT_LIMIT } from './degrade.ts';
import { isLengthFinish } from './finish.ts';

export function isCut({ finishReasons }: Answer): boolean {
  return finishReasons.some(isLengthFinish);
}

/** Twice the output budget, as far as model and entry allow; null = not more than before. */
export function longerOutput(
  { view }: ClientRequest,
  degrade: Degrade | null,
  { usage }: Answer,
  most: number | null,
): number | null {
  if (isDropped(degrade)) return null;
  const before = outputLimit(view, degrade) ?? usage?.output ?? null;
  if (before === null || before < 1) return null;
  const bounds = [2 * before, most, degrade?.max_output_tokens ?? null].filter((bound) => bound !== null);
  const longer = Math.min(...bounds);
  return longer > before ? longer : null;
}

/** The request's edit for a longer answer, in words for the attempt's record as well. */
export function raiseOutput(
  view: BodyView,
  degrade: Degrade | null,
  tokens: number,
): { readonly edits: readonly Edit[]; readonly changes: readonly string[] } {
  if (isDropped(degrade)) return { edits: [], changes: [] };
  const before = readJson(view, OUTPUT_LIMIT);
  const change = typeof before === 'number' ? `${before} → ${tokens}` : `set to ${tokens}`;
  return { edits: [setJson(OUTPUT_LIMIT, tokens)], changes: [`${OUTPUT_LIMIT} ${change}`] };
}

/** The entry takes the limit out: then there is none to raise. */
function isDropped(degrade: Degrade | null): boolean {
  return degrade !== null && fieldsToDrop(degrade).includes(OUTPUT_LIMIT);
}
