/** What a request asks for, as far as its cost goes (D-4, G-4). */
import type { Asks } from '../../core/money/estimate.ts';
import type { Degrade } from '../../core/request/redundancy-types.ts';
import { type BodyView, readJson } from '../bytes/body-view.ts';
import type { ClientRequest } from '../contract.ts';
import { fieldsToDrop, OUTPUT_LIMIT } from './degrade.ts';
import { inputMedia } from './input-media.ts';

export function requestAsks({ view }: ClientRequest, degrade: Degrade | null): Asks {
  const media = inputMedia(view);
  return {
    maxOutputTokens: outputLimit(view, degrade),
    answers: 1,
    mediaParts: media.length,
    audioIn: media.includes('audio') || media.includes('video'),
    audioOut: false,
  };
}

/** The answer's limit as degraded, in tokens; null = it has none. */
export function outputLimit(view: BodyView, degrade: Degrade | null): number | null {
  const isDropped = degrade !== null && fieldsToDrop(degrade).includes(OUTPUT_LIMIT);
  const asked = isDropped ? null : readJson(view, OUTPUT_LIMIT);
  const lowered = degrade?.max_output_tokens ?? null;
  if (typeof asked !== 'number' || !Number.isSafeInteger(asked) || asked < 0) return lowered;
  return lowered === null ? asked : Math.min(asked, lowered);
}
