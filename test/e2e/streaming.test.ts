/** Section 6 over real sockets: what the client sees of a stream, whatever the upstream does. */
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { chunk, DONE, delta, event, finish, okStream, role, sseStep } from '../faults/answers.ts';
import { CLIENT_KEY } from '../faults/gateway-config.ts';
import { chatRequest } from '../faults/raw-client.ts';
import { sleep, until, withRig } from '../faults/rig.ts';
import { readStream } from '../faults/stream-reader.ts';

const STREAM = { stream: true };

describe('commit: complete', () => {
  it('T-9: a stream cut after content fails over unseen', async () => {
    const cut = sseStep([role(), delta('half'), delta(' an answer')], { end: 'fin' });
    await withRig({ m: { up: { A: [cut], B: [okStream('whole')] } } }, async (rig) => {
      const answer = await rig.ask('m', { ...STREAM, redundancy: { commit: 'complete' } });
      expect(rig.who('m')).toBe('A B');
      expect(answer.text).not.toContain('half');
      expect(readStream(answer).content).toBe('whole');
    });
  });

  it('T-9, T-10: garbage after content fails over unseen', async () => {
    const garbage = sseStep([role(), delta('half'), 'data: {"choices": [}\n\n', DONE]);
    await withRig({ m: { up: { A: [garbage], B: [okStream('whole')] } } }, async (rig) => {
      const answer = await rig.ask('m', { ...STREAM, redundancy: { commit: 'complete' } });
      expect(rig.who('m')).toBe('A B');
      expect(readStream(answer).content).toBe('whole');
    });
  });

  it('T-9, T-5: [DONE] without a finish reason is malformed', async () => {
    const unfinished = sseStep([role(), delta('half'), DONE]);
    await withRig({ m: { up: { A: [unfinished], B: [okStream('whole')] } } }, async (rig) => {
      const answer = await rig.ask('m', { ...STREAM, redundancy: { commit: 'complete' } });
      expect(rig.who('m')).toBe('A B');
      expect(readStream(answer).content).toBe('whole');
    });
  });

  it('T-9: past max_held_bytes it commits, and a later cut is told', async () => {
    const long = sseStep([role(), delta('x'.repeat(80 * 1024)), delta('tail')], { end: 'fin' });
    await withRig({ m: { up: { A: [long], B: [okStream('whole')] } } }, async (rig) => {
      const answer = await rig.ask('m', { ...STREAM, redundancy: { commit: 'complete', max_held_bytes: 65_536 } });
      expect(rig.who('m')).toBe('A');
      expect(answer.text).toContain('stream_interrupted');
      expect(answer.text).not.toContain('[DONE]');
    });
  });

  it('T-9, T-11: keep-alives run while everything is held, and the report says what headers could not', async () => {
    const slow = sseStep([role(), delta('a'), { wait_ms: 400 }, delta('b'), finish(), DONE]);
    const settings = { streaming: { keep_alive_after_ms: 50, keep_alive_every_ms: 50 } };
    await withRig(
      { m: { up: { A: [slow] } } },
      async (rig) => {
        const answer = await rig.ask('m', { ...STREAM, redundancy: { commit: 'complete' } });
        expect(answer.text).toMatch(/^: keep-alive\n\n/);
        expect(answer.headers['x-request-id']).toBeTypeOf('string');
        expect(answer.headers['x-understudy-served-model']).toBeUndefined();
        const read = readStream(answer);
        expect(read.content).toBe('ab');
        expect(answer.text).toContain('"understudy":{');
        expect(answer.text).toContain('"served_model":"m"');
      },
      settings,
    );
  });
});

