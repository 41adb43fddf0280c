/** How chunks become bytes: server-sent events without names and without a last word, or one JSON array. */
import type { Framing, StreamEvent } from '../dialect.ts';
import { CLOSING } from './render.ts';

/** Marks an event that is written without `data:`. */
export const UNFRAMED = 'unframed';

export const SSE_FRAMES: Framing = {
  contentType: 'text/event-stream',
  event: ({ name, data }, _at, lineEnd = '\r\n') => (name === UNFRAMED ? data : `data: ${data}${lineEnd}${lineEnd}`),
  // In a block of its own: clients of this dialect lose an event that a comment stands in.
  comment: (text, lineEnd = '\r\n') => `: ${text}${lineEnd}${lineEnd}`,
};

/** Elements one after the other; a comment is white space. */
export const ARRAY_FRAMES: Framing = {
  contentType: 'application/json',
  event: ({ data }: StreamEvent, at, lineEnd = '\r\n') => {
    if (at === 0) return `[${data}`;
    return data === CLOSING ? `${lineEnd}${CLOSING}` : `,${lineEnd}${data}`;
  },
  comment: (_text, lineEnd = '\r\n') => ` ${lineEnd}`,
};
