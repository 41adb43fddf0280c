/** Failed sign-ins make the next ones wait, by address and as a whole, so that nobody can try tokens one after the other. */
import type { IncomingHttpHeaders } from 'node:http';
import { type AddressBytes, embeddedV4, kindOf, parseAddress } from '../../core/net/address.ts';

interface Address {
  readonly failures: number;
  readonly lastAt: number;
  /** Monotonic ms; nothing is tried before. */
  readonly nextAt: number;
}

/** Typing errors cost nothing; more than these are no typing errors. */
const FREE_FAILURES = 5;
const FIRST_WAIT_MS = 1000;
/** Whoever has forgotten his token is not kept out for the rest of the day. */
const LONGEST_WAIT_MS = 15 * 60 * 1000;
/** What was long ago is forgotten: failures of a week do not add up. */
const FORGET_MS = 60 * 60 * 1000;
/** Addresses remembered; beyond, the one that failed longest ago is forgotten. A crowd of addresses must not fill the memory. */
const MOST_ADDRESSES = 5000;
/** Failures of all addresses together in a minute: a crowd of addresses with five free tries each gets no further. */
const MOST_A_MINUTE = 100;
const MINUTE_MS = 60_000;
/** Addresses from which somebody has signed in: a crowd elsewhere does not keep them out. */
const MOST_WELCOME = 1000;

export class SignInDelay {
  /** In the order of their last failure. */
  readonly #addresses = new Map<string, Address>();
  readonly #welcome = new Set<string>();
  #minute = { since: 0, failures: 0 };

  /**
   * Somebody tries: 0 = now, else how long to wait, ms. It counts as failed from the start, so that many at once are not
   * one; `good` takes it back.
   */
  begin(address: string, now: number): number {
    const known = this.#known(address, now);
    const wait = Math.max((known?.nextAt ?? 0) - now, this.#crowd(address, now));
    if (wait > 0) return wait;
    const failures = (known?.failures ?? 0) + 1;
    const over = failures - FREE_FAILURES;
    const waitMs = over < 0 ? 0 : Math.min(FIRST_WAIT_MS * 2 ** over, LONGEST_WAIT_MS);
    this.#addresses.delete(address);
    this.#addresses.set(address, { failures, lastAt: now, nextAt: now + waitMs });
    if (this.#addresses.size > MOST_ADDRESSES) this.#addresses.delete(this.#addresses.keys().next().value!);
    this.#minute = { ...this.#minute, failures: this.#minute.failures + 1 };
    return 0;
  }

  /** The token was right. */
  good(address: string): void {
    this.#addresses.delete(address);
    this.#minute = { ...this.#minute, failures: Math.max(0, this.#minute.failures - 1) };
    this.#welcome.delete(address);
    this.#welcome.add(address);
    if (this.#welcome.size > MOST_WELCOME) this.#welcome.delete(this.#welcome.keys().next().value!);
  }

  #known(address: string, now: number): Address | undefined {
    const known = this.#addresses.get(address);
    return known === undefined || known.lastAt + FORGET_MS < now ? undefined : known;
  }

  /** How long the whole crowd waits. */
  #crowd(address: string, now: number): number {
    if (now - this.#minute.since >= MINUTE_MS) this.#minute = { since: now, failures: 0 };
    const isFull = this.#minute.failures >= MOST_A_MINUTE && !this.#welcome.has(address);
    return isFull ? this.#minute.since + MINUTE_MS - now : 0;
  }
}

/** Longer texts of a header are no addresses. */
const LONGEST = 64;

/**
 * Whose failures are counted together: an IPv4 address, or the /64 that one household or machine has of IPv6. What comes
 * through a proxy of this network is told apart by the address that the proxy saw, the last one of `X-Forwarded-For`.
 */
export function senderOf(remote: string | undefined, headers: IncomingHttpHeaders): string {
  const socket = parseAddress(remote ?? '');
  const forwarded = String(headers['x-forwarded-for'] ?? '');
  if (forwarded === '' || socket === null || kindOf(socket) === null) return nameOf(remote ?? '', socket);
  const seen = (forwarded.split(',').at(-1) ?? '').trim().slice(0, LONGEST);
  return `by proxy ${nameOf(seen, parseAddress(seen))}`;
}

function nameOf(text: string, bytes: AddressBytes | null): string {
  if (bytes === null) return text;
  const v4 = bytes.length === 16 ? embeddedV4(bytes) : bytes;
  return v4 === null ? `${bytes.slice(0, 8).join('.')}::/64` : v4.join('.');
}
