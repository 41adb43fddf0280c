/** An upstream that answers when the test says so, piece by piece, and knows who has hung up. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export class HeldCall {
  readonly marker: string;
  readonly stream: boolean;
  /** Its caller hung up before the end. */
  isGone = false;
  readonly #response: ServerResponse;

  constructor(marker: string, stream: boolean, response: ServerResponse) {
    this.marker = marker;
    this.stream = stream;
    this.#response = response;
    response.on('close', () => {
      this.isGone = !response.writableFinished;
    });
  }

  /** Of a stream: one piece. */
  say(content: string): void {
    if (!this.#response.headersSent) this.#response.writeHead(200, { 'content-type': 'text/event-stream' });
    this.#event({ delta: { content }, finish_reason: null });
  }

  /** The end, of a whole answer with all its text. */
  end(content = ''): void {
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    if (this.stream) {
      this.#event({ delta: {}, finish_reason: 'stop' });
      this.#response.end('data: [DONE]\n\n');
      return;
    }
    const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
    this.#response.writeHead(200, { 'content-type': 'application/json' });
    const answer = { id: `c-${this.marker}`, object: 'chat.completion', created: 1, model: 'up', choices, usage };
    this.#response.end(JSON.stringify(answer));
  }

  fail(status: number): void {
    this.#response.writeHead(status, { 'content-type': 'application/json' });
    this.#response.end(JSON.stringify({ error: { message: 'no', type: 'invalid_request_error' } }));
  }

  #event(choice: object): void {
    const chunk = { id: `c-${this.marker}`, object: 'chat.completion.chunk', created: 1, model: 'up' };
    this.#response.write(`data: ${JSON.stringify({ ...chunk, choices: [{ index: 0, ...choice }] })}\n\n`);
  }
}

export class HeldUpstream {
  readonly calls: HeldCall[] = [];
  readonly #server = createServer((request, response) => {
    void request
      .setEncoding('utf8')
      .toArray()
      .then((parts) => {
        const asked = JSON.parse(parts.join('')) as { stream?: boolean; messages: { content: string }[] };
        this.calls.push(new HeldCall(asked.messages[0]?.content ?? '', asked.stream === true, response));
      })
      .catch(() => response.destroy());
  });

  static async start(): Promise<HeldUpstream> {
    const upstream = new HeldUpstream();
    await new Promise<void>((resolve) => upstream.#server.listen(0, '127.0.0.1', resolve));
    return upstream;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  /** Calls whose request says this. */
  of(marker: string): HeldCall[] {
    return this.calls.filter((call) => call.marker === marker);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
