/** The response around an answer that no upstream of this dialect made: it repeats the request, as clients expect. */
import { type BodyView, member } from '../bytes/body-view.ts';
import { textOf } from '../bytes/text.ts';
import type { AnswerIdentity, JsonText } from '../canonical.ts';

/** What a response repeats, with what stands there where the request was silent. */
const REPEATED: readonly (readonly [key: string, otherwise: JsonText])[] = [
  ['instructions', 'null'],
  ['max_output_tokens', 'null'],
  ['max_tool_calls', 'null'],
  ['metadata', '{}'],
  ['parallel_tool_calls', 'true'],
  ['prompt_cache_key', 'null'],
  ['reasoning', '{"effort":null,"summary":null}'],
  ['safety_identifier', 'null'],
  ['temperature', 'null'],
  ['text', '{"format":{"type":"text"}}'],
  ['tool_choice', '"auto"'],
  ['tools', '[]'],
  ['top_logprobs', '0'],
  ['top_p', 'null'],
  ['truncation', '"disabled"'],
  ['user', 'null'],
];

const NULL = 0x6e;

/** Longer values are repeated only at the end: what is held before the first content must stay small (T-7). */
const MOST_AT_FIRST = 4096;

/** The response in two pieces: between them stands what becomes of it (`"status":…` to `"usage":…`). */
export interface Echo {
  readonly before: JsonText;
  /** Behind it, in the events that open a stream and in the response at its end. */
  readonly opening: JsonText;
  readonly ending: JsonText;
}

/** Nothing of such an answer is kept anywhere (`store: false`): its ids name nothing. */
export function echoOf({ id, createdAt, servedModel }: AnswerIdentity, view: BodyView): Echo {
  const head = { id: `resp_${id}`, object: 'response', created_at: Math.floor(createdAt / 1000) };
  const fixed = `"model":${JSON.stringify(servedModel)},"background":false,"previous_response_id":null,"store":false`;
  const repeated = REPEATED.map(([key, otherwise]) => ({ key, otherwise, told: repeatedText(view, key) ?? otherwise }));
  const opening = repeated.map(({ key, otherwise, told }) => {
    return `"${key}":${told.length > MOST_AT_FIRST ? otherwise : told}`;
  });
  const ending = repeated.map(({ key, told }) => `"${key}":${told}`);
  return {
    before: JSON.stringify(head).slice(0, -1),
    opening: `${fixed},${opening.join(',')}`,
    ending: `${fixed},${ending.join(',')}`,
  };
}

/** As it was written; null = absent, or null itself. */
function repeatedText(view: BodyView, key: string): JsonText | null {
  const found = member(view, key);
  if (found === null || view.bytes[found.valueStart] === NULL) return null;
  return textOf(view.bytes, found.valueStart, found.valueEnd);
}
