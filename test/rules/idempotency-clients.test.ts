/** Section 8 as programs meet it: an SDK that repeats by itself, and code that writes a row per answer. */
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { errorStep, okBody, okStream } from '../faults/answers.ts';
import { CLIENT_KEY } from '../faults/gateway-config.ts';
import { until } from '../faults/rig.ts';
import { MESSAGES, type RulesRig, withRules } from './rules-rig.ts';

const slow = (text: string, ms: number) => ({ ...okBody(text), delay_ms: ms });

type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** A network that loses the first answer: the client sees a broken connection, `afterMs` after it asked. */
function losing(afterMs: number): { readonly fetch: Fetch; readonly keys: (string | null)[] } {
  const keys: (string | null)[] = [];
  return {
    keys,
    async fetch(url, init) {
      keys.push(new Headers(init?.headers).get('idempotency-key'));
      if (keys.length > 1) return fetch(url, init);
      return fetch(url, { ...init, signal: AbortSignal.timeout(afterMs) });
    },
  };
}

/** The SDK with its own header switched on: one key per request, the same for its repeats. */
class KeyedOpenAI extends OpenAI {
  protected override idempotencyHeader = 'Idempotency-Key';
}

function keyedClient(rig: RulesRig, network: { readonly fetch: Fetch }): OpenAI {
  return new KeyedOpenAI({ apiKey: CLIENT_KEY, baseURL: `${rig.url}/v1`, maxRetries: 2, fetch: network.fetch });
}

describe('the OpenAI SDK', () => {
  it('I-6, T-6: its repeat after a lost answer joins what runs: one call', async () => {
    await withRules({ m: { up: { A: [slow('one', 600), okBody('two')] } } }, async (rig) => {
      const network = losing(200);
      const client = keyedClient(rig, network);
      const answer = await client.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: 'hi' }] });
      expect(answer.choices[0]?.message.content).toBe('one');
      expect(network.keys).toHaveLength(2);
      expect(network.keys[0]).toMatch(/\S/);
      expect(network.keys[1]).toBe(network.keys[0]);
      expect(rig.called()).toEqual(['A:m']);
    });
  });

  it('I-7: its repeat after a failure is a round of its own', async () => {
    const heals = errorStep(429, { message: 'slow down' }, { 'retry-after': '6' });
    await withRules({ m: { up: { A: [heals, okBody('two')] } } }, async (rig) => {
      const keys: (string | null)[] = [];
      const network: Fetch = async (url, init) => {
        keys.push(new Headers(init?.headers).get('idempotency-key'));
        for (const { id } of rig.gateway.inside.board.list(0, 0)) rig.gateway.inside.board.reset(id);
        const answer = await fetch(url, init);
        const headers = new Headers(answer.headers);
        // Nobody waits for six seconds here.
        headers.delete('retry-after');
        headers.set('retry-after-ms', '1');
        return new Response(answer.body, { status: answer.status, headers });
      };
      const answer = await keyedClient(rig, { fetch: network }).chat.completions.create({
        model: 'm',
        messages: [{ role: 'user', content: 'hi' }],
      });
      expect(answer.choices[0]?.message.content).toBe('two');
      expect(new Set(keys).size).toBe(1);
      expect(rig.called()).toHaveLength(2);
    });
  });

  it('I-4: a stream that was replayed is a stream to it', async () => {
    await withRules({ m: { up: { A: [okStream('o', 'ne')] } } }, async (rig) => {
      const client = new OpenAI({ apiKey: CLIENT_KEY, baseURL: `${rig.url}/v1`, maxRetries: 0 });
      for (let turn = 0; turn < 2; turn += 1) {
        const headers = { 'Idempotency-Key': 'k' };
        const stream = await client.chat.completions.create(
          { model: 'm', messages: [{ role: 'user', content: 'hi' }], stream: true },
          { headers },
        );
        let text = '';
        for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
        expect(text).toBe('one');
      }
      expect(rig.called()).toEqual(['A:m']);
    });
  });
});

describe('post-mortem: duplicate rows', () => {
  /** Asks until an answer arrives, and writes a row for every summary it gets made. */
  async function summarise(rig: RulesRig, headers: Record<string, string>): Promise<string> {
    const body = { model: 'm', messages: MESSAGES };
    const before = rig.called().length;
    const leaveOn = until(() => rig.called().length > before, 'the call');
    const left = await rig.post(body, { headers, leaveOn });
    expect(left.end).toBe('left');
    return (await rig.post(body, { headers })).text;
  }
  /** Each upstream call makes another summary. */
  const summaries = { m: { up: { A: [slow('summary 1', 500), slow('summary 2', 10)] } } };

  it('I-6, D-10: without a key a client that gives up too early pays twice', async () => {
    await withRules(summaries, async (rig) => {
      expect(await summarise(rig, {})).toContain('summary 2');
      expect(rig.called()).toHaveLength(2);
    });
  });

  it('I-6, I-4: under a key there is one summary, however often it asks', async () => {
    await withRules(summaries, async (rig) => {
      const key = { 'idempotency-key': 'order-77' };
      const first = await summarise(rig, key);
      const texts = await Promise.all(
        [1, 2, 3].map(async () => (await rig.post({ model: 'm', messages: MESSAGES }, { headers: key })).text),
      );
      expect(new Set([first, ...texts]).size).toBe(1);
      expect(first).toContain('summary 1');
      expect(rig.called()).toEqual(['A:m']);
    });
  });
});
