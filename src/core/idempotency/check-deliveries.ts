/**
 * Whether what clients got under one key is what the ledger keeps (I-11). A success is known by the request that made it;
 * replays and joins name it. Keys live on after they were free once, so records of an earlier life are compared among
 * themselves alone.
 */
import type { RequestSummary } from '../record.ts';
import { type Violation, type ViolationKind, violation } from './check-key.ts';
import { mayBeScopeOf } from './derive.ts';
import type { KeyRef, KeyRow } from './key-row.ts';

/** What the log says of one keyed request. */
export type KeyedRecord = Pick<
  RequestSummary,
  'id' | 'at' | 'key' | 'workspace' | 'endpoint' | 'status' | 'ending' | 'idempotency'
>;

/** What the ledger keeps now, read after the records. */
export interface LedgerEntryView {
  readonly ref: KeyRef;
  readonly row: Pick<KeyRow, 'state' | 'life' | 'round' | 'requestId' | 'digest'>;
}

/** Set apart in the ledger, where answers look otherwise (I-1); records call both ways in by one name. */
export const CLASSIC = '.classic';

const DELIVERED: ReadonlySet<string> = new Set(['served', 'replayed', 'joined']);

/** Digests by scope and request; one key's records in any order, for as many as there are. */
export class DeliveryCheck {
  readonly #keyHash: string;
  readonly #entries: readonly LedgerEntryView[];
  readonly #digests = new Map<string, string>();

  /** @param entries the ledger's of this hash, of every scope */
  constructor(keyHash: string, entries: readonly LedgerEntryView[]) {
    this.#keyHash = keyHash;
    this.#entries = entries;
  }

  add(record: KeyedRecord): Violation | null {
    const { idempotency: keyed, ending, status, endpoint, key, workspace } = record;
    if (keyed === null || !DELIVERED.has(ending) || status >= 400) return null;
    const endpoints = [endpoint, `${endpoint}${CLASSIC}`];
    const inScope = this.#entries.filter(({ ref }) =>
      endpoints.some((asked) => mayBeScopeOf(ref.scope, { key, workspace, endpoint: asked })),
    );
    const made = keyed.original_request_id ?? record.id;
    const entry = inScope.find(({ row }) => row.requestId === made) ?? inScope[0];
    const ref = entry?.ref ?? { keyHash: this.#keyHash, scope: `key:${key ?? ''} ${endpoint}` };
    const tell = (kind: ViolationKind, detail: string): Violation => violation(kind, ref, `${record.id}: ${detail}`);
    const { digest = null } = keyed;
    const original = originalOf(record.id, keyed, entry);
    if (digest === null) return tell('delivered_unweighed', `${ending} with status ${status}`);
    const id = `${original} ${ref.scope}`;
    const first = this.#digests.get(id) ?? digest;
    this.#digests.set(id, first);
    if (first !== digest) return tell('delivered_twice_differently', `${digest}, another got ${first} of ${original}`);
    if (entry === undefined) return null;
    const { state, requestId, life } = entry.row;
    const isStored = state === 'succeeded' && requestId === original;
    if (isStored && entry.row.digest !== digest)
      return tell('delivered_not_stored', `${digest}, stored is ${entry.row.digest}`);
    // Whoever came after this life began got nothing of an earlier one.
    if (!isStored && Date.parse(record.at) > life)
      return tell('delivered_not_stored', `the success of ${original}, the key is ${state}`);
    return null;
  }
}

/** The request whose success it was; where the record doesn't name it, by the round. */
function originalOf(
  id: string,
  keyed: NonNullable<KeyedRecord['idempotency']>,
  entry: LedgerEntryView | undefined,
): string {
  if (typeof keyed.original_request_id === 'string') return keyed.original_request_id;
  if (keyed.role === 'owner') return id;
  return entry?.row.round === keyed.round ? entry.row.requestId : `round ${keyed.round}`;
}
