/** Every decision of a served request can be made again from its record. */
import { describe, expect, it } from 'vitest';
import { type Json, replayStored } from '../../src/core/failover/replay.ts';
import { errorStep, okStream } from '../faults/answers.ts';
import { withRig } from '../faults/rig.ts';

describe('replay', () => {
  it('O-1: the recorded events lead to the same decisions, with the same words', async () => {
    const down = errorStep(503, { message: 'overloaded' });
    const limited = errorStep(429, { message: 'slow down' }, { 'retry-after': '30' });
    await withRig({ m: { up: { A: [down], B: [limited], C: [okStream('ok')] } } }, async (rig) => {
      const answer = await rig.ask('m', { stream: true });
      const record = await rig.record(answer);
      expect(record.attempts.map((attempt) => attempt.decision)).toEqual(['next_channel', 'next_channel', 'serve']);
      const replayed = replayStored(record.setup as Json, (record.events ?? []) as readonly Json[]);
      if (replayed === null) throw new Error('the record can not be replayed');
      const explained = new Map<number, string>();
      for (const action of replayed.actions) {
        if (action.type === 'explain') explained.set(action.attempt, `${action.decision}: ${action.reason}`);
      }
      const told = record.attempts.map(({ no, decision, reason }) => [no, `${decision}: ${reason}`] as const);
      expect([...explained]).toEqual(told);
      expect(replayed.state.verdict).toEqual({ kind: 'served', attempt: 3 });
    });
  });

  it('O-1: a request that its first attempt served keeps its events, without the setup', async () => {
    await withRig({ m: { up: { A: [okStream('ok')] } } }, async (rig) => {
      const record = await rig.record(await rig.ask('m', { stream: true }));
      const types = (record.events ?? []).map((event) => (event as { type: string }).type);
      expect(types).toEqual(['begin', 'admitted', 'attempt-ready', 'attempt-completed']);
      expect(record.setup).toBeNull();
    });
  });
});
