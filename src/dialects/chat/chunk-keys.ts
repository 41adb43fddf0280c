/** The keys of a Chat Completions chunk or answer that mean something to the gateway, recognised in bytes. */
import { decodeString } from '../bytes/body-view.ts';
import { BACKSLASH } from '../bytes/json-grammar.ts';

export const KEY = {
  other: 0,
  // Top level.
  model: 1,
  choices: 2,
  usage: 3,
  error: 4,
  object: 5,
  // A choice.
  index: 6,
  delta: 7,
  message: 8,
  finishReason: 9,
  // A delta or message.
  content: 10,
  refusal: 11,
  reasoning: 12,
  toolCalls: 13,
  functionCall: 14,
  audio: 15,
  /** Output that is neither text nor call: images. */
  images: 16,
  annotations: 17,
  // Inside a call or audio.
  id: 18,
  function: 19,
  custom: 20,
  name: 21,
  arguments: 22,
  data: 23,
  transcript: 24,
  /** Words of a choice itself: of another endpoint's answers. */
  text: 25,
} as const;

interface KnownKey {
  readonly id: number;
  readonly bytes: readonly number[];
}

const NAMES: readonly (readonly [string, number])[] = [
  ['model', KEY.model],
  ['choices', KEY.choices],
  ['usage', KEY.usage],
  ['error', KEY.error],
  ['object', KEY.object],
  ['index', KEY.index],
  ['delta', KEY.delta],
  ['message', KEY.message],
  ['finish_reason', KEY.finishReason],
  ['content', KEY.content],
  ['refusal', KEY.refusal],
  ['reasoning', KEY.reasoning],
  ['reasoning_content', KEY.reasoning],
  ['reasoning_details', KEY.reasoning],
  ['tool_calls', KEY.toolCalls],
  ['function_call', KEY.functionCall],
  ['audio', KEY.audio],
  ['images', KEY.images],
  ['annotations', KEY.annotations],
  ['id', KEY.id],
  ['function', KEY.function],
  ['custom', KEY.custom],
  ['name', KEY.name],
  ['arguments', KEY.arguments],
  ['data', KEY.data],
  ['transcript', KEY.transcript],
  ['text', KEY.text],
];

const ID_OF_NAME = new Map(NAMES);

/** By length, so that most keys are told apart by one look. */
const BY_LENGTH: readonly (readonly KnownKey[])[] = Array.from({ length: 18 }, (_, length) =>
  NAMES.filter(([name]) => name.length === length).map(([name, id]) => ({ id, bytes: [...Buffer.from(name)] })),
);

/** `KEY` of a key's span, quotes included. An escaped spelling is the same key. */
export function keyAt(bytes: Uint8Array, keyStart: number, keyEnd: number): number {
  const start = keyStart + 1;
  const length = keyEnd - keyStart - 2;
  if (length < BY_LENGTH.length) {
    const candidates = BY_LENGTH[length]!;
    for (let c = 0; c < candidates.length; c++) {
      const known = candidates[c]!.bytes;
      let i = 0;
      while (i < length && bytes[start + i] === known[i]) i++;
      if (i === length) return candidates[c]!.id;
    }
  }
  for (let i = start; i < keyEnd - 1; i++) {
    if (bytes[i] === BACKSLASH) return ID_OF_NAME.get(decodeString(bytes, keyStart, keyEnd)) ?? KEY.other;
  }
  return KEY.other;
}
