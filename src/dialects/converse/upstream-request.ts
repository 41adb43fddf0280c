/** Writes a canonical request as a Converse body. Model and streaming stand in the path, not here. */
import { utf8 } from '../bytes/text.ts';
import type { CanonicalRequest, JsonText, ToolNames } from '../canonical.ts';
import type { UpstreamBody, UpstreamWrite } from '../contract.ts';
import { objectText } from '../cross/json-text.ts';
import { PLAIN_NAMES, renameTools, TOOLS_RENAMED } from '../cross/tool-names.ts';
import { BlockWriter } from './request-blocks.ts';
import { RequestChanges } from './request-changes.ts';
import { writeHints } from './request-hints.ts';
import { inferenceConfig, outputConfig, vendorFields } from './request-options.ts';
import { offeredTools, toolConfig } from './request-tools.ts';
import { writeTurns } from './request-turns.ts';

/** Stands for "any JSON object", for which the dialect has no word. */
const JSON_ONLY = 'Answer with one valid JSON object and nothing else: no words around it, no code fence.';

/** Never throws for what `misses` let through. */
export function writeRequest(
  request: CanonicalRequest,
  write: UpstreamWrite,
): UpstreamBody & { readonly names: ToolNames } {
  const changes = new RequestChanges();
  const renaming = renameTools(request, PLAIN_NAMES);
  if (renaming.names.size > 0) changes.note(TOOLS_RENAMED);
  const writer = new BlockWriter(write, renaming, changes, offeredTools(request).length === 0);
  const { system, messages } = writeTurns(request, writer, changes);
  const words = request.format?.type === 'json' ? [...system, jsonOnly(changes)] : system;
  const members: (readonly [string, JsonText | null])[] = [
    ['messages', `[${messages.join(',')}]`],
    ['system', words.length === 0 ? null : `[${words.join(',')}]`],
    ['inferenceConfig', inferenceConfig(request, write, changes)],
    ['toolConfig', toolConfig(request, renaming, changes)],
    ['outputConfig', outputConfig(request, write.target, changes)],
    ['additionalModelRequestFields', vendorFields(request, write, changes)],
    ...writeHints(request.hints, changes),
  ];
  const body = objectText(members.flatMap(([key, value]) => (value === null ? [] : [[key, value] as const])));
  return {
    bytes: utf8(body),
    changes: changes.words,
    dropped: changes.words.length > 0,
    opaque: changes.opaque,
    names: renaming.names,
  };
}

function jsonOnly(changes: RequestChanges): JsonText {
  changes.note('json_object as an instruction');
  return objectText([['text', JSON.stringify(JSON_ONLY)]]);
}
