/** D-5: which answers were cut by their length, and how a longer one is asked for. */
import type { Degrade } from '../../core/request/redundancy-types.ts';
import { type BodyView, readJson, valueByte } from '../bytes/body-view.ts';
import { type Edit, setJson } from '../bytes/edit.ts';
import type { Answer, ClientRequest } from '../contract.ts';
import { requestAsks } from './asks.ts';
import { fieldsToDrop, OUTPUT_LIMITS } from './degrade.ts';

/** The second is what some compatible servers say. A full context window is another thing: more room does not help. */
const CUT_FINISH: ReadonlySet<string> = new Set(['length', 'max_tokens']);

export function isCut({ finishReasons }: Answer): boolean {
  return finishReasons.some((reason) => CUT_FINISH.has(reason));
}

/** Twice the output budget, as far as model and entry allow; null = not more than before. */
export function longerOutput(
  request: ClientRequest,
  degrade: Degrade | null,
  { usage }: Answer,
  most: number | null,
): number | null {
  if (limitToRaise(request.view, degrade) === null) return null;
  const { maxOutputTokens, answers } = requestAsks(request, degrade);
  const used = usage?.output == null ? null : Math.ceil(usage.output / answers);
  const before = maxOutputTokens ?? used;
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
  const keys = limitToRaise(view, degrade) ?? [];
  return {
    edits: keys.map((key) => setJson(key, tokens)),
    changes: keys.map((key) => {
      const before = readJson(view, key);
      return typeof before === 'number' ? `${key} ${before} → ${tokens}` : `${key} set to ${tokens}`;
    }),
  };
}

/** The limits that the client used, or the one it would use; null = the entry drops them all. */
function limitToRaise(view: BodyView, degrade: Degrade | null): readonly string[] | null {
  const dropped = degrade === null ? [] : fieldsToDrop(degrade);
  const open = OUTPUT_LIMITS.filter((key) => !dropped.includes(key));
  const used = open.filter((key) => valueByte(view, key) !== 0 && readJson(view, key) !== null);
  if (used.length > 0) return used;
  return open.length === 0 ? null : open.slice(0, 1);
}
