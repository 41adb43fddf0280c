import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLIENT_KEY } from '../faults/gateway-config.ts';
import { ADMIN_TOKEN, type AttackRig, startAttackRig, until } from './attack-rig.ts';
import { http, okAnswer } from './raw-upstream.ts';

let rig: AttackRig;

beforeAll(async () => {
  rig = await startAttackRig([({ socket }) => void socket.write(http(200, okAnswer('hi')))]);
  await rig.ask();
});
afterAll(() => rig.close());

/** The status, and everything behind it. Paths go out as they are: no client tidies them up. */
async function send(
  method: string,
  path: string,
  headers: readonly string[] = [],
): Promise<{ status: number; text: string }> {
  const client = await rig.open();
  client.socket.write(
    `${[`${method} ${path} HTTP/1.1`, 'host: x', 'connection: close', ...headers].join('\r\n')}\r\n\r\n`,
  );
  await until(() => client.socket.closed, `${method} ${path} is answered`);
  return { status: Number(client.text().slice(9, 12)), text: client.text() };
}

const PATHS = [
  '/admin/v1/requests',
  '/admin/v1/requests/',
  '/admin//v1/requests',
  '/admin/v1/requests;x',
  '/admin/v1/requests%00',
  '/%61dmin/v1/requests',
  '/ADMIN/v1/requests',
  '//admin/v1/requests',
  '/./admin/v1/requests',
  '/x/../admin/v1/requests',
  '/admin%2fv1%2frequests',
  '/admin\\v1\\requests',
  'http://h/admin/v1/requests',
  'HTTP://h/admin/v1/requests',
  '/admin/v1/health/targets',
  '/admin/v1/health/targets/m~23ch0~~c0/drain',
  `/admin/v1/requests?key=${ADMIN_TOKEN}`,
];

describe('the admin plane without its token', () => {
  it.each(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS'])(
    'O-5: %s opens none of the ways to write its paths',
    async (method) => {
      for (const path of PATHS) {
        for (const headers of [[], [`authorization: Bearer ${CLIENT_KEY}`], [`authorization: Basic ${ADMIN_TOKEN}`]]) {
          const { status, text } = await send(method, path, headers);
          // A client key is known, and no admin's (G-8).
          const closed = headers[0]?.includes(CLIENT_KEY) === true ? 403 : 401;
          expect([closed, 404], `${method} ${path}`).toContain(status);
          expect(text).not.toContain('requested_model');
          expect(text).not.toContain('"state"');
        }
      }
      expect(rig.running.gateway.board.list(0, 0)[0]?.state).toBe('ok');
    },
  );

  it.each([
    'limit=0',
    'limit=501',
    'limit=1e9',
    'limit=1&limit=2',
    'cursor=x',
    'cursor=%00',
    'cursor=%27%20or%201=1',
    'from=-1',
    'status=1',
    '__proto__=1',
    'outcome=__proto__',
  ])('O-5: the filter %s is refused by name', async (query) => {
    const { status, text } = await send('GET', `/admin/v1/requests?${query}`, [`authorization: Bearer ${ADMIN_TOKEN}`]);
    expect(status).toBe(400);
    expect(text).toContain('"code":"invalid_parameter"');
  });

  it('O-3: metrics are open to the machine itself, not to whom a proxy on it speaks for', async () => {
    expect((await send('GET', '/metrics')).status).toBe(200);
    for (const header of ['x-forwarded-for: 127.0.0.1', 'forwarded: for=127.0.0.1', 'via: 1.1 x']) {
      expect((await send('GET', '/metrics', [header])).status).toBe(401);
    }
  });
});
