/**
 * Looks every ten seconds at what was counted of finished requests (O-4). Each replica tells its own window to the store;
 * the one that holds the duty judges all of them together; the others take over what it found. Without the store each
 * judges what it sees itself.
 */
import type { RecordDraft } from '../../core/record.ts';
import { keyOf } from '../../core/signals/active-alerts.ts';
import { capOfSlowdown } from '../../core/signals/throttle.ts';
import type { Alerts } from '../../ports/alerts.ts';
import type { Cancel, Clock } from '../../ports/clock.ts';
import type { Duties } from '../../ports/duties.ts';
import type { RequestWatcher } from '../../ports/request-watcher.ts';
import type { ChannelCaps, Condition, SignalStore, SignalVerdict, SignalWindow } from '../../ports/signals.ts';
import { freshSlowdowns, judge, type SignalSettings, tellChange } from './judge.ts';
import { SignalMemory } from './signal-memory.ts';
import { LOOK_MS, SignalWindows } from './windows.ts';

export interface SignalWatchParts {
  readonly store: SignalStore;
  readonly duties: Pick<Duties, 'hold'>;
  /** Wall time of the store, monotonic time of this process. */
  readonly clock: Clock;
  readonly alerts: Alerts;
  /** Of the configuration in force. */
  readonly settings: () => SignalSettings;
  /** The model a request was meant for. */
  readonly primaryOf: (draft: RecordDraft) => string | null;
  /** Most calls in flight per channel (`MODEL#ID`) since it was last asked. */
  readonly peaks: () => Iterable<readonly [string, number]>;
  /** What is wrong at this replica now. */
  readonly conditions: () => readonly Condition[];
  readonly reportBug: (error: unknown) => void;
}

/** A replica that has not told its window for so long is not counted any more. */
const WINDOW_LASTS_MS = 3 * LOOK_MS;

const NOTHING: SignalVerdict = { at: 0, alerts: [], slowdowns: [] };

export class SignalWatch implements RequestWatcher, ChannelCaps {
  readonly #parts: SignalWatchParts;
  readonly #windows = new SignalWindows();
  readonly #memory: SignalMemory;
  #verdict: SignalVerdict = NOTHING;
  #caps: ReadonlyMap<string, number> = new Map();
  /** Whether the verdict is this process's own. */
  #judging = false;
  /** Alerts that this process told of because it could not hear the others, by key. */
  readonly #toldAlone = new Set<string>();
  #cancel: Cancel = () => undefined;
  #running: Promise<void> | null = null;
  #closed = false;

  constructor(parts: SignalWatchParts) {
    this.#parts = parts;
    this.#memory = new SignalMemory(parts.store);
  }

  observe(draft: RecordDraft): void {
    this.#windows.count(draft, this.#parts.primaryOf(draft));
  }

  capOf(channel: string): number | null {
    return this.#caps.size === 0 ? null : (this.#caps.get(channel) ?? null);
  }

  /** What the fleet knows: which alerts are on, which channels are slowed down. */
  get verdict(): SignalVerdict {
    return this.#verdict;
  }

  get caps(): ReadonlyMap<string, number> {
    return this.#caps;
  }

  start(): void {
    this.#cancel = this.#parts.clock.after(LOOK_MS, () => void this.look().finally(() => this.#again()));
  }

  /** Writes down the running hour. Never rejects. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel();
    await this.#running;
    await this.#memory.write().catch(() => undefined);
  }

  /** One look; never rejects. */
  look(): Promise<void> {
    this.#running = this.#look().catch((error: unknown) => this.#parts.reportBug(error));
    return this.#running;
  }

  #again(): void {
    if (!this.#closed) this.start();
  }

  async #look(): Promise<void> {
    const { clock, settings, peaks, conditions, duties } = this.#parts;
    const counted = this.#windows.turn(clock.now(), settings().windowMs, peaks());
    const own = { tallies: this.#windows.window(), recent: this.#windows.recent(), conditions: conditions() };
    const at = clock.wall();
    const heard = await this.#exchange(own, counted, at).catch(() => null);
    if (heard === null) this.#judgeAlone(own, at);
    else if (duties.hold('alerts')) await this.#judgeAll(heard, at);
    else this.#follow(heard.verdict ?? NOTHING, at);
  }

  /** Rejects where the store is away. */
  async #exchange(own: SignalWindow, counted: SignalWindow['tallies'], at: number): Promise<Heard> {
    const { store } = this.#parts;
    const kept = this.#memory.keep(counted, at);
    await Promise.all([store.putWindow(at, own), kept]);
    const [windows, verdict] = await Promise.all([store.windows(at - WINDOW_LASTS_MS), store.verdict()]);
    return { windows, verdict };
  }

  async #judgeAll({ windows, verdict }: Heard, at: number): Promise<void> {
    const before = this.#judging ? this.#verdict : (verdict ?? this.#verdict);
    this.#judging = true;
    this.#toldAlone.clear();
    this.#conclude(before, windows, at);
    // The next look writes it again.
    await this.#parts.store.putVerdict(this.#verdict).catch(() => undefined);
  }

  #judgeAlone(own: SignalWindow, at: number): void {
    const raised = this.#conclude(this.#verdict, [own], at);
    if (!this.#judging) for (const key of raised) this.#toldAlone.add(key);
  }

  /** What this process alone had told of is over, unless the others see it too. */
  #follow(verdict: SignalVerdict, at: number): void {
    const seen = new Set(verdict.alerts.map(keyOf));
    const resolved = this.#verdict.alerts.filter(
      (alert) => this.#toldAlone.has(keyOf(alert)) && !seen.has(keyOf(alert)),
    );
    this.#judging = false;
    this.#toldAlone.clear();
    tellChange({ raised: [], resolved }, this.#parts.alerts, at);
    this.#take(verdict, at);
  }

  #conclude(before: SignalVerdict, windows: readonly SignalWindow[], at: number): readonly string[] {
    const { settings, alerts } = this.#parts;
    const { verdict, change } = judge(before, windows, this.#memory.references, settings(), at);
    this.#take(verdict, at);
    tellChange(change, alerts, at);
    return change.raised.map(keyOf);
  }

  #take(verdict: SignalVerdict, at: number): void {
    this.#verdict = verdict;
    this.#caps = new Map(freshSlowdowns(verdict, at).map((slowdown) => [slowdown.channel, capOfSlowdown(slowdown)]));
  }
}

interface Heard {
  readonly windows: readonly SignalWindow[];
  readonly verdict: SignalVerdict | null;
}
