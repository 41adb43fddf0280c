import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectHonest } from '../faults/invariants.ts';
import { expectInterrupted, expectWholeStream } from '../faults/stream-reader.ts';
import { type AttackRig, startAttackRig } from './attack-rig.ts';
import { chunked, DONE, event, http, LAST_CHUNK, okAnswer, type RawCall, SSE_HEAD, sse } from './raw-upstream.ts';

let rig: AttackRig;
let answer: (call: RawCall) => void = () => undefined;

beforeAll(async () => {
  const health = { circuit: { consecutive: 100_000, min_calls: 100_000 } };
  rig = await startAttackRig([(call) => answer(call)], { health });
});
afterAll(() => rig.close());

const OK = okAnswer('hi');
const HI = event({ role: 'assistant', content: 'hi' }) + event({}, 'stop') + DONE;

function head(...lines: string[]): string {
  return `HTTP/1.1 ${lines.join('\r\n')}\r\n\r\n`;
}

/** Sends these bytes, then closes if asked. */
function bytes(...parts: (string | Buffer)[]): (call: RawCall) => void {
  return ({ socket }) => void socket.write(Buffer.concat(parts.map((part) => Buffer.from(part as string))));
}

describe('an upstream that bends HTTP', () => {
  const fine: [string, boolean, (call: RawCall) => void][] = [
    ['102 before the answer', false, bytes(head('102 Processing'), http(200, OK))],
    ['two 103 before a stream', true, bytes(head('103 Early Hints', 'link: </x>').repeat(2), sse(HI))],
    ['headers of 60 KB', false, bytes(http(200, OK, [`x-big: ${'a'.repeat(60_000)}`]))],
    [
      '3000 header lines',
      false,
      bytes(
        http(
          200,
          OK,
          Array.from({ length: 3000 }, (_, i) => `h${i}: 1`),
        ),
      ),
    ],
    ['trailers', true, bytes(SSE_HEAD, chunked(HI), '0\r\nx-request-id: evil\r\nset-cookie: a=b\r\n\r\n')],
    ['chunk extensions', true, bytes(SSE_HEAD, `${HI.length.toString(16)};a="b;c"\r\n${HI}\r\n0;last\r\n\r\n`)],
    ['CR alone ends lines', true, bytes(sse(HI.replaceAll('\n', '\r')))],
    ['no space behind data:', true, bytes(sse(HI.replaceAll('data: ', 'data:')))],
    ['more behind [DONE]', true, bytes(sse(HI + event({ content: 'MORE' }) + DONE))],
  ];
  it.each(fine)('T-5, F-3: %s', async (_name, stream, play) => {
    answer = play;
    const got = await rig.ask({ stream });
    expectHonest(got);
    if (stream) expectWholeStream(got, 'hi');
    else expect(JSON.parse(got.text).choices[0].message.content).toBe('hi');
  });

  const broken: [string, (call: RawCall) => void, boolean][] = [
    [
      '101 that nobody asked for',
      bytes(head('101 Switching Protocols', 'upgrade: x', 'connection: upgrade'), 'x'),
      true,
    ],
    ['headers of 100 KB', bytes(http(200, OK, [`x-big: ${'a'.repeat(100_000)}`])), true],
    ['two content-lengths', bytes(head('200 OK', 'content-length: 2', 'content-length: 3'), '{}'), true],
    [
      'length and chunks',
      bytes(head('200 OK', 'content-length: 2', 'transfer-encoding: chunked'), '2\r\n{}\r\n0\r\n\r\n'),
      true,
    ],
    ['a NUL in a header', bytes(head('200 OK', 'x-a: b\0c', 'content-length: 2'), '{}'), true],
    ['a 204 with a length', bytes(head('204 No Content', 'content-length: 5'), 'hello'), true],
    ['a length too short', bytes(head('200 OK', `content-length: ${OK.length - 5}`), OK), true],
    ['NUL bytes', bytes(http(200, '\0'.repeat(100))), true],
    ['choices that are a string', bytes(http(200, '{"choices":"abc"}')), true],
    ['choices of nulls', bytes(http(200, '{"choices":[null,1,"x"]}')), true],
    ['status 999', bytes(http(999, '{}')), false],
  ];
  it.each(broken)('F-1: %s is malformed', async (_name, play, maybeExecuted) => {
    answer = play;
    const got = await rig.ask();
    expectHonest(got);
    expect(got.status).toBe(502);
    const attempt = (await rig.record(got)).attempts[0];
    expect(attempt).toMatchObject({ class: 'malformed', result: 'failed', maybe_executed: maybeExecuted });
  });

  it('T-7: compressed gigabytes are dropped at the limits, whole and as a stream', async () => {
    const bomb = gzipSync(Buffer.alloc(256 << 20, 0x20), { level: 1 });
    answer = bytes(http(200, bomb, ['content-encoding: gzip']));
    expect((await rig.record(await rig.ask())).attempts[0]).toMatchObject({ class: 'malformed' });
    answer = bytes(SSE_HEAD.replace('\r\n\r\n', '\r\ncontent-encoding: gzip\r\n\r\n'), chunked(bomb), LAST_CHUNK);
    expect((await rig.record(await rig.ask({ stream: true }))).attempts[0]).toMatchObject({ class: 'malformed' });
  });

  it('F-3: an error body without end is read to its limit and no further', async () => {
    answer = ({ socket }) => {
      socket.write(head('500 X', 'transfer-encoding: chunked'));
      const timer = setInterval(() => socket.write(chunked('x'.repeat(50_000))), 1);
      socket.on('close', () => clearInterval(timer));
    };
    const got = await rig.ask();
    expect(got.status).toBe(500);
    expect(got.body.length).toBeLessThan(4096);
  });

  it('E-1, T-4: an error page told inside a stream is not passed on as HTML', async () => {
    const page = '<html><body>oops</body></html>';
    answer = bytes(
      sse(`${event({ role: 'assistant', content: 'hi' })}data: ${JSON.stringify({ error: { message: page } })}\n\n`),
    );
    const got = await rig.ask({ stream: true });
    expectInterrupted(got, 'hi');
    expect(got.text).not.toContain('<html');
  });

  it('R-3: __proto__, doubled keys and numbers beyond all measure change nothing but the answer', async () => {
    answer = bytes(
      http(200, `{"__proto__":{"polluted":1},"created":1e999,"model":"x","model":"y",${okAnswer('hi').slice(1)}`),
    );
    const got = await rig.ask();
    expect(JSON.parse(got.text).model).toBe('m');
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
