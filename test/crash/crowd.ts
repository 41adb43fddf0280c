/**
 * Clients that do what they are told to: each repeats its request under the same key until it has an answer, whatever
 * happens to the gateway. Two share every key, and now and then one loses patience. What they got is compared byte by
 * byte, over all lives of the gateway.
 */
import { errorOf } from '../faults/invariants.ts';
import type { RoundAnswer, RoundRobin } from '../support/replicas/round-robin.ts';

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
  /** Leads to the gateways that live; to none before there is one. */
  readonly front: Pick<RoundRobin, 'send'>;
  readonly draw: (below: number) => number;
  /** Codes of failures that a request may meet which would be served alone. */
  readonly excused: readonly string[];
  readonly clients: readonly string[];
  /** Hears of each, and which gateway it was. */
  readonly onDelivery: (url: string) => void;
}

const PAUSE_MS = 4;
/** Most requests that wait while others take their turn: a gateway that answers nobody any more is not to be buried. */
const MOST_WAITING = 600;
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
  readonly #underWay = new Set<Promise<void>>();
  #closing = false;
  #last = 0;

  constructor(options: CrowdOptions) {
    this.#options = options;
  }

  /**
   * Runs errands, `width` at a time, until `finish` is called; resolves when every one of them has its answer. One that
   * has taken `patienceMs` no longer counts among them.
   */
  async run(width: number, patienceMs?: number): Promise<void> {
    const worker = async (): Promise<void> => {
      while (!this.#closing) {
        const done = this.#carryOut(this.#next()).finally(() => this.#underWay.delete(done));
        this.#underWay.add(done);
        const mayPass = patienceMs !== undefined && this.#underWay.size < MOST_WAITING;
        await (mayPass ? Promise.race([done, pause(patienceMs)]) : done);
      }
    };
    await Promise.all(Array.from({ length: width }, worker));
    await Promise.all(this.#underWay);
  }

  finish(): void {
    this.#closing = true;
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

  async #carryOut(errand: Errand): Promise<void> {
    this.errands.set(errand.key, errand);
    const twice = [this.#insist(errand, 0), this.#insist(errand, this.#options.draw(20))];
    const [one, two] = await Promise.all(twice);
    if (one !== two) this.surprises.push(`${errand.key}: ${one} for one client, ${two} for the other`);
    this.outcomes.set(errand.key, one!);
  }

  async #insist(errand: Errand, afterMs: number): Promise<Outcome> {
    if (afterMs > 0) await pause(afterMs);
    for (;;) {
      const outcome = this.#judge(errand, await this.#ask(errand));
      if (outcome !== null) return outcome;
      await pause(PAUSE_MS);
    }
  }

  #ask({ key, stream, client }: Errand): Promise<RoundAnswer> {
    return this.#options.front.send('/v1/chat/completions', {
      headers: { authorization: `Bearer ${client}`, 'idempotency-key': key },
      ...(this.#options.draw(8) === 0 ? { leaveAfterMs: 1 + this.#options.draw(15) } : {}),
      body: { model: 'm', messages: [{ role: 'user', content: key }], ...(stream ? { stream: true } : {}) },
    });
  }

  /** Null = it has to ask again. */
  #judge({ key, stream, kind }: Errand, answer: RoundAnswer): Outcome | null {
    const { status, end, text, headers } = answer;
    if (status === null) return this.#note('no answer');
    if (status === 200) {
      // What a client has read to its last byte counts as delivered, however the connection ended.
      const isWhole = stream
        ? text.endsWith('data: [DONE]\n\n')
        : headers['content-length'] === String(answer.body.length);
      if (!isWhole) return this.#note(end === 'complete' ? 'interrupted' : 'cut');
      // Keep-alives are each reader's own (T-11).
      const said = text.replaceAll(/^:.*\n\n?/gm, '');
      const first = this.delivered.get(key);
      if (first === undefined) this.delivered.set(key, said);
      else if (first !== said) this.surprises.push(`${key}: delivered as\n${first}\nand as\n${said}`);
      this.#note('200');
      this.#options.onDelivery(answer.from);
      return 'delivered';
    }
    if (end !== 'complete') return this.#note('cut');
    const code = String(errorOf(answer)['code']);
    this.#note(`${status} ${code}`);
    if (status === 409 && code === 'key_attempts_exhausted') return 'exhausted';
    if (status < 500 && status !== 429) this.surprises.push(`${key}: ${status} ${text}`);
    if (status >= 500 && kind === 'steady' && !this.#options.excused.includes(code))
      this.surprises.push(`${key}: ${status} ${text}`);
    return null;
  }

  #note(what: string): null {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
    return null;
  }
}
