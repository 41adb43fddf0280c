/**
 * Access tokens of service accounts: kept while they last, renewed five minutes early, asked for once however many calls
 * wait. A renewal that reaches nobody leaves the old token in use to its end.
 */
import type { Clock } from '../../ports/clock.ts';
import type { Transport } from '../../ports/transport.ts';
import { type SigningOrder, TOKEN_ENDPOINT } from '../../providers/auth.ts';
import { assertion, readKeyFile } from './key-file.ts';
import { callForToken, type Line } from './token-call.ts';
import { TokenRefused } from './token-refused.ts';

type TokenOrder = Extract<SigningOrder, { kind: 'service-account' }>;

const EARLY_MS = 5 * 60_000;
/** Accounts that are remembered; the longest unused goes first. */
const MAX_ACCOUNTS = 1000;

interface Account {
  token: string | null;
  /** Monotonic ms. */
  expiresAt: number;
  /** The renewal on its way. */
  asking: Promise<string> | null;
}

export class AccessTokens {
  readonly #transport: Transport;
  readonly #clock: Clock;
  readonly #got: (token: string, lifeMs: number) => void;
  readonly #accounts = new Map<string, Account>();

  /** @param got hears of each token before it is used, so that no text shows it (E-5) */
  constructor(transport: Transport, clock: Clock, got: (token: string, lifeMs: number) => void) {
    this.#transport = transport;
    this.#clock = clock;
    this.#got = got;
  }

  /** Throws TokenRefused where the account is refused, anything else where nobody could be asked. */
  async tokenFor(order: TokenOrder, line: Line): Promise<string> {
    const account = this.#accountOf(order);
    const left = account.expiresAt - this.#clock.now();
    if (account.token !== null && left > EARLY_MS) return account.token;
    account.asking ??= this.#renew(account, order, line).finally(() => {
      account.asking = null;
    });
    try {
      return await account.asking;
    } catch (error) {
      const lasts = account.token !== null && account.expiresAt > this.#clock.now();
      if (lasts && account.token !== null && !(error instanceof TokenRefused)) return account.token;
      throw error;
    }
  }

  #accountOf({ keyFile, scope, ownEndpoint }: TokenOrder): Account {
    const key = `${ownEndpoint} ${scope} ${keyFile}`;
    const known = this.#accounts.get(key);
    const account = known ?? { token: null, expiresAt: 0, asking: null };
    this.#accounts.delete(key);
    this.#accounts.set(key, account);
    if (this.#accounts.size > MAX_ACCOUNTS) {
      for (const oldest of this.#accounts.keys()) {
        this.#accounts.delete(oldest);
        break;
      }
    }
    return account;
  }

  async #renew(account: Account, { keyFile, scope, ownEndpoint }: TokenOrder, line: Line): Promise<string> {
    const file = readKeyFile(keyFile);
    const endpoint = (ownEndpoint ? file.tokenUri : null) ?? TOKEN_ENDPOINT;
    const signed = await assertion(file, endpoint, scope, this.#clock.wall());
    const asked = this.#clock.now();
    const { token, lifeMs } = await callForToken(
      { transport: this.#transport, clock: this.#clock },
      endpoint,
      signed,
      line,
    );
    this.#got(token, lifeMs);
    account.token = token;
    account.expiresAt = asked + lifeMs;
    return token;
  }
}
