/** The OpenAI client, major 6, in the Responses dialect. In the gateway's own process. */
import OpenAI, { APIError } from 'openai';
import type {
  FunctionTool,
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseCreateParamsStreaming,
  ResponseInputItem,
  ResponseStreamEvent,
} from 'openai/resources/responses/responses';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CHAIN, channelsOf, openStage, type ResponsesStage } from './responses-rig.ts';

let stage: ResponsesStage;
let client: OpenAI;

beforeAll(async () => {
  stage = await openStage();
  client = new OpenAI({ baseURL: stage.rig.baseUrl, apiKey: stage.rig.apiKey });
});
afterAll(() => stage.close());
beforeEach(() => stage.rig.forget());

const input = 'How is the weather?';
const weather: FunctionTool = {
  type: 'function',
  name: 'weather',
  description: 'Tells the weather of a city.',
  strict: true,
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};
const clock: FunctionTool = { ...weather, name: 'clock' };
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

async function eventsOf(stream: AsyncIterable<ResponseStreamEvent>): Promise<ResponseStreamEvent[]> {
  const events: ResponseStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

async function thrown(work: PromiseLike<unknown>): Promise<APIError> {
  try {
    await work;
  } catch (error) {
    return error as APIError;
  }
  throw new Error('nothing was thrown');
}

/** A call's result for each of its calls, behind what the model said. */
function answered({ output }: Response): ResponseInputItem[] {
  const results = output.flatMap((item): ResponseInputItem[] =>
    item.type === 'function_call'
      ? [{ type: 'function_call_output', call_id: item.call_id, output: '{"weather":"sunny"}' }]
      : [],
  );
  return [{ role: 'user', content: input }, ...(output as ResponseInputItem[]), ...results];
}

describe.each(['steady/text', 'rescued/text', 'chat/ok'])('%s', (model) => {
  it('D-1, R-3: a response comes, failed channels unseen, and names the model that was asked for', async () => {
    const { data, response } = await client.responses.create({ model, input }).withResponse();
    expect(data.output_text).toMatch(/\w/);
    expect([data.model, data.status, data.object]).toEqual([model, 'completed', 'response']);
    expect(data.usage?.total_tokens).toBeGreaterThan(0);
    if (channelsOf(model) > 0) expect(await stage.rig.calls()).toHaveLength(channelsOf(model));
    expect(response.headers.get('x-understudy-served-model')).toBe(model);
  });

  it('T-2, T-8: a raw stream is whole, in order, numbered in a row', async () => {
    const events = await eventsOf(await client.responses.create({ model, input, stream: true }));
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at));
    expect([events[0]?.type, events.at(-1)?.type]).toEqual(['response.created', 'response.completed']);
    const pieces = events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : ''));
    const last = events.at(-1);
    if (last?.type !== 'response.completed') throw new Error('not completed');
    expect(last.response.output).toHaveLength(1);
    expect(JSON.stringify(last.response.output)).toContain(JSON.stringify(pieces.join('')).slice(1, -1));
    expect(last.response.model).toBe(model);
    expect(last.response.usage?.output_tokens).toBeGreaterThan(0);
  });

  it('T-2: the stream helper ends with the whole response', async () => {
    const final = await client.responses.stream({ model, input }).finalResponse();
    expect([final.status, final.model]).toEqual(['completed', model]);
    expect(final.output_text).toMatch(/\w/);
  });

  it('D-1: an answer under a JSON schema is parsed by the client', async () => {
    const schema = { type: 'object', properties: { mood: { type: 'string' } }, required: ['mood'] };
    const format = { type: 'json_schema', name: 'mood', strict: true, schema } as const;
    const answer = await client.responses.parse({
      model,
      input,
      text: { format: { ...format, schema: { ...schema, additionalProperties: false } } },
    });
    expect(JSON.parse(answer.output_text)).toEqual({ mood: expect.any(String) });
  });
});

