/** Members of an upstream's answer that are read, or tell of the upstream alone: all others are recorded. */
import type { AnswerLosses } from '../cross/answer-losses.ts';

/** Of the answer and of each chunk. */
export const BODY_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'object',
  'created',
  'model',
  'choices',
  'usage',
  'system_fingerprint',
  'service_tier',
  'obfuscation',
]);
export const CHOICE_FIELDS: ReadonlySet<string> = new Set([
  'index',
  'message',
  'delta',
  'finish_reason',
  'logprobs',
  'text',
]);
/** Of a message and of each delta. */
export const SAID_FIELDS: ReadonlySet<string> = new Set([
  'role',
  'content',
  'refusal',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  'annotations',
  'images',
  'audio',
  'tool_calls',
  'function_call',
]);

export const CALL_FIELDS: ReadonlySet<string> = new Set(['index', 'id', 'type', 'function', 'custom']);
export const CALLED_FIELDS: ReadonlySet<string> = new Set(['name', 'arguments', 'input']);
/** Of a thought as routers tell it. */
export const DETAIL_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'id',
  'format',
  'index',
  'text',
  'summary',
  'signature',
  'data',
]);
export const AUDIO_FIELDS: ReadonlySet<string> = new Set(['id', 'data', 'expires_at', 'transcript']);
export const NOTE_FIELDS: ReadonlySet<string> = new Set(['type', 'url_citation']);
export const CITATION_FIELDS: ReadonlySet<string> = new Set(['url', 'title', 'start_index', 'end_index']);
const LOGPROBS_FIELDS: ReadonlySet<string> = new Set(['content', 'refusal']);

/** Likelihoods of a choice that no other dialect tells: those of its refusal. */
export function noteLogprobs(logprobs: Readonly<Record<string, unknown>> | null, losses: AnswerLosses): void {
  if (logprobs !== null) losses.noteObject(logprobs, LOGPROBS_FIELDS);
  const refusal = logprobs?.['refusal'];
  if (Array.isArray(refusal) && refusal.length > 0) losses.drop('logprobs of a refusal');
}
