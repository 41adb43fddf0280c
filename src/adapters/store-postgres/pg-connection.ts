/** One connection: orders one after the other, each with a deadline; connects by itself, and again after a loss. */
import type { Client, Submittable } from 'pg';
import type { Cancel, Clock } from '../../ports/clock.ts';
import { SqlError, type SqlFault } from '../store-sql/fault.ts';
import { BatchQuery, type BatchStep, ParsedNames, type StepAnswer } from './batch-query.ts';
import { isLost, LOST } from './server-fault.ts';

export interface ConnectionOptions {
  readonly connect: () => Promise<Client>;
  readonly clock: Clock;
  /** From the order until its answer, waiting for those before it included. */
  readonly deadlineMs: number;
  /** The connection was given up under an order: `pid` is the backend that may still carry it out. */
  readonly onAbandoned: (pid: number) => void;
}

interface Order {
  readonly steps: readonly BatchStep[];
  readonly resolve: (answers: readonly StepAnswer[]) => void;
  readonly reject: (fault: SqlFault) => void;
  isOver: boolean;
}

export class PgConnection {
  readonly #options: ConnectionOptions;
  readonly #queue: Order[] = [];
  #active: Order | null = null;
  #client: Client | null = null;
  #names = new ParsedNames();
  #closed = false;
  #connects = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Connections made so far. */
  get connects(): number {
    return this.#connects;
  }

  /** Orders that wait or are under way. */
  get load(): number {
    return this.#queue.length + (this.#active === null ? 0 : 1);
  }

  /** All steps in one transaction. Rejects with `SqlError`; after `DEADLINE` and `CONNECTION` it may be durable all the same. */
  run(steps: readonly BatchStep[]): Promise<readonly StepAnswer[]> {
    return new Promise((resolve, reject) => {
      if (this.#closed) {
        reject(new SqlError({ code: LOST.connection, message: 'it is closed' }));
        return;
      }
      const settle =
        <T>(told: (value: T) => void) =>
        (value: T) => {
          if (order.isOver) return;
          order.isOver = true;
          cancel();
          told(value);
        };
      const order: Order = {
        steps,
        resolve: settle(resolve),
        reject: settle((fault: SqlFault) => reject(new SqlError(fault))),
        isOver: false,
      };
      const cancel: Cancel = this.#options.clock.after(this.#options.deadlineMs, () => this.#late(order));
      this.#queue.push(order);
      this.#next();
    });
  }

  /** Gives the connection up; who waits hears it. */
  drop(): void {
    const client = this.#client;
    this.#client = null;
    if (client === null) return;
    if (this.#active !== null) this.#options.onAbandoned(backendOf(client));
    client.connection.stream.destroy();
  }

  /** Waits for what was ordered, at most until its deadline. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.load > 0) await new Promise<void>((resolve) => this.#options.clock.after(5, resolve));
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(() => undefined);
  }

  #next(): void {
    if (this.#active !== null) return;
    const order = this.#queue.shift();
    if (order === undefined) return;
    this.#active = order;
    void this.#carryOut(order).then(() => {
      this.#active = null;
      this.#next();
    });
  }

  async #carryOut(order: Order): Promise<void> {
    if (order.isOver) return;
    try {
      const client = this.#client ?? (await this.#connect());
      if (!order.isOver) order.resolve(await this.#send(client, order.steps));
    } catch (error) {
      const fault = faultOf(error);
      // The server ends such a connection itself, in a moment.
      if (isLost(fault)) this.drop();
      order.reject(fault);
    }
  }

  #send(client: Client, steps: readonly BatchStep[]): Promise<readonly StepAnswer[]> {
    return new Promise((resolve, reject) => {
      const batch = new BatchQuery(steps, this.#names, resolve, (fault) => reject(new SqlError(fault)));
      // The library's types know the connection by its methods alone; `Wire` names those in use.
      client.query(batch as unknown as Submittable);
    });
  }

  async #connect(): Promise<Client> {
    const client = await this.#options.connect();
    const forget = () => {
      if (this.#client === client) this.#client = null;
    };
    client.on('error', forget);
    client.on('end', forget);
    this.#names = new ParsedNames();
    this.#client = client;
    this.#connects += 1;
    return client;
  }

  #late(order: Order): void {
    order.reject({ code: LOST.deadline, message: `no answer within ${this.#options.deadlineMs} ms` });
    const index = this.#queue.indexOf(order);
    if (index >= 0) this.#queue.splice(index, 1);
    else if (this.#active === order) this.drop();
  }
}

export function faultOf(error: unknown): SqlFault {
  if (error instanceof SqlError) return error.fault;
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return { code: typeof code === 'string' ? code : LOST.connection, message: String(message ?? error) };
}

/** The library tells it once connected; its types do not. */
function backendOf(client: Client): number {
  return (client as unknown as { readonly processID: number | null }).processID ?? 0;
}
