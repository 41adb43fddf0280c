/**
 * Errors that reject reasoning only its maker can read: its signature does not hold, or it cannot be decrypted (R-5). Left
 * out it is of no account; errors that miss it are another matter.
 */
import type { Failure } from '../failure.ts';
import type { ErrorReading } from './error-reading.ts';
import { anyOf, phraseText } from './phrase-rules.ts';

/** In `codeKey` form. */
const CODES: ReadonlySet<string> = new Set([
  'invalidencryptedcontent',
  'encryptedcontentinvalid',
  'invalidthoughtsignature',
  'invalidthinkingsignature',
]);

const PHRASES: readonly RegExp[] = [
  /\bitem with id\W{1,3}rs_\S{1,80} not found\b/,
  /\binvalid\W{1,3}signature\W{1,3}in\W{1,3}(?:redacted_)?(?:thinking|reasoning)/,
  /\b(?:thinking|redacted_thinking|reasoning)\W{1,3}blocks?\b.{0,90}\b(?:cannot|can't|can not) be (?:modified|verified|decrypted)/,
  /\b(?:invalid|corrupt\w*|expired|malformed|unverifiable)\W{1,3}(?:thought|thinking|reasoning)[ _]?signature/,
  /\b(?:thought|thinking|reasoning)[ _]?signature\b.{0,60}\b(?:not valid|invalid|corrupt\w*|expired|mismatch\w*|(?:not|cannot) be (?:verified|validated|decoded|decrypted))/,
  /\bencrypted[ _](?:reasoning|thinking|content)\b.{0,120}\b(?:(?:not|cannot) be (?:verified|decrypted|parsed|decoded)|invalid|corrupt\w*|did not match|does not match|is not supported)/,
  /\b(?:invalid|corrupt\w*|unable to (?:decrypt|verify|parse|decode)|failed to (?:decrypt|verify|parse|decode))\b.{0,60}\b(?:encrypted[ _](?:reasoning|thinking|content)|redacted_thinking|redactedcontent)/,
];

/** Only of what is the request's own fault: elsewhere the same words describe something else. */
export function rejectsOpaque(failureClass: Failure['class'], { layers }: ErrorReading): boolean {
  if (failureClass !== 'invalid_request' && failureClass !== 'unsupported') return false;
  if (layers.some(({ codes }) => codes.some((code) => CODES.has(code)))) return true;
  return anyOf(PHRASES, phraseText(layers.flatMap(({ texts }) => texts)));
}
