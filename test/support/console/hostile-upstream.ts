/** An upstream that answers every call with an error whose every word is markup: what it says must stay text (G-9, E-5). */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Would run, were it ever taken for markup. */
export const MARKUP = '<img src=x onerror="window.understudyWasHacked=1">';
/** The same as a request id of the provider. */
export const MARKED_ID = '<svg/onload=window.understudyWasHacked=2>';

export interface HostileUpstream {
  /** For `base_url`. */
  readonly url: string;
  close(): Promise<void>;
}

export async function startHostileUpstream(): Promise<HostileUpstream> {
  const server: Server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(503, { 'content-type': 'application/json', 'x-request-id': MARKED_ID });
      response.end(JSON.stringify({ error: { message: `sorry ${MARKUP}`, type: 'x', code: MARKUP } }));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
