/** Parts of the canonical model as content blocks of a request, as JSON text. */
import type { Call, JsonText, Part, ToolResult } from '../canonical.ts';
import type { UpstreamWrite } from '../contract.ts';
import { customArguments } from '../cross/custom-calls.ts';
import { argumentsObject, objectText } from '../cross/json-text.ts';
import { mayGo, REASONING_DROPPED, THOUGHTS_LEFT_OUT } from '../cross/opaque-marks.ts';
import type { RequestChanges } from '../cross/request-changes.ts';
import type { ToolRenaming } from '../cross/tool-names.ts';
import { callId } from './answer-blocks.ts';
import { mediaBlock } from './upstream-media.ts';

export class BlockWriter {
  readonly #write: UpstreamWrite;
  readonly #renaming: ToolRenaming;
  readonly #changes: RequestChanges;

  constructor(write: UpstreamWrite, renaming: ToolRenaming, changes: RequestChanges) {
    this.#write = write;
    this.#renaming = renaming;
    this.#changes = changes;
  }

  /** Null = the part says nothing that the dialect would take. */
  block(part: Part): JsonText | null {
    switch (part.type) {
      case 'text':
        if (part.opaque !== undefined) this.#changes.note(REASONING_DROPPED);
        return textBlock(part.text);
      case 'refusal':
        return textBlock(part.text);
      case 'reasoning':
        return this.#reasoning(part);
      case 'media':
        return mediaBlock(part);
      case 'call':
        return this.#call(part);
      case 'result':
        return this.#result(part);
    }
  }

  blocks(parts: readonly Part[]): JsonText[] {
    return parts.flatMap((part) => this.block(part) ?? []);
  }

  #call(call: Call): JsonText {
    if (call.opaque !== undefined) this.#changes.note(REASONING_DROPPED);
    return objectText([
      ['type', '"tool_use"'],
      ['id', JSON.stringify(callId(call.id))],
      ['name', JSON.stringify(this.#renaming.outward(call.name))],
      ['input', call.form === 'custom' ? customArguments(call.input) : argumentsObject(call.input)],
    ]);
  }

  #result({ callId: id, parts, json, failed }: ToolResult): JsonText {
    const members: [string, JsonText][] = [
      ['type', '"tool_result"'],
      ['tool_use_id', JSON.stringify(callId(id))],
    ];
    const blocks = json === null ? this.blocks(parts) : [];
    if (json !== null) members.push(['content', JSON.stringify(json)]);
    else if (blocks.length > 0) members.push(['content', `[${blocks.join(',')}]`]);
    if (failed) members.push(['is_error', 'true']);
    return objectText(members);
  }

  /** Only what its maker signed or sealed is taken back; a thought without either is the client's own copy. */
  #reasoning({ text, opaque }: Extract<Part, { type: 'reasoning' }>): JsonText | null {
    if (opaque === null) {
      if (text !== '') this.#changes.mention(THOUGHTS_LEFT_OUT);
      return null;
    }
    if (!mayGo(opaque, this.#write)) {
      this.#changes.note(REASONING_DROPPED);
      return null;
    }
    this.#changes.opaque = true;
    const data = JSON.stringify(opaque.data);
    if (opaque.kind === 'sealed')
      return objectText([
        ['type', '"redacted_thinking"'],
        ['data', data],
      ]);
    return objectText([
      ['type', '"thinking"'],
      ['thinking', JSON.stringify(text)],
      ['signature', data],
    ]);
  }
}

/** Text of nothing but space is refused: it says nothing anyway. */
export function textBlock(text: string): JsonText | null {
  return text.trim() === ''
    ? null
    : objectText([
        ['type', '"text"'],
        ['text', JSON.stringify(text)],
      ]);
}
