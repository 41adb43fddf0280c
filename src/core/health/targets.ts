/**
 * What the board remembers, by name: circuits by channel, rests by credential and by credential + upstream model, and
 * the targets that share them. Bounded: what no configuration names and nobody uses is forgotten.
 */
import { Breaker } from './breaker.ts';
import { Cooldown } from './cooldown.ts';
import type { HealthKeys } from './keys.ts';
import { Lease } from './lease.ts';

/** A target that left the configuration is remembered this long: a reload that brings it back finds its levels. */
const IDLE_MS = 3_600_000;
/** Room for strangers before the first sweep. */
const SLACK = 64;
/** Strangers kept at most after a sweep: clients invent names where a wildcard takes them. */
const MAX_STRANGERS = 4096;

/** State of a scope, kept while at least one target refers to it. */
interface Shared<T> {
  readonly state: T;
  users: number;
}

/** A channel: its circuit, and the one call that may go to it while its credentials back off (P-4). */
export interface ChannelHealth {
  readonly key: string;
  readonly breaker: Breaker;
  readonly backoffCall: Lease;
}

/** One target as the board holds it. */
export interface TargetHealth {
  readonly keys: HealthKeys;
  readonly channel: ChannelHealth;
  readonly credential: Cooldown;
  readonly credentialModel: Cooldown;
  drained: boolean;
  /** Monotonic ms; null while it is not drained. */
  drainedAt: number | null;
  calls: number;
  failures: number;
  inFlight: number;
  /** Monotonic ms of the last call. */
  usedAt: number;
  /** Still the table's; false = forgotten or replaced. */
  kept: boolean;
}

export class TargetTable {
  readonly #targets = new Map<string, TargetHealth>();
  readonly #channels = new Map<string, Shared<ChannelHealth>>();
  readonly #credentials = new Map<string, Shared<Cooldown>>();
  readonly #credentialModels = new Map<string, Shared<Cooldown>>();
  #configured: ReadonlySet<string> = new Set();
  #sweepAbove = SLACK;

  /** The target of these names, made at first sight. Asked for every target of every plan. */
  of(keys: HealthKeys, now: number): TargetHealth {
    const { note } = keys;
    if (note.owner === this) {
      const noted = note.target as TargetHealth;
      if (noted.kept) return noted;
    }
    const target = this.#find(keys, now);
    note.owner = this;
    note.target = target;
    return target;
  }

  byId(id: string): TargetHealth | undefined {
    return this.#targets.get(id);
  }

  all(): Iterable<TargetHealth> {
    return this.#targets.values();
  }

  *channels(): Iterable<ChannelHealth> {
    for (const { state } of this.#channels.values()) yield state;
  }

  /** By `HealthKeys.channel`. */
  channel(key: string): ChannelHealth | undefined {
    return this.#channels.get(key)?.state;
  }

  /** By `HealthKeys.credentialKey` or `.credentialModel`: no two of them read alike. */
  rest(key: string): Cooldown | undefined {
    return (this.#credentialModels.get(key) ?? this.#credentials.get(key))?.state;
  }

  /** Names all targets of the current configuration; the others may be forgotten once they are idle. */
  configure(all: readonly HealthKeys[], now: number): void {
    this.#configured = new Set(all.map((keys) => keys.id));
    for (const keys of all) this.of(keys, now);
    this.#sweep(now);
  }

  #find(keys: HealthKeys, now: number): TargetHealth {
    const known = this.#targets.get(keys.id);
    if (known === undefined) {
      if (this.#targets.size >= this.#sweepAbove) this.#sweep(now);
      return this.#add(keys, now);
    }
    const { channel, credentialModel } = known.keys;
    const stays = channel === keys.channel && credentialModel === keys.credentialModel;
    return stays ? known : this.#move(known, keys, now);
  }

  #add(keys: HealthKeys, now: number): TargetHealth {
    const target: TargetHealth = {
      keys,
      channel: share(this.#channels, keys.channel, () => ({
        key: keys.channel,
        breaker: new Breaker(),
        backoffCall: new Lease(),
      })),
      credential: share(this.#credentials, keys.credentialKey, () => new Cooldown()),
      credentialModel: share(this.#credentialModels, keys.credentialModel, () => new Cooldown()),
      drained: false,
      drainedAt: null,
      calls: 0,
      failures: 0,
      inFlight: 0,
      usedAt: now,
      kept: true,
    };
    this.#targets.set(keys.id, target);
    return target;
  }

  /** A reload gave the target another upstream model or address: a new start there, the rest of it goes on. */
  #move(known: TargetHealth, keys: HealthKeys, now: number): TargetHealth {
    // Added before the old one lets go, so that what they share is never without a user.
    const moved = this.#add(keys, now);
    this.#letGo(known);
    moved.drained = known.drained;
    moved.drainedAt = known.drainedAt;
    moved.calls = known.calls;
    moved.failures = known.failures;
    return moved;
  }

  #letGo(target: TargetHealth): void {
    const { keys } = target;
    target.kept = false;
    release(this.#channels, keys.channel);
    release(this.#credentials, keys.credentialKey);
    release(this.#credentialModels, keys.credentialModel);
  }

  /** Runs at most once per doubling or per `MAX_STRANGERS`, so that adding stays cheap. */
  #sweep(now: number): void {
    for (const [id, target] of this.#targets) {
      if (!this.#configured.has(id) && idle(target, now)) this.#forget(id, target);
    }
    this.#sweepStrangers();
    const { size } = this.#targets;
    const bound = this.#configured.size + 2 * MAX_STRANGERS;
    this.#sweepAbove = Math.max(size + SLACK, Math.min(size * 2 + SLACK, bound));
  }

  /** Beyond their number the oldest go, resting or not: a name that comes again starts anew. */
  #sweepStrangers(): void {
    let over = this.#targets.size - this.#configured.size - MAX_STRANGERS;
    for (const [id, target] of this.#targets) {
      if (over <= 0) return;
      if (this.#configured.has(id) || target.inFlight > 0 || target.drained) continue;
      this.#forget(id, target);
      over--;
    }
  }

  #forget(id: string, target: TargetHealth): void {
    this.#targets.delete(id);
    this.#letGo(target);
  }
}

/** Nobody would notice if it were forgotten: no call out, not drained, and every rest long over. */
function idle(target: TargetHealth, now: number): boolean {
  if (target.inFlight > 0 || target.drained || now - target.usedAt <= IDLE_MS) return false;
  return !target.credential.active(now) && !target.credentialModel.active(now);
}

function share<T>(table: Map<string, Shared<T>>, key: string, make: () => T): T {
  const known = table.get(key);
  if (known !== undefined) {
    known.users++;
    return known.state;
  }
  const state = make();
  table.set(key, { state, users: 1 });
  return state;
}

function release<T>(table: Map<string, Shared<T>>, key: string): void {
  const shared = table.get(key);
  if (shared !== undefined && --shared.users === 0) table.delete(key);
}
