/** Members of an upstream's answer that are read, or that say what no other dialect could mean: all others are recorded. */
import { MARK } from '../cross/opaque-marks.ts';

/** Of the message, and of the event that ends its stream. */
export const MESSAGE_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'type',
  'role',
  'model',
  'content',
  'stop_reason',
  'stop_sequence',
  'usage',
]);

/** Of each block, by its type; blocks of other types are what the vendor's own tools made. */
export const BLOCK_FIELDS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    text: ['text', 'citations'],
    thinking: ['thinking', 'signature'],
    redacted_thinking: ['data'],
    tool_use: ['id', 'name', 'input'],
  }).map(([type, fields]) => [type, new Set(['type', ...fields])]),
);

/** Where in its source it stands is told by the rest. */
const CITATION_FIELDS: ReadonlySet<string> = new Set(['type', 'url', 'title', 'document_title', 'cited_text']);

/** It says more of where its source stands than others have words for. */
export function hasPlace(citation: unknown): boolean {
  if (typeof citation !== 'object' || citation === null) return false;
  return Object.entries(citation).some(([key, value]) => {
    if (key === 'source') return typeof value === 'string' && !/^https?:/i.test(value);
    // A mark of ours says that there was no place.
    return value !== null && !CITATION_FIELDS.has(key) && !(typeof value === 'string' && value.startsWith(MARK));
  });
}

/** What a citation's place is called in a record. */
export const PLACES = 'places of citations';
