/** Server-sent events as most dialects write them. */
import type { Framing } from './dialect.ts';

/** `event:` line where the event has a name, one `data:` line, an empty line. */
export const EVENT_FRAMES: Framing = {
  contentType: 'text/event-stream; charset=utf-8',
  event: ({ name, data }, _at, lineEnd = '\n') =>
    `${name === undefined ? '' : `event: ${name}${lineEnd}`}data: ${data}${lineEnd}${lineEnd}`,
  comment: (text, lineEnd = '\n') => `: ${text}${lineEnd}${lineEnd}`,
};
