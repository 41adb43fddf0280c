/** How blocks of a stream open, and what stands before the text of their deltas. */
import { utf8 } from '../bytes/text.ts';
import type { BlockStart } from '../canonical.ts';
import { callId } from './answer-blocks.ts';

/** Around the text of a freeform call, which is a string inside of the arguments' JSON. */
export const CUSTOM_OPEN = '{"type":"input_json_delta","partial_json":"{\\"input\\":\\""}';
export const CUSTOM_CLOSE = '{"type":"input_json_delta","partial_json":"\\"}"}';

export interface Opening {
  /** The block as it starts. */
  readonly block: object;
  /** Of its deltas, up to the text as JSON. */
  readonly before: Uint8Array;
}

export function openingOf(what: BlockStart, index: number): Opening {
  switch (what.type) {
    case 'call':
      return opening({ type: 'tool_use', id: callId(what.id), name: what.name, input: {} }, index, [
        'input_json_delta',
        'partial_json',
      ]);
    case 'reasoning':
      return opening({ type: 'thinking', thinking: '', signature: '' }, index, ['thinking_delta', 'thinking']);
    default:
      return opening({ type: 'text', text: '' }, index, ['text_delta', 'text']);
  }
}

function opening(block: object, index: number, [type, field]: readonly [string, string]): Opening {
  const delta = `{"type":"content_block_delta","index":${index},"delta":{"type":"${type}","${field}":`;
  return { block, before: utf8(`event: content_block_delta\ndata: ${delta}`) };
}
