/**
 * All connections of this process, by what they are for. A server that does not answer is *away*: orders are refused at
 * once instead of queueing behind it, and one probe at a time finds out when it is back.
 */
import type { Client } from 'pg';
import type { Cancel, Clock } from '../../ports/clock.ts';
import { SqlError, type SqlFault } from '../store-sql/fault.ts';
import type { BatchStep, StepAnswer } from './batch-query.ts';
import { faultOf, PgConnection } from './pg-connection.ts';
import { isLost, isPassingAtServer, LOST, serverFaultInWords } from './server-fault.ts';

/** What a connection is for: none waits behind another's work. */
export type Slot = 'keys' | 'money' | 'state' | 'log' | 'read';

export interface ConnectionSetOptions {
  /** A fresh connection with these settings beside the usual ones. */
  readonly connect: (settings: Readonly<Record<string, string>>) => Promise<Client>;
  readonly clock: Clock;
  /** An order's time, waiting for its connection included. Absent = 4 s. */
  readonly deadlineMs?: number;
  /** What is wrong in plain words, null when it is well again. Told once per change. */
  readonly onProblem?: (problem: string | null) => void;
  /** It was away and is back: what was told meanwhile may have been missed. */
  readonly onBack?: () => void;
}

/** Of a probe too. */
const DEADLINE_MS = 4000;
const PROBE_MS = [250, 500, 1000] as const;

/** Where rows are found by their keys, the plan is always the same. */
const BY_KEY = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
};
const SETTINGS: Readonly<Record<Slot, Readonly<Record<string, string>>>> = {
  keys: BY_KEY,
  money: BY_KEY,
  state: BY_KEY,
  // A record may be lost with the server's power; nobody waits for its disk.
  log: { synchronous_commit: 'off' },
  // The server ends what takes too long before we give it up: a slow search is its asker's misfortune, and nobody else's.
  read: { default_transaction_read_only: 'on', statement_timeout: '3500ms' },
};
const READERS = 2;

interface Away {
  readonly fault: SqlFault;
  /** The first probe where it was sent at once: whoever comes meanwhile waits for what it finds. */
  readonly first: Promise<boolean> | null;
}

export class ConnectionSet {
  readonly #options: ConnectionSetOptions;
  readonly #connections: Readonly<Record<Slot, readonly PgConnection[]>>;
  readonly #problems = new Map<Slot, string>();
  /** Backends that may still carry out what we gave up. */
  #abandoned: number[] = [];
  #away: Away | null = null;
  /** A reader has waited in vain, and the server is being asked whether it answers. */
  #isDoubted = false;
  #timer: Cancel | null = null;
  #closed = false;

