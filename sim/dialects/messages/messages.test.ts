import { readdirSync, readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { type RawAnswer, sendRaw } from '../../../test/faults/raw-client.ts';
import { type Simulator, startSimulator } from '../../simulator.ts';

const HEADERS = { 'anthropic-version': '2023-06-01', 'x-api-key': 'k1', 'content-type': 'application/json' };
const WEATHER = {
  name: 'get_weather',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const FIXTURES = new URL('./fixtures/', import.meta.url);
const running: Simulator[] = [];

async function start(): Promise<Simulator> {
  const simulator = await startSimulator({ seed: 3 });
  running.push(simulator);
  return simulator;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((simulator) => simulator.close()));
});

function ask(sim: Simulator, model: string, fields: object = {}, path = '/v1/messages'): Promise<RawAnswer> {
  const body = { model, max_tokens: 5000, messages: [{ role: 'user', content: 'say it back' }], ...fields };
  return sendRaw({ url: sim.url + path, headers: HEADERS, body });
}

/** The members of any event that the tests look at. */
interface EventData {
  readonly type: string;
  readonly index: number;
  readonly message: { readonly usage: object };
  readonly content_block: Readonly<Record<string, unknown>>;
  readonly delta: Readonly<Record<string, string | null | undefined>>;
  readonly usage: object;
}

interface Seen {
  readonly name: string;
  readonly data: EventData;
}

interface Gathered {
  readonly content: readonly object[];
  readonly reason: string | null | undefined;
  readonly usage: object;
}

