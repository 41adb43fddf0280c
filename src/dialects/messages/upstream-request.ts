/** Writes a canonical request as a Messages body. */
import { utf8 } from '../bytes/text.ts';
import type { CanonicalRequest, JsonText, ToolNames } from '../canonical.ts';
import type { UpstreamBody, UpstreamWrite } from '../contract.ts';
import { namesWithCustom } from '../cross/custom-calls.ts';
import { objectText } from '../cross/json-text.ts';
import { RequestChanges } from '../cross/request-changes.ts';
import { LONG_PLAIN_NAMES, renameTools, TOOLS_RENAMED } from '../cross/tool-names.ts';
import { noteUnsaid, type Says } from '../cross/unsaid.ts';
import { BlockWriter, textBlock } from './upstream-blocks.ts';
import { isForced } from './upstream-misses.ts';
import { outputConfig, outputLimit, samplingMembers, writeHints, writeThinking } from './upstream-options.ts';
import { toolMembers } from './upstream-tools.ts';
import { writeTurns } from './upstream-turns.ts';

/** Stands for "any JSON object", for which the dialect has no word. */
const JSON_ONLY = 'Answer with one valid JSON object and nothing else: no words around it, no code fence.';

const SAYS: Says = {
  detail: 'none',
  citations: 'none',
  anyArguments: false,
  textFiles: true,
  fileNames: true,
  refusals: false,
  schemaDescription: false,
  schemaName: false,
};

/** Never throws for what `misses` let through. */
export function writeRequest(
  request: CanonicalRequest,
  write: UpstreamWrite,
): UpstreamBody & { readonly names: ToolNames } {
  const changes = new RequestChanges();
  const renaming = renameTools(request, LONG_PLAIN_NAMES);
  if (renaming.names.size > 0) changes.note(TOOLS_RENAMED);
  const { system, messages, answersUnthought } = writeTurns(
    request,
    new BlockWriter(write, renaming, changes),
    changes,
  );
  noteUnsaid(request, SAYS, changes);
  const maxTokens = outputLimit(request, write, changes);
  const facts = { maxTokens, forced: isForced(request.toolChoice), answersUnthought };
  const thinking = writeThinking(request, write, facts, changes);
  const config = outputConfig(request, thinking.effort, changes);
  const hints = writeHints(request.hints, changes);
  const words = request.format?.type === 'json' ? [...system, jsonOnly(changes)] : system;
  const members: (readonly [string, JsonText])[] = [
    ['model', JSON.stringify(write.target.upstreamModel)],
    ['max_tokens', String(maxTokens)],
  ];
  if (words.length > 0) members.push(['system', `[${words.join(',')}]`]);
  members.push(['messages', `[${marked(messages, hints.cacheMark).join(',')}]`]);
  members.push(...toolMembers(request, renaming, changes));
  if (thinking.thinking !== null) members.push(['thinking', thinking.thinking]);
  if (config !== null) members.push(['output_config', config]);
  members.push(...samplingMembers(request, write, thinking.on, changes), ...hints.members);
  if (request.stream) members.push(['stream', 'true']);
  return {
    bytes: utf8(objectText(members)),
    changes: changes.words,
    dropped: changes.degrades,
    opaque: changes.opaque,
    names: namesWithCustom(renaming.names, request),
  };
}

function jsonOnly(changes: RequestChanges): JsonText {
  changes.note('json_object as an instruction');
  return textBlock(JSON_ONLY)!;
}

/** The last block of the last message carries the mark: all before it may be kept. */
function marked(messages: readonly JsonText[], mark: JsonText | null): readonly JsonText[] {
  const last = messages.at(-1);
  if (mark === null || last === undefined) return messages;
  return [...messages.slice(0, -1), `${last.slice(0, -MESSAGE_END.length)},"cache_control":${mark}${MESSAGE_END}`];
}

/** How a message's text ends: its last block, its blocks, itself. */
const MESSAGE_END = '}]}';
