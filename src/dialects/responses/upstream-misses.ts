/** What a canonical request asks for that this dialect has no words for (R-4's refusals, P-6). */
import type { Miss } from '../../core/request/capabilities.ts';
import type { CanonicalRequest, Part } from '../canonical.ts';
import type { TargetFacts } from '../contract.ts';

/** Alternatives per token. */
const MOST_ALTERNATIVES = 20;

export function missesInResponses(request: CanonicalRequest, { lacks }: TargetFacts): Miss | null {
  const feature = (name: string): Miss => ({ kind: 'feature', name });
  const [bound] = request.bound;
  if (bound !== undefined) return feature(bound);
  if (request.n > 1) return feature('n');
  if (request.stop.length > 0) return feature('stop');
  if (request.prefill) return feature('prefill');
  if (request.logprobs !== null && request.logprobs > MOST_ALTERNATIVES) return feature('logprobs');
  const modality = request.modalities.find((name) => name !== 'text');
  if (modality !== undefined) return feature(`${modality}_output`);
  const { toolChoice } = request;
  const forced =
    toolChoice?.mode === 'any' || toolChoice?.mode === 'one' || (toolChoice?.mode === 'some' && toolChoice.must);
  if (forced && lacks.has('tools_forced')) return feature('tools_forced');
  if (request.reasoning.effort === 'none' && lacks.has('reasoning_off')) return feature('reasoning_off');
  return missingInput(request);
}

/** Pictures and documents it takes in any form, sounds and films in none. */
function missingInput({ system, turns }: CanonicalRequest): Miss | null {
  for (const parts of [system, ...turns.map((turn) => turn.parts)]) {
    const all = parts.flatMap((part): readonly Part[] => (part.type === 'result' ? part.parts : [part]));
    for (const part of all) {
      if (part.type === 'media' && (part.media === 'audio' || part.media === 'video')) {
        return { kind: 'input', name: part.media };
      }
    }
  }
  return null;
}
