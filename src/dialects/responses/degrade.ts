/** what an entry's `degrade` changes of a request, as edits and in words for the attempt's record. */
import type { Degrade } from '../../core/request/redundancy-types.ts';
import { type BodyView, readJson, valueByte } from '../bytes/body-view.ts';
import { type Edit, edit, setJson } from '../bytes/edit.ts';
import { objectAt } from '../bytes/nested.ts';
import { jsonBytes } from '../bytes/text.ts';

export interface Degraded {
  readonly edits: readonly Edit[];
  /** Short words: `dropped tools`, `max_output_tokens 8000 → 1000`. */
  readonly changes: readonly string[];
  readonly dropped: boolean;
}

const NONE: Degraded = { edits: [], changes: [], dropped: false };
const TOOL_FIELDS = ['tools', 'tool_choice', 'parallel_tool_calls', 'max_tool_calls'];
export const OUTPUT_LIMIT = 'max_output_tokens';
/** Without these there is no request, or not the one whose answer is awaited. */
const NEVER_DROPPED: ReadonlySet<string> = new Set(['model', 'input', 'stream']);
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
  const format = degrade.drop_response_format === true && !edits.has('text') ? withoutFormat(view) : null;
  if (format !== null) {
    edits.set('text', format);
    changes.push('dropped text.format');
    dropped = true;
  }
  const note = (name: string, before: unknown, value: string | number): void => {
    changes.push(before === undefined ? `${name} set to ${value}` : `${name} ${plain(before)} → ${value}`);
  };
  const limit = degrade.max_output_tokens;
  if (limit !== undefined) {
    const before = edits.has(OUTPUT_LIMIT) ? undefined : (readJson(view, OUTPUT_LIMIT) ?? undefined);
    // A smaller one stays, and what is no number is the upstream's to refuse.
    if (before === undefined || (typeof before === 'number' && before > limit)) {
      edits.set(OUTPUT_LIMIT, setJson(OUTPUT_LIMIT, limit));
      note(OUTPUT_LIMIT, before, limit);
    }
  }
  const effort = degrade.reasoning_effort;
  if (effort !== undefined) {
    const reasoning = edits.has('reasoning') ? null : objectAt(view, 'reasoning');
    const before = reasoning === null ? undefined : (readJson(reasoning, 'effort') ?? undefined);
    if (before !== effort) {
      const value = reasoning === null ? jsonBytes({ effort }) : edit(reasoning, [setJson('effort', effort)]);
      edits.set('reasoning', { op: 'set', key: 'reasoning', value });
      note('reasoning.effort', before, effort);
    }
  }
  return { edits: [...edits.values()], changes, dropped };
}

/** Top-level fields that an entry's `degrade` takes out. */
export function fieldsToDrop(degrade: Degrade): string[] {
  const fields: string[] = [];
  if (degrade.drop_tools === true) fields.push(...TOOL_FIELDS);
  fields.push(...(degrade.drop_params ?? []).filter((key) => !NEVER_DROPPED.has(key)));
  return fields;
}

/** The answer's form, out of the field that also says how wordy it is; null = there is none. */
function withoutFormat(view: BodyView): Edit | null {
  const text = objectAt(view, 'text');
  if (text === null || valueByte(text, 'format') === 0 || valueByte(text, 'format') === NULL) return null;
  return { op: 'set', key: 'text', value: edit(text, [{ op: 'remove', key: 'format' }]) };
}

/** A client's value in the record: short, whatever it is. */
function plain(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
