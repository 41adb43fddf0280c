/** What a content block of an answer is to the gateway (T-1, F-5; dialects §7). */
import type { Json } from '../failure/answer-faults.ts';
import { CONTENT } from '../stream/grammar.ts';

const SERVER_RESULT = /_tool_result$/;

/** `CONTENT` bits of a block as it is: whole, or as it starts in a stream. */
export function contentOfBlock(block: Json): number {
  const type = block['type'];
  switch (type) {
    case 'text':
      return (isText(block['text']) ? CONTENT.text : 0) | (hasEntries(block['citations']) ? CONTENT.annotations : 0);
    case 'thinking':
      return isText(block['thinking']) || isText(block['signature']) ? CONTENT.reasoning : 0;
    case 'redacted_thinking':
      return isText(block['data']) ? CONTENT.reasoning : 0;
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
    case 'container_upload':
      return CONTENT.call;
    case 'fallback':
      return CONTENT.annotations;
    default:
      return typeof type === 'string' && SERVER_RESULT.test(type) ? CONTENT.call : 0;
  }
}

/** Bytes of text, thought and arguments in a block. */
export function bytesOfBlock(block: Json): number {
  const input = block['input'];
  const args = typeof input === 'object' && input !== null ? JSON.stringify(input) : '';
  return [block['text'], block['thinking'], args === '{}' ? '' : args].reduce<number>(
    (sum, text) => sum + size(text),
    0,
  );
}

/** `CONTENT` bits of one step that fills a block. */
export function contentOfDelta(delta: Json): number {
  switch (delta['type']) {
    case 'text_delta':
      return isText(delta['text']) ? CONTENT.text : 0;
    case 'thinking_delta':
      return isText(delta['thinking']) ? CONTENT.reasoning : 0;
    case 'signature_delta':
      return isText(delta['signature']) ? CONTENT.reasoning : 0;
    case 'input_json_delta':
      return isText(delta['partial_json']) ? CONTENT.call : 0;
    case 'citations_delta':
      return typeof delta['citation'] === 'object' && delta['citation'] !== null ? CONTENT.annotations : 0;
    default:
      return 0;
  }
}

/** Bytes of text, thought and arguments in a step. */
export function bytesOfDelta(delta: Json): number {
  return size(delta['text']) + size(delta['thinking']) + size(delta['partial_json']);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function hasEntries(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function size(value: unknown): number {
  return typeof value === 'string' ? Buffer.byteLength(value) : 0;
}
