/** P-1 to P-3 over the wire: whose credentials, which channels, in which order. */
import { describe, expect, it } from 'vitest';
import { errorStep, okBody } from '../faults/answers.ts';
import { errorOf } from '../faults/invariants.ts';
import { JumpingClock } from '../support/jumping-clock.ts';
import { MESSAGES, type RulesRig, type RulesSettings, withRules } from './rules-rig.ts';

type Json = Record<string, unknown>;

const DOWN = errorStep(500, { message: 'down', code: 'server_error' });
const LIMITED = errorStep(429, { message: 'slow down', code: 'rate_limit_exceeded' });
const REFUSED = errorStep(401, { message: 'who are you', code: 'invalid_api_key' });
const fine = [okBody('fine')];

/** Two own credentials and one of the operator's for each of the providers named. */
function credentials(...providers: string[]): Json {
  const three = providers.flatMap((provider) => [
    [`own2-${provider}`, { provider, secret: `sk-own2-${provider}`, kind: 'byok', workspace: 'main', order: 2 }],
    [`platform-${provider}`, { provider, secret: `sk-platform-${provider}` }],
    [`own1-${provider}`, { provider, secret: `sk-own1-${provider}`, kind: 'byok', workspace: 'main', order: 1 }],
  ]);
  return Object.fromEntries(three) as Json;
}

const main = (workspace: Json, more: Json = {}): RulesSettings => ({
  over: { workspaces: { main: workspace }, ...more },
});

/** Secrets the upstreams saw, in order. */
function secrets(rig: RulesRig): string[] {
  return rig.headersSent().map((sent) => String(sent['authorization'] ?? '').slice('Bearer sk-'.length));
}

async function asks(rig: RulesRig, times: number, fields: Json = {}): Promise<string> {
  const before = rig.called().length;
  for (let i = 0; i < times; i += 1) await rig.ask('m', fields);
  return rig
    .called()
    .slice(before)
    .map((call) => call[0])
    .join('');
}

describe('two channels, each with two own credentials and one of the operator’s', () => {
  const tried = ['own1-p-m-a', 'own2-p-m-a', 'platform-p-m-a', 'own1-p-m-b', 'own2-p-m-b', 'platform-p-m-b'];

  it('P-1, D-2: a credential’s fault leads through all of them, channel by channel, then to the default model', async () => {
    const routes = { m: { up: { A: [LIMITED], B: [LIMITED] } }, d: { up: { C: fine } } };
    const all = { ...credentials('p-m-a', 'p-m-b'), last: { provider: 'p-d-c', secret: 'sk-last' } };
    await withRules(
      routes,
      async (rig) => {
        const answer = await rig.ask('m', { redundancy: { max_attempts: 10 } });
        expect(answer.headers['x-understudy-served-model']).toBe('d');
        expect(secrets(rig)).toEqual([...tried, 'last']);
        const record = await rig.record(answer);
        expect(record.attempts.map(({ decision }) => decision)).toEqual([
          ...['next_credential', 'next_credential', 'next_channel'],
          ...['next_credential', 'next_credential', 'next_model', 'serve'],
        ]);
        expect(record.candidates.map(({ rank, credential, tried: called }) => [rank, credential, called])).toEqual(
          [...tried, 'last'].map((credential, at) => [at + 1, credential, true]),
        );
      },
      main({ default_model: 'd' }, { credentials: all }),
    );
  });

  it('D-2: a channel’s own fault skips its other credentials, except under permissive', async () => {
    await withRules(
      { m: { up: { A: [DOWN], B: [DOWN] } } },
      async (rig) => {
        const answer = await rig.ask('m');
        expect(answer.status).toBe(500);
        expect(secrets(rig)).toEqual(['own1-p-m-a', 'own1-p-m-b']);
        const { candidates } = await rig.record(answer);
        expect(candidates.map(({ skip_reason }) => skip_reason)).toEqual([
          null,
          'channel_fault',
          'channel_fault',
          null,
          'channel_fault',
          'channel_fault',
        ]);
        await rig.ask('m', { redundancy: { policy: 'permissive', max_attempts: 10 } });
        expect(secrets(rig).slice(2)).toEqual(tried);
      },
      main({}, { credentials: credentials('p-m-a', 'p-m-b') }),
    );
  });

  it('P-1: platform credentials are used only where the channel is enabled; own ones anywhere', async () => {
    await withRules(
      { m: { up: { A: [LIMITED], B: [LIMITED] } } },
      async (rig) => {
        const answer = await rig.ask('m', { redundancy: { max_attempts: 10 } });
        expect(secrets(rig)).toEqual(tried.filter((name) => name !== 'platform-p-m-a'));
        const { candidates } = await rig.record(answer);
        expect(candidates[2]).toMatchObject({
          rank: 3,
          credential: 'platform-p-m-a',
          tried: false,
          skip_reason: 'channel_not_enabled',
        });
      },
      main({ enabled_channels: ['m#b*'] }, { credentials: credentials('p-m-a', 'p-m-b') }),
    );
  });

  it('P-1, C-7: a model without any enabled channel is told so, or left to the default model', async () => {
    const routes = { m: { up: { A: fine } }, d: { up: { C: fine } } };
    await withRules(
      routes,
      async (rig) => {
        const answer = await rig.ask('m');
        expect([answer.status, errorOf(answer)['code']]).toEqual([403, 'model_not_allowed']);
        expect(rig.called()).toEqual([]);
      },
      main({ enabled_channels: ['d#*'] }),
    );
    await withRules(
      routes,
      async (rig) => {
        const answer = await rig.ask('m');
        expect([answer.status, answer.headers['x-understudy-served-model']]).toEqual([200, 'd']);
        expect(rig.called()).toEqual(['C:d']);
      },
      main({ enabled_channels: ['d#*'], default_model: 'd' }),
    );
  });
});

