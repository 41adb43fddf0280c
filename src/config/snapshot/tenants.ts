/** Workspaces: what each may use, how it routes, and what it has to spend. */
import type { Limits } from '../../core/limits/limits.ts';
import type { Ceilings, RedundancyInput } from '../../core/request/redundancy-types.ts';
import type { NanoUsd } from '../../core/usage/usage.ts';
import type { ManagedBy } from './managed-by.ts';
import type { RoutingEntry } from './routing.ts';

export interface WorkspaceEntry {
  readonly name: string;
  readonly enabledModels: readonly string[];
  /** Glob patterns of `MODEL#CHANNEL` whose platform credentials it may use (P-1). */
  readonly enabledChannels: readonly string[];
  readonly redundancy: RedundancyInput;
  readonly ceilings: Ceilings;
  /** Model id, tried last (C-7). */
  readonly defaultModel: string | null;
  readonly routing: RoutingEntry;
  /** By name (C-6). */
  readonly virtualModels: ReadonlyMap<string, VirtualModelEntry>;
  /** Model ids behind `understudy/auto`; empty = it has none. */
  readonly auto: readonly string[];
  readonly guardrails: GuardrailsEntry;
  readonly limits: Limits | null;
  /** Whether and how its answers are kept, to be given again when everything failed (E-4); null = they are not. */
  readonly answers: AnswerKeeping | null;
  /** What the file grants; null = the workspace is not prepaid (G-4). */
  readonly balance: NanoUsd | null;
  readonly managedBy: ManagedBy;
}

/** E-4: how long answers of a workspace are kept, and how many bytes of them at most. */
export interface AnswerKeeping {
  readonly maxAgeMs: number;
  readonly maxBytes: number;
}

/** C-6: `routing` null = the workspace's. */
export interface VirtualModelEntry {
  readonly name: string;
  /** Model ids, up to 10. */
  readonly models: readonly string[];
  readonly routing: RoutingEntry | null;
  readonly redundancy: RedundancyInput;
}

/** G-2. Patterns are globs; channels as `MODEL#CHANNEL`. */
export interface GuardrailsEntry {
  readonly denyModels: readonly string[];
  readonly denyChannels: readonly string[];
  /** Null = any. A channel without region is outside every list. */
  readonly allowRegions: readonly string[] | null;
  readonly denyRegions: readonly string[];
  /** Requests of this workspace may be this private at most. */
  readonly maxPrivacy: string | null;
}
