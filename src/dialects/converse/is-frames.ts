/** Whether an answer to a stream request is binary frames. */

const FRAMES_TYPE = 'application/vnd.amazon.eventstream';
const OPEN_BRACE = 0x7b;

/**
 * By content type (lower case, '' = none), and where that says nothing useful by the first byte: no frame is as long as
 * one that would begin otherwise than with zero, and an error may come as JSON under any type.
 */
export function isFrames(contentType: string, firstByte: number): boolean {
  if (firstByte === OPEN_BRACE) return false;
  if (contentType.startsWith(FRAMES_TYPE)) return true;
  if (contentType.includes('json') || contentType.includes('html') || contentType.startsWith('text/')) return false;
  return firstByte === 0;
}
