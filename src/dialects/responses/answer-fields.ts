/** Members of an upstream's items that are read, or that name what its account knows: all others are recorded. */
import type { AnswerLosses } from '../cross/answer-losses.ts';
import { type Json, objectOf } from '../failure/answer-faults.ts';

const OF_ANY = ['id', 'type', 'status'];
/** By the item's type; items of other types are what the provider's own tools did. */
const ITEM_FIELDS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    message: ['role', 'content'],
    reasoning: ['summary', 'content', 'encrypted_content'],
    function_call: ['call_id', 'name', 'arguments'],
    custom_tool_call: ['call_id', 'name', 'input'],
    image_generation_call: ['result', 'output_format'],
  }).map(([type, fields]) => [type, new Set([...OF_ANY, ...fields])]),
);
const PART_FIELDS: ReadonlySet<string> = new Set(['type', 'text', 'refusal', 'annotations', 'logprobs']);

const NOTE_FIELDS: ReadonlySet<string> = new Set(['type', 'url', 'title', 'start_index', 'end_index']);
const THOUGHT_FIELDS: ReadonlySet<string> = new Set(['type', 'text']);

/** Members inside of an item that nobody knows, of its parsed parts. */
export function noteInside(item: Json, losses: AnswerLosses): void {
  for (const part of [...listOf(item['content']), ...listOf(item['summary'])]) {
    if (item['type'] === 'reasoning') losses.noteObject(part, THOUGHT_FIELDS);
    for (const note of listOf(part['annotations'])) {
      if (note['type'] === 'url_citation') losses.noteObject(note, NOTE_FIELDS);
    }
  }
}

function listOf(value: unknown): Json[] {
  return (Array.isArray(value) ? value : []).map(objectOf).filter((one) => one !== null);
}

/** Null = the item has no place elsewhere, and that has been noted. */
export function knownOfItem(type: string, losses: AnswerLosses): ReadonlySet<string> | null {
  const known = ITEM_FIELDS.get(type) ?? null;
  if (known === null) losses.drop(type);
  return known;
}

/** The same of a part of a message. */
export function knownOfPart(type: string, losses: AnswerLosses): ReadonlySet<string> | null {
  if (type === 'output_text' || type === 'refusal') return PART_FIELDS;
  losses.drop(type);
  return null;
}