function eventsOf(text: string): Seen[] {
  return text
    .split('\n\n')
    .filter((block) => block.includes('data:'))
    .map((block) => {
      const [, name = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
      return { name, data: JSON.parse(data) };
    });
}

async function events(sim: Simulator, model: string, fields: object = {}): Promise<Seen[]> {
  return eventsOf((await ask(sim, model, { stream: true, ...fields })).text);
}

/** The message a client would put together. */
function gathered(seen: readonly Seen[]): Gathered {
  const content: Record<string, unknown>[] = [];
  const inputs: string[] = [];
  let usage = {};
  let reason: Gathered['reason'];
  for (const { name, data } of seen) {
    expect(data.type).toBe(name);
    if (name === 'message_start') usage = data.message.usage;
    if (name === 'content_block_start') {
      expect(data.index).toBe(content.length);
      content.push({ ...data.content_block });
      inputs.push('');
    }
    if (name === 'content_block_delta') {
      const block = content[data.index] ?? {};
      const { text, thinking, signature, partial_json: json } = data.delta;
      if (text !== undefined) block['text'] = `${block['text']}${text}`;
      if (thinking !== undefined) block['thinking'] = `${block['thinking']}${thinking}`;
      if (signature !== undefined) block['signature'] = signature;
      inputs[data.index] += json ?? '';
    }
    if (name === 'message_delta') {
      reason = data.delta['stop_reason'];
      usage = { ...usage, ...data.usage };
    }
  }
  content.forEach((block, i) => {
    if (block['type'] === 'tool_use') block['input'] = JSON.parse(inputs[i] ?? '');
  });
  return { content, reason, usage };
}

/** Keys and kinds, without values. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, shapeOf(member)]));
}

describe('the Messages API', () => {
  it('X-1: answers whole, under any prefix, with its request id', async () => {
    const sim = await start();
    for (const path of ['/v1/messages', '/anthropic/v1/messages?beta=true']) {
      const answer = await ask(sim, 'echo', {}, path);
      expect(answer.status).toBe(200);
      expect(answer.headers['request-id']).toMatch(/^req_sim-/);
      expect(JSON.parse(answer.text)).toMatchObject({
        id: expect.stringMatching(/^msg_/),
        type: 'message',
        role: 'assistant',
        model: 'echo',
        content: [{ type: 'text', text: 'say it back' }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: expect.any(Number), output_tokens: 3 },
      });
    }
    expect(sim.calls[0]).toMatchObject({ model: 'echo', credential: 'k1', answeredBy: 'echo', status: 200 });
  });

  it('X-1: its events have the shapes of recorded ones', async () => {
    const sim = await start();
    const thinking = { thinking: { type: 'adaptive' }, tools: [WEATHER] };
    const made = (
      await Promise.all([
        events(sim, 'ok'),
        events(sim, 'tools', thinking),
        events(sim, 'ok', thinking),
        events(sim, 'filter'),
        events(sim, 'error-1-529'),
      ])
    ).flat();
    const shapes = new Map(made.map((event) => [JSON.stringify(keyOf(event)), shapeOf(event.data)]));
    let compared = 0;
    for (const file of readdirSync(FIXTURES)) {
      for (const event of eventsOf(readFileSync(new URL(file, FIXTURES), 'utf8'))) {
        const own = shapes.get(JSON.stringify(keyOf(event)));
        expect(own, `${file}: ${event.name}`).toBeDefined();
        expect(own).toMatchObject(shapeOf(event.data) as object);
        compared += 1;
      }
    }
    expect(compared).toBe(34);
  });

  it.each([
    ['ok', {}],
    ['tools', { tools: [WEATHER, { ...WEATHER, name: 'second' }] }],
    ['tools', { tools: [WEATHER], thinking: { type: 'adaptive' } }],
    ['reasoning', { thinking: { type: 'adaptive', display: 'omitted' } }],
    ['sealed', {}],
    ['empty', {}],
    ['length', {}],
    ['refusal', {}],
    ['filter', {}],
    ['long-200', { max_tokens: 20 }],
  ])('X-1: %s says the same whole and as a stream (%j)', async (model, fields) => {
    const sim = await start();
    const whole = JSON.parse((await ask(sim, model, fields)).text);
    await sim.reset();
    const seen = await events(sim, model, fields);
    const { content, reason, usage } = gathered(seen);
    expect(content).toEqual(whole.content);
    expect(reason).toBe(whole.stop_reason);
    expect(usage).toEqual(whole.usage);
    expect(seen.at(-1)?.name).toBe('message_stop');
    if (content.length > 0) expect(seen[2]?.name).toBe('ping');
  });

  it('X-1: its endings are the reasons of this API', async () => {
    const sim = await start();
    const ending = async (model: string, fields: object = {}) => JSON.parse((await ask(sim, model, fields)).text);
    expect(await ending('tools', { tools: [WEATHER] })).toMatchObject({ stop_reason: 'tool_use' });
    expect(await ending('length')).toMatchObject({ stop_reason: 'max_tokens' });
    expect(await ending('filter')).toMatchObject({
      content: [],
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', category: 'cyber' },
    });
    expect(await ending('refusal')).toMatchObject({ content: [{ type: 'text' }], stop_reason: 'refusal' });
    expect(await ending('echo', { stop_sequences: ['nothing', 'back', 'it'] })).toMatchObject({
      content: [{ text: 'say ' }],
      stop_reason: 'stop_sequence',
      stop_sequence: 'it',
    });
    expect(await ending('ok:finish-model-context-window-exceeded')).toMatchObject({
      stop_reason: 'model_context_window_exceeded',
    });
    expect(await ending('ok:finish-pause-turn')).toMatchObject({ stop_reason: 'pause_turn' });
    expect(await ending('ok:finish-soon')).toMatchObject({ error: { type: 'not_found_error' } });
    expect(await ending('ok:eu')).toMatchObject({ stop_reason: 'end_turn' });
    const schema = {
      type: 'object',
      properties: { a: { type: 'integer' } },
      required: ['a'],
      additionalProperties: false,
    };
    const fitted = await ending('ok', { output_config: { format: { type: 'json_schema', schema } } });
    expect(JSON.parse(fitted.content[0].text)).toEqual({ a: 1 });
  });

  it('X-1: a whole tool loop with thoughts goes round; an altered thought does not', async () => {
    const sim = await start();
    const loop = { tools: [WEATHER], thinking: { type: 'enabled', budget_tokens: 1024 } };
    const first = JSON.parse((await ask(sim, 'tools', loop)).text);
    expect(first.content.map((block: { type: string }) => block.type)).toEqual(['thinking', 'tool_use']);
    expect(first.content[1].input).toEqual({ city: 'sim' });
    const result = { type: 'tool_result', tool_use_id: first.content[1].id, content: 'cold' };
    const history = (content: unknown) => [
      { role: 'user', content: 'weather?' },
      { role: 'assistant', content },
      { role: 'user', content: [result] },
    ];
    const second = await ask(sim, 'tools', { ...loop, messages: history(first.content) });
    expect(JSON.parse(second.text)).toMatchObject({ stop_reason: 'end_turn' });
    const altered = [{ ...first.content[0], thinking: 'something else' }, first.content[1]];
    const refused = await ask(sim, 'tools', { ...loop, messages: history(altered) });
    expect(refused.status).toBe(400);
    expect(JSON.parse(refused.text)).toMatchObject({
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'messages.1.content.0: Invalid `signature` in `thinking` block',
      },
      request_id: expect.any(String),
    });
  });

  it('X-1: a marked beginning is written once, then read; input tokens leave it out', async () => {
    const sim = await start();
    const system = [{ type: 'text', text: 'x'.repeat(400), cache_control: { type: 'ephemeral' } }];
    const usage = async () => JSON.parse((await ask(sim, 'echo', { system })).text).usage;
    const [first, second] = [await usage(), await usage()];
    expect(first.cache_creation_input_tokens).toBeGreaterThan(99);
    expect(first.cache_read_input_tokens).toBe(0);
    expect(second.cache_read_input_tokens).toBe(first.cache_creation_input_tokens);
    expect(second.cache_creation_input_tokens).toBe(0);
    expect(second.input_tokens).toBe(first.input_tokens);
    const count = JSON.parse(
      (await ask(sim, 'echo', { system, max_tokens: undefined }, '/v1/messages/count_tokens')).text,
    );
    expect(count).toEqual({ input_tokens: second.input_tokens + second.cache_read_input_tokens });
  });

  it('X-1: errors have the types of this API, as answers and in streams', async () => {
    const sim = await start();
    const types: Record<string, string> = {
      'fail-400': 'invalid_request_error',
      'fail-401': 'authentication_error',
      'fail-402': 'billing_error',
      'fail-403': 'permission_error',
      'fail-404': 'not_found_error',
      'fail-413': 'request_too_large',
      'fail-429': 'rate_limit_error',
      'fail-500': 'api_error',
      'fail-529': 'overloaded_error',
      'fail-418': 'invalid_request_error',
    };
    for (const [model, type] of Object.entries(types)) {
      const answer = await ask(sim, model);
      expect(JSON.parse(answer.text), model).toMatchObject({ type: 'error', error: { type } });
      expect(answer.headers['request-id']).toBeTypeOf('string');
    }
    expect((await ask(sim, 'fail-429-30')).headers['retry-after']).toBe('30');
    expect((await ask(sim, 'fail-524')).headers['content-type']).toBe('text/html');
    const first = await events(sim, 'error-0-529');
    expect(first).toMatchObject([
      { name: 'error', data: { error: { type: 'overloaded_error', message: 'Overloaded' } } },
    ]);
    const later = await events(sim, 'error-3');
    expect(later.at(-1)).toMatchObject({ name: 'error', data: { error: { type: 'api_error' } } });
    expect(later.filter(({ name }) => name === 'content_block_delta')).toHaveLength(2);
    expect(JSON.parse((await ask(sim, 'error-0-529')).text)).toMatchObject({ error: { type: 'overloaded_error' } });
    expect(JSON.parse((await ask(sim, 'fail-1')).text)).toMatchObject({ error: { type: 'not_found_error' } });
    const malformed = await sendRaw({ url: `${sim.url}/v1/messages`, headers: HEADERS, body: '{' });
    expect(JSON.parse(malformed.text)).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
    const wrong = await sendRaw({
      url: `${sim.url}/v1/messages`,
      headers: { ...HEADERS, 'x-sim': 'stat=503' },
      body: { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'x' }] },
    });
    expect(JSON.parse(wrong.text).error.details).toEqual({ error_code: 'invalid_x_sim' });
  });

  it('X-1: no-finish tells no reason and still stops; no-done tells it and does not stop', async () => {
    const sim = await start();
    const names = async (model: string) => (await events(sim, model)).map(({ name }) => name);
    const unfinished = await names('no-finish');
    expect(unfinished).not.toContain('message_delta');
    expect(unfinished.at(-1)).toBe('message_stop');
    expect((await names('no-done')).at(-1)).toBe('message_delta');
  });

  it('X-1: lists models in its shape to those who name a version', async () => {
    const sim = await start();
    const list = JSON.parse((await sendRaw({ url: `${sim.url}/v1/models`, headers: HEADERS })).text);
    expect(list.data[0]).toMatchObject({ type: 'model', id: 'ok', display_name: 'ok' });
    expect(list.has_more).toBe(false);
    expect(JSON.parse((await sendRaw({ url: `${sim.url}/v1/models` })).text).object).toBe('list');
  });

  it('X-1: a script answers before the body in this shape too', async () => {
    const sim = await start();
    await sim.setScript({ models: { '*': [{ before_body: true, status: 529 }] } });
    expect(JSON.parse((await ask(sim, 'x')).text)).toMatchObject({ error: { type: 'overloaded_error' } });
  });
});

/** What makes two events the same kind. */
function keyOf({ name, data }: Seen): unknown[] {
  const thing: Readonly<Record<string, unknown>> = data.content_block ?? data.delta ?? {};
  return [name, thing['type'], typeof thing['stop_sequence'], (thing['stop_details'] ?? null) === null];
}
