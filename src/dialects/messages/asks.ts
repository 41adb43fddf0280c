/** What a request asks for, as far as its cost goes (D-4, G-4). */
import type { Asks } from '../../core/money/estimate.ts';
import type { Degrade } from '../../core/request/redundancy-types.ts';
import { type BodyView, readInteger } from '../bytes/body-view.ts';
import type { ClientRequest } from '../contract.ts';
import { mediaBlocks } from './media-blocks.ts';

export function requestAsks({ view }: ClientRequest, degrade: Degrade | null): Asks {
  return {
    maxOutputTokens: outputLimit(view, degrade),
    answers: 1,
    mediaParts: mediaBlocks(view).length,
    audioIn: false,
    audioOut: false,
  };
}

function outputLimit(view: BodyView, degrade: Degrade | null): number | null {
  const asked = readInteger(view, 'max_tokens') ?? null;
  const lowered = degrade?.max_output_tokens ?? null;
  if (asked === null || asked < 0) return lowered;
  return lowered === null ? asked : Math.min(asked, lowered);
}
