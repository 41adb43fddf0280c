/** An upstream whose every answer is one of a kind, and which counts what each business key cost. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CrowdUpstream {
  readonly url: string;
  /** Calls by the marker in the request's message. */
  readonly calls: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** `fails`: whether the marker's nth call (from 1) gets 503. */
export async function startCrowdUpstream(fails: (marker: string, call: number) => boolean): Promise<CrowdUpstream> {
  const calls = new Map<string, number>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const asked = JSON.parse((await request.setEncoding('utf8').toArray()).join('')) as Asked;
    const marker = asked.messages[0]?.content ?? '';
    const call = (calls.get(marker) ?? 0) + 1;
    calls.set(marker, call);
    await pause(call % 7);
    if (fails(marker, call)) return fail(response);
    const words = [marker, ` call ${call}`, ` of ${calls.size}`];
    if (asked.stream === true) await stream(response, words);
    else whole(response, words.join(''));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Asked {
  readonly stream?: boolean;
  readonly messages: readonly { readonly content: string }[];
}

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

function fail(response: ServerResponse): void {
  response.writeHead(503, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message: 'down', type: 'server_error' } }));
}

function whole(response: ServerResponse, content: string): void {
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'up', choices, usage: USAGE }));
}

async function stream(response: ServerResponse, words: readonly string[]): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (choice: Record<string, unknown> | null): void => {
    const choices = choice === null ? [] : [{ index: 0, finish_reason: null, ...choice }];
    const end = choice === null ? { usage: USAGE } : {};
    const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'up', choices, ...end };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  for (const content of words) {
    send({ delta: { content } });
    await pause(2);
  }
  send({ delta: {}, finish_reason: 'stop' });
  send(null);
  response.end('data: [DONE]\n\n');
}
