import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RawAnswer, sendRaw } from '../../../test/faults/raw-client.ts';
import { type Fields, fieldsOf } from '../../answer/fields.ts';
import { type Simulator, startSimulator } from '../../simulator.ts';

let sim: Simulator;
beforeAll(async () => {
  sim = await startSimulator({ seed: 3 });
});
afterAll(() => sim.close());

const tool = {
  type: 'function',
  name: 'weather',
  strict: false,
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const THINKING = { reasoning: { effort: 'low', summary: 'auto' }, include: ['reasoning.encrypted_content'] };
const STREAM = { stream: true };

function ask(model: string, fields: object = {}, headers: Record<string, string> = {}): Promise<RawAnswer> {
  return sendRaw({ url: `${sim.url}/v1/responses`, body: { model, input: 'say it back', ...fields }, headers });
}

async function whole(model: string, fields: object = {}): Promise<Whole> {
  const answer = await ask(model, fields);
  expect(answer.status, answer.text).toBe(200);
  return JSON.parse(answer.text);
}

interface Whole {
  id: string;
  status: string;
  output: Item[];
  usage: Fields;
}
interface Item {
  id: string;
  type: string;
  status?: string;
  call_id: string;
  arguments: string;
  content: { text?: string; refusal?: string; logprobs: unknown[] }[];
  encrypted_content: string;
  summary: { text: string }[];
}
interface Told extends Fields {
  type: string;
  sequence_number: number;
}

/** Events with their names, in order; `[DONE]` and what is no JSON as text. */
function eventsOf(text: string): { name: string | null; data: Told | string }[] {
  return text
    .split(/\r?\n\r?\n/)
    .map((block) => block.split(/\r?\n/).filter((line) => !line.startsWith(':')))
    .filter((lines) => lines.some((line) => line !== ''))
    .map((lines) => {
      const name = lines.find((line) => line.startsWith('event: '))?.slice(7) ?? null;
      const data = lines.find((line) => line.startsWith('data: '))?.slice(6) ?? '';
      try {
        return { name, data: JSON.parse(data) };
      } catch {
        return { name, data };
      }
    });
}

const typesOf = (text: string): string[] =>
  eventsOf(text).map(({ data }) => (typeof data === 'string' ? data : data.type.replace('response.', '')));

describe('a whole response', () => {
  it('X-1: holds the answer, its status, its usage and what was asked', async () => {
    const { id, output, ...rest } = await whole('m', { tools: [tool], metadata: { a: 'b' }, temperature: 0.5 });
    expect(id).toMatch(/^resp_/);
    expect(rest).toMatchObject({
      object: 'response',
      status: 'completed',
      error: null,
      incomplete_details: null,
      model: 'm',
      metadata: { a: 'b' },
      temperature: 0.5,
      store: true,
      tools: [{ name: 'weather', strict: false }],
    });
    expect(output).toMatchObject([{ type: 'message', role: 'assistant', content: [{ type: 'output_text' }] }]);
    const { input_tokens: input, output_tokens: said, total_tokens: total } = rest.usage;
    expect(total).toBe(Number(input) + Number(said));
  });

  it.each([
    ['length', { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }],
    ['filter', { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }],
    ['refusal', { status: 'completed', output: [{ content: [{ type: 'refusal' }] }] }],
    ['empty', { status: 'completed', output: [{ content: [{ type: 'output_text', text: '' }] }] }],
    ['echo', { output: [{ content: [{ text: 'say it back' }] }] }],
  ])('X-1: the model %s', async (model, expected) => {
    expect(await whole(model)).toMatchObject(expected);
  });

  it('X-1: calls tools, thinks, fits schemas, keeps limits', async () => {
    const [thought, called] = (await whole('tools', { tools: [tool], ...THINKING })).output;
    expect(thought).toMatchObject({ type: 'reasoning', summary: [{ type: 'summary_text' }] });
    expect(thought?.encrypted_content).toMatch(/^gAAAAA/);
    expect(called).toMatchObject({ type: 'function_call', id: expect.stringMatching(/^fc_/), name: 'weather' });
    expect(called?.call_id).toMatch(/^call_/);
    expect(JSON.parse(called?.arguments ?? '')).toEqual({ city: 'sim' });
    const silent = (await whole('m', { reasoning: { effort: 'low' } })).output[0];
    expect(silent).toEqual({ id: silent?.id, type: 'reasoning', summary: [] });
    const [sealed] = (await whole('sealed', THINKING)).output;
    expect(sealed).toMatchObject({ summary: [], encrypted_content: expect.stringMatching(/^gAAAAA/) });
    const format = {
      type: 'json_schema',
      name: 'x',
      schema: { type: 'object', properties: { n: { const: 7 } }, required: ['n'] },
    };
    expect((await whole('m', { text: { format } })).output[0]?.content[0]?.text).toBe('{"n":7}');
    const short = await whole('long-99', { max_output_tokens: 16 });
    expect(short).toMatchObject({
      status: 'incomplete',
      output: [{ status: 'incomplete' }],
      usage: { output_tokens: 16 },
    });
    const { strict, ...open } = tool;
    expect(await whole('m', { tools: [open] })).toMatchObject({ tools: [{ ...open, strict: !strict }] });
    const thoughtful = await whole('m', { max_output_tokens: 16, ...THINKING });
    expect(thoughtful.output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
  });

  it('X-1: counts input tokens', async () => {
    const url = `${sim.url}/v1/responses/input_tokens`;
    const count = await sendRaw({ url, body: { model: 'm', input: 'some words to count' } });
    const { usage } = await whole('m', { input: 'some words to count' });
    expect(JSON.parse(count.text)).toEqual({ object: 'response.input_tokens', input_tokens: usage['input_tokens'] });
    expect((await sendRaw({ url, body: { model: 'm', input: 'x', stream: true } })).status).toBe(400);
  });
});

describe('a streamed response', () => {
  it.each(['ok', 'tools', 'reasoning', 'sealed', 'refusal', 'empty', 'length', 'filter', 'json'])(
    'X-1: the model %s says in a stream what it says whole',
    async (model) => {
      for (const more of [{}, THINKING]) {
        const fields = { tools: [tool, { type: 'custom', name: 'c' }], ...more };
        await sim.reset();
        const expected = fieldsOf(await whole(model, fields));
        await sim.reset();
        const events = eventsOf((await ask(model, { ...fields, ...STREAM })).text).map(({ name, data }) => {
          if (typeof data === 'string') throw new Error(data);
          expect(name).toBe(data.type);
          return data;
        });
        expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, i) => i));
        expect(events[0]).toMatchObject({ type: 'response.created', response: { status: 'in_progress', output: [] } });
        expect(events.at(-1)).toMatchObject({ type: `response.${expected['status']}`, response: expected });
        expect(assembled(events)).toEqual(expected['output']);
      }
    },
  );

  it('X-1: holds every field that recorded streams hold', async () => {
    const fields = { tools: [tool], ...STREAM };
    const ours = new Map<string, Told>();
    for (const [model, more] of [
      ['ok', {}],
      ['tools', THINKING],
      ['length', {}],
      ['error-3', {}],
    ] as const) {
      for (const { data } of eventsOf((await ask(model, { ...fields, ...more })).text)) {
        if (typeof data !== 'string') ours.set(kindOf(data), data);
      }
    }
    for (const file of ['resp-01-text', 'resp-02-reasoning-tool', 'resp-03-incomplete', 'resp-05-failed-mid']) {
      const recorded = readFileSync(new URL(`fixtures/${file}.sse`, import.meta.url), 'utf8');
      for (const { data } of eventsOf(recorded)) {
        if (typeof data === 'string') throw new Error(data);
        expect(lacking(data, ours.get(kindOf(data)), kindOf(data))).toEqual([]);
      }
    }
  });

  it('X-1: pads its pieces unless told not to, and gives logprobs when asked', async () => {
    const padded = eventsOf((await ask('ok', STREAM)).text).map(({ data }) => fieldsOf(data));
    const lengths = padded
      .filter(({ delta }) => delta !== undefined)
      .map((one) => `${one['delta']}${one['obfuscation']}`.length);
    expect(new Set(lengths).size).toBe(1);
    const include = ['message.output_text.logprobs'];
    const bare = (
      await ask('ok', { ...STREAM, stream_options: { include_obfuscation: false }, include, top_logprobs: 2 })
    ).text;
    expect(bare).not.toContain('obfuscation');
    const delta = eventsOf(bare).find(({ name }) => name === 'response.output_text.delta')?.data;
    expect(fieldsOf(delta)['logprobs']).toMatchObject([{ token: expect.any(String), top_logprobs: [{}, {}] }]);
  });
});

