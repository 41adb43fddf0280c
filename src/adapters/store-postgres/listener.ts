/**
 * Word between the processes, by LISTEN and NOTIFY on a connection of its own. Hints: what was told while the connection
 * was away is lost, and `onGap` says so; a NOTIFY never rides in a transaction that matters (its commit takes a lock that
 * is one for the whole server).
 */
import type { Client } from 'pg';
import type { Cancel, Clock } from '../../ports/clock.ts';
import { type Notifier, TOPICS, type Topic } from '../../ports/notifier.ts';

export interface ListenerOptions {
  readonly connect: () => Promise<Client>;
  readonly clock: Clock;
  /** Of the schema: databases may hold several stores. */
  readonly channel: string;
}

/** Equal words of this time are sent once. */
const GATHER_MS = 20;
const LONGEST_BYTES = 512;
const AGAIN_MS = [250, 500, 1000, 2000] as const;
/** A connection that says nothing is asked so often, and given up after so long without an answer. */
const PING_MS = 5000;
const ANSWER_MS = 2000;

const NOTIFY = 'SELECT pg_notify($1, word) FROM json_array_elements_text($2) word';

export class Listener implements Notifier {
  readonly #options: ListenerOptions;
  readonly #subscribers = new Map<Topic, Set<(payload: string) => void>>();
  readonly #gaps: (() => void)[] = [];
  readonly #queue = new Set<string>();
  #client: Client | null = null;
  #asking: Promise<void> = Promise.resolve();
  #sending: Cancel | null = null;
  #timer: Cancel | null = null;
  #failures = 0;
  #wasConnected = false;
  #closed = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
  }

  /** Begins to hear; resolves after the first try. Never rejects. */
  async start(): Promise<void> {
    await this.#connect();
  }

  publish(topic: Topic, payload: string): void {
    const word = `${topic} ${payload}`;
    if (this.#closed || Buffer.byteLength(word) > LONGEST_BYTES + topic.length) return;
    this.#queue.add(word);
    this.#sending ??= this.#options.clock.after(GATHER_MS, () => this.#send());
  }

  subscribe(topic: Topic, hear: (payload: string) => void): () => void {
    const all = this.#subscribers.get(topic) ?? new Set();
    this.#subscribers.set(topic, all.add(hear));
    return () => void all.delete(hear);
  }

  onGap(callback: () => void): void {
    this.#gaps.push(callback);
  }

  async close(): Promise<void> {
    this.#send();
    this.#closed = true;
    this.#timer?.();
    await this.#asking;
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => undefined);
  }

  #send(): void {
    this.#sending?.();
    this.#sending = null;
    const words = [...this.#queue];
    this.#queue.clear();
    if (words.length === 0 || this.#client === null) return;
    this.#ask(this.#client, NOTIFY, [this.#options.channel, JSON.stringify(words)]);
  }

  async #connect(): Promise<void> {
    const { connect, channel } = this.#options;
    try {
      const client = await connect();
      client.on('error', () => this.#gone(client));
      client.on('end', () => this.#gone(client));
      client.on('notification', ({ payload = '' }) => this.#hear(payload));
      await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
      if (this.#closed) return void client.end().catch(() => undefined);
      this.#client = client;
      this.#failures = 0;
      this.#ping(client);
      if (this.#wasConnected) for (const callback of this.#gaps) callback();
      this.#wasConnected = true;
    } catch {
      this.#again();
    }
  }

  /** A dead network says nothing by itself. */
  #ping(client: Client): void {
    this.#timer = this.#options.clock.after(PING_MS, () => {
      if (this.#client !== client) return;
      this.#ask(client, 'SELECT 1', []);
      this.#ping(client);
    });
  }

  /** One after the other; the first that is not answered ends the connection. */
  #ask(client: Client, sql: string, values: readonly string[]): void {
    this.#asking = this.#asking.then(async () => {
      if (this.#client !== client) return;
      const cancel = this.#options.clock.after(ANSWER_MS, () => this.#gone(client));
      await client.query(sql, [...values]).catch(() => this.#gone(client));
      cancel();
    });
  }

  #gone(client: Client): void {
    if (this.#client !== client) return;
    this.#client = null;
    client.connection.stream.destroy();
    this.#again();
  }

  #again(): void {
    if (this.#closed) return;
    this.#timer?.();
    const wait = AGAIN_MS[Math.min(this.#failures, AGAIN_MS.length - 1)]!;
    this.#failures += 1;
    this.#timer = this.#options.clock.after(wait, () => void this.#connect());
  }

  #hear(word: string): void {
    const [name = ''] = word.split(' ', 1);
    const topic = TOPICS.find((one) => one === name);
    if (topic === undefined) return;
    for (const hear of this.#subscribers.get(topic) ?? []) hear(word.slice(name.length + 1));
  }
}
