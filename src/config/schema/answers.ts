/** Answers that stand in when everything failed: static ones, and whether a workspace keeps its own (E-4). */
import { MAX_AGE_S } from '../../core/request/ranges.ts';
import { bool, duration, mapping, size, text } from './fields.ts';

const MIB = 1024 * 1024;

/** Where a workspace keeps answers and says no more. */
export const KEPT_DEFAULTS = { maxAgeMs: MAX_AGE_S[1] * 1000, maxBytes: 64 * MIB } as const;

export const staticAnswerSchema = mapping({
  text: text('must be the text of an answer').describe('What the answer says, as if a model had written it.'),
});

export const keptAnswersSchema = mapping({
  keep: bool().describe('Keep whole answers, encrypted. Default: `false`.').exactOptional(),
  max_age: duration(MAX_AGE_S[0] * 1000, MAX_AGE_S[1] * 1000)
    .describe('How long; then they are deleted. Default: `24h`.')
    .exactOptional(),
  max_bytes: size(64 * 1024, 16 * 1024 * MIB)
    .describe('Most bytes of all of them; the oldest make room. Default: `64mb`.')
    .exactOptional(),
}).describe('Whether answers are kept, to be given again by `on_exhausted: [{cache: …}]` (E-4).');
