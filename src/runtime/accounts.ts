/**
 * Prepaid workspaces (G-4): their balances in memory, each step of them in the ledger. A reservation is durable before
 * it is granted; a settlement counts at once and becomes durable soon after. Of a ledger that several processes share memory
 * is for show: the ledger itself decides whether anything is left.
 */
import { Balances } from '../core/money/balances.ts';
import type { NanoUsd } from '../core/usage/usage.ts';
import type { Clock } from '../ports/clock.ts';
import { BY_CONFIGURATION, type Ledger, type LedgerPage } from '../ports/ledger.ts';

/** What asking for money gives: held back; the balance is used up; the ledger cannot be written (G-4, H-5). */
export type Reservation = 'ok' | 'empty' | 'unavailable';

/** What the configuration says of a workspace. */
export interface Grant {
  readonly name: string;
  /** Null = not prepaid. */
  readonly balance: NanoUsd | null;
}

/** A top-up or an adjustment by hand. */
export interface AccountChange {
  readonly kind: 'topup' | 'adjust';
  /** Negative = taken away; adjustments only. */
  readonly amount: NanoUsd;
  readonly note: string | null;
  /** `admin` or a member's name. */
  readonly by: string;
}

interface Account {
  /** What the configuration grants; null = not prepaid (any more). */
  wanted: NanoUsd | null;
  /** What its grants have come to in the ledger. */
  granted: NanoUsd;
  /** Grants on their way into the ledger. */
  booking: Promise<void> | null;
}

const DOLLAR = 1_000_000_000n;
/** The ledger counts in 64 bits, its sums too: what would not fit is refused before it is written. */
export const LARGEST_BALANCE: NanoUsd = 4_000_000_000n * DOLLAR;
/** No single answer costs more. An upstream that claims so counts wrong; its figures must not break the sums. */
export const LARGEST_CHARGE: NanoUsd = 1_000_000n * DOLLAR;

/**
 * Prepaid balances of a running gateway: counted here at once, durable through the ledger (G-4). Amounts in
 * nano-dollars.
 */
export class Accounts {
  readonly #ledger: Ledger;
  readonly #clock: Clock;
  readonly #balances = new Balances();
  readonly #accounts = new Map<string, Account>();
  #onAdded: (workspace: string) => void = () => undefined;
  /** Reservations that a dead process left open, closed at the start. */
  readonly released: number;

  private constructor(ledger: Ledger, clock: Clock, opening: Awaited<ReturnType<Ledger['open']>>) {
    this.#ledger = ledger;
    this.#clock = clock;
    this.released = opening.released;
    for (const [workspace, { balance, granted }] of opening.accounts) {
      this.#balances.add(workspace, balance);
      this.#accounts.set(workspace, { wanted: null, granted, booking: null });
    }
  }

  /** Rejects with StateStoreUnavailable. */
  static async open(ledger: Ledger, clock: Clock): Promise<Accounts> {
    return new Accounts(ledger, clock, await ledger.open());
  }

