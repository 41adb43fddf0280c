/** Which model a request was meant for: everything that keeps primary and fallback apart asks here (O-3, O-4). */
import type { RecordDraft } from '../record.ts';
import { AUTO } from '../request/virtual-models.ts';

/** Names of models in a configuration, and what stands for them. */
export interface NamedModels {
  readonly modelById: { has(name: string): boolean };
  readonly aliases?: ReadonlyMap<string, string>;
  readonly workspaces?: ReadonlyMap<
    string,
    {
      readonly virtualModels: ReadonlyMap<string, { readonly models: readonly string[] }>;
      readonly auto: readonly string[];
    }
  >;
}

/**
 * The model the request was meant for. Not always the first of its chain: a default model may stand in for it (C-7),
 * open circuits may put it behind others (P-5). A virtual name only stands for the first, if that is one of its own.
 */
export function primaryOf(
  { chain, requested_model: requested, workspace }: Pick<RecordDraft, 'chain' | 'requested_model' | 'workspace'>,
  { modelById, aliases, workspaces }: NamedModels,
): string | null {
  const first = chain[0] ?? requested;
  if (requested === null) return first;
  if (modelById.has(requested)) return requested;
  const names = workspaces?.get(workspace);
  const members = requested === AUTO ? names?.auto : names?.virtualModels.get(requested)?.models;
  if (members === undefined) return aliases?.get(requested) ?? first;
  return first !== null && members.includes(first) ? first : (members[0] ?? requested);
}

/** `none`: no upstream was called. Else whose answer, or whose last failure, the client got. */
export type Role = 'none' | 'primary' | 'fallback';

/** Of a request. Of an attempt it is `primary` at the primary model, else `fallback`. */
export function roleOf(draft: Pick<RecordDraft, 'served_model' | 'attempts'>, primary: string | null): Role {
  const answered = draft.served_model ?? draft.attempts.at(-1)?.model ?? null;
  if (answered === null) return 'none';
  return answered === primary ? 'primary' : 'fallback';
}
