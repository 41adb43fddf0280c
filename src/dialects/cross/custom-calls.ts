/**
 * Freeform tools where an upstream has none: they go as functions of one text (`{"input": "…"}`), and their calls come
 * back as what the client offered. The names of one request carry along which tools that were.
 */

import { readString } from '../bytes/body-view.ts';
import type { CanonicalRequest, JsonText, ToolNames } from '../canonical.ts';
import { objectText, viewOfText } from './json-text.ts';

/** The word for `UpstreamBody.changes`. */
export const CUSTOM_AS_FUNCTIONS = 'custom tools as functions';

/** Arguments of such a function. */
export const CUSTOM_SCHEMA: JsonText =
  '{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}';

/** Names of a request that offers freeform tools. */
class NamesWithCustom extends Map<string, string> {
  readonly custom: ReadonlySet<string>;

  constructor(names: ToolNames, custom: ReadonlySet<string>) {
    super(names);
    this.custom = custom;
  }
}

/** The same names, knowing the request's freeform tools by the client's spelling. */
export function namesWithCustom(names: ToolNames, { tools }: CanonicalRequest): ToolNames {
  const custom = tools.filter((tool) => tool.form === 'custom').map((tool) => tool.name);
  return custom.length === 0 ? names : new NamesWithCustom(names, new Set(custom));
}

/** Whether a call of this name, in the client's spelling, is one of a freeform tool. */
export function isCustomCall(name: string, names: ToolNames): boolean {
  return names instanceof NamesWithCustom && names.custom.has(name);
}

/** The text of such a call as the upstream gets it. */
export function customArguments(input: string): JsonText {
  return objectText([['input', JSON.stringify(input)]]);
}

/** And back: the text in the arguments; arguments of any other shape are the text themselves. */
export function customInput(json: string): string {
  const view = viewOfText(json);
  const input = view === null ? null : readString(view, 'input');
  return typeof input === 'string' ? input : json;
}
