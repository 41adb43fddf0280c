import { describe, expect, it } from 'vitest';
import { delta, errorStep, okBody, okStream, role, sseStep } from './answers.ts';
import { faultCase, stepAt, stepsOf } from './fault-case.ts';
import { errorOf } from './invariants.ts';
import { contentOf, sleep, until, withRig } from './rig.ts';
import { expectWholeStream } from './stream-reader.ts';

describe.concurrent('cooldowns and circuits', () => {
  it('H-2, D-12 fb-context-overflow-must-not-cool-the-target: only a larger window helps, and A stays healthy', async () => {
    const one = faultCase('fb-context-overflow-must-not-cool-the-target');
    const [a0, b, a1] = [stepAt(one, 0), stepAt(one, 1), stepAt(one, 2)];
    await withRig(
      {
        m: {
          channels: [
            { up: 'A', context_window: 8000 },
            { up: 'C', context_window: 8000 },
            { up: 'B', context_window: 128_000 },
          ],
          up: { A: [a0, a1], B: [b], C: [okBody('never')] },
        },
      },
      async (rig) => {
        const long = { messages: [{ role: 'user', content: 'word '.repeat(20_000) }] };
        expect(contentOf(await rig.ask('m', long))).toBe('ok-b');
        expect(contentOf(await rig.ask('m'))).toBe('ok-a');
        expect(rig.who('m')).toBe('A B A');
      },
    );
  });

  // "Subscription quota exceeded" is quota (F-1) and rests for health.quota_ms; the thinning out is that of a plain 429.
  it('H-1 budget-backoff-level-must-accumulate: probes thin out, a success resets the level', async () => {
    const one = faultCase('budget-backoff-level-must-accumulate');
    const limited = errorStep(429, { message: 'Too many requests' });
    await withRig(
      {
        m: { up: { A: [{ ...limited, times: 4 }, okBody('ok-a'), limited], B: [okBody('ok-b')] } },
        quota: { up: { A: stepsOf(one, 'A'), B: [okBody('ok-b')] } },
      },
      async (rig) => {
        const served: unknown[] = [];
        for (let i = 0; i < 24; i += 1) {
          served.push(contentOf(await rig.ask('m')));
          if (i % 8 === 0) expect(contentOf(await rig.ask('quota'))).toBe('ok-b');
          await sleep(250);
        }
        const probes = rig.calls('m').filter((call) => call.who === 'A');
        const gaps = probes.slice(1).map((call, i) => call.at - (probes[i]?.at ?? 0));
        expect(served.filter((content) => content === 'ok-a')).toHaveLength(1);
        expect(gaps[0]).toBeGreaterThanOrEqual(190);
        expect(gaps[1]).toBeGreaterThanOrEqual(390);
        expect(gaps[2]).toBeGreaterThanOrEqual(790);
        expect(gaps[3]).toBeGreaterThanOrEqual(1590);
        // The fifth probe succeeded: after it A is first again, fails, and rests for the shortest time.
        expect(gaps[4]).toBeLessThan(1900);
        expect(gaps[5] ?? 200).toBeLessThan(1900);
        expect(rig.who('quota')).toBe('A B B B');
      },
      { health: { rate_limit: { base_ms: 200, cap_ms: 2000 } } },
    );
  });

  it('H-1 cd-scope-model-not-account: a limit rests one model, a bad key all of them', async () => {
    const one = faultCase('cd-scope-model-not-account');
    const [first, second] = [stepAt(one, 0), stepAt(one, 1)];
    await withRig(
      {
        m: {
          channels: [
            { up: 'A', model: 'model1' },
            { up: 'A', model: 'model2' },
          ],
          up: {},
        },
        r: { group: 'r', up: { A: [errorStep(401, { message: 'bad key', code: 'invalid_api_key' })] } },
        s: { group: 'r', up: { A: [okBody('never')] } },
      },
      async (rig) => {
        const script = rig.upstreams['A']?.script.models ?? {};
        await rig.upstreams['A']?.setScript({ models: { ...script, model1: [first], model2: [second] } });
        expect(contentOf(await rig.ask('m'))).toBe('ok-m2');
        expect(contentOf(await rig.ask('m'))).toBe('ok-m2');
        expect([rig.who('model1'), rig.who('model2')]).toEqual(['A', 'A A']);
        expect((await rig.ask('r')).status).toBe(502);
        const other = await rig.ask('s');
        expect([other.status, errorOf(other)['code'], rig.who('s')]).toEqual([
          502,
          'upstream_credentials_rejected',
          '',
        ]);
      },
    );
  });

  it('H-1, P-4 cd-burst-429-without-code: a burst rests for moments', async () => {
    const one = faultCase('cd-burst-429-without-code');
    const burst = stepAt(one, 0);
    await withRig(
      {
        m: { channels: [{ up: 'A', keys: ['sk-burst-one', 'sk-burst-two'] }], up: { A: [burst, okBody('ok-k2')] } },
        bound: { up: { A: [burst, okBody('ok-k1')] } },
      },
      async (rig) => {
        const asked = { prompt_cache_key: 's1' };
        expect(contentOf(await rig.ask('m', asked))).toBe('ok-k2');
        expect(contentOf(await rig.ask('m', asked))).toBe('ok-k2');
        await sleep(2800);
        expect(contentOf(await rig.ask('m', asked))).toBe('ok-k2');
        expect(rig.calls('m').map((call) => call.credential)).toEqual([
          'sk-burst-one',
          'sk-burst-two',
          'sk-burst-two',
          'sk-burst-one',
        ]);
        expect(contentOf(await rig.ask('bound', { ...asked, redundancy: { retries: 1 } }))).toBe('ok-k1');
        expect(rig.who('bound')).toBe('A A');
      },
      { health: { rate_limit: { base_ms: 2500, cap_ms: 5000 } } },
    );
  });

  it('H-1 cb-half-open-single-probe: one call asks, the others go elsewhere', async () => {
    const one = faultCase('cb-half-open-single-probe');
    // Longer than it takes the twenty to arrive on a busy machine.
    const probe = { ...stepAt(one, 0), delay_ms: 1200 };
    await withRig(
      { m: { up: { A: [{ ...errorStep(500, { message: 'down' }), times: 2 }, probe], B: [okBody('ok-b')] } } },
      async (rig) => {
        await rig.ask('m');
        await rig.ask('m');
        expect(contentOf(await rig.ask('m'))).toBe('ok-b');
        expect(rig.who('m')).toBe('A B A B B');
        await sleep(2200);
        const answers = await Promise.all(Array.from({ length: 20 }, () => rig.ask('m')));
        expect(answers.map(contentOf).filter((content) => content === 'probe')).toHaveLength(1);
        expect(answers.map(contentOf).filter((content) => content === 'ok-b')).toHaveLength(19);
        expect(contentOf(await rig.ask('m'))).toBe('probe');
      },
      { health: { circuit: { consecutive: 2, open_ms: 2000 } } },
    );
  });

  it('H-2, T-6 cb-client-abort-is-not-a-provider-failure: callers who leave prove nothing', async () => {
    const one = faultCase('cb-client-abort-is-not-a-provider-failure');
    await withRig(
      { m: { up: { A: [{ ...stepAt(one, 0), times: 5 }, stepAt(one, 1)], B: [okStream('never')] } } },
      async (rig) => {
        for (let i = 0; i < 5; i += 1) {
          const left = await rig.ask('m', { stream: true }, { leaveWhen: (text) => text.includes('"content":"a"') });
          expect(left.end).toBe('left');
        }
        await until(() => rig.calls('m').every((call) => call.closedByPeerAt !== null), 'the upstream calls end');
        expectWholeStream(await rig.ask('m', { stream: true }), 'ok-a');
        expect(rig.who('m')).toBe('A A A A A A');
        const listed = await rig.gateway.records(10);
        expect(listed.filter((record) => record.ending === 'client_closed')).toHaveLength(5);
      },
      { health: { circuit: { consecutive: 2, min_calls: 2, ratio: 0.5, open_ms: 60_000 } } },
    );
  });

  it('H-2, T-6 cb-client-abort-is-not-a-provider-failure: leaving before the first token neither', async () => {
    const silent = sseStep([role(), { wait_ms: 5000 }, delta('late')], { times: 3 });
    await withRig(
      { m: { up: { A: [silent, okStream('ok-a')], B: [okStream('never')] } } },
      async (rig) => {
        for (let i = 1; i <= 3; i += 1) {
          const leaveOn = until(() => rig.calls('m').length === i, 'the upstream is called');
          expect((await rig.ask('m', { stream: true }, { leaveOn })).end).toBe('left');
        }
        await until(() => rig.calls('m').every((call) => call.closedByPeerAt !== null), 'the upstream calls end');
        expectWholeStream(await rig.ask('m', { stream: true }), 'ok-a');
        expect(rig.who('m')).toBe('A A A A');
      },
      { health: { circuit: { consecutive: 2, min_calls: 2, ratio: 0.5, open_ms: 60_000 } } },
    );
  });
});
