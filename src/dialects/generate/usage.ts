/** Token counts of this dialect, in the gateway's fields and back (dialects §11). */
import type { Usage } from '../../core/usage/usage.ts';
import { textOf } from '../bytes/text.ts';
import { type Json, objectOf } from '../failure/answer-faults.ts';

/**
 * Reads `usageMetadata`. Here thoughts are counted beside the answer, and what tools fed in beside the prompt; cached
 * tokens are part of the prompt. Null = it holds no count.
 */
export function readUsage(json: Uint8Array): Usage | null {
  const usage = objectOf(JSON.parse(textOf(json)));
  return usage === null ? null : usageOf(usage);
}

/** The same, of a parsed object. */
export function usageOf(usage: Json): Usage | null {
  const thoughts = count(usage['thoughtsTokenCount']);
  const read: Usage = {
    input: sum(count(usage['promptTokenCount']), count(usage['toolUsePromptTokenCount'])),
    output: sum(count(usage['candidatesTokenCount']), thoughts),
    cacheRead: count(usage['cachedContentTokenCount']),
    cacheWrite: null,
    reasoning: thoughts,
    audioInput: ofSound(usage['promptTokensDetails']),
    audioOutput: ofSound(usage['candidatesTokensDetails']),
    total: count(usage['totalTokenCount']),
    estimated: false,
  };
  return read.input === null && read.output === null && read.total === null ? null : read;
}

/** `usageMetadata` for a client, of counts from elsewhere. */
export function writeUsage(usage: Usage): object {
  const { input, output, reasoning, cacheRead, audioInput, audioOutput } = usage;
  const thoughts = Math.min(reasoning ?? 0, output ?? 0);
  const total = usage.total ?? (input === null && output === null ? null : (input ?? 0) + (output ?? 0));
  return {
    ...(input === null ? {} : { promptTokenCount: input }),
    ...(output === null ? {} : { candidatesTokenCount: output - thoughts }),
    ...(reasoning === null ? {} : { thoughtsTokenCount: thoughts }),
    ...(cacheRead === null ? {} : { cachedContentTokenCount: cacheRead }),
    ...(total === null ? {} : { totalTokenCount: total }),
    ...bySound('promptTokensDetails', input, audioInput),
    ...bySound('candidatesTokensDetails', output === null ? null : output - thoughts, audioOutput),
  };
}

function bySound(name: string, all: number | null, sound: number | null): object {
  if (sound === null || sound === 0 || all === null) return {};
  const rest = { modality: 'TEXT', tokenCount: Math.max(0, all - sound) };
  return { [name]: [rest, { modality: 'AUDIO', tokenCount: sound }] };
}

function ofSound(details: unknown): number | null {
  if (!Array.isArray(details)) return null;
  for (const entry of details) {
    const one = objectOf(entry);
    if (one?.['modality'] === 'AUDIO') return count(one['tokenCount']);
  }
  return null;
}

/** Null only where neither is told. */
function sum(a: number | null, b: number | null): number | null {
  return a === null ? b : a + (b ?? 0);
}

/** A count is a whole number, not negative; anything else is unknown. */
function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
