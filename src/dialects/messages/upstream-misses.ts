/** What a request needs and this dialect has no words for, as P-6 names it (dialects §11's refusals). */
import type { Miss } from '../../core/request/capabilities.ts';
import type { CanonicalRequest, Part, ToolChoice } from '../canonical.ts';
import type { TargetFacts } from '../contract.ts';
import { closeSchema } from './closed-schema.ts';
import { sourceKind } from './upstream-media.ts';

/** Null = all can be said. */
export function misses(request: CanonicalRequest, target: TargetFacts): Miss | null {
  const feature = missingFeature(request, target);
  if (feature !== null) return { kind: 'feature', name: feature };
  const input = missingInput(request);
  return input === null ? null : { kind: 'input', name: input };
}

function missingFeature(request: CanonicalRequest, { lacks }: TargetFacts): string | null {
  const { bound, n, logprobs, modalities, tools, toolChoice, reasoning, prefill, format, stop } = request;
  if (bound[0] !== undefined) return bound[0];
  if (n > 1) return 'n';
  if (logprobs !== null) return 'logprobs';
  const output = modalities.find((kind) => kind !== 'text');
  if (output !== undefined) return `${output}_output`;
  if (tools.some((tool) => tool.form === 'custom' && tool.schema !== null)) return 'tools_custom_grammar';
  if (isForced(toolChoice) && lacks.has('tools_forced')) return 'tools_forced';
  if (prefill && lacks.has('prefill')) return 'prefill';
  if (reasoning.effort === 'none' && lacks.has('reasoning_off')) return 'reasoning_off';
  const isSchema = format?.type === 'schema';
  if (isSchema && (lacks.has('json_schema') || closeSchema(format.schema) === null)) return 'json_schema';
  return stop.some((text) => text !== '' && text.trim() === '') ? 'stop' : null;
}

/** Some call must come. */
export function isForced(choice: ToolChoice | null): boolean {
  return choice?.mode === 'any' || choice?.mode === 'one' || (choice?.mode === 'some' && choice.must);
}

function missingInput({ turns, system }: CanonicalRequest): string | null {
  for (const { parts } of [{ parts: system }, ...turns]) {
    const found = foreignMedia(parts);
    if (found !== null) return found;
  }
  return null;
}

function foreignMedia(parts: readonly Part[]): string | null {
  for (const part of parts) {
    const inside = part.type === 'result' ? foreignMedia(part.parts) : null;
    if (inside !== null) return inside;
    if (part.type === 'media' && sourceKind(part) === null) return part.media;
  }
  return null;
}
