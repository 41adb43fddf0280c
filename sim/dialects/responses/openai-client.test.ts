/** The vendor's own client must find nothing amiss. */
import OpenAI, { APIError } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator.ts';

let sim: Simulator;
let client: OpenAI;
beforeAll(async () => {
  sim = await startSimulator();
  client = new OpenAI({ baseURL: `${sim.url}/v1`, apiKey: 'any', maxRetries: 0 });
});
afterAll(() => sim.close());

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const tools = [{ type: 'function' as const, name: 'weather', parameters, strict: true }];

describe('the OpenAI client, major 6', () => {
  it('X-1: reads whole answers and counts', async () => {
    const response = await client.responses.create({ model: 'echo', input: 'hello there' });
    expect(response).toMatchObject({ output_text: 'hello there', status: 'completed' });
    const counted = await client.responses.inputTokens.count({ model: 'm', input: 'hello there' });
    expect(counted.input_tokens).toBe(response.usage?.input_tokens);
    const again = await client.responses.retrieve(response.id);
    expect(again.output_text).toBe('hello there');
    await client.responses.delete(response.id);
    await expect(client.responses.retrieve(response.id)).rejects.toMatchObject({ status: 404 });
  });

  it.each(['echo', 'tools', 'reasoning', 'refusal', 'empty', 'length', 'filter'])(
    'X-1: puts the stream of %s together',
    async (model) => {
      const request = { model, input: 'hello there', tools, reasoning: { summary: 'auto' } } as const;
      const stream = client.responses.stream(request);
      const final = await stream.finalResponse();
      expect(final.status).toBe(model === 'length' || model === 'filter' ? 'incomplete' : 'completed');
      expect(final.output.at(-1)?.type).toBe(model === 'tools' ? 'function_call' : 'message');
      expect(final.output[0]?.type).toBe('reasoning');
      if (model === 'echo') expect(final.output_text).toBe('hello there');
    },
  );

  it('X-1: runs a tool: with stored state, and stateless with the whole history', async () => {
    const first = await client.responses.create({ model: 'tools', input: 'weather?', tools });
    const call = first.output.find((item) => item.type === 'function_call');
    const result = { type: 'function_call_output' as const, call_id: call?.call_id ?? '', output: 'sunny' };
    const stored = await client.responses.create({
      model: 'tools',
      previous_response_id: first.id,
      input: [result],
      tools,
    });
    expect(stored.output_text).not.toBe('');
    const stateless = {
      model: 'tools',
      tools,
      store: false,
      reasoning: { effort: 'low' as const },
      include: ['reasoning.encrypted_content' as const],
    };
    const opening = { role: 'user' as const, content: 'weather?' };
    const thought = await client.responses.create({ ...stateless, input: [opening] });
    const output = thought.output.flatMap((item) =>
      item.type === 'reasoning' || item.type === 'function_call' ? [item] : [],
    );
    expect(output.map(({ type }) => type)).toEqual(['reasoning', 'function_call']);
    const answered = { ...result, call_id: output[1]?.type === 'function_call' ? output[1].call_id : '' };
    const next = await client.responses.create({ ...stateless, input: [opening, ...output, answered] });
    expect(next.output_text).not.toBe('');
  });

  it('X-1: throws on errors before and in the stream', async () => {
    await expect(client.responses.create({ model: 'fail-429', input: 'x' })).rejects.toMatchObject({ status: 429 });
    const drain = async (model: string): Promise<string[]> => {
      const types: string[] = [];
      for await (const event of await client.responses.create({ model, input: 'x', stream: true }))
        types.push(event.type);
      return types;
    };
    await expect(drain('error-1')).rejects.toThrow(APIError);
    expect((await drain('error-3')).at(-1)).toBe('response.failed');
    expect((await drain('no-done')).at(-1)).toBe('response.output_item.done');
    await expect(drain('reset-3')).rejects.toThrow();
  });
});
