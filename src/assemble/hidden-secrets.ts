/** Every secret that is kept out of what is shown (E-5): those in force, and for a while those that were. */
import { makeMasker } from '../core/classify/mask.ts';
import { secretGuard } from '../core/errors/secret-guard.ts';
import type { Clock } from '../ports/clock.ts';

/** Calls may outlive their request by this long (runs that go on after their client): what they bring back is hidden too. */
const AT_LEAST_MS = 600_000;
/** Whatever still runs: a secret that is gone for so long is of no use to anybody. */
const AT_MOST_MS = 3_600_000;
/** Beyond, the oldest go first: whoever may change a secret at will must not make every text slow to search. */
const MOST_PAST = 1000;
const MOST_PAST_CHARS = 65_536;
const LOOK_EVERY_MS = 60_000;

type Spares = (run: string) => boolean;

interface Made {
  readonly mask: ReturnType<typeof makeMasker>;
  readonly guard: ReturnType<typeof secretGuard>;
}

interface Past {
  readonly since: number;
  /** Requests that were alive when it went, and may have been sent with it. */
  readonly users: ReadonlySet<object>;
}

export class HiddenSecrets {
  readonly #clock: Pick<Clock, 'now' | 'after'>;
  readonly #live: () => ReadonlySet<object>;
  #current: ReadonlySet<string> = new Set();
  /** Oldest first. */
  readonly #past = new Map<string, Past>();
  /** Access tokens → the instant from which nobody may quote them any more. Oldest first. */
  readonly #lent = new Map<string, number>();
  /** Made at the first text after a change. */
  #made: Made | null = null;
  #stopLooking: (() => void) | null = null;

  /** @param live requests under way */
  constructor(clock: Pick<Clock, 'now' | 'after'>, live: () => ReadonlySet<object>) {
    this.#clock = clock;
    this.#live = live;
  }

  mask(text: string, spares?: Spares): string {
    return this.#ready().mask(text, spares);
  }

  guard(text: string, spares?: Spares): string {
    return this.#ready().guard(text, spares);
  }

  /** How many are hidden that are in force no more. */
  get past(): number {
    return this.#past.size;
  }

  /** Hides a token that providers take for `lifeMs`, beside those in force. */
  lend(token: string, lifeMs: number): void {
    this.#lent.set(token, this.#clock.now() + lifeMs + AT_LEAST_MS);
    for (const oldest of this.#lent.keys()) {
      if (this.#lent.size <= MOST_PAST) break;
      this.#lent.delete(oldest);
    }
    this.#made = null;
    this.#lookAgain();
  }

  /** Exchanges those in force. What is left out stays hidden as long as an upstream may still quote it. */
  use(secrets: Iterable<string>): void {
    const next = new Set(secrets);
    const gone = [...this.#current].filter((secret) => !next.has(secret));
    const isNew = [...next].some((secret) => !this.#current.has(secret));
    if (gone.length === 0 && !isNew) return;
    const past: Past = { since: this.#clock.now(), users: gone.length === 0 ? new Set() : new Set(this.#live()) };
    for (const secret of gone) this.#past.set(secret, past);
    for (const secret of next) this.#past.delete(secret);
    this.#current = next;
    this.#forget();
    this.#made = null;
    this.#lookAgain();
  }

  close(): void {
    this.#stopLooking?.();
    this.#stopLooking = null;
  }

  #forget(): void {
    const before = this.#past.size + this.#lent.size;
    const now = this.#clock.now();
    for (const [token, until] of this.#lent) if (now >= until) this.#lent.delete(token);
    const live = this.#live();
    for (const [secret, { since, users }] of this.#past) {
      const age = now - since;
      if (age < AT_LEAST_MS) continue;
      if (age >= AT_MOST_MS || ![...users].some((user) => live.has(user))) this.#past.delete(secret);
    }
    let chars = 0;
    for (const secret of this.#past.keys()) chars += secret.length;
    for (const secret of this.#past.keys()) {
      if (this.#past.size <= MOST_PAST && chars <= MOST_PAST_CHARS) break;
      this.#past.delete(secret);
      chars -= secret.length;
    }
    if (this.#past.size + this.#lent.size < before) this.#made = null;
  }

  #ready(): Made {
    if (this.#made !== null) return this.#made;
    const all = [...this.#current, ...this.#past.keys(), ...this.#lent.keys()];
    this.#made = { mask: makeMasker(all), guard: secretGuard(all) };
    return this.#made;
  }

  #lookAgain(): void {
    if (this.#past.size + this.#lent.size === 0 || this.#stopLooking !== null) return;
    this.#stopLooking = this.#clock.after(LOOK_EVERY_MS, () => {
      this.#stopLooking = null;
      this.#forget();
      this.#lookAgain();
    });
  }
}
