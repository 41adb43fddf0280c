/** How urgent a request is, before anything else is read of it: limits shed what is `low` first (C-4, G-11). */
import type { CallerRules } from './caller-rules.ts';
import { isRecord } from './read.ts';
import type { AskedRequest } from './resolve-request.ts';

export type Priority = 'low' | 'normal' | 'high';

const PRIORITIES: readonly unknown[] = ['low', 'normal', 'high'] satisfies Priority[];

/**
 * The request's own `priority` (body before header), else its virtual model's, key's, workspace's or operator's. Costs a
 * look-up where the request says nothing. Never fails: whatever can not be read is refused when the options are.
 */
export function priorityOf(
  asked: Pick<AskedRequest, 'model' | 'redundancy'>,
  headers: Readonly<Record<string, unknown>>,
  rules: Pick<CallerRules, 'defaultsFor'>,
): Priority {
  const said = priorityIn(asked.redundancy) ?? headerPriority(headers['x-understudy-redundancy']);
  if (said !== null) return said;
  return rules.defaultsFor(typeof asked.model === 'string' ? asked.model : undefined).options.priority;
}

function headerPriority(header: unknown): Priority | null {
  if (typeof header !== 'string') return null;
  try {
    return priorityIn(JSON.parse(header));
  } catch {
    return null;
  }
}

function priorityIn(redundancy: unknown): Priority | null {
  const priority = isRecord(redundancy) ? redundancy['priority'] : undefined;
  return PRIORITIES.includes(priority) ? (priority as Priority) : null;
}