describe('strategies', () => {
  const priced = (input: number, output: number) => ({ more: { price: { input, output } } });

  it('P-2: price: by a typical mix of input and output; unknown after known', async () => {
    const channels = [{ up: 'A' }, { up: 'B', ...priced(2, 2) }, { up: 'C', ...priced(1, 4) }];
    await withRules(
      { m: { channels, up: { A: [DOWN], B: [DOWN], C: [DOWN] } } },
      async (rig) => {
        await rig.ask('m');
        expect(rig.called()).toEqual(['C:m', 'B:m', 'A:m']);
      },
      main({ routing: { strategy: 'price' } }),
    );
  });

  it('P-2: round_robin: each channel in turn, per model', async () => {
    await withRules(
      { m: { up: { A: fine, B: fine, C: fine } }, n: { up: { A: fine, B: fine } } },
      async (rig) => {
        expect(await asks(rig, 4)).toBe('ABCA');
        await rig.ask('n');
        expect(await asks(rig, 3)).toBe('BCA');
      },
      main({ routing: { strategy: 'round_robin' } }),
    );
  });

  it('P-2: weighted: drawn by weight, weight 0 last, the same draws under the same chance', async () => {
    const heavy = (up: string, weight: number) => ({ up, more: { weight } });
    const channels = [heavy('A', 1), heavy('B', 9), heavy('C', 0)];
    const draws = [0.9, 0.1, 0.1, 0.9];
    let at = 0;
    // Only the draws of plans are scripted: they come two by two, for A and B.
    const settings = main({ routing: { strategy: 'weighted' } });
    await withRules(
      { m: { channels, up: { A: [DOWN], B: [DOWN], C: [DOWN] } } },
      async (rig) => {
        await rig.ask('m');
        expect(rig.called()).toEqual(['B:m', 'A:m', 'C:m']);
      },
      { ...settings, random: () => draws[at++ % draws.length]! },
    );
  });

  it('P-2: least_busy: the channel with the fewest calls out, by priority among equals', async () => {
    const slow = [{ ...okBody('late'), delay_ms: 300 }];
    await withRules(
      { m: { up: { A: slow, B: slow, C: slow } } },
      async (rig) => {
        await Promise.all([1, 2, 3, 4].map(() => rig.ask('m')));
        expect(
          rig
            .called()
            .map((call) => call[0])
            .sort(),
        ).toEqual(['A', 'A', 'B', 'C']);
        expect(await asks(rig, 1)).toBe('A');
      },
      main({ routing: { strategy: 'least_busy' } }),
    );
  });

  it('P-2: latency: measured channels by their time to the first token, before unmeasured ones', async () => {
    const routes = { m: { up: { A: [{ ...okBody('late'), delay_ms: 250 }], B: fine, C: fine } } };
    let chance = 0.5;
    await withRules(
      routes,
      async (rig) => {
        expect(await asks(rig, 3), 'A alone is measured').toBe('AAA');
        chance = 0;
        expect(await asks(rig, 1), 'one in fifty starts at an unmeasured one').toBe('B');
        chance = 0.5;
        expect(await asks(rig, 3)).toBe('BBB');
        chance = 0;
        expect(await asks(rig, 1)).toBe('C');
      },
      { ...main({ routing: { strategy: 'latency' } }), random: () => chance },
    );
  });

  it('P-2: throughput: measured channels by their tokens per second', async () => {
    const routes = { m: { up: { A: [{ ...okBody('late'), delay_ms: 250 }], B: fine } } };
    let chance = 0.5;
    await withRules(
      routes,
      async (rig) => {
        expect(await asks(rig, 1)).toBe('A');
        chance = 0;
        expect(await asks(rig, 1)).toBe('B');
        chance = 0.5;
        expect(await asks(rig, 2)).toBe('BB');
      },
      { ...main({ routing: { strategy: 'throughput' } }), random: () => chance },
    );
  });

  it('P-2: measurements are forgotten after five minutes', async () => {
    const clock = new JumpingClock(Date.UTC(2026, 10, 29));
    const routes = { m: { up: { A: [{ ...okBody('late'), delay_ms: 250 }], B: fine } } };
    let chance = 0;
    await withRules(
      routes,
      async (rig) => {
        expect(await asks(rig, 2)).toBe('AB');
        chance = 0.5;
        expect(await asks(rig, 1)).toBe('B');
        clock.jump(300_000);
        expect(await asks(rig, 1), 'nobody is measured: by priority').toBe('A');
      },
      { ...main({ routing: { strategy: 'latency' } }), random: () => chance, clock },
    );
  });
});

