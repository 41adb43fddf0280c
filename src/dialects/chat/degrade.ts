/** what an entry's `degrade` changes of a request, as edits and in words for the attempt's record. */
import type { Degrade } from '../../core/request/redundancy-types.ts';
import { type BodyView, readJson, valueByte } from '../bytes/body-view.ts';
import { type Edit, setJson } from '../bytes/edit.ts';

export interface Degraded {
  readonly edits: readonly Edit[];
  /** Short words: `dropped tools`, `max_tokens 8000 → 1000`. */
  readonly changes: readonly string[];
  readonly dropped: boolean;
}

const NONE: Degraded = { edits: [], changes: [], dropped: false };
const TOOL_FIELDS = ['tools', 'tool_choice', 'parallel_tool_calls', 'functions', 'function_call'];
/** The newer name first: it is the one that is set when the client named none. */
export const OUTPUT_LIMITS = ['max_completion_tokens', 'max_tokens'] as const;
/** Without these there is no request, or not the one whose answer is awaited. */
const NEVER_DROPPED: ReadonlySet<string> = new Set(['model', 'messages', 'stream']);
const NULL = 0x6e;

export function degradeEdits(view: BodyView, degrade: Degrade | null): Degraded {
  if (degrade === null) return NONE;
  const edits = new Map<string, Edit>();
  const changes: string[] = [];
  let dropped = false;
  for (const key of fieldsToDrop(degrade)) {
    const first = valueByte(view, key);
    if (first === 0 || edits.has(key)) continue;
    edits.set(key, { op: 'remove', key });
    // A field that says null asked for nothing: it goes without a word.
    if (first === NULL) continue;
    changes.push(`dropped ${key}`);
    dropped = true;
  }
  const set = (key: string, value: string | number): void => {
    const before = edits.has(key) ? undefined : (readJson(view, key) ?? undefined);
    if (before === value) return;
    edits.set(key, setJson(key, value));
    changes.push(before === undefined ? `${key} set to ${value}` : `${key} ${plain(before)} → ${value}`);
  };
  if (degrade.max_output_tokens !== undefined) lowerOutput(view, degrade.max_output_tokens, set);
  if (degrade.reasoning_effort !== undefined) set('reasoning_effort', degrade.reasoning_effort);
  return { edits: [...edits.values()], changes, dropped };
}

/** Top-level fields that an entry's `degrade` takes out. */
export function fieldsToDrop(degrade: Degrade): string[] {
  const fields: string[] = [];
  if (degrade.drop_tools === true) fields.push(...TOOL_FIELDS);
  if (degrade.drop_response_format === true) fields.push('response_format');
  fields.push(...(degrade.drop_params ?? []).filter((key) => !NEVER_DROPPED.has(key)));
  return fields;
}

/** Lowers whichever limit the client used; a smaller one stays, and what is no number is the upstream's to refuse. */
function lowerOutput(view: BodyView, limit: number, set: (key: string, value: number) => void): void {
  const used = OUTPUT_LIMITS.filter((key) => (readJson(view, key) ?? null) !== null);
  for (const key of used) {
    const asked = readJson(view, key);
    if (typeof asked === 'number' && asked > limit) set(key, limit);
  }
  if (used.length === 0) set(OUTPUT_LIMITS[0], limit);
}

/** A client's value in the record: short, whatever it is. */
function plain(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
