/**
 * The connection to Redis: there or away (H-4). Silence, a closed socket and a server that refuses are all the same: away,
 * until a new connection proves itself; nothing waits for that, and nothing is sent twice.
 */
import type { Redis } from 'ioredis';
import type { Cancel, Clock } from '../../ports/clock.ts';
import { SCRIPTS } from './scripts/all.ts';
import type { Script } from './scripts/script.ts';
import { within } from './within.ts';

/** A new connection proves itself within this: ms. */
const CONNECT_MS = 1500;
const PING_EVERY_MS = 500;
/** What is not answered by then never will be: away. */
const SILENT_MS = 500;
/** So many calls refused, one after the other: away. */
const MISSES = 3;
const RETRY_FROM_MS = 100;
const RETRY_UP_TO_MS = 2000;

export interface LinkParts {
  readonly url: string;
  /** A client of this address; not connected yet. */
  readonly create: (url: string, options: typeof OPTIONS) => Redis;
  readonly clock: Clock;
  /** What it listens to, and who hears it. */
  readonly channel: string;
  readonly onMessage: (message: string) => void;
  /** Names this start of the process; no two are ever equal. */
  readonly replica: string;
  readonly onUp: (memory: Memory) => void;
  /** In plain words, why; once per failed try to come back, too. */
  readonly onDown: (reason: string) => void;
}

/** Whether the server still knows what it was told over the connection before; `new`: nothing, as after a restart. */
export type Memory = 'kept' | 'new';

export interface Call {
  readonly script: Script;
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
}

/** Both connections: commands, and what others tell. */
interface Pair {
  readonly commands: Redis;
  readonly ears: Redis;
}

const OPTIONS = {
  lazyConnect: true,
  // Nothing waits for a connection, and nothing is sent twice.
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  retryStrategy: (): null => null,
  enableReadyCheck: false,
  autoResubscribe: false,
  connectTimeout: CONNECT_MS,
  connectionName: 'understudy',
};

export class Link {
  readonly #parts: LinkParts;
  #pair: Pair | null = null;
  #misses = 0;
  #retryMs = RETRY_FROM_MS;
  #cancel: Cancel = () => undefined;
  #closed = false;
  /** What the server's memory is known by. */
  #memory: string | null = null;
  #tries = 0;

  constructor(parts: LinkParts) {
    this.#parts = parts;
  }

  get up(): boolean {
    return this.#pair !== null;
  }

  /** Connects, or goes on trying by itself. Resolves after the first try, whatever became of it. */
  async start(): Promise<void> {
    await this.#connect();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel();
    if (this.#pair !== null) drop(this.#pair);
    this.#pair = null;
  }

  /** All of them in one round trip. Null = it is away, or one was refused. Never rejects. */
  async run(calls: readonly Call[]): Promise<readonly unknown[] | null> {
    const pair = this.#pair;
    if (pair === null) return null;
    const pipeline = pair.commands.pipeline();
    for (const { script, keys, args } of calls) pipeline.evalsha(script.digest, keys.length, ...keys, ...args);
    const answers = await within(this.#parts.clock, SILENT_MS, pipeline.exec());
    if (answers === null) {
      this.#lost(pair, `no answer within ${SILENT_MS} ms`);
      return null;
    }
    const failed = answers.find(([error]) => error !== null)?.[0];
    if (failed == null) {
      this.#misses = 0;
      return answers.map(([, answer]) => answer);
    }
    // Its memory of scripts was emptied: they are brought again, and the next call finds them.
    if (failed.message.startsWith('NOSCRIPT')) void within(this.#parts.clock, CONNECT_MS, loadScripts(pair.commands));
    this.#missed(pair, failed.message);
    return null;
  }

  /** Without an answer. */
  send(command: string, ...args: string[]): void {
    this.#pair?.commands.call(command, ...args).catch(() => undefined);
  }

  #missed(pair: Pair, reason: string): void {
    if (pair !== this.#pair) return;
    this.#misses += 1;
    if (this.#misses >= MISSES) this.#lost(pair, reason);
  }

  #lost(pair: Pair, reason: string): void {
    drop(pair);
    if (pair !== this.#pair || this.#closed) return;
    this.#pair = null;
    this.#cancel();
    this.#parts.onDown(reason);
    this.#retry();
  }

  #retry(): void {
    if (this.#closed) return;
    this.#cancel = this.#parts.clock.after(this.#retryMs, () => void this.#connect());
    this.#retryMs = Math.min(this.#retryMs * 2, RETRY_UP_TO_MS);
  }

  async #connect(): Promise<void> {
    const { url, create, clock, channel, replica } = this.#parts;
    this.#tries += 1;
    const pair = { commands: create(url, OPTIONS), ears: create(url, OPTIONS) };
    let why = `no connection within ${CONNECT_MS} ms`;
    for (const client of [pair.commands, pair.ears]) client.on('error', (error: Error) => (why = error.message));
    const proven = await within(
      clock,
      CONNECT_MS,
      prove(pair, channel, `${replica} ${this.#tries}`).catch((error: unknown) => {
        why = error instanceof Error ? error.message : String(error);
        return null;
      }),
    );
    if (proven === null || this.#closed) {
      drop(pair);
      if (this.#closed) return;
      this.#parts.onDown(why);
      this.#retry();
      return;
    }
    this.#pair = pair;
    this.#misses = 0;
    this.#retryMs = RETRY_FROM_MS;
    for (const client of [pair.commands, pair.ears])
      client.on('close', () => this.#lost(pair, 'the connection was closed'));
    pair.ears.on('message', (_channel, message) => this.#parts.onMessage(message));
    const kept = proven === this.#memory;
    this.#memory = proven;
    this.#parts.onUp(kept ? 'kept' : 'new');
    this.#ping(pair);
  }

  #ping(pair: Pair): void {
    if (pair !== this.#pair || this.#closed) return;
    const { clock } = this.#parts;
    this.#cancel = clock.after(PING_EVERY_MS, () => {
      const both = Promise.all([pair.commands.ping(), pair.ears.ping()]);
      void within(clock, SILENT_MS, both).then((answer) => {
        if (answer === null) this.#lost(pair, `no answer within ${SILENT_MS} ms`);
        else this.#ping(pair);
      });
    });
  }
}

/** Connected, may write, knows the scripts, and listens. Gives the name of the server’s memory: `name`, if it has none yet. */
async function prove({ commands, ears }: Pair, channel: string, name: string): Promise<string> {
  await Promise.all([commands.connect(), ears.connect()]);
  const named = commands.set('us1:m', name, 'NX', 'GET');
  const [known] = await Promise.all([named, loadScripts(commands), ears.subscribe(channel)]);
  return known ?? name;
}

async function loadScripts(commands: Redis): Promise<void> {
  await Promise.all(SCRIPTS.map(({ source }) => commands.script('LOAD', source)));
}

function drop({ commands, ears }: Pair): void {
  commands.disconnect();
  ears.disconnect();
}
