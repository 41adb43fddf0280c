/** Section 8 over the end of a process: what is finished stays, what ran is closed, what can still finish does. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, type Step, startSimulator } from '../../sim/index.ts';
import { type RunningGateway, startGateway } from '../../src/assemble.ts';
import { delta, okBody, okStream, role, sseStep } from '../faults/answers.ts';
import { CLIENT_KEY, configText } from '../faults/gateway-config.ts';
import { errorOf } from '../faults/invariants.ts';
import { chatRequest, type RawRequest, sendRaw } from '../faults/raw-client.ts';
import { until } from '../faults/rig.ts';
import { expectWholeStream, readStream } from '../faults/stream-reader.ts';

let dataDir: string;
let upstream: Simulator | null = null;
let running: RunningGateway | null = null;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'understudy-keys-'));
});
afterEach(async () => {
  await running?.close();
  await upstream?.close();
  running = null;
  upstream = null;
  await rm(dataDir, { recursive: true, force: true });
});

async function start(steps: readonly Step[]): Promise<RunningGateway> {
  upstream ??= await startSimulator({ name: 'A', script: { models: { m: steps } } });
  const config = configText({ m: { up: { A: steps } } }, { A: upstream.url }, {});
  running = await startGateway({ configText: config, port: 0, dataDir, env: {}, log: 'silent' });
  return running;
}

function ask(gateway: RunningGateway, fields: object = {}, more: Partial<RawRequest> = {}) {
  const headers = { authorization: `Bearer ${CLIENT_KEY}`, 'idempotency-key': 'k' };
  return sendRaw({
    url: `${gateway.url}/v1/chat/completions`,
    headers,
    body: chatRequest('m', { ...fields }),
    ...more,
  });
}

const called = (): number => upstream?.calls.length ?? 0;

describe('a restart', () => {
  it.each([false, true])('I-4, I-8: what succeeded before is replayed after (stream: %s)', async (stream) => {
    const steps = stream ? [okStream('o', 'ne'), okStream('two')] : [okBody('one'), okBody('two')];
    const before = await start(steps);
    const first = await ask(before, { stream });
    await before.close();
    const again = await ask(await start(steps), { stream });
    expect([again.status, again.text]).toEqual([200, first.text]);
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(called()).toBe(1);
  });

  it('T-6, I-9: a drain waits for a keyed call whose client has left', async () => {
    const steps = [{ ...okBody('one'), delay_ms: 600 }, okBody('two')];
    const before = await start(steps);
    const leaveOn = until(() => called() === 1, 'the call');
    expect((await ask(before, {}, { leaveOn })).end).toBe('left');
    await before.drain(20_000);
    const again = await ask(await start(steps));
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(called()).toBe(1);
  });

  it('I-8: what the drain’s end cuts off is told to all who wait, and may be asked again', async () => {
    const steps = [sseStep([role(), delta('a'), { wait_ms: 20_000 }]), okStream('whole')];
    const before = await start(steps);
    const waiting = [ask(before, { stream: true }), ask(before, { stream: true })];
    await until(() => called() === 1, 'the call');
    await before.drain(300);
    for (const answer of await Promise.all(waiting)) {
      const { errors, done } = readStream(answer);
      expect([errors[0]?.code, done]).toEqual(['gateway_restarted', 0]);
      expect(errors[0]?.request_id).toBe(answer.headers['x-request-id']);
    }
    expectWholeStream(await ask(await start(steps), { stream: true }), 'whole');
    expect(called()).toBe(2);
  });

  it('I-8: a whole request that the drain’s end cuts off is 503, and its key is free', async () => {
    const steps = [{ ...okBody('one'), delay_ms: 20_000 }, okBody('two')];
    const before = await start(steps);
    const waiting = ask(before);
    await until(() => called() === 1, 'the call');
    await before.drain(100);
    const answer = await waiting;
    expect([answer.status, errorOf(answer)['code']]).toEqual([503, 'gateway_restarted']);
    expect((await ask(await start(steps))).status).toBe(200);
  });
});
