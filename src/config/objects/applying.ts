/** Bringing a running gateway to what a configuration file says: the words between the admin plane and the assembly. */
import type { CallOrigin, ObjectKind } from './config-objects.ts';
import type { Difference } from './difference.ts';

export interface ApplyRequest {
  /** The file's text. `${ENV}` is filled in from the gateway's environment, not the caller's. */
  readonly text: string;
  /** The file's name, for messages. */
  readonly name: string;
  /** True: only tell what would change. */
  readonly dryRun: boolean;
  /** The `base` of an earlier answer: another configuration in force meanwhile is a conflict. Null = whatever is. */
  readonly base: string | null;
  readonly by: string;
  /** The call it came by, for the audit log. */
  readonly call: CallOrigin;
}

/** What happens to an object of the store because the file changes. */
export interface StoreEffect {
  readonly kind: ObjectKind;
  readonly name: string;
  /** `hidden`: the file names one like it; `set_aside`: it no longer fits; `returns`: it is in force again. */
  readonly effect: 'hidden' | 'set_aside' | 'returns';
  readonly reason: string | null;
}

export interface ApplyAnswer {
  readonly applied: boolean;
  /** Mark of the text the differences are counted from. */
  readonly base: string;
  readonly changes: readonly Difference[];
  readonly store: readonly StoreEffect[];
  /** What the operator should know, in plain words. */
  readonly notes: readonly string[];
}

export interface ConfigApplier {
  /** Rejects with `ClientError`: 400 with every problem and its place, 409, 503; then nothing has changed. */
  apply(request: ApplyRequest): Promise<ApplyAnswer>;
}
