/** Writes a canonical request as a Converse body. Model and streaming stand in the path, not here. */
import { utf8 } from '../bytes/text.ts';
import type { CanonicalRequest, JsonText, ToolNames } from '../canonical.ts';
import type { UpstreamBody, UpstreamWrite } from '../contract.ts';
import { namesWithCustom } from '../cross/custom-calls.ts';
import { objectText } from '../cross/json-text.ts';
import { RequestChanges } from '../cross/request-changes.ts';
import { PLAIN_NAMES, renameTools, TOOLS_RENAMED } from '../cross/tool-names.ts';
import { noteUnsaid, type Says } from '../cross/unsaid.ts';
import { BlockWriter } from './request-blocks.ts';
import { writeHints } from './request-hints.ts';
import { inferenceConfig, outputConfig, takesVendorFields, thinkingOf, vendorFields } from './request-options.ts';
import { offeredTools, toolConfig } from './request-tools.ts';
import { writeTurns } from './request-turns.ts';

/** Stands for "any JSON object", for which the dialect has no word. */
const JSON_ONLY = 'Answer with one valid JSON object and nothing else: no words around it, no code fence.';

const SAYS: Says = {
  detail: 'none',
  citations: 'none',
  anyArguments: false,
  textFiles: true,
  fileNames: true,
  refusals: false,
  schemaDescription: true,
  schemaName: true,
};

/** Never throws for what `misses` let through. */
export function writeRequest(
  request: CanonicalRequest,
  write: UpstreamWrite,
): UpstreamBody & { readonly names: ToolNames } {
  const changes = new RequestChanges();
  const renaming = renameTools(request, PLAIN_NAMES);
  if (renaming.names.size > 0) changes.note(TOOLS_RENAMED);
  const hints = writeHints(request.hints, takesVendorFields(write.target), changes);
  const writer = new BlockWriter(write, renaming, changes, offeredTools(request).length === 0);
  const turns = writeTurns(request, writer, hints.cachePoint, changes);
  noteUnsaid(request, SAYS, changes);
  const system = request.format?.type === 'json' ? [...turns.system, jsonOnly(changes)] : turns.system;
  const thinking = thinkingOf(request, write, turns.answersUnthought, changes);
  const members: (readonly [string, JsonText | null])[] = [
    ['messages', `[${turns.messages.join(',')}]`],
    ['system', system.length === 0 ? null : `[${system.join(',')}]`],
    ['inferenceConfig', inferenceConfig(request, write, thinking.on, changes)],
    ['toolConfig', toolConfig(request, renaming, changes)],
    ['outputConfig', outputConfig(request, thinking.effort)],
    ['additionalModelRequestFields', vendorFields(request, write, thinking, changes)],
    ...hints.members,
  ];
  const body = objectText(members.flatMap(([key, value]) => (value === null ? [] : [[key, value] as const])));
  return {
    bytes: utf8(body),
    changes: changes.words,
    dropped: changes.degrades,
    opaque: changes.opaque,
    names: namesWithCustom(renaming.names, request),
  };
}

function jsonOnly(changes: RequestChanges): JsonText {
  changes.note('json_object as an instruction');
  return objectText([['text', JSON.stringify(JSON_ONLY)]]);
}
