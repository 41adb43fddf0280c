/** What a request says of its key, read before anything else of it is (I-1, I-6). Whatever is wrong is refused later. */
import type { CallerRules } from './caller-rules.ts';
import { isRecord } from './read.ts';
import type { RedundancyInput } from './redundancy-types.ts';
import type { AskedRequest } from './resolve-request.ts';

export type OnDuplicate = 'join' | 'reject';

type Asked = Pick<AskedRequest, 'model' | 'redundancy'>;
type Headers = Readonly<Record<string, unknown>>;
type Rules = Pick<CallerRules, 'defaultsFor'>;

/** Body before header, then virtual model, key, workspace, operator; nobody's word = join. */
export function onDuplicateOf(asked: Asked, headers: Headers, rules: Rules, operator: RedundancyInput): OnDuplicate {
  const said = wish(asked, headers, 'on_duplicate', (value) => value === 'join' || value === 'reject');
  const merged = rules.defaultsFor(nameOf(asked)).asked.on_duplicate;
  return (
    (said as OnDuplicate | undefined) ??
    (merged as OnDuplicate | undefined) ??
    (operator.on_duplicate as OnDuplicate | undefined) ??
    'join'
  );
}

/** How long the request may take, ms: its own wish, or what its key's requests get. */
export function deadlineAsked(asked: Asked, headers: Headers, rules: Rules): number {
  const said = wish(asked, headers, 'deadline_ms', (value) => Number.isSafeInteger(value) && (value as number) > 0);
  return Math.min((said as number | undefined) ?? rules.defaultsFor(nameOf(asked)).options.deadlineMs, LONGEST_MS);
}

/** C-4's upper end. */
const LONGEST_MS = 3_600_000;

function nameOf({ model }: Asked): string | undefined {
  return typeof model === 'string' ? model : undefined;
}

function wish(asked: Asked, headers: Headers, field: string, valid: (value: unknown) => boolean): unknown {
  const inBody = isRecord(asked.redundancy) ? asked.redundancy[field] : undefined;
  if (valid(inBody)) return inBody;
  const header = headers['x-understudy-redundancy'];
  if (typeof header !== 'string') return undefined;
  try {
    const read: unknown = JSON.parse(header);
    return isRecord(read) && valid(read[field]) ? read[field] : undefined;
  } catch {
    return undefined;
  }
}
