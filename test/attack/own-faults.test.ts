import { describe, expect, it } from 'vitest';
import { expectHonest } from '../faults/invariants.ts';
import { readStream } from '../faults/stream-reader.ts';
import { startAttackRig } from './attack-rig.ts';
import { DONE, event, http, okAnswer, type RawCall, sse } from './raw-upstream.ts';

const STREAM = event({ role: 'assistant', content: 'hi' }) + event({}, 'stop') + DONE;

/** At the n-th decision of a request the gateway itself breaks. */
describe('a fault of the gateway itself', () => {
  it.each([
    [1, false],
    [2, false],
    [3, false],
    [4, false],
    [1, true],
    [2, true],
    [3, true],
    [4, true],
  ])(
    'E-5: at decision %i (stream: %s) it is told once, the client gets an end, and nothing stays',
    async (at, stream) => {
      const log: string[] = [];
      let decisions = 0;
      const random = (): number => {
        if (++decisions === at) throw new Error('a bug at this very place');
        return 0.5;
      };
      const answer = ({ socket }: RawCall): void => void socket.write(stream ? sse(STREAM) : http(200, okAnswer('hi')));
      const logTo = { destination: { write: (line: string) => log.push(line) } };
      const rig = await startAttackRig([answer], { start: { random, log: 'info', logTo } });
      try {
        const got = await rig.ask({ stream });
        expectHonest(got);
        expect(got.text).not.toContain('a bug at');
        // From the commit on the whole answer has left; the stream ends with an error and without terminator.
        if (at === 4 && !stream) expect(got.status).toBe(200);
        else if (at === 4) expect(readStream(got)).toMatchObject({ done: 0, errors: [{ code: 'internal_error' }] });
        else expect(got.status).toBe(500);
        const record = await rig.record(got);
        expect(record).toMatchObject({ status: got.status, ending: 'failed', error_code: 'internal_error' });
        expect(log.filter((line) => line.includes('a bug at this very place'))).toHaveLength(1);
        expect(log.join('')).toContain(String(got.headers['x-request-id']));
        expect(rig.running.gateway.live.size).toBe(0);
        expect((await rig.ask({ stream })).status).toBe(200);
      } finally {
        await rig.close();
      }
    },
  );
});
