/**
 * Content blocks that are more than text. Most requests have none, so the bytes are searched for what all of them hold
 * before anything is parsed.
 */
import { type BodyView, member, readString } from '../bytes/body-view.ts';
import { objectsIn } from '../bytes/nested.ts';
import { bufferOf } from '../bytes/text.ts';

/** A block's `type` → the input it is, in the catalogue's words. */
const INPUT_OF_BLOCK: ReadonlyMap<string, string> = new Map([
  ['image', 'image'],
  ['document', 'file'],
  ['container_upload', 'file'],
]);

export const BLOCK_INPUTS: ReadonlySet<string> = new Set(INPUT_OF_BLOCK.values());

/** The input of every block that is more than text, in their order, those inside of tool results included. */
export function mediaBlocks(view: BodyView): string[] {
  const inputs: string[] = [];
  if (!mayHoldMedia(view)) return inputs;
  for (const message of objectsIn(view, 'messages')) collect(objectsIn(message, 'content'), inputs, true);
  return inputs;
}

function collect(blocks: readonly BodyView[], inputs: string[], results: boolean): void {
  for (const block of blocks) {
    const type = readString(block, 'type') ?? '';
    const input = INPUT_OF_BLOCK.get(type);
    if (input !== undefined) inputs.push(input);
    else if (results && type === 'tool_result') collect(objectsIn(block, 'content'), inputs, false);
  }
}

/** False: certainly none. Names may be written with escapes. */
function mayHoldMedia(view: BodyView): boolean {
  const messages = member(view, 'messages');
  if (messages === null) return false;
  const bytes = bufferOf(view.bytes).subarray(messages.valueStart, messages.valueEnd);
  return bytes.includes('"source"') || bytes.includes('"file_id"') || bytes.includes('\\u00');
}