describe.each(['steady/tools', 'rescued/tools', 'strict/tools', 'chat/tools'])('%s', (model) => {
  it('D-1: calls, their results, and the answer in words', async () => {
    const first = await client.responses.create({ model, input, tools: [weather], store: false });
    const call = first.output.find((item) => item.type === 'function_call');
    expect(JSON.parse(call?.arguments ?? '')).toEqual({ city: expect.any(String) });
    const second = await client.responses.create({ model, input: answered(first), tools: [weather], store: false });
    expect(second.output_text).toMatch(/\w/);
  });

  it('T-8: arguments of calls stream in pieces and are put together by the helper', async () => {
    const stream = client.responses.stream({ model, input, tools: [weather, clock], parallel_tool_calls: true });
    let pieces = 0;
    stream.on('response.function_call_arguments.delta', () => {
      pieces++;
    });
    const final = await stream.finalResponse();
    const calls = final.output.filter((item) => item.type === 'function_call');
    expect(pieces).toBeGreaterThan(calls.length);
    for (const call of calls) expect(JSON.parse(call.arguments)).toEqual({ city: expect.any(String) });
    expect(new Set(calls.map(({ call_id }) => call_id)).size).toBe(calls.length);
  });
});

describe('reasoning', () => {
  const asked = {
    input,
    store: false,
    reasoning: { effort: 'low', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
    tools: [weather],
  } as const;

  it.each(['steady/tools', 'sealed/thinks'])('R-5: sealed thoughts of %s go back byte for byte', async (model) => {
    const params = { ...asked, model, include: [...asked.include], tools: [...asked.tools] };
    const first = await client.responses.create(params);
    const thought = first.output.find((item) => item.type === 'reasoning');
    expect(thought?.encrypted_content).toMatch(/^gAAAA/);
    const second = await client.responses.create({ ...params, input: answered(first) });
    expect(second.status).toBe('completed');
    const records = await stage.rig.records(model, 2);
    expect(records.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('R-5: a thought that the account does not know, or cannot read, costs one more call and no error', async () => {
    const said = { role: 'assistant' as const, content: 'It is sunny.' };
    for (const state of [{}, { encrypted_content: 'gAAAAnobody-made-this' }]) {
      await stage.rig.forget();
      const thought = { type: 'reasoning' as const, id: 'rs_elsewhere', summary: [], ...state };
      const history = [
        { role: 'user' as const, content: input },
        thought,
        said,
        { role: 'user' as const, content: 'More' },
      ];
      const { data, response } = await client.responses
        .create({ model: 'steady/text', input: history, store: false })
        .withResponse();
      expect(data.output_text).toMatch(/\w/);
      expect(response.headers.get('x-understudy-degraded')).toBe('true');
      expect(await stage.rig.calls()).toHaveLength(2);
    }
  });

  it('T-8: summaries stream and end in the response', async () => {
    const { tools: _tools, ...plain } = asked;
    const stream = client.responses.stream({ ...plain, include: [...asked.include], model: 'steady/thinks' });
    let told = '';
    stream.on('response.reasoning_summary_text.delta', ({ delta }) => {
      told += delta;
    });
    const final = await stream.finalResponse();
    const thought = final.output.find((item) => item.type === 'reasoning');
    expect(thought?.summary[0]?.text).toBe(told);
    expect(told).toMatch(/\w/);
  });

  it('R-4: an upstream of another dialect has its thoughts shown, and may get the conversation back', async () => {
    const first = await client.responses.create({ model: 'chat/reasoning', input, reasoning: { effort: 'low' } });
    const thought = first.output.find((item) => item.type === 'reasoning');
    expect(JSON.stringify(thought)).toMatch(/\w/);
    const history = [...answered(first), { role: 'user' as const, content: 'And now?' }];
    for (const model of ['chat/reasoning', 'steady/text']) {
      const second = await client.responses.create({ model, input: history });
      expect(second.output_text).toMatch(/\w/);
    }
  });
});

describe('what a request may hold', () => {
  it('T-8: images and files pass', async () => {
    const content = [
      { type: 'input_text' as const, text: 'look' },
      { type: 'input_image' as const, image_url: PIXEL, detail: 'low' as const },
      { type: 'input_file' as const, filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
    ];
    for (const model of ['steady/text', 'chat/ok']) {
      const answer = await client.responses.create({ model, input: [{ role: 'user', content }] });
      expect(answer.output_text).toMatch(/\w/);
    }
  });

  describe('a coding agent', () => {
    const shell = { ...weather, name: 'shell', strict: false } as const;
    const spawn = { ...weather, name: 'spawn', strict: false } as const;
    /** As such agents send it: ids of their own, tools of every kind, words of theirs that no type names. */
    const asked = {
      instructions: 'You are a coding agent.',
      input: [
        { type: 'message', id: 'msg_a1', role: 'developer', content: [{ type: 'input_text', text: 'rules' }] },
        { type: 'message', id: 'msg_a2', role: 'user', content: [{ type: 'input_text', text: 'list files' }] },
        { type: 'function_call', call_id: 'call_1', name: 'shell', arguments: '{"command":["ls"]}' },
        { type: 'function_call_output', call_id: 'call_1', output: 'a.txt' },
        { type: 'custom_tool_call', call_id: 'call_2', name: 'apply_patch', input: '*** Begin Patch' },
        { type: 'custom_tool_call_output', call_id: 'call_2', output: 'done' },
        { type: 'message', id: 'msg_a3', role: 'user', content: [{ type: 'input_text', text: 'thanks, agent' }] },
      ],
      tool_choice: 'auto',
      parallel_tool_calls: false,
      reasoning: { effort: 'medium', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      store: false,
      prompt_cache_key: 'session-1',
      client_metadata: { session: '1' },
      text: { verbosity: 'low' },
      stream: true,
    };
    const tools = [
      shell,
      { type: 'custom', name: 'apply_patch', format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' } },
      { type: 'namespace', name: 'agents', description: 'Other agents.', tools: [spawn] },
    ];

    async function ask(
      model: string,
      more: object,
    ): Promise<{ events: ResponseStreamEvent[]; degraded: string | null }> {
      const params = { ...asked, ...more, model } as unknown as ResponseCreateParamsStreaming;
      const { data, response } = await client.responses.create(params).withResponse();
      return { events: await eventsOf(data), degraded: response.headers.get('x-understudy-degraded') };
    }

    it('dialects §14.17, §14.20: its request passes untouched', async () => {
      const { events, degraded } = await ask('steady/echo', {
        tools: [...tools, { type: 'local_shell' }, { type: 'web_search', external_web_access: false }],
      });
      const last = events.at(-1);
      if (last?.type !== 'response.completed') throw new Error('not completed');
      expect(last.response).toMatchObject({ instructions: 'You are a coding agent.', store: false });
      const kinds = last.response.tools.map(({ type }) => type);
      expect(kinds).toEqual(['function', 'custom', 'namespace', 'local_shell', 'web_search']);
      const said = events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('');
      expect([said.includes('thanks, agent'), degraded]).toEqual([true, 'false']);
    });

    it('R-4: reaches upstreams of another dialect, functions in namespaces and all; what was dropped is told', async () => {
      const { events, degraded } = await ask('chat/tools', { tools: tools.slice(0, 1).concat(tools.slice(2)) });
      const last = events.at(-1);
      if (last?.type !== 'response.completed') throw new Error('not completed');
      expect([last.response.status, degraded]).toEqual(['completed', 'true']);
      const asking = { ...asked, tools: tools.slice(2), input: 'go', stream: false, model: 'chat/tools' };
      const answer = await client.responses.create(asking as unknown as ResponseCreateParamsNonStreaming);
      expect(answer.output.find((item) => item.type === 'function_call')).toMatchObject({
        name: 'spawn',
        namespace: 'agents',
      });
    });
  });

  it('R-4: what an upstream of another dialect cannot do is refused, not dropped', async () => {
    const error = await thrown(client.responses.create({ model: 'chat/ok', input, tools: [{ type: 'local_shell' }] }));
    expect([error.status, error.code]).toEqual([400, 'unsupported_model_input']);
    expect(await stage.rig.calls()).toEqual([]);
  });
});

describe('endings that are answers', () => {
  it.each([true, false])('F-5: an answer cut by its length is incomplete and says why (stream %s)', async (streams) => {
    const params = { model: 'cut/length', input };
    const answer = streams
      ? await client.responses.stream(params).finalResponse()
      : await client.responses.create(params);
    expect([answer.status, answer.incomplete_details]).toEqual(['incomplete', { reason: 'max_output_tokens' }]);
    expect(answer.output_text).toMatch(/\w/);
  });

  it('F-5: a refusal in words is served', async () => {
    const answer = await client.responses.create({ model: 'no/answer', input });
    expect(JSON.stringify(answer.output)).toContain('"refusal"');
    const streamed = await client.responses.stream({ model: 'no/answer', input }).finalResponse();
    expect(JSON.stringify(streamed.output)).toContain('"refusal"');
  });
});

describe('a chain of models', () => {
  it('R-2: the report stands in the response, whole and streamed', async () => {
    const params = { model: CHAIN[0], input, models: [...CHAIN] };
    const report = { served_model: CHAIN[2], requested_model: CHAIN[0], degraded: true, attempts: 3 };
    const whole = await client.responses.create(params);
    expect(whole).toMatchObject({ model: CHAIN[2], understudy: report });
    const streamed = await client.responses.stream(params).finalResponse();
    expect(streamed).toMatchObject({ model: CHAIN[2], understudy: report, status: 'completed' });
  });
});

describe('failures', () => {
  it('T-2, dialects §14.3: errors in a stream before its content are not seen', async () => {
    const final = await client.responses.stream({ model: 'rescued/stream', input }).finalResponse();
    expect(final.output_text).toMatch(/\w/);
    expect(await stage.rig.calls()).toHaveLength(channelsOf('rescued/stream'));
  });

  it.each([false, true])('E-1, D-7: when all fails it is said once (stream %s)', async (stream) => {
    const error = await thrown(client.responses.create({ model: 'down/all', input, stream }));
    expect(error).toBeInstanceOf(APIError);
    expect([error.status, error.headers?.get('x-should-retry')]).toEqual([503, 'false']);
    expect(await stage.rig.calls()).toHaveLength(channelsOf('down/all'));
  });

  it('E-3: the caller’s own fault comes back as it was', async () => {
    const error = await thrown(client.responses.create({ model: 'refused/bad', input }));
    expect([error.status, error.type]).toEqual([400, 'invalid_request_error']);
  });

  it.each(['cut/after-content', 'error/after-content'])(
    'T-4, dialects §14.1: %s raises an error while reading, after what had come',
    async (model) => {
      let text = '';
      const reading = (async () => {
        for await (const event of await client.responses.create({ model, input, stream: true })) {
          if (event.type === 'response.output_text.delta') text += event.delta;
          expect(event.type).not.toBe('response.completed');
        }
      })();
      await expect(reading).rejects.toMatchObject({ code: 'stream_interrupted' });
      expect(text).toMatch(/\w/);
      const helped = client.responses.stream({ model, input }).finalResponse();
      await expect(helped).rejects.toBeInstanceOf(APIError);
    },
  );

  it('T-11: keep-alives while the first token is awaited disturb nobody', async () => {
    const final = await client.responses.stream({ model: 'slow/first', input }).finalResponse();
    expect(final.output_text).toMatch(/\w/);
  });
});

describe('a repeated key', () => {
  it.each([false, true])('I-4: gets the same answer without a call (stream %s)', async (stream) => {
    const headers = { 'idempotency-key': `responses-${stream}` };
    const ask = async (): Promise<unknown> => {
      const params = { model: 'steady/text', input };
      if (!stream) return client.responses.create(params, { headers });
      return eventsOf(await client.responses.create({ ...params, stream: true }, { headers }));
    };
    const first = await ask();
    const again = await ask();
    expect(JSON.stringify(again)).toBe(JSON.stringify(first));
    expect(await stage.rig.calls()).toHaveLength(1);
  });
});

describe('P-8: state at the upstream account', () => {
  it.each([false, true])('a stored response is gone on from, read again and deleted (stream %s)', async (streams) => {
    const params = { model: 'steady/text', input };
    const first = streams
      ? await client.responses.stream(params).finalResponse()
      : await client.responses.create(params);
    const second = await client.responses.create({ ...params, previous_response_id: first.id });
    expect(second.output_text).toMatch(/\w/);
    const said = first.output[0]?.id ?? '';
    const reference = { type: 'item_reference' as const, id: said };
    const third = await client.responses.create({ ...params, input: [reference, { role: 'user', content: 'more' }] });
    expect(third.output_text).toMatch(/\w/);
    expect((await client.responses.retrieve(first.id)).output_text).toBe(first.output_text);
    await client.responses.delete(first.id);
    const gone = await thrown(client.responses.create({ ...params, previous_response_id: first.id }));
    expect(gone.status).toBe(400);
  });

  it('what nobody made here is refused without a call', async () => {
    const error = await thrown(
      client.responses.create({ model: 'steady/text', input, previous_response_id: 'resp_x' }),
    );
    expect([error.status, error.code]).toEqual([400, 'unsupported_state']);
    const translated = await client.responses.create({ model: 'chat/ok', input });
    await stage.rig.forget();
    const params = { model: 'chat/ok', input, previous_response_id: translated.id };
    expect((await thrown(client.responses.create(params))).code).toBe('unsupported_state');
    expect(await stage.rig.calls()).toEqual([]);
  });
});

describe('chat clients of Responses upstreams', () => {
  const messages = [{ role: 'user' as const, content: input }];
  const tools = [{ type: 'function' as const, function: { name: 'weather', parameters: weather.parameters! } }];

  it('dialects §14.4: answers and streams come in their own dialect', async () => {
    const answer = await client.chat.completions.create({ model: 'responses/ok', messages });
    expect([answer.choices[0]?.finish_reason, answer.model]).toEqual(['stop', 'responses/ok']);
    const final = await client.chat.completions.stream({ model: 'responses/ok', messages }).finalChatCompletion();
    expect(final.choices[0]?.message.content).toMatch(/\w/);
  });

  it.each(['responses/tools', 'responses/strict-tools'])(
    'dialects §14.4: %s: tools with reasoning on, calls, results, the answer; thoughts sealed in between',
    async (model) => {
      const params = { model, messages, tools, reasoning_effort: 'low' as const };
      const first = await client.chat.completions.stream(params).finalChatCompletion();
      const message = first.choices[0]?.message;
      const calls = message?.tool_calls ?? [];
      expect(first.choices[0]?.finish_reason).toBe('tool_calls');
      const results = calls.map((call) => ({ role: 'tool' as const, tool_call_id: call.id, content: 'sunny' }));
      const second = await client.chat.completions.create({ ...params, messages: [...messages, message!, ...results] });
      expect(second.choices[0]?.message.content).toMatch(/\w/);
    },
  );

  it('dialects §14.17: several answers or stop words are refused before anybody is called', async () => {
    for (const more of [{ n: 2 }, { stop: ['x'] }]) {
      const error = await thrown(client.chat.completions.create({ model: 'responses/ok', messages, ...more }));
      expect([error.status, error.code]).toEqual([400, 'unsupported_model_input']);
    }
    expect(await stage.rig.calls()).toEqual([]);
  });

  it('R-4: what is dropped is told', async () => {
    const { response } = await client.chat.completions
      .create({ model: 'responses/ok', messages, seed: 7 })
      .withResponse();
    expect(response.headers.get('x-understudy-degraded')).toBe('true');
  });
});
