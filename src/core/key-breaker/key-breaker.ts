/**
 * G-6: a key nearly all of whose requests fail rests, so that a program in a loop neither wears out the upstreams nor goes
 * unnoticed. Time is handed in; one process, one instance. `now` is monotonic ms, `wall` wall ms.
 */
import type { KeyResult } from './key-result.ts';
import { RecentResults } from './recent-results.ts';
import { KEY_BREAKER, type KeyBreakerSettings } from './settings.ts';

/** Why a key may not call. Instants in wall ms. */
export type KeyRest =
  | { readonly state: 'suspended'; readonly until: number }
  | { readonly state: 'banned'; readonly since: number };

/** Something that has just happened to a key, to be told (G-7). */
export type KeyEvent =
  | { readonly type: 'suspended'; readonly key: string; readonly until: number; readonly madeBy: 'caller' | 'upstream' }
  | { readonly type: 'banned'; readonly key: string; readonly since: number };

/** One of the keys that rest at the moment. */
export interface RestingKey {
  readonly key: string;
  readonly rest: KeyRest;
}

interface KeyState {
  readonly recent: RecentResults;
  /** Monotonic ms; 0 = never. */
  suspendedUntil: number;
  bannedSince: number | null;
  /** When it was suspended by its own faults, within the memory: monotonic ms. */
  suspensions: number[];
}

/** Keys remembered before those without a past are forgotten: bounds memory over reloads and renamed keys. */
const KEYS_BEFORE_SWEEP = 10_000;

/** Suspends keys that nearly always fail, and bans those that go on (G-6). In memory; bans are stored by others. */
export class KeyBreaker {
  readonly #settings: KeyBreakerSettings;
  readonly #keys = new Map<string, KeyState>();
  #sweepAt = KEYS_BEFORE_SWEEP;

  constructor(settings: KeyBreakerSettings = KEY_BREAKER) {
    this.#settings = settings;
  }

  /** Keys remembered right now. */
  get size(): number {
    return this.#keys.size;
  }

  /** Null = the key may call. */
  rest(key: string, now: number, wall: number): KeyRest | null {
    const state = this.#keys.get(key);
    return state === undefined ? null : restOf(state, now, wall);
  }

  /** A request of the key has ended. What ends while the key rests belongs to what made it rest and counts no more. */
  observe(key: string, result: KeyResult, now: number, wall: number): KeyEvent | null {
    const state = this.#keys.get(key) ?? this.#remember(key, now);
    if (restOf(state, now, wall) !== null) return null;
    const { recent } = state;
    recent.add(result, now);
    const { minRequests, ratio } = this.#settings;
    if (recent.total < minRequests || recent.failures / recent.total < ratio) return null;
    const madeBy = recent.callerFaults * 2 > recent.failures ? 'caller' : 'upstream';
    recent.clear();
    return this.#trip(key, state, madeBy, now, wall);
  }

  /** The key starts afresh, its past forgotten. False = there was nothing to lift. */
  lift(key: string, now: number, wall: number): boolean {
    const state = this.#keys.get(key);
    if (state === undefined) return false;
    this.#keys.delete(key);
    return restOf(state, now, wall) !== null;
  }

  /** Keys that rest. */
  list(now: number, wall: number): RestingKey[] {
    return [...this.#keys].flatMap(([key, state]) => {
      const rest = restOf(state, now, wall);
      return rest === null ? [] : [{ key, rest }];
    });
  }

  /** Another replica has suspended it (H-4): its past is counted there. */
  suspend(key: string, forMs: number, now: number): void {
    const state = this.#keys.get(key) ?? this.#remember(key, now);
    state.suspendedUntil = Math.max(state.suspendedUntil, now + forMs);
  }

  /** Takes up bans of an earlier process, or of another replica. */
  restore(bans: readonly { readonly key: string; readonly since: number }[]): void {
    for (const { key, since } of bans) this.#remember(key, 0).bannedSince = since;
  }

  #trip(key: string, state: KeyState, madeBy: 'caller' | 'upstream', now: number, wall: number): KeyEvent {
    const { suspendMs, memoryMs, suspensionsBeforeBan } = this.#settings;
    state.suspensions = state.suspensions.filter((at) => at + memoryMs > now);
    const before = state.suspensions.length;
    if (madeBy === 'caller' && before >= suspensionsBeforeBan) {
      state.bannedSince = wall;
      return { type: 'banned', key, since: wall };
    }
    const length = madeBy === 'caller' ? suspendMs * 2 ** before : suspendMs;
    if (madeBy === 'caller') state.suspensions.push(now);
    state.suspendedUntil = now + length;
    return { type: 'suspended', key, until: wall + length, madeBy };
  }

  #remember(key: string, now: number): KeyState {
    if (this.#keys.size >= this.#sweepAt) this.#sweep(now);
    const state: KeyState = {
      recent: new RecentResults(this.#settings.windowMs),
      suspendedUntil: 0,
      bannedSince: null,
      suspensions: [],
    };
    this.#keys.set(key, state);
    return state;
  }

  #sweep(now: number): void {
    for (const [key, state] of this.#keys) {
      state.recent.advance(now);
      const remembered = state.suspensions.some((at) => at + this.#settings.memoryMs > now);
      if (state.recent.total > 0 || remembered || state.bannedSince !== null || state.suspendedUntil > now) continue;
      this.#keys.delete(key);
    }
    this.#sweepAt = Math.max(KEYS_BEFORE_SWEEP, this.#keys.size * 2);
  }
}

function restOf({ bannedSince, suspendedUntil }: KeyState, now: number, wall: number): KeyRest | null {
  if (bannedSince !== null) return { state: 'banned', since: bannedSince };
  return suspendedUntil > now ? { state: 'suspended', until: wall + (suspendedUntil - now) } : null;
}
