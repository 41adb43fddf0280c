/**
 * Whether an answer to a stream request is a stream of events: by content type (lower case, '' = none), and where that
 * says nothing useful by the first byte that is no space (0 = none yet): JSON and HTML are not events.
 */
export function isEventStream(contentType: string, firstByte: number): boolean {
  if (contentType.startsWith('text/event-stream')) return true;
  if (contentType.includes('json') || contentType.includes('html')) return false;
  return firstByte !== 0x7b && firstByte !== 0x3c && firstByte !== 0x5b;
}