/** The output as a reader puts it together from deltas; what the done events say must agree. */
function assembled(events: readonly Told[]): unknown[] {
  const items: Record<string, unknown>[] = [];
  const said = new Map<string, string>();
  for (const event of events) {
    const index = Number(event['output_index']);
    if (event.type === 'response.output_item.added') {
      expect(index).toBe(items.length);
      items.push({ ...fieldsOf(event['item']) });
    } else if (event.type === 'response.output_item.done') {
      expect(fieldsOf(event['item'])['id']).toBe(items[index]?.['id']);
      items[index] = { ...fieldsOf(event['item']) };
    } else if (event['item_id'] !== undefined) {
      expect(event['item_id']).toBe(items[index]?.['id']);
      const [kind, ending] = event.type.split(/\.(?=[a-z]+$)/) as [string, string];
      const key = `${kind}/${index}`;
      if (ending === 'delta') said.set(key, `${said.get(key) ?? ''}${event['delta']}`);
      const whole = event['text'] ?? event['refusal'] ?? event['arguments'] ?? event['input'];
      if (ending === 'done' && whole !== undefined) expect(said.get(key) ?? '').toBe(whole);
    }
  }
  return items;
}

/** Tells apart events of one type that hold different items. */
function kindOf(event: Told): string {
  return `${event.type}/${fieldsOf(event['item'])['type'] ?? fieldsOf(event['part'])['type'] ?? ''}`;
}

