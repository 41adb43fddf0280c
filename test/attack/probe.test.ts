import { describe, expect, it } from 'vitest';
import { rawChat, until, withAttackRig } from './attack-rig.ts';
import { chunked, event, http, okAnswer, type RawCall, SSE_HEAD, sse } from './raw-upstream.ts';

const FAIL = http(500, '{"error":{"message":"down"}}');
const health = { circuit: { consecutive: 3, open_ms: 60, open_cap_ms: 60 } };
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('a half-open circuit', () => {
  it.each<[string, (call: RawCall) => void]>([
    ['before anything came', () => undefined],
    ['while its error body comes', ({ socket }) => socket.write('HTTP/1.1 500 X\r\ncontent-length: 9\r\n\r\n{')],
    [
      'in the middle of its stream',
      ({ socket }) => socket.write(SSE_HEAD + chunked(event({ content: 'a' })).toString()),
    ],
  ])('H-1: gives its probe back when the client leaves %s, every time', async (_name, hang) => {
    let down: 'failing' | 'hanging' | 'well' = 'failing';
    const a = (call: RawCall): void => {
      if (down === 'failing') call.socket.write(FAIL);
      else if (down === 'hanging') hang(call);
      else call.socket.write(http(200, okAnswer('a')));
    };
    const b = (call: RawCall): void => {
      call.socket.write(
        call.body.includes('"stream":true')
          ? sse(event({ content: 'b' }) + event({}, 'stop'))
          : http(200, okAnswer('b')),
      );
    };
    await withAttackRig(
      [a, b],
      async (rig) => {
        const calls = (): number => rig.ups[0]?.calls.length ?? 0;
        while (rig.running.gateway.board.list(performance.now(), 0)[0]?.state === 'ok') await rig.ask();
        down = 'hanging';
        for (let round = 0; round < 3; round++) {
          await pause(70);
          const before = calls();
          const herd = await Promise.all(Array.from({ length: 20 }, () => rig.open()));
          for (const { socket } of herd) socket.write(rawChat({ stream: true }));
          await until(
            () => herd.filter((client) => client.text().includes('"b"')).length === 19,
            'the others are served',
          );
          expect(calls() - before, 'one probe').toBe(1);
          for (const { socket } of herd) socket.destroy();
          await until(() => rig.running.gateway.live.size === 0, 'all have left');
        }
        down = 'well';
        await pause(70);
        expect((await rig.ask()).text).toContain('"a"');
        expect(rig.running.gateway.board.list(performance.now(), 0)[0]?.state).toBe('ok');
      },
      { health },
    );
  });
});
