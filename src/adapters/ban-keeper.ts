/** Bans as objects of the store (kind `ban`). What is wanted is brought to the store in the background, until it is there. */
import type { Ban, BanBook } from '../ports/bans.ts';
import type { Cancel, Clock } from '../ports/clock.ts';
import type { ObjectChange, ObjectStore, StoredObject } from '../ports/object-store.ts';

const KIND = 'ban';
/** Between tries while the store is out of order; doubled up to the longest. */
const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;

export interface BanKeeperOptions {
  readonly objects: ObjectStore;
  readonly clock: Clock;
  /** What can not be kept at the moment, in plain words; null = all is kept. Told once per change. */
  readonly onProblem: (problem: string | null) => void;
}

export class BanKeeper implements BanBook {
  readonly #options: BanKeeperOptions;
  /** Since when; null = lifted. Only what the store may not have yet. */
  readonly #wanted = new Map<string, number | null>();
  /** Versions in the store; null = they have to be read again. */
  #versions: Map<string, number> | null = null;
  #work: Promise<void> | null = null;
  #cancelWait: Cancel | null = null;
  #waitMs = FIRST_WAIT_MS;
  #problem: string | null = null;
  #closed = false;

  constructor(options: BanKeeperOptions) {
    this.#options = options;
  }

  /** The bans of earlier processes. Rejects with StateStoreUnavailable. */
  async load(): Promise<Ban[]> {
    const all = await this.#options.objects.load();
    this.#versions = new Map(all.filter(({ kind }) => kind === KIND).map(({ name, version }) => [name, version]));
    return bansIn(all);
  }

  ban(key: string, since: number): void {
    this.#want(key, since);
  }

  lift(key: string): void {
    // Where others ban as well, the store knows more.
    if (this.#options.objects.revision !== undefined) this.#versions = null;
    if (this.#versions?.has(key) === false && !this.#wanted.has(key)) return;
    this.#want(key, null);
  }

  /** One last try for what is not kept yet. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelWait?.();
    await this.#work;
    if (this.#wanted.size > 0) await this.#keep();
  }

  #want(key: string, since: number | null): void {
    this.#wanted.set(key, since);
    if (this.#work === null && this.#cancelWait === null && !this.#closed) this.#begin();
  }

  #begin(): void {
    this.#cancelWait = null;
    this.#work = this.#keep().then((kept) => {
      this.#work = null;
      if (this.#wanted.size === 0 || this.#closed) return;
      if (kept) this.#begin();
      else this.#cancelWait = this.#options.clock.after(this.#nextWait(), () => this.#begin());
    });
  }

  #nextWait(): number {
    const wait = this.#waitMs;
    this.#waitMs = Math.min(wait * 2, LONGEST_WAIT_MS);
    return wait;
  }

  /** False = not now. Never rejects. */
  async #keep(): Promise<boolean> {
    const batch = [...this.#wanted];
    try {
      if (this.#versions === null) await this.load();
      const versions = this.#versions!;
      for (const [key, since] of batch) {
        const change = changeFor(key, since, versions.get(key) ?? 0);
        if (change !== null) await this.#write(change, versions);
        // Meanwhile it may have been lifted, or banned anew.
        if (this.#wanted.get(key) === since) this.#wanted.delete(key);
      }
    } catch (error) {
      // Also after a conflict: somebody else changed it, and what is there has to be read again.
      this.#versions = null;
      this.#say(error instanceof Error ? error.message : String(error));
      return false;
    }
    this.#waitMs = FIRST_WAIT_MS;
    this.#say(null);
    return true;
  }

  async #write(change: ObjectChange, versions: Map<string, number>): Promise<void> {
    const [stored] = await this.#options.objects.change([change], this.#options.clock.wall());
    if (stored == null) versions.delete(change.name);
    else versions.set(change.name, stored.version);
  }

  #say(problem: string | null): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#options.onProblem(problem);
  }
}

/** Those that the store holds. */
export function bansIn(objects: readonly StoredObject[]): Ban[] {
  return objects
    .filter(({ kind }) => kind === KIND)
    .map(({ name, body, createdAt }) => ({
      key: name,
      since: typeof body['since'] === 'number' ? body['since'] : createdAt,
    }));
}

function changeFor(name: string, since: number | null, version: number): ObjectChange | null {
  if (since === null && version === 0) return null;
  return { kind: KIND, name, body: since === null ? null : { since }, expectedVersion: version, by: 'gateway' };
}
