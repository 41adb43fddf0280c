/** D-5: which answers were cut by their length, and how a longer one is asked for. */
import type { Degrade } from '../../core/request/redundancy-types.ts';
import { jsonBytes } from '../bytes/text.ts';
import type { Answer, ClientRequest } from '../contract.ts';
import { requestAsks } from './asks.ts';
import { fieldsToDrop, OUTPUT_LIMIT } from './degrade.ts';
import { numberOf, valueGiven } from './fields.ts';
import { CUT_FINISH } from './finish-words.ts';
import type { RequestEdits } from './request-edits.ts';

export function isCut({ finishReasons }: Answer): boolean {
  return finishReasons.includes(CUT_FINISH);
}

/** Twice the output budget, as far as model and entry allow; null = not more than before. */
export function longerOutput(
  request: ClientRequest,
  degrade: Degrade | null,
  { usage }: Answer,
  most: number | null,
): number | null {
  if (dropsLimit(degrade)) return null;
  const { maxOutputTokens, answers } = requestAsks(request, degrade);
  const used = usage?.output == null ? null : Math.ceil(usage.output / answers);
  const before = maxOutputTokens ?? used;
  if (before === null || before < 1) return null;
  const bounds = [2 * before, most, degrade?.max_output_tokens ?? null].filter((bound) => bound !== null);
  const longer = Math.min(...bounds);
  return longer > before ? longer : null;
}

/** Notes the higher limit; in words for the attempt's record as well. */
export function raiseInto(edits: RequestEdits, degrade: Degrade | null, tokens: number): readonly string[] {
  if (dropsLimit(degrade)) return [];
  const before = edits.config === null ? null : numberOf(valueGiven(edits.config, OUTPUT_LIMIT));
  edits.setInConfig(OUTPUT_LIMIT, jsonBytes(tokens));
  return [before === null ? `${OUTPUT_LIMIT} set to ${tokens}` : `${OUTPUT_LIMIT} ${before} → ${tokens}`];
}

function dropsLimit(degrade: Degrade | null): boolean {
  return degrade !== null && fieldsToDrop(degrade).config.includes(OUTPUT_LIMIT);
}
