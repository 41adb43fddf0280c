/** What an entry changed, field by field. */
import type { Shape } from '../../api/client.ts';

export type AuditEntry = Shape<'AuditEntry'>;

export interface ChangedField {
  readonly name: string;
  /** As text; null = it was not there. */
  readonly before: string | null;
  readonly after: string | null;
}

type Fields = Readonly<Record<string, unknown>>;

/** A field's value as text: plain words as they are, everything else as JSON. */
function textOf(fields: Fields, name: string): string | null {
  const value = fields[name];
  if (value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Those that differ; all of them where there is nothing to compare with. */
export function changesOf({ before, after }: Pick<AuditEntry, 'before' | 'after'>): readonly ChangedField[] {
  const [old, now]: readonly [Fields, Fields] = [before ?? {}, after ?? {}];
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].sort();
  return names
    .map((name) => ({ name, before: textOf(old, name), after: textOf(now, name) }))
    .filter((field) => field.before !== field.after);
}
