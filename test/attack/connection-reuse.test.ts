import { describe, expect, it } from 'vitest';
import type { AttemptRecord } from '../../src/core/record.ts';
import { withAttackRig } from './attack-rig.ts';
import { chunked, DONE, endless, event, http, LAST_CHUNK, okAnswer, type RawCall, SSE_HEAD } from './raw-upstream.ts';

const ask = (id: string): Record<string, unknown> => ({ user: id });
const idOf = (call: RawCall): string => String((JSON.parse(call.body) as { user: unknown }).user);

describe('connections that are used again', () => {
  it('D-9, F-2: an upstream that closes idle connections makes no call run twice unseen, and no answer go astray', async () => {
    const answer = (call: RawCall): void => {
      call.socket.write(http(200, okAnswer(idOf(call))));
      // As a server with a very short idle limit: at once, or about when the next request comes.
      const end = (): void => void call.socket.end();
      if (call.no % 3 === 0) end();
      else if (call.no % 3 === 1) setImmediate(end);
      else setTimeout(end, call.no % 5);
    };
    await withAttackRig(
      [answer],
      async (rig) => {
        const attempts: AttemptRecord[] = [];
        let failed = 0;
        const worker = async (name: number): Promise<void> => {
          for (let i = 0; i < 40; i++) {
            const id = `w${name}-${i}`;
            const got = await rig.ask(ask(id));
            const record = await rig.record(got);
            attempts.push(...record.attempts);
            if (got.status === 200) expect(JSON.parse(got.text).choices[0].message.content).toBe(id);
            else failed += 1;
            const seen = rig.ups[0]?.calls.filter((call) => idOf(call) === id).length ?? 0;
            expect(seen, `${id} ran no oftener than the record says`).toBeLessThanOrEqual(record.attempts.length);
          }
        };
        await Promise.all(Array.from({ length: 10 }, (_, name) => worker(name)));
        for (const attempt of attempts.filter(({ result }) => result === 'failed')) {
          expect(attempt).toMatchObject({ class: 'connection_error', maybe_executed: true });
        }
        expect(failed).toBeLessThan(200);
      },
      { health: { circuit: { consecutive: 100_000, min_calls: 100_000 } } },
    );
  });

  it.each<[string, (call: RawCall) => void]>([
    [
      'a second answer in the same write',
      ({ socket }) => socket.write(Buffer.concat([http(200, okAnswer('one')), http(200, okAnswer('SMUGGLED'))])),
    ],
    [
      'a second answer a moment later',
      ({ socket }) => {
        socket.write(http(200, okAnswer('one')));
        setTimeout(() => socket.write(http(200, okAnswer('SMUGGLED'))), 2);
      },
    ],
    [
      'a body longer than its length',
      ({ socket }) => {
        const smuggled = `${okAnswer('one')}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}`;
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${okAnswer('one').length}\r\n\r\n${smuggled}`);
      },
    ],
  ])('T-10: %s never answers another request', async (_name, misbehave) => {
    await withAttackRig(
      [(call) => (call.no === 1 ? misbehave(call) : call.socket.write(http(200, okAnswer(idOf(call)))))],
      async (rig) => {
        expect((await rig.ask(ask('first'))).text).toContain('"one"');
        await new Promise((resolve) => setTimeout(resolve, 20));
        for (const id of ['a', 'b', 'c']) {
          const got = await rig.ask(ask(id));
          expect(JSON.parse(got.text).choices[0].message.content).toBe(id);
        }
      },
    );
  });

  it('T-6, T-10: what a left or failed attempt still sends reaches nobody', async () => {
    const answer = (call: RawCall): void => {
      if (idOf(call) === 'left') endless(call);
      else if (idOf(call) === 'late') {
        call.socket.write(SSE_HEAD + chunked(`${event({ content: 'late' })}${event({}, 'stop')}${DONE}`).toString());
        // Behind the terminator the body goes on, while others ask.
        setTimeout(
          () => call.socket.write(Buffer.concat([chunked(event({ content: 'GHOST' })), Buffer.from(LAST_CHUNK)])),
          10,
        );
      } else call.socket.write(http(200, okAnswer(idOf(call))));
    };
    await withAttackRig([answer], async (rig) => {
      for (let round = 0; round < 15; round++) {
        const [left, late] = await Promise.all([
          rig.ask({ ...ask('left'), stream: true }, { leaveWhen: () => true }),
          rig.ask({ ...ask('late'), stream: true }),
        ]);
        expect(left.end).toBe('left');
        expect(late.text).not.toContain('GHOST');
        const ids = Array.from({ length: 6 }, (_, i) => `r${round}-${i}`);
        const answers = await Promise.all(ids.map((id) => rig.ask(ask(id))));
        expect(answers.map((got) => JSON.parse(got.text).choices[0].message.content)).toEqual(ids);
      }
    });
  });
});
