/** Web sockets, asked for as real clients do: by the raw bytes of the handshake. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RulesRig, startRules } from '../rules/rules-rig.ts';

let rig: RulesRig;

beforeAll(async () => {
  rig = await startRules({ m: { channels: ['A'], up: { A: [] } } });
});
afterAll(() => rig.close());

/** Everything that came until the server closed. */
function handshake(path: string, upgrade = 'websocket', method = 'GET'): Promise<string> {
  const { hostname, port } = new URL(rig.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `${method} ${path} HTTP/1.1\r\nHost: ${hostname}\r\nUpgrade: ${upgrade}\r\nConnection: Upgrade\r\n` +
          'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nContent-Length: 0\r\n\r\n',
      );
    });
    let text = '';
    socket.on('data', (part: Buffer) => {
      text += part.toString();
      if (upgrade !== 'websocket') socket.end();
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}

describe('web sockets', () => {
  it.each(['/v1/responses', '/openai/v1/responses', '/v1/responses?model=m'])(
    'dialects §1.1: %s is refused with 426 and closed, so that clients go on over HTTP',
    async (path) => {
      const text = await handshake(path);
      expect(text).toMatch(/^HTTP\/1\.1 426 Upgrade Required\r\n/);
      expect(text).toMatch(/\r\nconnection: close\r\n/i);
      const body = JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as { error: Record<string, unknown> };
      expect(body.error).toMatchObject({ code: 'not_available' });
      expect(text).toContain(`x-request-id: ${String(body.error['request_id'])}`);
    },
  );

  it.each(['/v1/realtime', '/v1/models', '/healthz', '/nowhere'])('%s is refused with 400 and closed', async (path) => {
    expect(await handshake(path)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('another protocol that is offered is ignored: the request is served as it is', async () => {
    expect(await handshake('/healthz', 'h2c')).toMatch(/^HTTP\/1\.1 200 /);
    expect(await handshake('/v1/chat/completions', 'h2c', 'POST')).toMatch(/^HTTP\/1\.1 401 /);
  });
});
