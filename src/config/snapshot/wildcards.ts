/** Models that are made on demand, of `PROVIDER/*`. */
import type { CredentialIx } from '../../core/failover/plan-types.ts';
import type { ModelEntry } from './models.ts';
import type { ProviderEntry } from './upstreams.ts';

/** What every `PROVIDER/NAME` of a wildcard `PROVIDER/*` looks like. */
export interface WildcardEntry {
  readonly provider: ProviderEntry;
  readonly credentials: readonly CredentialIx[];
  readonly like: Pick<ModelEntry, 'contextWindow' | 'capabilities' | 'price' | 'maxOutputTokens'>;
}

/** Wildcards of a snapshot, and how many models and channels are the file's own (those come first, ids never change). */
export interface Wildcards {
  readonly byProvider: ReadonlyMap<string, WildcardEntry>;
  /** ISO date whose prices hold; absent = those of the catalogue's own day. */
  readonly day?: string;
  readonly ownModels: number;
  readonly ownChannels: number;
}
