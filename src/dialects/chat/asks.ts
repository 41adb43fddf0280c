/** What a request asks for, as far as its cost goes (D-4, G-4). */
import type { Asks } from '../../core/money/estimate.ts';
import type { Degrade } from '../../core/request/redundancy-types.ts';
import { type BodyView, readJson, valueByte } from '../bytes/body-view.ts';
import { OPEN_BRACE } from '../bytes/json-grammar.ts';
import type { ClientRequest } from '../contract.ts';
import { inputParts } from './content-parts.ts';
import { fieldsToDrop, OUTPUT_LIMITS } from './degrade.ts';

export function requestAsks({ view, n }: ClientRequest, degrade: Degrade | null): Asks {
  const parts = inputParts(view);
  return {
    maxOutputTokens: outputLimit(view, degrade),
    answers: degrade?.drop_params?.includes('n') === true ? 1 : n,
    mediaParts: parts.length,
    audioIn: parts.includes('audio') || parts.includes('video'),
    audioOut: valueByte(view, 'audio') === OPEN_BRACE && degrade?.drop_params?.includes('audio') !== true,
  };
}

/** The larger of the two names' values: which of them an upstream reads is its own affair. */
function outputLimit(view: BodyView, degrade: Degrade | null): number | null {
  const dropped = degrade === null ? [] : fieldsToDrop(degrade);
  const asked = OUTPUT_LIMITS.filter((key) => !dropped.includes(key))
    .map((key) => readJson(view, key))
    .filter((value): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0);
  const lowered = degrade?.max_output_tokens;
  if (asked.length === 0) return lowered ?? null;
  const most = Math.max(...asked);
  return lowered === undefined ? most : Math.min(most, lowered);
}
