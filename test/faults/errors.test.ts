import { describe, expect, it } from 'vitest';
import type { Step } from '../../sim/index.ts';
import { delta, errorStep, event, okBody, role, sseStep } from './answers.ts';
import { faultCase, stepsOf } from './fault-case.ts';
import { errorOf } from './invariants.ts';
import { contentOf, withRig } from './rig.ts';
import { readStream } from './stream-reader.ts';

const STREAM = { stream: true };

describe.concurrent('error answers', () => {
  it('E-1 err-insufficient-quota-identity-kept: quota stays quota', async () => {
    const one = faultCase('err-insufficient-quota-identity-kept');
    const A = stepsOf(one, 'A');
    await withRig({ whole: { up: { A } }, stream: { up: { A } } }, async (rig) => {
      for (const [route, fields] of [
        ['whole', {}],
        ['stream', STREAM],
      ] as const) {
        const answer = await rig.ask(route, fields);
        expect([answer.status, errorOf(answer)['code']], route).toEqual([429, 'insufficient_quota']);
        expect(answer.headers['x-should-retry']).toBe('false');
      }
    });
  });

  it('F-3, E-1 err-gzip-error-body: compressed bodies are read, and never passed on as if they were not', async () => {
    const one = faultCase('err-gzip-error-body');
    const A = stepsOf(one, 'A');
    const packed = (encoding: string): Step => ({ random: { [encoding]: 1 } });
    await withRig(
      {
        m: { up: { A, B: stepsOf(one, 'B') } },
        alone: { up: { A } },
        gzip: { up: { A: [packed('gzip')] } },
        br: { up: { A: [packed('br')] } },
        deflate: { up: { A: [packed('deflate')] } },
        lying: { up: { A: [packed('lying-gzip')], B: [okBody('ok-b')] } },
        lyingError: {
          up: { A: [errorStep(503, { message: 'x' }, { 'content-encoding': 'gzip' })], B: [okBody('ok-b')] },
        },
      },
      async (rig) => {
        for (const headers of [{}, { 'accept-encoding': 'gzip, br' }] as Record<string, string>[]) {
          expect(contentOf(await rig.ask('m', {}, { headers }))).toBe('ok-b');
          const alone = await rig.ask('alone', {}, { headers });
          expect(alone.headers['content-encoding']).toBeUndefined();
          expect(alone.status).toBe(404);
          expect(errorOf(alone)['code']).toBe('model_not_found');
          for (const route of ['gzip', 'br', 'deflate']) {
            const answer = await rig.ask(route, {}, { headers });
            expect(answer.headers['content-encoding'], route).toBeUndefined();
            expect(contentOf(answer), route).toBeTypeOf('string');
            const stream = await rig.ask(route, STREAM, { headers });
            expect(readStream(stream).done, route).toBe(1);
          }
        }
        // A false header: read for what it is, or left for the sibling; never passed on.
        const lying = await rig.ask('lying');
        expect(contentOf(lying)).toBeTypeOf('string');
        expect(lying.headers['content-encoding']).toBeUndefined();
        expect(contentOf(await rig.ask('lyingError'))).toBe('ok-b');
        expect(rig.who('m')).toBe('A B B');
      },
    );
  });

  it('E-5 leak-upstream-401-echoes-key: no six characters of a secret leave the gateway', async () => {
    const secret = 'sk-test-AAAABBBBCCCC1234';
    const one = faultCase('leak-upstream-401-echoes-key');
    const channels = [{ up: 'A', keys: [secret] }];
    const full = `Your key ${secret} is wrong (Authorization: Bearer ${secret})`;
    const partial = 'Incorrect API key provided: sk-test-AAAA***1234.';
    const broken = (message: string) =>
      sseStep([role(), delta('x'), event({ error: { message, type: 'server_error' } })]);
    const routes = {
      given: { channels, up: { A: stepsOf(one, 'A') } },
      full: { channels, up: { A: [errorStep(401, { code: 'invalid_api_key', message: full })] } },
      bad: { channels, up: { A: [errorStep(400, { message: full, param: secret, type: 'invalid_request_error' })] } },
      down: { channels, up: { A: [errorStep(503, { message: full, code: secret })] } },
      early: { channels, up: { A: [sseStep([event({ error: { message: full } })])] } },
      mid: { channels, up: { A: [broken(full)] } },
      midPartial: { channels, up: { A: [broken(partial)] } },
      text: { channels, up: { A: [{ status: 500, headers: { 'content-type': 'text/plain' }, body: full }] } },
      last: { channels, up: { A: [errorStep(500, { message: full })] } },
    };
    await withRig(routes, async (rig) => {
      const pieces = Array.from({ length: secret.length - 5 }, (_, i) => secret.slice(i, i + 6));
      const leaks = (text: string): string[] => pieces.filter((piece) => text.includes(piece));
      const checked: [string, string][] = [];
      for (const route of Object.keys(routes)) {
        const answer = await rig.ask(route, route === 'early' || route.startsWith('mid') ? STREAM : {});
        if (route === 'given' || route === 'full') expect(answer.status, route).toBe(502);
        checked.push([route, answer.text + JSON.stringify(answer.headers)]);
        checked.push([`${route}: record`, JSON.stringify(await rig.record(answer))]);
      }
      const trail = await rig.ask('down', { models: ['down', 'last'] });
      checked.push(['trail', trail.text], ['trail: record', JSON.stringify(await rig.record(trail))]);
      expect(checked.filter(([, text]) => leaks(text).length > 0).map(([where, text]) => [where, leaks(text)])).toEqual(
        [],
      );
      expect(rig.calls('given')[0]?.credential).toBe(secret);
    });
  });
});
