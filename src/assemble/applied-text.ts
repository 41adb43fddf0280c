/** The text that was applied last, sealed in the store: a start without a file uses it. */

import type { Environment } from '../config/load.ts';
import type { ObjectChange, StoredObject } from '../ports/object-store.ts';
import { SealBroken, type Sealer } from '../ports/sealer.ts';
import { type AppliedText, type FileConfig, readText } from './configuration-source.ts';

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

/** What another process was told to put in force, as this one would read it. */
export function appliedFile(
  applied: StoredObject,
  sealer: Pick<Sealer, 'open'>,
  env: Environment,
): { readonly ok: true; readonly file: FileConfig } | { readonly ok: false; readonly problem: string } {
  try {
    const { text, at } = openApplied([applied], sealer)!;
    const read = readText(text, { kind: 'applied', name: '(applied configuration)', appliedAt: at }, env);
    if (read.ok) return read;
    const [first] = read.problems;
    return { ok: false, problem: `it has problems, the first of ${read.problems.length}: ${first?.message}` };
  } catch (error) {
    if (!(error instanceof SealBroken)) throw error;
    return { ok: false, problem: error.message };
  }
}
