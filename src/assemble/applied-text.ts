/** The text that was applied last, sealed in the store: a start without a file uses it. */
import type { ObjectChange, StoredObject } from '../ports/object-store.ts';
import { SealBroken, type Sealer } from '../ports/sealer.ts';
import type { AppliedText } from './configuration-source.ts';

export const APPLIED = { kind: 'configuration', name: 'applied' } as const;
export const APPLIED_CONTEXT = 'configuration:applied';

export function findApplied(objects: readonly StoredObject[]): StoredObject | undefined {
  return objects.find(({ kind, name }) => kind === APPLIED.kind && name === APPLIED.name);
}

/** Null = nothing was applied. Throws `SealBroken`: a start without it would run on something else than was ordered. */
export function openApplied(objects: readonly StoredObject[], sealer: Pick<Sealer, 'open'>): AppliedText | null {
  const stored = findApplied(objects);
  if (stored === undefined) return null;
  try {
    return { text: sealer.open(String(stored.body['sealed']), APPLIED_CONTEXT), at: stored.updatedAt };
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error;
    throw new SealBroken(`The applied configuration cannot be opened: ${error.message}. Or start with --config FILE.`);
  }
}

/** Keeps `text`; throws `SealKeyError`. */
export function appliedChange(
  text: string,
  by: string,
  objects: readonly StoredObject[],
  sealer: Pick<Sealer, 'seal'>,
): ObjectChange {
  const expectedVersion = findApplied(objects)?.version ?? 0;
  return { ...APPLIED, body: { sealed: sealer.seal(text, APPLIED_CONTEXT) }, expectedVersion, by };
}
