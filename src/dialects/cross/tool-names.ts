/** Tool names an upstream would refuse: changed for the one request, and changed back in its answer. */
import type { CanonicalRequest, ToolNames } from '../canonical.ts';

/** Which names an upstream takes. */
export interface ToolNameRule {
  /** Letters a name may hold, as a class: `A-Za-z0-9_-`. */
  readonly letters: string;
  /** Letters it may start with, as a class. */
  readonly first: string;
  readonly maxLength: number;
}

/** What most upstreams take. */
export const PLAIN_NAMES: ToolNameRule = { letters: 'A-Za-z0-9_-', first: 'A-Za-z0-9_-', maxLength: 64 };
export const LONG_PLAIN_NAMES: ToolNameRule = { ...PLAIN_NAMES, maxLength: 128 };

/** The word for `UpstreamBody.changes` where a name was changed. */
export const TOOLS_RENAMED = 'tools renamed';

/** The names of one request, both ways. */
export interface ToolRenaming {
  /** As the upstream gets it. */
  outward(name: string): string;
  /** Upstream spelling → client spelling of what was changed; empty = nothing was. */
  readonly names: ToolNames;
}

const UNCHANGED: ToolRenaming = { outward: (name) => name, names: new Map() };

/**
 * Names that the rule refuses are spelt anew. The new spelling depends on the name alone, so that a conversation keeps
 * it from call to call; only where two would fall together a number is added.
 */
export function renameTools(request: CanonicalRequest, rule: ToolNameRule): ToolRenaming {
  const good = new RegExp(`^[${rule.first}][${rule.letters}]{0,${rule.maxLength - 1}}$`);
  const all = namesIn(request);
  if (all.every((name) => good.test(name))) return UNCHANGED;
  const taken = new Set(all.filter((name) => good.test(name)));
  const outward = new Map<string, string>();
  const names = new Map<string, string>();
  for (const name of all) {
    if (good.test(name)) continue;
    let spelling = respell(name, rule);
    for (let n = 2; taken.has(spelling); n++) spelling = withSuffix(spelling, `_${n}`, rule.maxLength);
    taken.add(spelling);
    outward.set(name, spelling);
    names.set(spelling, name);
  }
  return { outward: (name) => outward.get(name) ?? name, names };
}

/** Every tool the request names, once: declared, called, answered for, chosen. */
function namesIn({ tools, turns, toolChoice }: CanonicalRequest): string[] {
  const names = new Set(tools.map((tool) => tool.name));
  if (toolChoice?.mode === 'one') names.add(toolChoice.name);
  if (toolChoice?.mode === 'some') for (const name of toolChoice.names) names.add(name);
  for (const { parts } of turns) {
    for (const part of parts) {
      if (part.type === 'call') names.add(part.name);
      else if (part.type === 'result' && part.name !== null) names.add(part.name);
    }
  }
  return [...names];
}

/** Different names get different spellings, but for chance: what had to be changed leaves its print. */
function respell(name: string, rule: ToolNameRule): string {
  const legal = name.replaceAll(new RegExp(`[^${rule.letters}]`, 'g'), '_');
  const started = new RegExp(`^[${rule.first}]`).test(legal) ? legal : `_${legal}`;
  return withSuffix(started, `_${print(name)}`, rule.maxLength);
}

function withSuffix(name: string, suffix: string, maxLength: number): string {
  return name.slice(0, maxLength - suffix.length) + suffix;
}

/** FNV-1a over UTF-16 units, as six letters: tells names apart, no more. */
function print(name: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(36).padStart(7, '0').slice(-6);
}

/** The client's spelling of a name an upstream sent. */
export function clientName(name: string, names: ToolNames): string {
  return names.size === 0 ? name : (names.get(name) ?? name);
}
