import { describe, expect, it } from 'vitest';
import { SharedSignals } from '../../../test/support/memory-signals.ts';
import { plainDraft, sampleAttempt } from '../../../test/support/sample-draft.ts';
import type { RecordDraft } from '../../core/record.ts';
import type { Alert } from '../../ports/alerts.ts';
import type { Condition } from '../../ports/signals.ts';
import { SignalWatch } from './signal-watch.ts';

const NANO = 'openai/gpt-5-nano';
const CHANNEL = `${NANO}#direct`;
const SETTINGS = {
  windowMs: 300_000,
  minRequests: 100,
  retryRate: 0.05,
  retrySuccess: 0.5,
  meanRetriesRatio: 1.5,
  fallbackRate: 0.01,
  p99Ratio: 1.5,
  throttle: true,
};
const START = Date.UTC(2026, 10, 29, 10, 30, 0);

const GOOD: Partial<RecordDraft> = { latency_ms: 200 };
const REPEATED: Partial<RecordDraft> = {
  latency_ms: 200,
  attempts: [
    sampleAttempt(1, { class: 'overloaded', decision: 'retry' }),
    sampleAttempt(1, { result: 'served', class: null, decision: 'serve' }),
  ],
};

/** Replicas on one store, looking in turn; time passes by `pass` only. */
class Fleet {
  wall = START;
  readonly shared = new SharedSignals();
  readonly told: string[] = [];
  readonly away = new Set<string>();
  readonly conditions = new Map<string, Condition[]>();
  judge: string;
  readonly replicas: Map<string, SignalWatch>;
  settings = SETTINGS;

  constructor(...names: string[]) {
    this.judge = names[0]!;
    this.replicas = new Map(names.map((name) => [name, this.open(name)]));
  }

  open(name: string): SignalWatch {
    return new SignalWatch({
      store: this.shared.of(name, () => this.away.has(name)),
      duties: { hold: (duty) => duty === 'alerts' && name === this.judge },
      clock: { wall: () => this.wall, now: () => this.wall - START, after: () => () => undefined },
      alerts: { raise: (alert) => this.told.push(shown(name, alert)) },
      settings: () => this.settings,
      primaryOf: (draft) => draft.requested_model,
      peaks: () => [[CHANNEL, 16]],
      conditions: () => this.conditions.get(name) ?? [],
      reportBug: (error) => this.told.push(`bug: ${error}`),
    });
  }

  at(name: string): SignalWatch {
    return this.replicas.get(name)!;
  }

  requests(count: number, change: Partial<RecordDraft>, ...names: string[]): void {
    const all = [...this.replicas.keys()];
    const where = names.length === 0 ? all : names;
    for (let n = 0; n < count; n += 1) this.at(where[n % where.length]!).observe(plainDraft(n, change));
  }

  /** Ten seconds pass and every replica looks. */
  async look(times = 1, traffic: () => void = () => undefined): Promise<void> {
    for (let n = 0; n < times; n += 1) {
      this.wall += 10_000;
      traffic();
      for (const watch of this.replicas.values()) await watch.look();
    }
  }
}

function shown(name: string, { kind, signal }: Alert): string {
  return [name, kind, signal?.subject, signal?.state].filter((part) => part != null).join(' ');
}

const slow = 'alert.channel_slowed openai/gpt-5-nano#direct';

