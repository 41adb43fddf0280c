/** What a request asks for, as far as its cost goes (D-4, G-4). */
import type { Asks } from '../../core/money/estimate.ts';
import type { Degrade } from '../../core/request/redundancy-types.ts';
import type { ClientRequest } from '../contract.ts';
import { fieldsToDrop, OUTPUT_LIMIT } from './degrade.ts';
import { numberOf, objectGiven, valueGiven } from './fields.ts';
import { inputParts } from './media-parts.ts';
import { CONFIG } from './request-edits.ts';

const NOTHING: ReturnType<typeof fieldsToDrop> = { top: [], config: [] };

export function requestAsks({ view, n }: ClientRequest, degrade: Degrade | null): Asks {
  const parts = inputParts(view);
  const { top, config: dropped } = degrade === null ? NOTHING : fieldsToDrop(degrade);
  const config = top.includes(CONFIG) ? null : objectGiven(view, CONFIG);
  const value = (name: string): unknown =>
    config === null || dropped.includes(name) ? undefined : valueGiven(config, name);
  return {
    maxOutputTokens: lower(wholeNumber(value(OUTPUT_LIMIT)), degrade?.max_output_tokens),
    answers: config === null || dropped.includes('candidateCount') ? 1 : n,
    mediaParts: parts.length,
    audioIn: parts.includes('audio') || parts.includes('video'),
    audioOut: modalities(value('responseModalities')).includes('AUDIO'),
  };
}

/** Kinds of output asked for, in capitals: `TEXT`, `IMAGE`, `AUDIO`. */
export function modalities(value: unknown): readonly string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((one) => typeof one === 'string').map((one) => one.toUpperCase());
}

function wholeNumber(value: unknown): number | null {
  const number = numberOf(value);
  return number !== null && Number.isSafeInteger(number) && number >= 0 ? number : null;
}

function lower(asked: number | null, most: number | undefined): number | null {
  if (most === undefined) return asked;
  return asked === null ? most : Math.min(asked, most);
}
