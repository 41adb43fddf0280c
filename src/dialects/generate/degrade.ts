/** what an entry's `degrade` changes of a request, as edits and in words for the attempt's record. */
import type { Degrade } from '../../core/request/redundancy-types.ts';
import { jsonBytes } from '../bytes/text.ts';
import { budgetOf } from '../cross/effort-levels.ts';
import { camelCase, given, numberOf, valueGiven } from './fields.ts';
import { CONFIG, type RequestEdits } from './request-edits.ts';

export interface Degraded {
  /** Short words: `dropped tools`, `maxOutputTokens 8000 → 1000`. */
  readonly changes: readonly string[];
  readonly dropped: boolean;
}

const NONE: Degraded = { changes: [], dropped: false };
const TOOL_FIELDS = ['tools', 'toolConfig'];
const FORMAT_FIELDS = ['responseMimeType', 'responseSchema', 'responseJsonSchema'];
/** Without these there is no request, or not the one whose answer is awaited. */
const NEVER_DROPPED: ReadonlySet<string> = new Set(['model', 'contents']);

export const OUTPUT_LIMIT = 'maxOutputTokens';

/** Notes in `edits` what the entry wants changed. */
export function degradeInto(edits: RequestEdits, degrade: Degrade | null): Degraded {
  if (degrade === null) return NONE;
  const changes: string[] = [];
  const { top, config } = fieldsToDrop(degrade);
  for (const name of top) if (edits.removeTop(name)) changes.push(`dropped ${name}`);
  for (const name of config) if (edits.removeInConfig(name)) changes.push(`dropped ${name}`);
  const dropped = changes.length > 0;
  if (degrade.max_output_tokens !== undefined)
    lowerOutput(edits, degrade.max_output_tokens, [...top, ...config], changes);
  if (degrade.reasoning_effort !== undefined) setEffort(edits, degrade.reasoning_effort, changes);
  return { changes, dropped };
}

/** Members that an entry's `degrade` takes out, at the top and in `generationConfig`, in lowerCamelCase. */
export function fieldsToDrop(degrade: Degrade): {
  readonly top: readonly string[];
  readonly config: readonly string[];
} {
  const params = (degrade.drop_params ?? []).map(camelCase).filter((name) => !NEVER_DROPPED.has(name));
  const tools = degrade.drop_tools === true ? TOOL_FIELDS : [];
  const format = degrade.drop_response_format === true ? FORMAT_FIELDS : [];
  return { top: [...new Set([...tools, ...params])], config: [...new Set([...format, ...params])] };
}

/** Lowers the limit; a smaller one stays, and what is no number is the upstream's to refuse. */
function lowerOutput(edits: RequestEdits, limit: number, droppedNames: readonly string[], changes: string[]): void {
  const { config } = edits;
  const gone = droppedNames.includes(OUTPUT_LIMIT) || droppedNames.includes(CONFIG);
  const asked = config === null || gone ? undefined : valueGiven(config, OUTPUT_LIMIT);
  const tokens = numberOf(asked);
  if (asked !== undefined && (tokens === null || tokens <= limit)) return;
  edits.setInConfig(OUTPUT_LIMIT, jsonBytes(limit));
  changes.push(asked === undefined ? `${OUTPUT_LIMIT} set to ${limit}` : `${OUTPUT_LIMIT} ${tokens} → ${limit}`);
}

/** In the words the request itself uses: a budget where it names one, else a level. */
function setEffort(edits: RequestEdits, effort: string, changes: string[]): void {
  const { thinking } = edits;
  const byBudget = thinking !== null && given(thinking, 'thinkingBudget') !== null;
  if (byBudget || effort === 'none') {
    edits.removeInThinking('thinkingLevel');
    edits.setInThinking('thinkingBudget', jsonBytes(effort === 'none' ? 0 : (budgetOf(effort, null) ?? -1)));
  } else {
    edits.setInThinking('thinkingLevel', jsonBytes(levelOf(effort)));
  }
  changes.push(`reasoning effort set to ${effort}`);
}

const LEVELS: Readonly<Record<string, string>> = { max: 'XHIGH' };

/** An effort in this dialect's words; unknown ones go as they are, in its capitals. */
export function levelOf(effort: string): string {
  return LEVELS[effort] ?? effort.toUpperCase();
}
