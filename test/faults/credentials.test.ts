import { describe, expect, it } from 'vitest';
import { errorStep, okBody } from './answers.ts';
import { faultCase, stepAt, stepsOf } from './fault-case.ts';
import { errorOf } from './invariants.ts';
import { contentOf, sleep, withRig } from './rig.ts';

const TWO_KEYS = [{ up: 'A', keys: ['sk-first-key', 'sk-second-key'] }];

describe.concurrent('credentials', () => {
  it('D-2, E-1 cred-401-one-key-bad-other-good: the next key at once; with none left 502, never 401', async () => {
    const one = faultCase('cred-401-one-key-bad-other-good');
    const [bad, good] = [stepAt(one, 0), stepAt(one, 1)];
    await withRig(
      {
        m: { channels: TWO_KEYS, up: { A: [bad, good] } },
        dead: { channels: TWO_KEYS, up: { A: [bad] } },
      },
      async (rig) => {
        const served = await rig.ask('m');
        expect(contentOf(served)).toBe('ok-a');
        const [first, second] = rig.calls('m');
        expect([first?.credential, second?.credential]).toEqual(['sk-first-key', 'sk-second-key']);
        // A backoff would be ten seconds.
        expect(served.endedAt).toBeLessThan(4000);
        const dead = await rig.ask('dead');
        expect([dead.status, errorOf(dead)['code']]).toEqual([502, 'upstream_credentials_rejected']);
        expect(dead.headers['retry-after']).toBeUndefined();
        expect(rig.who('dead')).toBe('A A');
      },
      { backoff: { base_ms: 10_000, cap_ms: 10_000 } },
    );
  });

  it('P-1, D-2 cred-retry-must-not-reuse-the-failed-key: fifty of fifty', async () => {
    const one = faultCase('cred-retry-must-not-reuse-the-failed-key');
    const names = Array.from({ length: 50 }, (_, i) => `m${i}`);
    const routes = Object.fromEntries(
      names.map((name) => [name, { channels: TWO_KEYS, up: { A: stepsOf(one, 'A') } }]),
    );
    await withRig({ ...routes, dead: { channels: TWO_KEYS, up: { A: [stepAt(one, 0)] } } }, async (rig) => {
      for (const name of names) {
        expect(contentOf(await rig.ask(name))).toBe('ok-a');
        const used = rig.calls(name).map((call) => call.credential);
        expect(new Set(used).size, name).toBe(2);
        expect(used, name).toHaveLength(2);
      }
      const dead = await rig.ask('dead');
      expect([dead.status, rig.who('dead')]).toEqual([429, 'A A']);
    });
  });

  // A 403 cools credential and model too (H-1): products differ, this is the choice here.
  it('H-1, P-4 cred-401-must-expire: a refused key rests, and comes back by itself', async () => {
    const one = faultCase('cred-401-must-expire');
    const back = okBody('ok-a');
    await withRig(
      {
        m: { up: { A: stepsOf(one, 'A') } },
        forbidden: { up: { A: [errorStep(403, { message: 'not for you' }), back] } },
      },
      async (rig) => {
        for (const route of ['m', 'forbidden']) {
          for (let i = 0; i < 2; i += 1) {
            const refused = await rig.ask(route);
            expect([refused.status, errorOf(refused)['code']], route).toEqual([502, 'upstream_credentials_rejected']);
            expect(refused.headers['retry-after'], route).toBeUndefined();
            await sleep(50);
          }
          expect(rig.who(route)).toBe('A');
        }
        await sleep(1200);
        for (const route of ['m', 'forbidden']) {
          expect(contentOf(await rig.ask(route)), route).toBe('ok-a');
          expect(rig.who(route)).toBe('A A');
        }
      },
      { health: { auth_ms: 1000 } },
    );
  });

  // model_not_found does try the next credential (§5): access to a model differs by key. Other request faults do not.
  it('D-2 cred-no-key-rotation-on-request-faults: another key can not mend a request', async () => {
    const one = faultCase('cred-no-key-rotation-on-request-faults');
    await withRig(
      {
        unknown: { channels: TWO_KEYS, up: { A: [stepAt(one, 0)] } },
        shape: {
          channels: TWO_KEYS,
          up: {
            A: [errorStep(400, { message: "Invalid type for 'messages[0].content'.", type: 'invalid_request_error' })],
          },
        },
        unprocessable: { channels: TWO_KEYS, up: { A: [errorStep(422, { message: 'temperature is out of range' })] } },
      },
      async (rig) => {
        const unknown = await rig.ask('unknown');
        expect([400, 404]).toContain(unknown.status);
        expect(new Set(rig.calls('unknown').map((call) => call.credential)).size).toBe(2);
        expect(rig.who('unknown')).toBe('A A');
        expect((await rig.ask('shape')).status).toBe(400);
        expect((await rig.ask('unprocessable')).status).toBe(422);
        expect([rig.who('shape'), rig.who('unprocessable')]).toEqual(['A', 'A']);
      },
    );
  });
});
