/**
 * The yardstick: what forwarding costs with node:http and undici and nothing else. Written as fast as it reasonably
 * can be, with backpressure in both directions, so that the comparison flatters nobody.
 */
import { createServer } from 'node:http';
import { Pool } from 'undici';
import { listen, readWhole, type Upstream } from './upstream.ts';

export async function startBareProxy(upstreamUrl: string): Promise<Upstream> {
  const { origin, pathname } = new URL(upstreamUrl);
  const prefix = pathname.replace(/\/$/, '');
  const pool = new Pool(origin, { connections: null, headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 300_000 });
  const server = createServer(async (request, response) => {
    const body = await readWhole(request);
    pool.dispatch(
      {
        path: `${prefix}${request.url ?? '/'}`,
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: request.headers.authorization ?? '' },
        body,
      },
      {
        onRequestStart(controller) {
          response.on('close', () => {
            if (!response.writableFinished) controller.abort(new Error('client gone'));
          });
          response.on('drain', () => controller.resume());
        },
        onResponseStart(_controller, status, headers) {
          const passed: Record<string, string> = {};
          for (const name of ['content-type', 'content-length']) {
            const value = headers[name];
            if (typeof value === 'string') passed[name] = value;
          }
          response.writeHead(status, passed);
        },
        onResponseData(controller, chunk) {
          if (!response.write(chunk)) controller.pause();
        },
        onResponseEnd() {
          response.end();
        },
        onResponseError() {
          if (response.headersSent) response.destroy();
          else response.writeHead(502).end();
        },
      },
    );
  });
  const { url, close } = await listen(server);
  return { url, close: async () => Promise.all([close(), pool.destroy()]).then(() => undefined) };
}
