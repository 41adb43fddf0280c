/** What the Messages client library must meet, whichever major: the same assertions for both. */
import type Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CHAIN, channelsOf, FOREIGN, type MessagesStage, openStage } from './anthropic-rig.ts';

/** Both majors by the older one's types: what is called here has the same shape in both. */
export type ClientClass = typeof Anthropic;

const hello = [{ role: 'user' as const, content: 'How is the weather?' }];
const base = { max_tokens: 256, messages: hello };
const weather: Anthropic.Tool = {
  name: 'weather',
  description: 'Tells the weather of a city.',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const textOf = (message: Anthropic.Message): string =>
  message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');

async function thrown(work: PromiseLike<unknown>): Promise<Record<string, unknown>> {
  try {
    await work;
  } catch (error) {
    return error as Record<string, unknown>;
  }
  throw new Error('nothing was thrown');
}

export function describeClient(name: string, Client: ClientClass): void {
  describe(name, () => {
    let stage: MessagesStage;
    let client: Anthropic;
    beforeAll(async () => {
      stage = await openStage();
      client = new Client({ baseURL: stage.gateway.url, apiKey: stage.rig.apiKey });
    });
    afterAll(() => stage.close());
    beforeEach(() => stage.rig.forget());

    describe.each(['steady/text', 'rescued/text'])('%s', (model) => {
      it('D-1, R-3: a message is answered, failed channels unseen, and names the model that was asked for', async () => {
        const { data, response, request_id } = await client.messages.create({ model, ...base }).withResponse();
        expect(textOf(data)).toMatch(/\w/);
        expect([data.model, data.stop_reason, data.type]).toEqual([model, 'end_turn', 'message']);
        expect(data.usage.output_tokens).toBeGreaterThan(0);
        expect(response.headers.get('x-understudy-attempts')).toBe(String(channelsOf(model)));
        expect(request_id).toMatch(/^req_/);
        expect(await stage.rig.calls()).toHaveLength(channelsOf(model));
      });

      it('T-2, T-8: a raw stream is whole, in order, and tells its usage', async () => {
        const stream = await client.messages.create({ model, ...base, stream: true });
        const types: string[] = [];
        let text = '';
        let tokens = 0;
        for await (const event of stream) {
          if (types.at(-1) !== event.type) types.push(event.type);
          if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') text += event.delta.text;
          if (event.type === 'message_start') expect(event.message.model).toBe(model);
          if (event.type === 'message_delta') tokens = event.usage.output_tokens;
        }
        expect(text).toMatch(/\w/);
        expect(types).toEqual([
          'message_start',
          'content_block_start',
          'content_block_delta',
          'content_block_stop',
          'message_delta',
          'message_stop',
        ]);
        expect(tokens).toBeGreaterThan(0);
      });

      it('T-2: the stream helper ends with the whole message', async () => {
        const stream = client.messages.stream({ model, ...base });
        let heard = '';
        stream.on('text', (piece) => {
          heard += piece;
        });
        const final = await stream.finalMessage();
        expect([textOf(final), final.stop_reason, final.model]).toEqual([heard, 'end_turn', model]);
        expect(final.usage.input_tokens).toBeGreaterThan(0);
      });
    });

    it('T-2: an error and a cut within the stream, before any content, are not seen', async () => {
      const final = await client.messages.stream({ model: 'rescued/stream', ...base }).finalMessage();
      expect(textOf(final)).toMatch(/\w/);
      expect(await stage.rig.calls()).toHaveLength(3);
    });

    describe.each(['steady/tools', 'rescued/tools'])('%s', (model) => {
      it('D-1: a tool call, its result, and the answer in words', async () => {
        const first = await client.messages.create({ model, ...base, tools: [weather] });
        const call = first.content.find((block) => block.type === 'tool_use');
        if (call?.type !== 'tool_use') throw new Error('no call');
        expect([first.stop_reason, call.name]).toEqual(['tool_use', 'weather']);
        expect(call.input).toEqual({ city: expect.any(String) });
        const results = first.content.flatMap((block) =>
          block.type === 'tool_use' ? [{ type: 'tool_result' as const, tool_use_id: block.id, content: 'sunny' }] : [],
        );
        const messages: Anthropic.MessageParam[] = [
          ...hello,
          { role: 'assistant', content: first.content },
          { role: 'user', content: results },
        ];
        const second = await client.messages.create({ model, max_tokens: 256, messages, tools: [weather] });
        expect(textOf(second)).toMatch(/\w/);
      });

      it('T-8: arguments come in pieces and are put together by the helper', async () => {
        const stream = client.messages.stream({ model, ...base, tools: [weather] });
        let pieces = 0;
        stream.on('inputJson', () => {
          pieces += 1;
        });
        const final = await stream.finalMessage();
        const call = final.content.find((block) => block.type === 'tool_use');
        expect(call?.type === 'tool_use' ? call.input : null).toEqual({ city: expect.any(String) });
        expect(pieces).toBeGreaterThan(1);
      });
    });

    it.each(['steady/tools', ...FOREIGN.map((api) => `${api}/tools`)])(
      'dialects §11: two calls of one message (%s), their arguments apart',
      async (model) => {
        const clock = { ...weather, name: 'clock' };
        const final = await client.messages.stream({ model, ...base, tools: [weather, clock] }).finalMessage();
        const calls = final.content.filter((block) => block.type === 'tool_use');
        expect(calls.map((call) => call.name)).toEqual(['weather', 'clock']);
        for (const call of calls) expect(call.input).toEqual({ city: expect.any(String) });
        expect(new Set(calls.map((call) => call.id)).size).toBe(2);
        const alone = await client.messages.create({
          model,
          ...base,
          tools: [weather, clock],
          tool_choice: { type: 'auto', disable_parallel_tool_use: true },
        });
        expect(alone.stop_reason).toBe('tool_use');
      },
    );

    describe('thinking', () => {
      const thinking = { type: 'enabled' as const, budget_tokens: 1024 };
      const asked = { model: 'steady/thinking', max_tokens: 2048, messages: hello, thinking };

      it('R-5: thoughts and their signatures come through the helper, and go back byte for byte', async () => {
        const final = await client.messages.stream(asked).finalMessage();
        const [thought] = final.content;
        if (thought?.type !== 'thinking') throw new Error('no thought');
        expect(thought.thinking).toMatch(/\w/);
        const messages: Anthropic.MessageParam[] = [
          ...hello,
          { role: 'assistant', content: final.content },
          { role: 'user', content: 'And tomorrow?' },
        ];
        // The simulator refuses a signature that is not exactly its own.
        expect(textOf(await client.messages.create({ ...asked, messages }))).toMatch(/\w/);
      });

      it('R-5: a sealed thought passes both ways', async () => {
        const first = await client.messages.create({ ...asked, model: 'sealed/thinking' });
        expect(first.content[0]?.type).toBe('redacted_thinking');
        const messages: Anthropic.MessageParam[] = [
          ...hello,
          { role: 'assistant', content: first.content },
          { role: 'user', content: 'And tomorrow?' },
        ];
        const second = await client.messages.create({ ...asked, model: 'sealed/thinking', messages });
        expect(second.type).toBe('message');
      });
    });

    it('T-8: images, by data and by URL, and documents are passed on', async () => {
      const content: Anthropic.ContentBlockParam[] = [
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
        { type: 'image', source: { type: 'url', url: 'https://example.com/x.png' } },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' }, title: 'Notes' },
        { type: 'text', text: 'What is this?' },
      ];
      const messages: Anthropic.MessageParam[] = [{ role: 'user', content }];
      const answer = await client.messages.create({ model: 'steady/text', max_tokens: 64, messages });
      expect(textOf(answer)).toMatch(/\w/);
    });

    it('T-8: an answer under a JSON schema is parsed by the client', async () => {
      const schema = {
        type: 'object',
        properties: { mood: { type: 'string' }, certainty: { type: 'number' } },
        required: ['mood', 'certainty'],
        additionalProperties: false,
      };
      const answer = await client.messages.create({
        model: 'steady/text',
        ...base,
        output_config: { format: { type: 'json_schema', schema } },
      });
      expect(JSON.parse(textOf(answer))).toEqual({ mood: expect.any(String), certainty: expect.any(Number) });
    });

    it('F-5: a refusal and a cut by length keep their reasons', async () => {
      const refusal = await client.messages.create({ model: 'no/answer', ...base });
      expect(refusal.stop_reason).toBe('refusal');
      const cut = await client.messages.stream({ model: 'cut/length', ...base }).finalMessage();
      expect(cut.stop_reason).toBe('max_tokens');
    });

    describe('a chain of models', () => {
      const chained = {
        model: CHAIN[0],
        ...base,
        models: CHAIN,
      } as unknown as Anthropic.MessageCreateParamsNonStreaming;

      it('R-2: the report stands in the answer and the client still reads it', async () => {
        const answer = await client.messages.create(chained);
        expect(answer.model).toBe(CHAIN[2]);
        expect(answer).toHaveProperty('understudy', expect.objectContaining({ attempts: 3, served_model: CHAIN[2] }));
      });

      it('R-2: the report stands in message_delta and the helper still reads the stream', async () => {
        const stream = client.messages.stream(chained);
        const reports: unknown[] = [];
        stream.on('streamEvent', (event) => {
          if ('understudy' in event) reports.push([event.type, event.understudy]);
        });
        expect((await stream.finalMessage()).stop_reason).toBe('end_turn');
        expect(reports).toEqual([['message_delta', expect.objectContaining({ served_model: CHAIN[2] })]]);
      });

      it('C-1: clients that cannot add fields name the chain in a header', async () => {
        const headers = { 'X-Understudy-Models': CHAIN.join(',') };
        const answer = await client.messages.create({ model: CHAIN[0], ...base }, { headers });
        expect(answer.model).toBe(CHAIN[2]);
      });
    });

    describe('when everything fails', () => {
      it.each([false, true])('D-7: the defaults repeat nothing (stream %s)', async (stream) => {
        const error = await thrown(client.messages.create({ model: 'down/all', ...base, stream }));
        expect(error).toBeInstanceOf(Client.APIError);
        expect(error['status']).toBe(503);
        expect(error['requestID']).toMatch(/^req_/);
        expect(error['error']).toMatchObject({ type: 'error', error: { type: 'overloaded_error' } });
        expect(await stage.rig.calls()).toHaveLength(channelsOf('down/all'));
      });

      it('E-1: an overloaded upstream and a bad request are told as such', async () => {
        const busy = await thrown(client.messages.create({ model: 'busy/all', ...base }));
        expect(busy).toMatchObject({ status: 529, error: { error: { type: 'overloaded_error' } } });
        const wrong = await thrown(client.messages.create({ model: 'refused/bad', ...base }));
        expect(wrong).toBeInstanceOf(Client.BadRequestError);
        expect(wrong).toMatchObject({ error: { error: { type: 'invalid_request_error' } } });
      });

      it('E-5: an unknown model and an unknown key', async () => {
        const missing = await thrown(client.messages.create({ model: 'nobody/knows', ...base }));
        expect(missing).toBeInstanceOf(Client.NotFoundError);
        expect(missing).toMatchObject({ error: { error: { type: 'not_found_error', code: 'model_not_found' } } });
        const stranger = new Client({ baseURL: stage.gateway.url, apiKey: 'usk-nobody' });
        expect(await thrown(stranger.messages.create({ model: 'steady/text', ...base }))).toBeInstanceOf(
          Client.AuthenticationError,
        );
      });

      it('E-2: a chain says what became of each model', async () => {
        const models = ['alone/fail-503', 'alone/fail-500'];
        const request = { model: models[0], ...base, models } as unknown as Anthropic.MessageCreateParamsNonStreaming;
        const error = await thrown(client.messages.create(request));
        const attempts = models.map((model) => expect.objectContaining({ model, status: 'failed' }));
        expect(error).toMatchObject({ status: 502, error: { error: { code: 'all_models_failed', attempts } } });
      });
    });

    describe('an interruption', () => {
      it('T-4, dialects §14.1: raises an error while reading, after what had come', async () => {
        const stream = await client.messages.create({ model: 'cut/after-content', ...base, stream: true });
        let text = '';
        const error = await thrown(
          (async () => {
            for await (const event of stream) {
              if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') text += event.delta.text;
            }
          })(),
        );
        expect(text).toMatch(/\w/);
        expect(error).toBeInstanceOf(Client.APIError);
        expect(error['error']).toMatchObject({ error: { type: 'api_error', code: 'stream_interrupted' } });
      });

      it('T-4: raises an error in the helper', async () => {
        const stream = client.messages.stream({ model: 'cut/after-content', ...base });
        expect(await thrown(stream.finalMessage())).toBeInstanceOf(Client.APIError);
      });
    });

    it('T-11: keep-alives before the first content are passed over', async () => {
      const lively = await openStage({ keepAliveMs: 100 });
      try {
        const own = new Client({ baseURL: lively.gateway.url, apiKey: lively.rig.apiKey });
        const request = { model: 'slow/first', ...base };
        const raw = await own.messages.create({ ...request, stream: true }).asResponse();
        expect(await raw.text()).toMatch(/^event: ping\n/);
        expect(textOf(await own.messages.stream(request).finalMessage())).toMatch(/\w/);
      } finally {
        await lively.close();
      }
    });

    it('I-4: under a key the same answer comes again, whole and as a stream', async () => {
      for (const model of ['steady/text', 'rescued/text']) {
        const headers = { 'Idempotency-Key': `whole-${model}` };
        const first = await client.messages.create({ model, ...base }, { headers }).withResponse();
        const again = await client.messages.create({ model, ...base }, { headers }).withResponse();
        expect(again.data).toEqual(first.data);
        expect(again.response.headers.get('idempotent-replayed')).toBe('true');
        const streamed = { 'Idempotency-Key': `stream-${model}` };
        const once = await client.messages.stream({ model, ...base }, { headers: streamed }).finalMessage();
        const twice = await client.messages.stream({ model, ...base }, { headers: streamed }).finalMessage();
        expect(JSON.stringify(twice)).toBe(JSON.stringify(once));
        await stage.rig.forget();
      }
    });

    it('T-6: the upstream call ends with a caller who leaves', async () => {
      const stream = await client.messages.create({ model: 'alone/drip-50', ...base, stream: true });
      for await (const _ of stream) break;
      const [record] = await stage.rig.records('alone/drip-50', 1);
      expect(record?.ending).toBe('client_closed');
    });

    it('counts tokens, and prompt caching tells what was kept', async () => {
      const counted = await client.messages.countTokens({ model: 'steady/text', messages: hello });
      expect(counted.input_tokens).toBeGreaterThan(0);
      const system: Anthropic.TextBlockParam[] = [
        { type: 'text', text: `Be brief. ${name} `.repeat(200), cache_control: { type: 'ephemeral' } },
      ];
      const first = await client.messages.create({ model: 'steady/text', ...base, system });
      const second = await client.messages.create({ model: 'steady/text', ...base, system });
      expect(first.usage.cache_creation_input_tokens).toBeGreaterThan(0);
      expect(second.usage.cache_read_input_tokens).toBe(first.usage.cache_creation_input_tokens);
    });

    describe('a coding agent', () => {
      const EPHEMERAL = { type: 'ephemeral' as const };
      const tools = Array.from({ length: 24 }, (_, at) => ({ ...weather, name: `tool_${at}` }));
      const betas = ['interleaved-thinking-2025-05-14', 'context-management-2025-06-27', 'effort-2025-11-24'];
      /** What such agents send: cached blocks, words of the system behind the user's, thoughts kept out of sight. */
      const agentRequest = (model: string, more: object[] = []): Anthropic.Beta.MessageCreateParamsNonStreaming =>
        ({
          model,
          max_tokens: 32_000,
          betas,
          metadata: { user_id: '{"device_id":"d1","session_id":"s1"}' },
          thinking: { type: 'adaptive', display: 'omitted' },
          output_config: { effort: 'high' },
          context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] },
          system: [
            { type: 'text', text: 'billing: agent=1;' },
            { type: 'text', text: 'You are an agent.', cache_control: EPHEMERAL },
            { type: 'text', text: 'Work in /src.', cache_control: EPHEMERAL },
          ],
          tools: [
            ...tools.slice(1),
            { ...tools[0], cache_control: EPHEMERAL },
            { ...weather, name: 'later', defer_loading: true },
          ],
          messages: [
            { role: 'user', content: [{ type: 'text', text: 'Fix it.', cache_control: EPHEMERAL }] },
            { role: 'system', content: [{ type: 'text', text: 'Today is Monday.' }] },
            ...more,
          ],
        }) as unknown as Anthropic.Beta.MessageCreateParamsNonStreaming;

      it('G-10: is served, and nothing of its own headers but version and betas goes upstream', async () => {
        const final = await client.beta.messages.stream(agentRequest('steady/tools')).finalMessage();
        expect(final.stop_reason).toBe('tool_use');
        const [seen] = stage.simulator.calls;
        expect(seen?.headers['anthropic-beta']).toContain(betas.join(','));
        expect(Object.keys(seen?.headers ?? {}).filter((one) => /^x-stainless|idempotency/.test(one))).toEqual([]);
      });

      it.each(['steady/tools', ...FOREIGN.map((api) => `${api}/tools`)])(
        'R-5: goes from call to result and on, its thoughts with it (%s)',
        async (model) => {
          const first = await client.beta.messages.stream(agentRequest(model)).finalMessage();
          const calls = first.content.filter((block) => block.type === 'tool_use');
          expect([first.stop_reason, calls.length]).toEqual(['tool_use', 2]);
          const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'done' }));
          const more = [
            { role: 'assistant', content: first.content },
            { role: 'user', content: results },
          ];
          const before = stage.simulator.calls.length;
          const second = await client.beta.messages.stream(agentRequest(model, more)).finalMessage();
          expect(second.stop_reason).toBe('end_turn');
          // Whoever signed a thought takes it back at once: no second call without it.
          expect(stage.simulator.calls.length - before).toBe(1);
        },
      );
    });

    describe.each(FOREIGN)('over %s', (api) => {
      const asked = { ...base, model: `${api}/ok` };
      const thinking = { type: 'enabled' as const, budget_tokens: 1024 };

      it('R-3: a message, whole and by the helper, with its usage', async () => {
        const whole = await client.messages.create(asked);
        expect([textOf(whole).length > 0, whole.model, whole.stop_reason]).toEqual([true, asked.model, 'end_turn']);
        expect(whole.usage.input_tokens).toBeGreaterThan(0);
        const final = await client.messages.stream(asked).finalMessage();
        expect([textOf(final).length > 0, final.stop_reason]).toEqual([true, 'end_turn']);
        expect(final.usage.output_tokens).toBeGreaterThan(0);
      });

      it('dialects §11: calls in pieces, their results, and the answer in words', async () => {
        const request = { ...asked, model: `${api}/tools`, tools: [weather] };
        const first = await client.messages.stream(request).finalMessage();
        const calls = first.content.filter((block) => block.type === 'tool_use');
        expect([first.stop_reason, calls.length > 0]).toEqual(['tool_use', true]);
        for (const call of calls) expect(call.input).toEqual({ city: expect.any(String) });
        const results = calls.map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id, content: 'sunny' }));
        const messages: Anthropic.MessageParam[] = [
          ...hello,
          { role: 'assistant', content: first.content },
          { role: 'user', content: results },
        ];
        const second = await client.messages.create({ ...request, messages });
        expect(textOf(second)).toMatch(/\w/);
      });

      // Chat has no thoughts that are sealed.
      const kinds = api === 'chat' ? ['reasoning'] : ['reasoning', 'sealed'];
      it.each(kinds)('R-5: thoughts (%s) come, and go back to where they were made', async (kind) => {
        const request = { model: `${api}/${kind}`, max_tokens: 2048, messages: hello, thinking };
        // Some seal their thoughts behind the answer: in a stream there is no more place for them.
        const first =
          kind === 'sealed'
            ? await client.messages.create(request)
            : await client.messages.stream(request).finalMessage();
        expect(first.content.some((block) => block.type === 'thinking' || block.type === 'redacted_thinking')).toBe(
          true,
        );
        const messages: Anthropic.MessageParam[] = [
          ...hello,
          { role: 'assistant', content: first.content },
          { role: 'user', content: 'And tomorrow?' },
        ];
        expect((await client.messages.create({ ...request, messages })).type).toBe('message');
        // And on to an upstream of this dialect, which would refuse what is not its own.
        const elsewhere = await client.messages.create({ ...request, model: 'steady/text', messages });
        expect(textOf(elsewhere)).toMatch(/\w/);
      });

      it('R-4: pictures and a schema', async () => {
        const picture = { type: 'base64' as const, media_type: 'image/png' as const, data: PIXEL };
        const content: Anthropic.ContentBlockParam[] = [
          { type: 'image', source: picture },
          { type: 'text', text: 'What is this?' },
        ];
        const seen = await client.messages.create({ ...asked, messages: [{ role: 'user', content }] });
        expect(textOf(seen)).toMatch(/\w/);
        const schema = {
          type: 'object',
          properties: { mood: { type: 'string' } },
          required: ['mood'],
          additionalProperties: false,
        };
        const output_config = { format: { type: 'json_schema' as const, schema } };
        const answer = await client.messages.create({ ...asked, output_config });
        expect(JSON.parse(textOf(answer))).toEqual({ mood: expect.any(String) });
      });

      it('E-1, T-4: failures before and within the stream are told in this dialect', async () => {
        const limited = await thrown(client.messages.create({ ...asked, model: `${api}/fail-429` }, { maxRetries: 0 }));
        expect(limited).toMatchObject({ status: 429, error: { error: { type: 'rate_limit_error' } } });
        const wrong = await thrown(client.messages.create({ ...asked, model: `${api}/fail-400` }));
        expect(wrong).toMatchObject({ status: 400, error: { error: { type: 'invalid_request_error' } } });
        for (const model of ['cut-3', 'error-3']) {
          const stream = client.messages.stream({ ...asked, model: `${api}/${model}` });
          expect(await thrown(stream.finalMessage())).toMatchObject({
            error: { error: { code: 'stream_interrupted' } },
          });
        }
        const cut = await client.messages.create({ ...asked, model: `${api}/length` });
        expect(cut.stop_reason).toBe('max_tokens');
      });

      it('T-2: takes over from an upstream of this dialect within one request', async () => {
        const final = await client.messages.stream({ ...asked, model: `${api}/rescue` }).finalMessage();
        expect([textOf(final).length > 0, final.model]).toEqual([true, `${api}/rescue`]);
        expect(await stage.rig.calls()).toHaveLength(2);
      });
    });
  });
}