describe('affinity', () => {
  const routing = (affinity: string) => ({ routing: { strategy: 'round_robin', affinity } });

  it('P-2: a caller stays on its first channel for ten minutes, others go on', async () => {
    const clock = new JumpingClock(Date.UTC(2026, 10, 29));
    await withRules(
      { m: { up: { A: fine, B: fine, C: fine } } },
      async (rig) => {
        expect(await asks(rig, 3, { prompt_cache_key: 'one' })).toBe('AAA');
        expect(await asks(rig, 1), 'without a mark: its turn').toBe('A');
        expect(await asks(rig, 2, { prompt_cache_key: 'two' })).toBe('BB');
        clock.jump(599_000);
        expect(await asks(rig, 1, { prompt_cache_key: 'one' })).toBe('A');
        clock.jump(2_000);
        expect(await asks(rig, 2, { prompt_cache_key: 'one' })).toBe('BB');
      },
      { ...main(routing('prompt_cache_key')), clock },
    );
  });

  it('P-2: by user: `safety_identifier` or `user`; not past a channel that is not well', async () => {
    await withRules(
      { m: { up: { A: [okBody('x'), DOWN, DOWN, DOWN, DOWN, DOWN], B: fine } } },
      async (rig) => {
        expect(await asks(rig, 1, { user: 'u' })).toBe('A');
        expect(await asks(rig, 5, { safety_identifier: 'u' })).toBe('ABABABABAB');
        expect(await asks(rig, 2, { user: 'u' }), 'its circuit is open').toBe('BB');
      },
      main(routing('user')),
    );
  });
});