describe('the client', () => {
  it('T-6: when it leaves before content the upstream call is aborted, logged client_closed, and nothing is retried', async () => {
    const silent = sseStep([role(), { wait_ms: 5000 }, delta('late')], { end: 'hang' });
    await withRig({ m: { up: { A: [silent], B: [okStream('never')] } } }, async (rig) => {
      const answer = await rig.ask('m', STREAM, { leaveAfterMs: 100 });
      expect(answer.end).toBe('left');
      await until(() => rig.calls('m')[0]?.closedByPeerAt != null, 'the upstream call closed');
      expect(rig.who('m')).toBe('A');
      const [last] = await rig.gateway.records(1);
      expect(last).toMatchObject({ ending: 'client_closed', status: 499 });
    });
  });

  it('T-6: when it leaves in mid-stream the upstream call is aborted, and the tokens seen are known', async () => {
    const slow = sseStep([role(), delta('a'), { wait_ms: 5000 }, delta('b')], { end: 'hang' });
    await withRig({ m: { up: { A: [slow] } } }, async (rig) => {
      await rig.ask('m', STREAM, { leaveWhen: (text) => text.includes('"a"') });
      await until(() => rig.calls('m')[0]?.closedByPeerAt != null, 'the upstream call closed');
      const [last] = await rig.gateway.records(1);
      expect(last).toMatchObject({ ending: 'client_closed' });
    });
  });

  it('T-7: a reader that reads nothing holds the upstream back, and gets everything once it reads', async () => {
    const piece = 'y'.repeat(60_000);
    const chunks = Array.from({ length: 600 }, () => delta(piece));
    const flood = sseStep([role(), ...chunks, finish(), DONE]);
    await withRig({ m: { up: { A: [flood] } } }, async (rig) => {
      const body = JSON.stringify(chatRequest('m', STREAM));
      const { port } = new URL(rig.url);
      const socket = connect(Number(port), '127.0.0.1');
      socket.pause();
      socket.write(
        `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${CLIENT_KEY}\r\n` +
          `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
      );
      await until(() => rig.calls('m').length === 1, 'the upstream call');
      await sleep(300);
      const before = process.memoryUsage().rss;
      await sleep(300);
      // 36 MB wait at the upstream: none of them may pile up here.
      expect(process.memoryUsage().rss - before).toBeLessThan(20 * 1024 * 1024);
      let text = '';
      socket.on('data', (bytes) => {
        text += bytes.toString('latin1');
      });
      socket.resume();
      await new Promise((done) => socket.once('close', done));
      expect(text.split(piece).length - 1).toBe(600);
      expect(text).toContain('[DONE]');
    });
  });
});

describe('what passes through', () => {
  it('T-8: unknown fields, vendor deltas and big integers survive byte for byte', async () => {
    const vendor = `data: {"id":"c","x_big":12345678901234567890,"object":"chat.completion.chunk","created":1,"model":"up","choices":[{"index":0,"delta":{"reasoning_details":[{"type":"t","sig":"AbC=="}],"x":1e400},"finish_reason":null}],"x_vendor":{"a":[1,2,{"b":null}]}}\n\n`;
    await withRig({ m: { up: { A: [sseStep([role(), vendor, delta('a'), finish(), DONE])] } } }, async (rig) => {
      const answer = await rig.ask('m', STREAM);
      expect(answer.text).toContain(vendor.replace('"model":"up"', '"model":"m"'));
    });
  });

  it('T-8: upstream keep-alives are not relayed', async () => {
    const beats = sseStep([
      ': upstream comment\n\n',
      'event: ping\ndata: {"type":"ping"}\n\n',
      role(),
      'data:\n\n',
      event({ status: 'thinking' }),
      delta('a'),
      'event: ping\ndata: {}\n\n',
      finish(),
      DONE,
    ]);
    await withRig({ m: { up: { A: [beats] } } }, async (rig) => {
      const answer = await rig.ask('m', STREAM);
      expect(answer.text).not.toMatch(/ping|upstream comment|thinking|data:\s*\n/);
      expect(readStream(answer).content).toBe('a');
    });
  });

  it('T-3: a stream silent after commit ends within idle_timeout_ms, one that only beats within stall_timeout_ms', async () => {
    const silent = sseStep([role(), delta('a'), { wait_ms: 20_000 }], { end: 'hang' });
    const beating = sseStep([role(), delta('a'), { repeat: 200, wait_ms: 20, send: ': beat\n\n' }], { end: 'hang' });
    const settings = { redundancy: { idle_timeout_ms: 300, stall_timeout_ms: 700 } };
    await withRig(
      { silent: { up: { A: [silent] } }, beating: { up: { A: [beating] } } },
      async (rig) => {
        for (const name of ['silent', 'beating']) {
          const answer = await rig.ask(name, STREAM);
          expect(answer.text).toContain('stream_interrupted');
          expect(answer.endedAt).toBeLessThan(3900);
        }
      },
      settings,
    );
  });

  it('T-5: finish reasons of every choice are waited for', async () => {
    const two = (index: number, content: string): string => chunk({ index, delta: { content } });
    const half = sseStep([two(0, 'a'), two(1, 'b'), chunk({ index: 0, delta: {}, finish_reason: 'stop' })], {
      end: 'clean',
    });
    await withRig({ m: { up: { A: [half] } } }, async (rig) => {
      const answer = await rig.ask('m', { ...STREAM, n: 2 });
      expect(answer.text).toContain('stream_interrupted');
      expect(answer.text).not.toContain('[DONE]');
    });
  });
});
