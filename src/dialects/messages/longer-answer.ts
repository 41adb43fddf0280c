/** D-5: which answers were cut by their length, and how a longer one is asked for. */
import type { Degrade } from '../../core/request/redundancy-types.ts';
import { type BodyView, readInteger } from '../bytes/body-view.ts';
import { type Edit, setJson } from '../bytes/edit.ts';
import type { Answer, ClientRequest } from '../contract.ts';
import { requestAsks } from './asks.ts';

/** A full context window is another thing: more room for the answer does not help. */
const CUT_REASON = 'max_tokens';

export function isCut({ finishReasons }: Answer): boolean {
  return finishReasons.includes(CUT_REASON);
}

/** Twice the output budget, as far as model and entry allow; null = not more than before. */
export function longerOutput(
  request: ClientRequest,
  degrade: Degrade | null,
  { usage }: Answer,
  most: number | null,
): number | null {
  const before = requestAsks(request, degrade).maxOutputTokens ?? usage?.output ?? null;
  if (before === null || before < 1) return null;
  const bounds = [2 * before, most, degrade?.max_output_tokens ?? null].filter((bound) => bound !== null);
  const longer = Math.min(...bounds);
  return longer > before ? longer : null;
}

/** The request's edit for a longer answer, in words for the attempt's record as well. */
export function raiseOutput(
  view: BodyView,
  tokens: number,
): { readonly edits: readonly Edit[]; readonly changes: readonly string[] } {
  const before = readInteger(view, 'max_tokens');
  return {
    edits: [setJson('max_tokens', tokens)],
    changes: [typeof before === 'number' ? `max_tokens ${before} → ${tokens}` : `max_tokens set to ${tokens}`],
  };
}
