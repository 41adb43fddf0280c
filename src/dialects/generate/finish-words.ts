/** Why candidates end, in this dialect's words, and what of it says that an answer failed or was filtered (F-5, F-6). */
import type { FailureClass } from '../../core/failure.ts';

/** Complete on the wire, failed in substance: before commit the class counts, after commit the stream is interrupted. */
export const FAILED_FINISH: ReadonlyMap<string, FailureClass> = new Map<string, FailureClass>(
  [
    'MALFORMED_FUNCTION_CALL',
    'UNEXPECTED_TOOL_CALL',
    'TOO_MANY_TOOL_CALLS',
    'MALFORMED_RESPONSE',
    'MISSING_THOUGHT_SIGNATURE',
    'OTHER',
    'NO_IMAGE',
  ].map((word) => [word, 'server_error']),
);

/** Filters; with an answer it is served, without one it is the class content_policy (F-5). */
export const FILTER_FINISH: ReadonlySet<string> = new Set([
  'SAFETY',
  'RECITATION',
  'LANGUAGE',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
  'IMAGE_SAFETY',
  'IMAGE_PROHIBITED_CONTENT',
  'IMAGE_OTHER',
  'IMAGE_RECITATION',
  'MODEL_ARMOR',
]);

/** Cut by its length (D-5). */
export const CUT_FINISH = 'MAX_TOKENS';

/** The word as a finish reason; null = it says that nothing has finished. */
export function finishWord(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value !== 'FINISH_REASON_UNSPECIFIED' ? value : null;
}