  /**
   * Who is prepaid from now on, and what each is granted: the first figure is granted once, a changed one changes the
   * balance by the difference. Resolves when the ledger has it, or could not take it: then it is tried again before the
   * next reservation.
   */
  async configure(grants: Iterable<Grant>): Promise<void> {
    for (const account of this.#accounts.values()) account.wanted = null;
    for (const { name, balance } of grants) {
      const account = this.#accounts.get(name);
      if (account !== undefined) account.wanted = balance;
      else if (balance !== null) this.#accounts.set(name, { wanted: balance, granted: 0n, booking: null });
    }
    await Promise.all([...this.#accounts.keys()].map((name) => this.#book(name)));
  }

  isPrepaid(workspace: string): boolean {
    return this.#prepaid(workspace) !== null;
  }

  /** Null = not prepaid. */
  balance(workspace: string): NanoUsd | null {
    return this.#prepaid(workspace) === null ? null : this.#balances.balance(workspace);
  }

  /** The balance less what running attempts hold back; null = not prepaid. */
  available(workspace: string): NanoUsd | null {
    return this.#prepaid(workspace) === null ? null : this.#balances.available(workspace);
  }

  /**
   * Holds `amount` back for one attempt, durably. `empty`: nothing is left. `unavailable`: the ledger can't be written
   * (H-5). Never rejects.
   */
  async reserve(workspace: string, attemptId: string, amount: NanoUsd): Promise<Reservation> {
    const account = this.#prepaid(workspace);
    if (account !== null && account.wanted !== account.granted && !(await this.#book(workspace))) return 'unavailable';
    if (this.isShared) this.#balances.hold(workspace, attemptId, amount);
    else if (!this.#balances.reserve(workspace, attemptId, amount)) return 'empty';
    try {
      const answer = await this.#ledger.reserve({ attemptId, workspace, amount, at: this.#clock.wall() });
      if (answer === 'empty') this.#balances.settle(attemptId, 0n);
      return answer;
    } catch {
      // It may be there all the same.
      this.settle(attemptId, 0n);
      return 'unavailable';
    }
  }

  /** Other processes change these accounts as well. */
  get isShared(): boolean {
    return this.#ledger.refresh !== undefined;
  }

  /** Takes over what all processes together have made of the accounts. Nothing, if nobody else does. Rejects with StateStoreUnavailable. */
  async refresh(): Promise<void> {
    const all = await this.#ledger.refresh?.();
    for (const [workspace, { balance, granted, held }] of all ?? []) {
      this.#balances.adopt(workspace, balance, held);
      const account = this.#accounts.get(workspace);
      if (account === undefined) this.#accounts.set(workspace, { wanted: null, granted, booking: null });
      else if (account.booking === null) account.granted = granted;
    }
  }

  /** The attempt is over: frees what it held and takes its charge. Does nothing for one that holds nothing. */
  settle(attemptId: string, charge: NanoUsd): void {
    const amount = charge > LARGEST_CHARGE ? LARGEST_CHARGE : charge;
    const workspace = this.#balances.settle(attemptId, amount);
    if (workspace !== null) this.#ledger.settle(attemptId, amount, this.#clock.wall(), workspace);
  }

  /** What an attempt holds back; null = nothing. */
  held(attemptId: string): NanoUsd | null {
    return this.#balances.held(attemptId);
  }

  /** Resolves to the new balance. RangeError: it would not fit. Rejects with StateStoreUnavailable: nothing was added. */
  async add(workspace: string, { kind, amount, note, by }: AccountChange): Promise<NanoUsd> {
    this.#checkRoom(workspace, amount);
    const made = by === BY_CONFIGURATION ? 'admin' : by;
    await this.#ledger.add({ workspace, kind, amount, at: this.#clock.wall(), note, by: made });
    const balance = this.#balances.add(workspace, amount);
    this.#onAdded(workspace);
    return balance;
  }

  /** Called when something was added by hand, that others may hear of it. */
  onAdded(listener: (workspace: string) => void): void {
    this.#onAdded = listener;
  }

  /** Newest first. Rejects with StateStoreUnavailable. */
  entries(workspace: string, limit: number, cursor?: string): Promise<LedgerPage> {
    return this.#ledger.entries(workspace, limit, cursor);
  }

  #prepaid(workspace: string): Account | null {
    const account = this.#accounts.get(workspace);
    return account === undefined || account.wanted === null ? null : account;
  }

  /** Brings the ledger to what is granted. False = it could not be written. One at a time for each account. */
  async #book(workspace: string): Promise<boolean> {
    const account = this.#accounts.get(workspace)!;
    while (account.booking !== null) await account.booking;
    if (account.wanted === null || account.wanted === account.granted) return true;
    const booked = this.#bookDifference(workspace, account, account.wanted);
    account.booking = booked.then(() => {
      account.booking = null;
    });
    return await booked;
  }

  async #bookDifference(workspace: string, account: Account, wanted: NanoUsd): Promise<boolean> {
    const amount = wanted - account.granted;
    const first = account.granted === 0n;
    try {
      this.#checkRoom(workspace, amount);
      const note = first ? null : 'balance_usd changed';
      const kind = first ? 'grant' : 'adjust';
      const entry = { workspace, kind, amount, at: this.#clock.wall(), note, by: BY_CONFIGURATION } as const;
      if ((await this.#ledger.add(entry, account.granted)) === 'moved')
        return await this.#bookAgain(workspace, account);
    } catch {
      return false;
    }
    account.granted = wanted;
    this.#balances.add(workspace, amount);
    return true;
  }

  /** Another process has granted meanwhile, most often the same. */
  async #bookAgain(workspace: string, account: Account): Promise<boolean> {
    const all = await this.#ledger.refresh?.();
    const there = all?.get(workspace);
    if (there === undefined || account.wanted === null) return false;
    this.#balances.adopt(workspace, there.balance, there.held);
    const known = account.granted;
    account.granted = there.granted;
    if (account.granted === account.wanted) return true;
    return known === account.granted ? false : this.#bookDifference(workspace, account, account.wanted);
  }

  #checkRoom(workspace: string, amount: NanoUsd): void {
    const sum = this.#balances.balance(workspace) + amount;
    if (sum > LARGEST_BALANCE || sum < -LARGEST_BALANCE) throw new RangeError('the balance would be too large');
  }
}
