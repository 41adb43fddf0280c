/**
 * Clients that do what they are told to: each repeats its request under the same key until it has an answer, whatever
 * happens to the gateway. Two share every key, and now and then one loses patience. What they got is compared byte by
 * byte, over all lives of the gateway.
 */
import { Agent } from 'node:http';
import { errorOf } from '../faults/invariants.ts';
import { type RawAnswer, sendRaw } from '../faults/raw-client.ts';

export type Kind = 'steady' | 'shaky' | 'down';

/** A business request. */
export interface Errand {
  readonly key: string;
  readonly kind: Kind;
  readonly stream: boolean;
  /** The client key it comes with. */
  readonly client: string;
}

export type Outcome = 'delivered' | 'exhausted';

export interface CrowdOptions {
  /** The address of the gateway that lives, as soon as there is one. */
  readonly address: () => Promise<string>;
  readonly draw: (below: number) => number;
  readonly clients: readonly string[];
  readonly onDelivery: () => void;
}

const PAUSE_MS = 4;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export class Crowd {
  /** What was delivered as a success first, by key. */
  readonly delivered = new Map<string, string>();
  readonly outcomes = new Map<string, Outcome>();
  readonly errands = new Map<string, Errand>();
  /** What must never be seen, in words. */
  readonly surprises: string[] = [];
  /** Answers by status and code, for whoever wants to know. */
  readonly seen = new Map<string, number>();
  readonly #options: CrowdOptions;
  readonly #agent = new Agent({ keepAlive: true });
  #closing = false;
  #last = 0;

  constructor(options: CrowdOptions) {
    this.#options = options;
  }

  /** Runs errands, `width` at a time, until `finish` is called; resolves when every one of them has its answer. */
  async run(width: number): Promise<void> {
    const worker = async (): Promise<void> => {
      while (!this.#closing) {
        const errand = this.#next();
        this.errands.set(errand.key, errand);
        const twice = [this.#insist(errand, 0), this.#insist(errand, this.#options.draw(20))];
        const [one, two] = await Promise.all(twice);
        if (one !== two) this.surprises.push(`${errand.key}: ${one} for one client, ${two} for the other`);
        this.outcomes.set(errand.key, one!);
      }
    };
    await Promise.all(Array.from({ length: width }, worker));
  }

  finish(): void {
    this.#closing = true;
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Asks once more for what is settled; it must be what it was. */
  async again({ key }: Pick<Errand, 'key'>): Promise<void> {
    const errand = this.errands.get(key)!;
    if ((await this.#insist(errand, 0)) !== this.outcomes.get(key))
      this.surprises.push(`${key}: another outcome later`);
  }

  #next(): Errand {
    const { draw, clients } = this.#options;
    this.#last += 1;
    const kind: Kind = this.#last % 40 === 0 ? 'down' : this.#last % 4 === 0 ? 'shaky' : 'steady';
    const client = clients[draw(clients.length)]!;
    return { key: `${kind}-${this.#last}`, kind, stream: draw(2) === 0, client };
  }

  async #insist(errand: Errand, afterMs: number): Promise<Outcome> {
    if (afterMs > 0) await pause(afterMs);
    for (;;) {
      const outcome = this.#judge(errand, await this.#ask(errand));
      if (outcome !== null) return outcome;
      await pause(PAUSE_MS);
    }
  }

  async #ask({ key, stream, client }: Errand): Promise<RawAnswer> {
    return sendRaw({
      url: `${await this.#options.address()}/v1/chat/completions`,
      agent: this.#agent,
      headers: { authorization: `Bearer ${client}`, 'idempotency-key': key },
      ...(this.#options.draw(8) === 0 ? { leaveAfterMs: 1 + this.#options.draw(15) } : {}),
      body: { model: 'm', messages: [{ role: 'user', content: key }], ...(stream ? { stream: true } : {}) },
    });
  }

  /** Null = it has to ask again. */
  #judge({ key, stream, kind }: Errand, answer: RawAnswer): Outcome | null {
    const { status, end, text, headers } = answer;
    if (status === null) return this.#note('no answer');
    if (status === 200) {
      // What a client has read to its last byte counts as delivered, however the connection ended.
      const isWhole = stream
        ? text.endsWith('data: [DONE]\n\n')
        : headers['content-length'] === String(answer.body.length);
      if (!isWhole) return this.#note(end === 'complete' ? 'interrupted' : 'cut');
      const first = this.delivered.get(key);
      if (first === undefined) this.delivered.set(key, text);
      else if (first !== text) this.surprises.push(`${key}: delivered as\n${first}\nand as\n${text}`);
      this.#note('200');
      this.#options.onDelivery();
      return 'delivered';
    }
    if (end !== 'complete') return this.#note('cut');
    const code = String(errorOf(answer)['code']);
    this.#note(`${status} ${code}`);
    if (status === 409 && code === 'key_attempts_exhausted') return 'exhausted';
    if (status < 500 && status !== 429) this.surprises.push(`${key}: ${status} ${text}`);
    if (status >= 500 && kind === 'steady') this.surprises.push(`${key}: ${status} ${text}`);
    return null;
  }

  #note(what: string): null {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
    return null;
  }
}
