import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLIENT_KEY } from '../faults/gateway-config.ts';
import { errorOf, expectHonest } from '../faults/invariants.ts';
import { type AttackRig, rawChat, startAttackRig, until } from './attack-rig.ts';
import { http, okAnswer } from './raw-upstream.ts';

let rig: AttackRig;

beforeAll(async () => {
  rig = await startAttackRig([({ socket }) => void socket.write(http(200, okAnswer('hi')))]);
});
afterAll(() => rig.close());

/** Sends bytes and waits for an answer's whole head. */
async function send(text: string): Promise<{ status: number; text: string }> {
  const client = await rig.open();
  client.socket.write(text);
  const complete = (): boolean => /HTTP\/1\.1 [2-5][\s\S]*\r\n\r\n[\s\S]*\}$/.test(client.text());
  await until(complete, `an answer to ${JSON.stringify(text.slice(0, 80))}`);
  client.socket.destroy();
  const got = client.text();
  return { status: Number(/HTTP\/1\.1 ([2-5]\d\d)/.exec(got)?.[1]), text: got };
}

const CHAT = rawChat();
const line = (target: string, version = '1.1'): string =>
  CHAT.replace('POST /v1/chat/completions HTTP/1.1', `POST ${target} HTTP/${version}`);
const withHeader = (header: string): string => CHAT.replace('host: gateway', `host: gateway\r\n${header}`);

describe('requests as odd clients send them', () => {
  it.each([
    ['the absolute form of the target', line('http://gateway:4000/v1/chat/completions?x=1')],
    ['HTTP/1.0', line('/v1/chat/completions', '1.0')],
    ['no host', CHAT.replace('host: gateway\r\n', '')],
    ['Expect: 100-continue', withHeader('expect: 100-continue')],
    ['an upgrade nobody needs', withHeader('connection: upgrade\r\nupgrade: h2c')],
  ])('R-1: %s is served', async (_name, text) => {
    const got = await send(text);
    expect(got.status).toBe(200);
    expect(got.text).toContain('"content":"hi"');
  });

  it.each([
    ['a path that is no URL', line('/v1/%zz'), 400],
    ['a path in percents', line('/v1/chat%2Fcompletions'), 404],
    ['doubled slashes', line('//v1//chat/completions'), 404],
    ['dots in the path', line('/x/../v1/chat/completions'), 404],
    ['two lengths', withHeader('content-length: 3'), 400],
    ['length and chunks', withHeader('transfer-encoding: chunked'), 400],
    ['a negative length', CHAT.replace(/content-length: \d+/, 'content-length: -1'), 400],
    ['a length beyond all numbers', CHAT.replace(/content-length: \d+/, 'content-length: 99999999999999999999'), 400],
    ['a length above the limit', CHAT.replace(/content-length: \d+/, 'content-length: 999999999'), 413],
    ['headers without end', withHeader(`x: ${'a'.repeat(70_000)}`), 431],
    ['the encoding constructor', withHeader('content-encoding: constructor'), 415],
    ['the encoding __proto__', withHeader('content-encoding: __proto__'), 415],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
    ['TLS', '\u0016\u0003\u0001\u0000\u00a5\u0001', 400],
  ])('E-5: %s is refused with a code and a request id', async (_name, text, status) => {
    const calls = rig.ups[0]?.calls.length;
    const got = await send(text);
    expect(got.status).toBe(status);
    const { error } = JSON.parse(got.text.slice(got.text.indexOf('\r\n\r\n') + 4)) as {
      error: Record<string, unknown>;
    };
    expect(error['code']).toBeTypeOf('string');
    expect(got.text.toLowerCase()).toContain(`x-request-id: ${String(error['request_id'])}`);
    expect(rig.ups[0]?.calls.length).toBe(calls);
  });

  it('R-1: of two Authorization headers the first counts; a key in the query alone is enough', async () => {
    const second = await send(CHAT.replace('authorization:', 'authorization: Bearer nobody\r\nauthorization:'));
    expect(second.status).toBe(401);
    const query = line(`/v1/chat/completions?key=${CLIENT_KEY}`).replace(/authorization: .*\r\n/, '');
    expect((await send(query)).status).toBe(200);
  });
});

describe('bodies made to hurt', () => {
  const many = (count: number, item: unknown): unknown[] => Array.from({ length: count }, () => item);
  it.each<[string, Record<string, unknown> | string, number, string | null]>([
    ['a line break in the model', { model: 'm\r\nx-evil: 1' }, 404, 'model_not_found'],
    ['half a character as model', { model: '\ud800' }, 404, 'model_not_found'],
    ['__proto__ as model', { model: '__proto__' }, 404, 'model_not_found'],
    ['a model name of megabytes', { model: 'x'.repeat(5_000_000) }, 404, 'model_not_found'],
    [
      '__proto__ in redundancy',
      '{"model":"m","messages":[{}],"redundancy":{"__proto__":{"retries":5}}}',
      400,
      'invalid_redundancy',
    ],
    ['__proto__ in an entry', '{"models":[{"model":"m","__proto__":{}}],"messages":[{}]}', 400, 'invalid_redundancy'],
    ['100,000 unknown models', { models: many(100_000, 'x') }, 404, 'model_not_found'],
    ['100,000 times the same model', { models: many(100_000, 'm') }, 200, null],
    ['100,000 triggers', { redundancy: { on: many(100_000, 'timeout') } }, 200, null],
    [
      'brackets without end',
      `{"model":"m","messages":[${'['.repeat(50_000)}${']'.repeat(50_000)}]}`,
      400,
      'invalid_json',
    ],
    ['more answers than there are numbers', { n: Number.MAX_SAFE_INTEGER }, 200, null],
  ])('C-2, C-4: %s', async (_name, fields, status, code) => {
    const messages = [{ role: 'user', content: 'hi' }];
    const got = await rig.ask({}, { body: typeof fields === 'string' ? fields : { model: 'm', messages, ...fields } });
    expectHonest(got);
    expect(got.status).toBe(status);
    expect(got.headers['x-evil']).toBeUndefined();
    if (code !== null) expect(errorOf(got)['code']).toBe(code);
    expect(got.body.length).toBeLessThan(2000);
    expect(({} as Record<string, unknown>)['retries']).toBeUndefined();
    expect(JSON.stringify(await rig.record(got)).length, 'its record stays small').toBeLessThan(20_000);
  });
});