/** Paths of fields that `ours` lacks. */
function lacking(recorded: unknown, ours: unknown, path: string): string[] {
  if (Array.isArray(recorded)) return [];
  return Object.entries(fieldsOf(recorded)).flatMap(([name, value]) => {
    if (!(name in fieldsOf(ours))) return [`${path}.${name}`];
    return path.includes('metadata') ? [] : lacking(value, fieldsOf(ours)[name], `${path}.${name}`);
  });
}

describe('faults', () => {
  it('X-1: cut-3 shows the opening and two pieces; no-done lacks the response; no-finish says [DONE] instead', async () => {
    const cut = await ask('cut-3', STREAM);
    expect(typesOf(cut.text)).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
    ]);
    expect(typesOf((await ask('cut-1', STREAM)).text)).toEqual(['created', 'in_progress']);
    expect(typesOf((await ask('cut-2', { ...STREAM, tools: [tool], tool_choice: 'required' })).text).at(-1)).toBe(
      'output_item.added',
    );
    expect(typesOf((await ask('no-done', STREAM)).text).at(-1)).toBe('output_item.done');
    const open = typesOf((await ask('no-finish', STREAM)).text);
    expect(open.slice(-2)).toEqual(['output_text.delta', '[DONE]']);
    expect(open.filter((type) => type.endsWith('done'))).toEqual([]);
  });

  it('X-1: errors in a stream: flat before anything, nested before content, the failed response after it', async () => {
    const first = eventsOf((await ask('error', STREAM)).text);
    expect(first).toMatchObject([
      { name: 'error', data: { type: 'error', code: 'internal_error', sequence_number: 0 } },
    ]);
    const early = eventsOf((await ask('error-1', STREAM)).text);
    expect(early.at(-1)).toMatchObject({
      name: 'error',
      data: { error: { type: 'server_error' }, sequence_number: 2 },
    });
    const late = eventsOf((await ask('error-3', STREAM)).text);
    expect(late.at(-1)).toMatchObject({
      name: 'response.failed',
      data: { sequence_number: 6, response: { status: 'failed', error: { code: 'server_error' }, usage: null } },
    });
    const created = fieldsOf(fieldsOf(late[0]?.data)['response']);
    expect(fieldsOf(fieldsOf(late.at(-1)?.data)['response'])['id']).toBe(created['id']);
    const busy = eventsOf((await ask('error-3-429', STREAM)).text).at(-1);
    expect(busy).toMatchObject({ data: { response: { error: { code: 'rate_limit_exceeded' } } } });
    expect(JSON.parse((await ask('error')).text)).toMatchObject({ error: { type: 'server_error' } });
  });

  it('X-1: garbage stands under an event name; pages, statuses and splits are as in Chat', async () => {
    const garbage = eventsOf((await ask('garbage-3', STREAM)).text).at(-1);
    expect(garbage).toEqual({ name: 'response.output_text.delta', data: expect.any(String) });
    expect((await ask('html')).headers['content-type']).toMatch(/^text\/html/);
    const busy = await ask('fail-429-30', STREAM);
    expect(busy).toMatchObject({ status: 429, headers: { 'retry-after': '30' } });
    expect(JSON.parse(busy.text)).toMatchObject({ error: { code: 'rate_limit_exceeded' } });
    expect(JSON.parse((await ask('fail-400')).text).error.message).toMatch(/'input'/);
    expect((await ask('fail-502')).text).toMatch(/^<html>/);
    const plain = typesOf((await ask('ok:x', STREAM)).text);
    for (const model of ['split-1', 'crlf', 'comments']) {
      const types = typesOf((await ask(model, STREAM)).text);
      expect([types[0], types.at(-1)], model).toEqual([plain[0], plain.at(-1)]);
    }
    expect((await ask('ok', {}, { 'x-sim': 'status=503' })).status).toBe(503);
  });
});

