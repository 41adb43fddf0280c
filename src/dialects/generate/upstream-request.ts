/** A canonical request as an upstream of this dialect gets it. Model and streaming stand in the path. */
import { utf8 } from '../bytes/text.ts';
import type { CanonicalRequest, JsonText, ToolNames } from '../canonical.ts';
import type { UpstreamBody, UpstreamWrite } from '../contract.ts';
import { dropped, leftOut, takeHints } from '../cross/hints.ts';
import { objectText } from '../cross/json-text.ts';
import { RequestChanges } from '../cross/request-changes.ts';
import { renameTools, TOOLS_RENAMED } from '../cross/tool-names.ts';
import { noteUnsaid, type Says } from '../cross/unsaid.ts';
import { writeContents } from './upstream-contents.ts';
import { configText } from './upstream-options.ts';
import { NAME_RULE, toolMembers } from './upstream-tools.ts';

const SAYS: Says = {
  detail: 'none',
  citations: 'none',
  anyArguments: false,
  textFiles: true,
  fileNames: false,
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
  const renaming = renameTools(request, NAME_RULE);
  if (renaming.names.size > 0) changes.note(TOOLS_RENAMED);
  const { system, contents, opaque } = writeContents(request, write, renaming, changes);
  noteUnsaid(request, SAYS, changes);
  const config = configText(request, write, changes);
  const members: [string, JsonText][] = [
    ...(system === null ? [] : ([['systemInstruction', system]] as [string, JsonText][])),
    ['contents', contents],
    ...toolMembers(request, renaming, changes),
    ...(config === null ? [] : ([['generationConfig', config]] as [string, JsonText][])),
    ...hintMembers(request, changes),
  ];
  return {
    bytes: utf8(objectText(members)),
    changes: changes.words,
    dropped: changes.degrades,
    ...(opaque ? { opaque } : {}),
    names: renaming.names,
  };
}

const CARRIED: ReadonlySet<string> = new Set(['service_tier']);
/** Tiers by the same name on both sides; the usual one is what saying nothing gives. */
const TIERS: ReadonlySet<string> = new Set(['flex', 'priority']);
const USUAL: ReadonlySet<string> = new Set(['auto', 'default', 'standard', 'standard_only']);

function hintMembers({ hints }: CanonicalRequest, changes: RequestChanges): [string, JsonText][] {
  const kept = takeHints(hints, CARRIED, changes);
  const tier = kept.get('service_tier');
  const word: unknown = tier === undefined ? 'auto' : JSON.parse(tier);
  if (typeof word === 'string' && TIERS.has(word)) return [['serviceTier', JSON.stringify(word)]];
  if (typeof word !== 'string' || !USUAL.has(word)) changes.note(dropped('service_tier'));
  else if (word !== 'auto') changes.mention(leftOut('service_tier'));
  return [];
}
