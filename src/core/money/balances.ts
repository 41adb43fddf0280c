/**
 * Prepaid balances (G-4): what is there, what running attempts hold back, and what is left. Exact and without a clock;
 * whoever uses it makes each step durable.
 */
import type { NanoUsd } from '../usage/usage.ts';

interface Account {
  readonly workspace: string;
  balance: NanoUsd;
  /** Sum of its open reservations. */
  held: NanoUsd;
  /** What other processes hold back, as far as it is known. */
  elsewhere: NanoUsd;
}

interface Hold {
  readonly account: Account;
  readonly amount: NanoUsd;
}

/** By name of the workspace. Amounts in nano-dollars; a charge may take a balance below 0. */
export class Balances {
  readonly #accounts = new Map<string, Account>();
  /** By attempt id. */
  readonly #holds = new Map<string, Hold>();

  /** Attempts that hold something back. */
  get open(): number {
    return this.#holds.size;
  }

  balance(workspace: string): NanoUsd {
    return this.#accounts.get(workspace)?.balance ?? 0n;
  }

  /** The balance less what running attempts may still cost. Negative when they hold more than there is. */
  available(workspace: string): NanoUsd {
    const account = this.#accounts.get(workspace);
    return account === undefined ? 0n : account.balance - account.held - account.elsewhere;
  }

  /** A grant, a top-up or an adjustment; negative = taken away. */
  add(workspace: string, amount: NanoUsd): NanoUsd {
    const account = this.#account(workspace);
    account.balance += amount;
    return account.balance;
  }

  /**
   * Holds `amount` back for an attempt. False = nothing is left, and nothing was done. The last attempt may hold more
   * than there is: how much it will really use is not known before.
   */
  reserve(workspace: string, attemptId: string, amount: NanoUsd): boolean {
    if (this.available(workspace) <= 0n) return false;
    this.hold(workspace, attemptId, amount);
    return true;
  }

  /** Holds it back without asking: whoever knows better has granted it. */
  hold(workspace: string, attemptId: string, amount: NanoUsd): void {
    if (this.#holds.has(attemptId)) throw new RangeError(`${attemptId} holds a reservation already`);
    const account = this.#account(workspace);
    account.held += amount;
    this.#holds.set(attemptId, { account, amount });
  }

  /** As all processes together have made it; `held` = by all of them. */
  adopt(workspace: string, balance: NanoUsd, held: NanoUsd): void {
    const account = this.#account(workspace);
    account.balance = balance;
    // What is held here may not have arrived there yet.
    account.elsewhere = held > account.held ? held - account.held : 0n;
  }

  /**
   * Frees what the attempt held and takes its charge. Gives the workspace; null = it held nothing (any more), and nothing was
   * done.
   */
  settle(attemptId: string, charge: NanoUsd): string | null {
    const hold = this.#holds.get(attemptId);
    if (hold === undefined) return null;
    this.#holds.delete(attemptId);
    hold.account.held -= hold.amount;
    hold.account.balance -= charge;
    return hold.account.workspace;
  }

  /** What an attempt holds back; null = nothing. */
  held(attemptId: string): NanoUsd | null {
    return this.#holds.get(attemptId)?.amount ?? null;
  }

  #account(workspace: string): Account {
    let account = this.#accounts.get(workspace);
    if (account === undefined) {
      account = { workspace, balance: 0n, held: 0n, elsewhere: 0n };
      this.#accounts.set(workspace, account);
    }
    return account;
  }
}
