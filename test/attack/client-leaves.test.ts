import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { waitFor } from '../faults/gateway.ts';
import { CLIENT_KEY } from '../faults/gateway-config.ts';
import { type AttackRig, rawChat, until, withAttackRig } from './attack-rig.ts';
import { chunked, endless, event, http, okAnswer, type RawCall, SSE_HEAD } from './raw-upstream.ts';

/** How the requests ended, newest first, once there are `count` records. */
async function endings(rig: AttackRig, count: number): Promise<string[]> {
  const { records } = rig.running.gateway;
  const found = await waitFor(async () => {
    await records.flush();
    const { data } = await records.list({ limit: 100 });
    return data.length >= count ? data : null;
  }, `${count} records`);
  return found.map((record) => record.ending);
}

/** Nothing of the gone requests is left. */
async function expectNothingLeft(rig: AttackRig): Promise<void> {
  await until(() => rig.ups.every((up) => up.openSockets() === 0), 'every upstream call aborted');
  expect(rig.running.gateway.live.size).toBe(0);
}

/** Sockets of this process, both ends of each connection. */
function openHandles(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
}

describe('a client that leaves', () => {
  it('T-6: pipelined requests end with their connection, also those whose answer still waits', async () => {
    await withAttackRig([endless], async (rig) => {
      const client = await rig.open();
      client.socket.write(rawChat({ stream: true }).repeat(4));
      await until(() => rig.ups[0]?.calls.length === 4, 'four calls');
      client.socket.destroy();
      expect(await endings(rig, 4)).toEqual(Array(4).fill('client_closed'));
      await expectNothingLeft(rig);
    });
  });

  it('T-6: leaving while the body is being unpacked starts nothing', async () => {
    await withAttackRig([endless], async (rig) => {
      const request = { model: 'm', stream: true, messages: [{ role: 'user', content: ' '.repeat(25_000_000) }] };
      const body = gzipSync(JSON.stringify(request));
      const client = await rig.open();
      const lines = ['POST /v1/chat/completions HTTP/1.1', 'host: x', `authorization: Bearer ${CLIENT_KEY}`];
      lines.push('content-encoding: gzip', `content-length: ${body.length}`);
      client.socket.write(`${lines.join('\r\n')}\r\n\r\n`);
      client.socket.write(body, () => client.socket.destroy());
      expect(await endings(rig, 1)).toEqual(['client_closed']);
      await expectNothingLeft(rig);
    });
  });

  it('T-4: bytes that are no request do not put a second answer into the one that flows', async () => {
    await withAttackRig([endless], async (rig) => {
      const client = await rig.open();
      client.socket.write(rawChat({ stream: true }));
      await until(() => client.text().includes('data:'), 'the stream flows');
      client.socket.write('\u0001garbage\r\n\r\n');
      await client.closed;
      expect(client.text().match(/HTTP\/1\.1/g)).toHaveLength(1);
      expect(await endings(rig, 1)).toEqual(['client_closed']);
      await expectNothingLeft(rig);
    });
  });

  it('E-5: garbage is answered, and its connection closed even if the client keeps its half open', async () => {
    await withAttackRig([endless], async (rig) => {
      const before = openHandles();
      const client = await rig.open(true);
      client.socket.write('garbage\r\n\r\n');
      await until(() => client.text().includes('"code"'), 'an answer');
      expect(client.text()).toMatch(/^HTTP\/1\.1 400 /);
      // Its own end stays open; the gateway's must go.
      await until(() => openHandles() === before + 1, 'the gateway let go');
      client.socket.destroy();
    });
  });

  it('T-6: a client that shuts its half down has left', async () => {
    await withAttackRig(
      [(call) => call.socket.write(SSE_HEAD + chunked(event({ role: 'assistant' })).toString())],
      async (rig) => {
        const client = await rig.open();
        client.socket.write(rawChat({ stream: true }));
        await until(() => rig.ups[0]?.calls.length === 1, 'the call');
        client.socket.end();
        expect(await endings(rig, 1)).toEqual(['client_closed']);
        await expectNothingLeft(rig);
      },
    );
  });

  it('T-7: a client that takes nothing any more holds neither its stream nor a whole answer for ever', async () => {
    const answer = (call: RawCall): void => {
      if (call.body.includes('"stream":true')) endless(call, 500_000);
      else call.socket.write(http(200, okAnswer('x'.repeat(20_000_000))));
    };
    await withAttackRig(
      [answer],
      async (rig) => {
        const clients = [await rig.open(), await rig.open()];
        for (const { socket } of clients) socket.pause();
        clients[0]?.socket.write(rawChat({ stream: true }));
        clients[1]?.socket.write(rawChat());
        expect((await endings(rig, 2)).sort()).toEqual(['client_closed', 'served']);
        await until(
          () => openHandles() <= 4,
          "the gateway's ends are closed; the clients' are not, nor one idle upstream connection's",
        );
        for (const { socket } of clients) socket.destroy();
      },
      { redundancy: { stall_timeout_ms: 1000 } },
    );
  });
});
