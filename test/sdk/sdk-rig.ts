/** What the suites see of a gateway and its simulator: addresses, and what happened there. Only HTTP: any process can. */
import { ADMIN_TOKEN, CLIENT_KEY } from './gateway-config.ts';

export interface SdkAddresses {
  /** The gateway's `http://HOST:PORT`. */
  readonly gatewayUrl: string;
  readonly simulatorUrl: string;
}

/** The parts of a request record that the suites look at. */
export interface SeenRecord {
  readonly id: string;
  readonly ending: string;
  readonly status: number;
  readonly client_retry: { readonly count: number; readonly how: string | null };
}

export class SdkRig {
  readonly baseUrl: string;
  /** Without a path: for clients that add the version themselves. */
  readonly rootUrl: string;
  readonly apiKey = CLIENT_KEY;
  readonly #addresses: SdkAddresses;

  constructor(addresses: SdkAddresses) {
    this.#addresses = addresses;
    this.baseUrl = `${addresses.gatewayUrl}/v1`;
    this.rootUrl = addresses.gatewayUrl;
  }

  /** Upstream models called since the last `forget`, in order. */
  async calls(): Promise<string[]> {
    return (await this.#seen()).map(({ model }) => model);
  }

  /** The bodies of those calls. */
  async bodies(): Promise<string[]> {
    return (await this.#seen()).map(({ body }) => body);
  }

  async #seen(): Promise<{ model: string; body: string }[]> {
    const answer = await fetch(`${this.#addresses.simulatorUrl}/__sim/calls`);
    const { calls } = (await answer.json()) as { calls: { model: string; body: string }[] };
    return calls;
  }

  /** Forgets the calls so far. */
  async forget(): Promise<void> {
    await fetch(`${this.#addresses.simulatorUrl}/__sim/reset`, { method: 'POST' });
  }

  /** The newest `count` records of a model, oldest first, once they have been written. */
  async records(model: string, count: number): Promise<SeenRecord[]> {
    const url = `${this.#addresses.gatewayUrl}/admin/v1/requests?limit=${count}&model=${encodeURIComponent(model)}`;
    for (let tries = 0; tries < 200; tries += 1) {
      const answer = await fetch(url, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
      const { data } = (await answer.json()) as { data: SeenRecord[] };
      if (data.length === count) return data.reverse();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`the log never held ${count} requests for ${model}`);
  }
}
