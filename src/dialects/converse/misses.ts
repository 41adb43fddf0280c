/** What a request needs and this dialect has no words for, as P-6 names it (dialects §11's refusals). */
import type { Miss } from '../../core/request/capabilities.ts';
import type { CanonicalRequest, Part } from '../canonical.ts';
import type { TargetFacts } from '../contract.ts';
import { isForced } from '../messages/upstream-misses.ts';
import { formatOf, formatOfName } from './media-formats.ts';

/** Null = all can be said. */
export function misses(request: CanonicalRequest, target: TargetFacts): Miss | null {
  const feature = missingFeature(request, target);
  if (feature !== null) return { kind: 'feature', name: feature };
  const input = missingInput(request);
  return input === null ? null : { kind: 'input', name: input };
}

function missingFeature(request: CanonicalRequest, { lacks }: TargetFacts): string | null {
  const { bound, n, logprobs, modalities, tools, toolChoice, reasoning, prefill, format, stop } = request;
  if (bound.length > 0) return bound[0]!;
  if (n > 1) return 'n';
  if (logprobs !== null) return 'logprobs';
  const output = modalities.find((kind) => kind !== 'text');
  if (output !== undefined) return `${output}_output`;
  if (tools.some((tool) => tool.form === 'custom' && tool.schema !== null)) return 'tools_custom_grammar';
  if (isForced(toolChoice) && lacks.has('tools_forced')) return 'tools_forced';
  if (prefill && lacks.has('prefill')) return 'prefill';
  if (reasoning.effort === 'none' && lacks.has('reasoning_off')) return 'reasoning_off';
  if (format?.type === 'schema' && lacks.has('json_schema')) return 'json_schema';
  return stop.some((text) => text !== '' && text.trim() === '') ? 'stop' : null;
}

function missingInput({ turns, system }: CanonicalRequest): string | null {
  for (const { parts } of [{ parts: system }, ...turns]) {
    const found = foreignMedia(parts);
    if (found !== null) return found;
  }
  return null;
}

/** Media of a type that the dialect has no format for. What a URL holds is known when it has been fetched. */
function foreignMedia(parts: readonly Part[]): string | null {
  for (const part of parts) {
    const inside = part.type === 'result' ? foreignMedia(part.parts) : null;
    if (inside !== null) return inside;
    if (part.type !== 'media' || part.source.by !== 'base64') continue;
    const { media, mime, name } = part;
    const known = (mime !== null && formatOf(media, mime) !== null) || formatOfName(media, name ?? '') !== null;
    if (!known) return media;
  }
  return null;
}