describe('O-4: one replica', () => {
  it('tells once of what is over its threshold, and once when two windows were quiet', async () => {
    const fleet = new Fleet('a');
    fleet.settings = { ...SETTINGS, throttle: false };
    fleet.requests(90, GOOD);
    fleet.requests(10, REPEATED);
    await fleet.look(5);
    expect(fleet.told).toEqual(['a alert.retry_rate raised']);
    expect(fleet.at('a').verdict.alerts).toMatchObject([{ name: 'retry_rate', value: 0.1, threshold: 0.05 }]);
    // Thirty looks see it, then two windows do not.
    await fleet.look(30 + 60 - 7);
    expect(fleet.told).toHaveLength(1);
    await fleet.look(2);
    expect(fleet.told).toEqual(['a alert.retry_rate raised', 'a alert.retry_rate resolved']);
    expect(fleet.at('a').verdict.alerts).toEqual([]);
  });

  it('compares with yesterday and with the last 24 hours, which outlive it', async () => {
    const fleet = new Fleet('a');
    const slower = { ...GOOD, latency_ms: 400 };
    fleet.requests(1000, GOOD);
    await fleet.look();
    await fleet.at('a').close();
    fleet.replicas.set('a', fleet.open('a2'));
    fleet.judge = 'a2';
    fleet.wall += 24 * 3_600_000;
    fleet.requests(200, GOOD);
    await fleet.look();
    expect(fleet.told).toEqual([]);
    fleet.requests(200, slower);
    await fleet.look();
    expect(fleet.told).toEqual(['a2 alert.p99 raised']);
  });

  it('slows a channel down while its calls have to be repeated, and gives it back', async () => {
    const fleet = new Fleet('a');
    const bad = (): void => fleet.requests(40, REPEATED);
    expect(fleet.at('a').capOf(CHANNEL)).toBeNull();
    await fleet.look(3, bad);
    expect([fleet.at('a').capOf(CHANNEL), fleet.at('a').capOf('another#one')]).toEqual([8, null]);
    await fleet.look(3, bad);
    expect(fleet.at('a').capOf(CHANNEL)).toBe(4);
    expect(fleet.told).toContain(`a ${slow} raised`);
    await fleet.look(20, () => fleet.requests(40, GOOD));
    expect(fleet.at('a').capOf(CHANNEL)).toBeNull();
    expect(fleet.told).toContain(`a ${slow} resolved`);
  });

  it('slows nothing down where the operator does not want it', async () => {
    const fleet = new Fleet('a');
    fleet.settings = { ...SETTINGS, throttle: false };
    await fleet.look(6, () => fleet.requests(40, REPEATED));
    expect(fleet.at('a').capOf(CHANNEL)).toBeNull();
    expect(fleet.told).toEqual(['a alert.retry_rate raised']);
  });

  it('tells of a state that is wrong at once, and that it is over once it has been well for a minute', async () => {
    const fleet = new Fleet('a');
    fleet.conditions.set('a', [{ kind: 'circuit_open', subject: CHANNEL }]);
    await fleet.look(3);
    fleet.conditions.clear();
    await fleet.look(5);
    fleet.conditions.set('a', [{ kind: 'circuit_open', subject: CHANNEL }]);
    await fleet.look();
    fleet.conditions.clear();
    await fleet.look(5);
    expect(fleet.told).toEqual([`a alert.circuit_open ${CHANNEL} raised`]);
    await fleet.look();
    expect(fleet.told.slice(1)).toEqual([`a alert.circuit_open ${CHANNEL} resolved`]);
  });
});

describe('O-4: several replicas', () => {
  it('are judged together, by one of them; all know what it found', async () => {
    const fleet = new Fleet('a', 'b', 'c');
    // 50 each: none of them could be judged alone.
    await fleet.look(2, () => {
      fleet.requests(60, GOOD);
      fleet.requests(15, REPEATED);
    });
    await fleet.look();
    expect(fleet.told).toEqual(['a alert.retry_rate raised', `a ${slow} raised`]);
    for (const name of ['a', 'b', 'c']) {
      expect(fleet.at(name).verdict.alerts.map((alert) => alert.name)).toEqual(['retry_rate', 'channel_slowed']);
      expect(fleet.at(name).capOf(CHANNEL)).toBe(8);
    }
  });

  it('another one takes the duty over: nothing is told twice', async () => {
    const fleet = new Fleet('a', 'b');
    fleet.settings = { ...SETTINGS, throttle: false };
    fleet.requests(120, REPEATED, 'b');
    await fleet.look(2);
    fleet.replicas.delete('a');
    fleet.judge = 'b';
    await fleet.look(30 + 60 + 5);
    expect(fleet.told).toEqual(['a alert.retry_rate raised', 'b alert.retry_rate resolved']);
  });

  it('one that is gone is counted for half a minute', async () => {
    const fleet = new Fleet('a', 'b');
    fleet.conditions.set('b', [{ kind: 'shared_lost', subject: '' }]);
    await fleet.look();
    fleet.replicas.delete('b');
    await fleet.look(8);
    expect(fleet.told).toEqual(['a alert.shared_lost raised']);
    await fleet.look(3);
    expect(fleet.told.slice(1)).toEqual(['a alert.shared_lost resolved']);
  });

  it('H-4: without the store each judges alone what it sees; with it they are one again', async () => {
    const fleet = new Fleet('a', 'b');
    fleet.settings = { ...SETTINGS, throttle: false };
    fleet.conditions.set('b', [{ kind: 'store_lost', subject: '' }]);
    fleet.away.add('b');
    await fleet.look(2);
    expect(fleet.told).toEqual(['b alert.store_lost raised']);
    fleet.conditions.clear();
    fleet.away.clear();
    await fleet.look(2);
    expect(fleet.told.slice(1)).toEqual(['b alert.store_lost resolved']);
    expect(fleet.at('b').verdict).toEqual(fleet.at('a').verdict);
  });

  it('O-4: what was counted while the store was away is in the hour that it is told of later', async () => {
    const fleet = new Fleet('a');
    fleet.requests(30, GOOD);
    fleet.away.add('a');
    await fleet.look();
    fleet.wall += 3_600_000;
    await fleet.look();
    fleet.away.clear();
    fleet.requests(7, GOOD);
    await fleet.look();
    await fleet.at('a').close();
    const requests = [...fleet.shared.hours.values()].map(({ tallies }) => tallies[0]?.requests);
    expect(requests).toEqual([30, 7]);
  });
});