describe('prefer and byok_only', () => {
  const byok = (more: Json = {}) => ({
    routing: { channels: { m: { b1: { byok_only: true } } } },
    default_model: 'd',
    ...more,
  });
  const routes = (b = [LIMITED]) => ({
    m: { up: { A: fine, B: b } },
    n: { up: { C: fine } },
    d: { up: { C: fine } },
  });
  const all = {
    ...credentials('p-m-a', 'p-m-b'),
    n: { provider: 'p-n-c', secret: 'sk-n' },
    d: { provider: 'p-d-c', secret: 'sk-d' },
  };

  it('P-3: a preferred channel comes first and falls back like any other', async () => {
    await withRules(
      { m: { up: { A: fine, B: fine, C: [DOWN] } } },
      async (rig) => expect(await asks(rig, 1)).toBe('CA'),
      main({ routing: { channels: { m: { c2: { prefer: true } } } } }),
    );
  });

  it('P-3: byok_only: only that channel’s own credentials; then neither the operator’s, another channel nor the default', async () => {
    await withRules(
      routes(),
      async (rig) => {
        const answer = await rig.ask('m', { redundancy: { retries: 0 } });
        expect([answer.status, errorOf(answer)['message']]).toEqual([429, 'slow down']);
        expect(secrets(rig)).toEqual(['own1-p-m-b', 'own2-p-m-b']);
        const { candidates } = await rig.record(answer);
        const reasons = candidates.map(({ rank, credential, skip_reason }) => [rank, credential, skip_reason]);
        expect(reasons).toEqual([
          [1, 'own1-p-m-a', 'byok_only'],
          [2, 'own2-p-m-a', 'byok_only'],
          [3, 'platform-p-m-a', 'byok_only'],
          [4, 'own1-p-m-b', null],
          [5, 'own2-p-m-b', null],
          [6, 'platform-p-m-b', 'byok_only'],
          [7, 'd', 'byok_only'],
        ]);
      },
      main(byok(), { credentials: all }),
    );
  });

  it('P-3: several byok_only channels: the own credentials of all of them, in order', async () => {
    const both = { routing: { channels: { m: { a0: { byok_only: true }, b1: { byok_only: true, prefer: true } } } } };
    await withRules(
      { ...routes(), m: { up: { A: [LIMITED], B: [LIMITED] } } },
      async (rig) => {
        await rig.ask('m', { redundancy: { max_attempts: 10, retries: 0 } });
        expect(secrets(rig)).toEqual(['own1-p-m-b', 'own2-p-m-b', 'own1-p-m-a', 'own2-p-m-a']);
      },
      main(byok(both), { credentials: all }),
    );
  });

  it.each([
    ['a virtual model', { virtual_models: { v: { models: ['m', 'n'] } } }, 'v'],
    ['understudy/auto', { auto: ['m', 'n'] }, 'understudy/auto'],
  ])('P-3: through %s the next model is tried', async (_name, workspace, model) => {
    await withRules(
      routes([DOWN]),
      async (rig) => {
        const answer = await rig.ask(model);
        expect(answer.headers['x-understudy-served-model']).toBe('n');
        expect(secrets(rig)).toEqual(['own1-p-m-b', 'n']);
      },
      main(byok(workspace), { credentials: all }),
    );
  });

  it('P-3: … and the default model stays barred when that one fails too', async () => {
    await withRules(
      { ...routes([DOWN]), n: { up: { C: [errorStep(503, { message: 'n is full' })] } } },
      async (rig) => {
        const answer = await rig.ask('v', { redundancy: { retries: 0 } });
        expect([answer.status, errorOf(answer)['message']]).toEqual([503, 'n is full']);
        expect(secrets(rig)).toEqual(['own1-p-m-b', 'n']);
      },
      main(byok({ virtual_models: { v: { models: ['m', 'n'] } } }), { credentials: all }),
    );
  });

  it('P-3, C-6: a virtual model’s own routing orders its channels and does not lift byok_only', async () => {
    const routing = { strategy: 'round_robin', channels: { m: { a0: { prefer: true } } } };
    await withRules(
      routes([okBody('b')]),
      async (rig) => {
        await rig.ask('v');
        expect(secrets(rig)).toEqual(['own1-p-m-b']);
      },
      main(byok({ virtual_models: { v: { models: ['m', 'n'], routing } } }), { credentials: all }),
    );
  });

  it('P-3, E-2: an explicit chain goes on to its next model', async () => {
    await withRules(
      routes([REFUSED]),
      async (rig) => {
        const answer = await rig.post({ models: ['m', 'n'], messages: MESSAGES, redundancy: { on: ['auth'] } });
        expect(answer.headers['x-understudy-served-model']).toBe('n');
        expect(secrets(rig)).toEqual(['own1-p-m-b', 'own2-p-m-b', 'n']);
      },
      main(byok(), { credentials: all }),
    );
  });

  it('P-3: byok_only without any own credential calls nobody and says why', async () => {
    await withRules(
      { m: { up: { A: fine } } },
      async (rig) => {
        const answer = await rig.ask('m');
        expect([answer.status, errorOf(answer)['code']]).toEqual([502, 'upstream_credentials_rejected']);
        expect(rig.called()).toEqual([]);
      },
      main({ routing: { channels: { m: { a0: { byok_only: true } } } } }),
    );
  });
});
