/** A receiver of webhooks, as its owner would write it: checks each signature, keeps what it was told. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface ToldEvent {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly workspace: string | null;
  readonly request_id: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** One message as it came. */
export interface Told {
  readonly id: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly events: readonly ToldEvent[];
}

export class HookReceiver {
  readonly told: Told[] = [];
  /** What it does with a message; without an answer the sender waits. */
  answer: (response: ServerResponse, told: Told) => void = (response) => response.writeHead(204).end();
  readonly url: string;
  readonly #close: () => Promise<void>;
  #waiting: { readonly enough: () => boolean; readonly done: () => void }[] = [];

  constructor(url: string, close: () => Promise<void>) {
    this.url = url;
    this.#close = close;
  }

  /** Every event of every message, as often as it was told. */
  get events(): readonly ToldEvent[] {
    return this.told.flatMap(({ events }) => events);
  }

  hear(told: Told, response: ServerResponse): void {
    this.told.push(told);
    this.answer(response, told);
    for (const { enough, done } of this.#waiting) if (enough()) done();
    this.#waiting = this.#waiting.filter(({ enough }) => !enough());
  }

  /** Resolves when enough was told. */
  until(enough: () => boolean): Promise<void> {
    if (enough()) return Promise.resolve();
    return new Promise((done) => this.#waiting.push({ enough, done }));
  }

  close(): Promise<void> {
    return this.#close();
  }
}

/** `secret`: of every message; one with another signature is answered 401 and not kept. */
export async function startHookReceiver(secret: () => string): Promise<HookReceiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      try {
        new Webhook(secret()).verify(body, request.headers as Record<string, string>);
      } catch {
        response.writeHead(401).end('bad signature');
        return;
      }
      const message = JSON.parse(body) as ToldEvent & { readonly data: unknown };
      const events = message.type === 'batch' ? (message.data as unknown as ToldEvent[]) : [message];
      const { headers } = request;
      receiver.hear({ id: String(headers['webhook-id']), path: request.url ?? '', headers, body, events }, response);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const receiver = new HookReceiver(`http://127.0.0.1:${port}`, async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  return receiver;
}