  constructor(options: ConnectionSetOptions) {
    this.#options = options;
    const make = (slot: Slot) =>
      new PgConnection({
        connect: () => options.connect(SETTINGS[slot]),
        clock: options.clock,
        deadlineMs: options.deadlineMs ?? DEADLINE_MS,
        onAbandoned: (pid) => this.#abandoned.push(pid),
      });
    this.#connections = {
      keys: [make('keys')],
      money: [make('money')],
      state: [make('state')],
      log: [make('log')],
      read: Array.from({ length: READERS }, () => make('read')),
    };
  }

  /** What the last order of some slot met, null when all are well. */
  get problem(): string | null {
    return this.#problems.values().next().value ?? null;
  }

  /** How often a slot has connected: what an earlier connection wrote without waiting for the disk may be gone. */
  connectsOf(slot: Slot): number {
    return this.#connections[slot].reduce((sum, one) => sum + one.connects, 0);
  }

  get isAway(): boolean {
    return this.#away !== null;
  }

  /**
   * All steps in one transaction, on that slot's connection. Rejects with `SqlError`: `AWAY` = it was not sent; of
   * `DEADLINE` and `CONNECTION` nobody knows whether it was carried out. `mayRepeat`: sent again after a broken connection.
   */
  async run(slot: Slot, steps: readonly BatchStep[], mayRepeat = false): Promise<readonly StepAnswer[]> {
    try {
      await this.#present();
      const answers = await this.#leastOf(slot).run(steps);
      this.#say(slot, null);
      return answers;
    } catch (error) {
      const fault = faultOf(error);
      if (slot === 'read' && isSlow(fault)) {
        if (fault.code === LOST.deadline) void this.#doubt(fault);
        throw new SqlError(fault);
      }
      if (isLost(fault) && fault.code !== LOST.away) {
        this.#lost(fault);
        if (mayRepeat && this.#away?.first != null && (await this.#away.first)) return this.run(slot, steps);
      }
      if (isPassingAtServer(fault)) this.#say(slot, serverFaultInWords(fault));
      throw new SqlError(fault);
    }
  }

  /** Connects everything, so that no order has to wait for that. Never rejects. */
  async warm(): Promise<void> {
    const all = Object.values(this.#connections).flat();
    await Promise.all(all.map((one) => one.run([NOTHING]).catch(() => undefined)));
  }

  /** Waits for what was ordered, then closes. Never rejects. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.();
    await Promise.all(Object.values(this.#connections).flatMap((all) => all.map((one) => one.close())));
  }

  async #present(): Promise<void> {
    const away = this.#away;
    if (away === null || (away.first !== null && (await away.first))) return;
    const { code, message } = away.fault;
    throw new SqlError({ code: LOST.away, message: serverFaultInWords({ code, message }) });
  }

  #leastOf(slot: Slot): PgConnection {
    const [first, ...others] = this.#connections[slot];
    return others.reduce((least, one) => (one.load < least.load ? one : least), first!);
  }

  /** A broken connection says little of the server: it is asked at once. One that is silent is left alone for a while. */
  #lost(fault: SqlFault): void {
    if (this.#away !== null || this.#closed) return;
    const atOnce = fault.code !== LOST.deadline;
    const away: Away = { fault, first: atOnce ? Promise.resolve().then(() => this.#probe()) : null };
    this.#away = away;
    if (away.first === null) this.#probeLater(0);
    else void away.first.then((isBack) => isBack || this.#probeLater(0));
  }

  #probeLater(tries: number): void {
    if (this.#closed) return;
    const wait = PROBE_MS[Math.min(tries, PROBE_MS.length - 1)]!;
    this.#timer = this.#options.clock.after(wait, () => {
      void this.#probe().then((isBack) => isBack || this.#probeLater(tries + 1));
    });
  }

  /**
   * A reader may have stood behind others for so long, while keys and money are served as ever: the server is away only if
   * it doesn't answer a probe either.
   */
  async #doubt(fault: SqlFault): Promise<void> {
    if (this.#isDoubted || this.#away !== null) return;
    this.#isDoubted = true;
    const isThere = await this.#answers();
    this.#isDoubted = false;
    if (isThere || this.#closed) return;
    this.#lost(fault);
    this.#say('read', serverFaultInWords(fault));
  }

  /** True = it is back, and nothing that was given up is still on its way. */
  async #probe(): Promise<boolean> {
    if (!(await this.#answers())) return false;
    this.#away = null;
    // Slots that nobody uses just now are as well as the others.
    for (const slot of [...this.#problems.keys()]) this.#say(slot, null);
    void this.warm();
    this.#options.onBack?.();
    return true;
  }

  /** Whether the server answers on a fresh connection; what had been given up before is then over. */
  async #answers(): Promise<boolean> {
    const { clock, connect } = this.#options;
    const probe = new PgConnection({
      connect: () => connect({}),
      clock,
      deadlineMs: DEADLINE_MS,
      onAbandoned: () => undefined,
    });
    try {
      // Again for what is given up while others are being ended.
      do {
        const given = [...this.#abandoned];
        await probe.run([endBackends(given)]);
        this.#abandoned = this.#abandoned.filter((pid) => !given.includes(pid));
      } while (this.#abandoned.length > 0);
      return true;
    } catch {
      return false;
    } finally {
      void probe.close();
    }
  }

  #say(slot: Slot, problem: string | null): void {
    const before = this.problem;
    if (problem === null) this.#problems.delete(slot);
    else this.#problems.set(slot, problem);
    if (this.problem !== before) this.#options.onProblem?.(this.problem);
  }
}

/** It took too long: here, or by the server's clock. */
function isSlow({ code }: SqlFault): boolean {
  return code === LOST.deadline || code === '57014';
}

const NOTHING: BatchStep = { sql: 'SELECT 1', types: [], values: [], isKept: false, isRead: false };

/** Ends backends of ours and waits until they are gone: what they were given is then durable, or never will be. */
function endBackends(pids: readonly number[]): BatchStep {
  return {
    sql: `SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity
      WHERE pid IN (SELECT e::int FROM json_array_elements_text($1) e) AND usename = current_user
        AND application_name = current_setting('application_name')`,
    types: [114],
    values: [JSON.stringify(pids)],
    isKept: false,
    isRead: false,
  };
}