describe('state', () => {
  it('X-1: goes on from an answer it stored, and only from one', async () => {
    const { id, output, usage } = await whole('tools', { tools: [tool], ...THINKING });
    const called = output[1];
    const result = { type: 'function_call_output', call_id: called?.call_id, output: 'sunny' };
    const next = await whole('m', { input: [result], previous_response_id: id });
    expect(next).toMatchObject({ status: 'completed', previous_response_id: id });
    expect(Number(next.usage['input_tokens'])).toBeGreaterThan(Number(usage['total_tokens']));
    expect((await ask('m', { input: 'and?', previous_response_id: id })).text).toMatch(/No tool output found/);
    const byReference = [
      { role: 'user', content: 'x' },
      ...output.map(({ id }) => ({ type: 'item_reference', id })),
      result,
    ];
    expect(await whole('m', { input: byReference })).toHaveProperty('status', 'completed');
    const unthought = [{ role: 'user', content: 'x' }, called, result];
    expect((await ask('m', { input: unthought })).text).toMatch(/without its required 'reasoning' item: 'rs_/);
    const unstored = await whole('m', { store: false });
    const refused = await ask('m', { previous_response_id: unstored.id });
    expect(JSON.parse(refused.text)).toMatchObject({
      error: { code: 'previous_response_not_found', param: 'previous_response_id' },
    });
    const elsewhere = await ask('m', { conversation: 'conv_1' });
    expect(elsewhere.status).toBe(404);
    expect(JSON.parse(elsewhere.text)).toMatchObject({ error: { code: null, param: 'conversation' } });
  });

  it('X-1: a cut answer is not stored; a whole stream is', async () => {
    const idOf = (text: string): string => String(fieldsOf(fieldsOf(eventsOf(text)[0]?.data)['response'])['id']);
    const streamed = idOf((await ask('ok', STREAM)).text);
    expect(await whole('m', { previous_response_id: streamed })).toHaveProperty('status', 'completed');
    const cut = idOf((await ask('cut-3', STREAM)).text);
    expect((await ask('m', { previous_response_id: cut })).status).toBe(400);
  });

  it('X-1: reads answers again, deletes them, has them ready when they were made in the background', async () => {
    const one = await whole('m');
    const at = (id: string, rest = '', method = 'GET') =>
      sendRaw({ url: `${sim.url}/v1/responses/${id}${rest}`, method });
    expect(JSON.parse((await at(one.id)).text)).toEqual(one);
    expect((await at(one.id, '/cancel', 'POST')).status).toBe(400);
    expect((await at(one.id, '/cancel')).status).toBe(404);
    expect((await at(one.id, '?stream=true')).status).toBe(400);
    expect(JSON.parse((await at(one.id, '', 'DELETE')).text)).toEqual({
      id: one.id,
      object: 'response',
      deleted: true,
    });
    expect((await at(one.id)).status).toBe(404);
    const large = await whole('m', { instructions: 'x'.repeat(70_000) });
    expect((await at(large.id)).status).toBe(404);
    expect(await whole('m', { previous_response_id: large.id })).toHaveProperty('status', 'completed');
    const later = await whole('m', { background: true });
    expect(later).toMatchObject({ status: 'queued', output: [], usage: null });
    expect(JSON.parse((await at(later.id)).text)).toMatchObject({ id: later.id, status: 'completed', output: [{}] });
    expect((await at(later.id, '/cancel', 'POST')).status).toBe(200);
    const streamed = typesOf((await ask('m', { background: true, ...STREAM })).text);
    expect(streamed.slice(0, 3)).toEqual(['created', 'queued', 'in_progress']);
  });
});
