/** what an entry's `degrade` changes of a request, as edits and in words for the attempt's record. */
import type { Degrade } from '../../core/request/redundancy-types.ts';
import { type BodyView, readInteger, readJson, readString, valueByte } from '../bytes/body-view.ts';
import { type Edit, edit, setJson } from '../bytes/edit.ts';
import { objectAt } from '../bytes/nested.ts';
import { utf8 } from '../bytes/text.ts';

export interface Degraded {
  readonly edits: readonly Edit[];
  /** Short words: `dropped tools`, `max_tokens 8000 → 1000`. */
  readonly changes: readonly string[];
  readonly dropped: boolean;
}

const NONE: Degraded = { edits: [], changes: [], dropped: false };
const TOOL_FIELDS = ['tools', 'tool_choice', 'mcp_servers'];
/** Where a schema for the answer stands: today's place and the beta's. */
const FORMAT_FIELDS = ['output_format', 'output_config.format'];
/** Without these there is no request, or not the one whose answer is awaited. */
const NEVER_DROPPED: ReadonlySet<string> = new Set(['model', 'messages', 'max_tokens', 'stream']);
const NULL = 0x6e;
const NO_CONFIG: BodyView = { bytes: utf8('{}'), start: 0, end: 2, members: [] };
/** Fewer the API does not take for thinking. */
const LEAST_BUDGET = 1024;

/** Collects the edits of one request; a nested field is `output_config.effort`. */
class Changes {
  readonly edits = new Map<string, Edit>();
  readonly said: string[] = [];
  dropped = false;
  readonly #view: BodyView;
  #config: BodyView | null;
  readonly #configEdits = new Map<string, Edit>();

  constructor(view: BodyView) {
    this.#view = view;
    this.#config = objectAt(view, 'output_config');
  }

  drop(field: string): void {
    const nested = /^output_config\.(\w+)$/.exec(field)?.[1];
    const view = nested === undefined ? this.#view : this.#config;
    const edits = nested === undefined ? this.edits : this.#configEdits;
    const key = nested ?? field;
    const first = view === null ? 0 : valueByte(view, key);
    if (first === 0 || edits.has(key)) return;
    edits.set(key, { op: 'remove', key });
    if (key === 'output_config') this.#config = null;
    // A field that says null asked for nothing: it goes without a word.
    if (first === NULL) return;
    this.said.push(`dropped ${field}`);
    this.dropped = true;
  }

  set(key: string, value: unknown, words: string): void {
    this.edits.set(key, setJson(key, value));
    this.said.push(words);
  }

  setEffort(effort: string): void {
    const before = this.#config === null ? null : readString(this.#config, 'effort');
    if (before === effort) return;
    this.#configEdits.set('effort', setJson('effort', effort));
    this.said.push(
      typeof before === 'string'
        ? `output_config.effort ${before} → ${effort}`
        : `output_config.effort set to ${effort}`,
    );
  }

  /** The nested edits as one of `output_config`. */
  close(): void {
    if (this.#configEdits.size === 0) return;
    const value = edit(this.#config ?? NO_CONFIG, [...this.#configEdits.values()]);
    this.edits.set('output_config', { op: 'set', key: 'output_config', value });
  }
}

export function degradeEdits(view: BodyView, degrade: Degrade | null): Degraded {
  if (degrade === null) return NONE;
  const changes = new Changes(view);
  for (const field of fieldsToDrop(degrade)) changes.drop(field);
  if (degrade.reasoning_effort !== undefined) setEffort(view, degrade.reasoning_effort, changes);
  if (degrade.max_output_tokens !== undefined) lowerOutput(view, degrade.max_output_tokens, changes);
  changes.close();
  return { edits: [...changes.edits.values()], changes: changes.said, dropped: changes.dropped };
}

/** Fields that an entry's `degrade` takes out: top-level ones, and `output_config.format`. */
export function fieldsToDrop(degrade: Degrade): string[] {
  const fields: string[] = [];
  if (degrade.drop_tools === true) fields.push(...TOOL_FIELDS);
  if (degrade.drop_response_format === true) fields.push(...FORMAT_FIELDS);
  fields.push(...(degrade.drop_params ?? []).filter((key) => !NEVER_DROPPED.has(key)));
  return fields;
}

/** The levels of this dialect; none at all is `thinking` off. */
function setEffort(view: BodyView, effort: string, changes: Changes): void {
  if (effort === 'none') {
    if (valueByte(view, 'thinking') === 0 || thinkingType(view) === 'disabled') return;
    changes.set('thinking', { type: 'disabled' }, 'thinking disabled');
  } else {
    changes.setEffort(effort === 'minimal' ? 'low' : effort);
  }
}

function thinkingType(view: BodyView): unknown {
  return (objectAt(view, 'thinking') === null ? null : (readJson(view, 'thinking') as { type?: unknown }).type) ?? null;
}

/** A smaller limit stays. A budget for thinking must stay below it: it shrinks along, or thinking is dropped. */
function lowerOutput(view: BodyView, limit: number, changes: Changes): void {
  const asked = readInteger(view, 'max_tokens');
  if (asked === undefined || (asked !== null && asked <= limit)) return;
  changes.set('max_tokens', limit, asked === null ? `max_tokens set to ${limit}` : `max_tokens ${asked} → ${limit}`);
  const thinking = changes.edits.has('thinking') ? null : objectAt(view, 'thinking');
  const budget = thinking === null ? null : readInteger(thinking, 'budget_tokens');
  if (thinking === null || budget === null || budget === undefined || budget < limit) return;
  const less = Math.floor(limit / 2);
  if (less < LEAST_BUDGET) {
    changes.drop('thinking');
    return;
  }
  const value = edit(thinking, [setJson('budget_tokens', less)]);
  changes.edits.set('thinking', { op: 'set', key: 'thinking', value });
  changes.said.push(`thinking.budget_tokens ${budget} → ${less}`);
}
