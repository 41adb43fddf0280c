/** What a request needs and this dialect has no words for, as P-6 names it (dialects §11's refusals). */
import type { Miss } from '../../core/request/capabilities.ts';
import type { CanonicalRequest } from '../canonical.ts';
import type { TargetFacts } from '../contract.ts';

/** More are refused. */
const MOST_STOPS = 5;
const MOST_CANDIDATES = 8;
const MOST_LOGPROBS = 20;

/** Null = all can be said. */
export function misses(request: CanonicalRequest, target: TargetFacts): Miss | null {
  const name = missingFeature(request, target);
  return name === null ? null : { kind: 'feature', name };
}

function missingFeature(request: CanonicalRequest, { lacks }: TargetFacts): string | null {
  const { bound, n, logprobs, modalities, tools, toolChoice, reasoning, prefill, stop, format } = request;
  if (bound.length > 0) return bound[0]!;
  if (prefill) return 'prefill';
  if (n > MOST_CANDIDATES || (n > 1 && lacks.has('n'))) return 'n';
  if (stop.length > MOST_STOPS) return 'stop';
  if (logprobs !== null && (logprobs > MOST_LOGPROBS || lacks.has('logprobs'))) return 'logprobs';
  // Sound comes in another form here than its clients can play.
  const output = modalities.find((kind) => kind !== 'text' && kind !== 'image');
  if (output !== undefined) return `${output}_output`;
  if (tools.some((tool) => tool.form === 'custom' && tool.schema !== null)) return 'tools_custom_grammar';
  const forced =
    toolChoice?.mode === 'any' || toolChoice?.mode === 'one' || (toolChoice?.mode === 'some' && toolChoice.must);
  if (forced && lacks.has('tools_forced')) return 'tools_forced';
  if (format !== null && tools.length > 0 && lacks.has('tools_with_format')) return 'json_schema';
  return reasoning.effort === 'none' && lacks.has('reasoning_off') ? 'reasoning_off' : null;
}
