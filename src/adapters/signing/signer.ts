/**
 * Signs entitlements with keys of the store (G-5). What others do to the keys is seen at once where the objects are read;
 * what is due is done here: whoever comes second finds it done.
 */
import { type KeyObject, sign } from 'node:crypto';
import type { Cancel, Clock } from '../../ports/clock.ts';
import {
  type Entitlement,
  type EntitlementClaims,
  EntitlementUnavailable,
  type PublishedKeys,
  type SigningDesk,
  type SigningKeyView,
} from '../../ports/entitlement.ts';
import type { ObjectChange, StoredObject } from '../../ports/object-store.ts';
import { SealBroken, type Sealer } from '../../ports/sealer.ts';
import { type KeyTurn, keyTurns, type TurnRules, turnsNow } from './key-turns.ts';
import {
  bodyOf,
  drawSigningKey,
  privateKeyOf,
  publicKeyOf,
  readSigningKeys,
  SIGNING_KEY,
  type SigningKey,
} from './stored-key.ts';

/** Where the keys lie. */
export interface KeyShelf {
  /** The objects as they are known now; the same array as long as nothing changed. */
  objects(): readonly StoredObject[];
  /** Makes the changes from what is stored by then, durably, all or none; none = does nothing. Rejects where it can't. */
  change(changes: (objects: readonly StoredObject[]) => readonly ObjectChange[]): Promise<void>;
}

export interface SignerParts {
  readonly shelf: KeyShelf;
  readonly sealer: Pick<Sealer, 'seal' | 'open'>;
  readonly clock: Clock;
  /** As configured now; null = nobody asks for tokens, and no key is made. */
  readonly rules: () => TurnRules | null;
  /** Called when what is wrong changes: nothing can be signed, or keys can't be renewed; null = all is well again. */
  readonly onProblem: (problem: string | null) => void;
}

const LOOK_MS = 60_000;
const BY = 'gateway';

interface OpenKey {
  readonly kid: string;
  /** Of each of its tokens. */
  readonly head: string;
  readonly key: KeyObject;
}

/** A key that does not open. */
interface SealedKey {
  readonly kid: string;
  readonly problem: string;
}

export class EntitlementSigner implements Entitlement, SigningDesk {
  readonly #parts: SignerParts;
  #read: { readonly objects: readonly StoredObject[]; readonly keys: readonly SigningKey[] } | null = null;
  /** Opened once, as long as it is the current one. */
  #opened: OpenKey | SealedKey | null = null;
  /** What was told last. */
  #told: string | null = null;
  #tending: Promise<void> = Promise.resolve();
  #cancel: Cancel | null = null;
  #closed = false;

  constructor(parts: SignerParts) {
    this.#parts = parts;
  }

  /** Makes the first keys where they are asked for, then looks after them. Never rejects: `problem` tells. */
  async start(): Promise<void> {
    await this.tend();
    this.#lookAgain();
  }

  get problem(): string | null {
    const current = this.#current();
    return current === null ? 'there is no signing key yet' : 'problem' in current ? current.problem : null;
  }

  sign(claims: EntitlementClaims): string {
    const current = this.#current();
    if (current === null || 'problem' in current) throw new EntitlementUnavailable(this.problem ?? '');
    const signed = `${current.head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
    return `${signed}.${sign(null, Buffer.from(signed), current.key).toString('base64url')}`;
  }

  published(): PublishedKeys {
    return { keys: this.#keys().map(publicKeyOf) };
  }

  signingKeys(): readonly SigningKeyView[] {
    return this.#keys().map(({ kid, state, since }) => ({ kid, state, since }));
  }

  async turnNow(revoke: boolean): Promise<void> {
    await this.#parts.shelf.change((objects) => {
      const keys = readSigningKeys(objects);
      return this.#changesOf(keys, turnsNow(keys, revoke));
    });
  }

  /** Does what is due, one after the other. Never rejects. */
  tend(): Promise<void> {
    this.#tending = this.#tending.then(() => this.#tend());
    return this.#tending;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel?.();
    await this.#tending;
  }

  #lookAgain(): void {
    if (this.#closed) return;
    this.#cancel = this.#parts.clock.after(LOOK_MS, () => void this.tend().then(() => this.#lookAgain()));
  }

  async #tend(): Promise<void> {
    const { shelf, rules, clock } = this.#parts;
    const asked = rules();
    if (asked === null) return;
    const isDue = (): boolean => keyTurns(this.#keys(), asked, clock.wall()).length > 0;
    const turn = () => shelf.change((objects) => this.#changes(readSigningKeys(objects), asked));
    try {
      // Another gateway may have been first: the second time its keys are seen.
      if (isDue()) await turn().catch(turn);
      this.#tell(this.problem);
    } catch (error) {
      this.#tell(`signing keys cannot be renewed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #tell(problem: string | null): void {
    if (problem !== this.#told) this.#parts.onProblem(problem);
    this.#told = problem;
  }

  #changes(keys: readonly SigningKey[], rules: TurnRules): ObjectChange[] {
    return this.#changesOf(keys, keyTurns(keys, rules, this.#parts.clock.wall()));
  }

  #changesOf(keys: readonly SigningKey[], turns: readonly KeyTurn[]): ObjectChange[] {
    const wall = this.#parts.clock.wall();
    let last = keys.at(-1)?.no ?? 0;
    return turns.map((turn) => {
      if (turn.do === 'make') last += 1;
      return this.#changeFor(turn, last, wall);
    });
  }

  #changeFor(turn: KeyTurn, no: number, wall: number): ObjectChange {
    if (turn.do === 'make') {
      const made = drawSigningKey(no, turn.state, wall, this.#parts.sealer);
      return { kind: SIGNING_KEY, name: `${no}`, body: bodyOf(made), expectedVersion: 0, by: BY };
    }
    const { key } = turn;
    const body = turn.do === 'remove' ? null : bodyOf({ ...key, state: turn.to, since: wall });
    return { kind: SIGNING_KEY, name: `${key.no}`, body, expectedVersion: key.version, by: BY };
  }

  #keys(): readonly SigningKey[] {
    const objects = this.#parts.shelf.objects();
    if (this.#read?.objects !== objects) this.#read = { objects, keys: readSigningKeys(objects) };
    return this.#read.keys;
  }

  /** Null = there is none. */
  #current(): OpenKey | SealedKey | null {
    const key = this.#keys().findLast(({ state }) => state === 'current');
    if (key === undefined) return null;
    if (this.#opened?.kid !== key.kid) this.#opened = this.#open(key);
    return this.#opened;
  }

  #open(key: SigningKey): OpenKey | SealedKey {
    const { kid } = key;
    const head = Buffer.from(JSON.stringify({ alg: 'EdDSA', kid, typ: 'JWT' })).toString('base64url');
    try {
      return { kid, head, key: privateKeyOf(key, this.#parts.sealer) };
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error;
      return { kid, problem: `the signing key cannot be opened: ${error.message}` };
    }
  }
}
