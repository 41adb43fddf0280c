/** What the audit log says of a whole configuration that is exchanged (G-7): its differences, without secrets. */
import type { ApplyRequest } from '../config/objects/applying.ts';
import { auditedFields } from '../config/objects/change-entry.ts';
import { type Difference, differences, type FieldChange } from '../config/objects/difference.ts';
import type { AuditEntry } from '../ports/audit.ts';
import type { Store } from '../ports/store.ts';
import type { Configuration, ReloadResult } from './configuration.ts';
import type { FileConfig } from './configuration-source.ts';

/** Differences in one entry. */
const MOST_TOLD = 200;

/** `changes`: as `shownDifferences` makes them. `at`: wall ms. */
export function applyEntry(request: ApplyRequest, changes: readonly Difference[], at: number): AuditEntry {
  const { by, name, call } = request;
  return {
    ...entryOf(name, changes, at),
    actor: by,
    action: 'configuration.apply',
    requestId: call.requestId,
    ip: call.ip,
  };
}

/** A reload that is written down once it is in force. */
export async function reloaded(
  configuration: Configuration,
  { audit, clock }: Pick<Store, 'audit' | 'clock'>,
): Promise<ReloadResult> {
  const before = configuration.state().file;
  const result = await configuration.reload();
  const after = configuration.state().file;
  if (result.ok) audit.append(entryOf(after.origin.name, shownDifferences(before, after), clock.wall()));
  return result;
}

function entryOf(name: string, changes: readonly Difference[], at: number): AuditEntry {
  return {
    at,
    actor: 'file',
    action: 'configuration.reload',
    object: 'configuration',
    workspace: null,
    requestId: null,
    before: null,
    after: auditedFields({ name, differences: changes.slice(0, MOST_TOLD), more: changes.length > MOST_TOLD }),
    ip: null,
  };
}

/** Values that came from the environment are told by their variable (E-5). */
export function shownDifferences(before: FileConfig, after: FileConfig): Difference[] {
  const old = (text: string): string => before.document.mask(text);
  const fresh = (text: string): string => after.document.mask(text);
  const shown = (field: FieldChange): FieldChange => ({
    ...field,
    ...(field.from === undefined ? {} : { from: masked(field.from, old) }),
    ...(field.to === undefined ? {} : { to: masked(field.to, fresh) }),
  });
  return differences(before.config, after.config).map((one) => ({ ...one, fields: one.fields.map(shown) }));
}

function masked(value: unknown, mask: (text: string) => string): unknown {
  if (typeof value === 'string') return mask(value);
  return Array.isArray(value) ? value.map((item: unknown) => masked(item, mask)) : value;
}
