/** The OpenAI client, major 7. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import OpenAI, { APIError } from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { z } from 'zod';
import { CHAIN, channelsOf } from '../gateway-config.ts';
import { type Host, startHost } from './host.ts';

let host: Host;
let client: OpenAI;

before(async () => {
  host = await startHost();
  client = new OpenAI({ baseURL: host.rig.baseUrl, apiKey: host.rig.apiKey });
});
after(() => host.stop());
beforeEach(() => host.rig.forget());

const messages = [{ role: 'user' as const, content: 'How is the weather?' }];
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tools = [{ type: 'function' as const, function: { name: 'weather', parameters } }];
const Mood = z.object({ mood: z.string(), certainty: z.number() });

for (const model of ['steady/text', 'rescued/text'] as const) {
  describe(model, () => {
    it('D-1: a chat is answered, failed channels unseen', async () => {
      const answer = await client.chat.completions.create({ model, messages });
      assert.match(answer.choices[0]?.message.content ?? '', /\w/);
      assert.equal(answer.model, model);
      assert.equal((await host.rig.calls()).length, channelsOf(model));
    });

    it('T-2: a stream is whole', async () => {
      let [text, finish] = ['', ''];
      const stream = await client.chat.completions.create({ model, messages, stream: true });
      for await (const chunk of stream) {
        text += chunk.choices[0]?.delta.content ?? '';
        finish += chunk.choices[0]?.finish_reason ?? '';
      }
      assert.match(text, /\w/);
      assert.equal(finish, 'stop');
    });

    it('T-2: the stream helper, which checks ids and indexes, ends with the whole completion', async () => {
      const final = await client.chat.completions.stream({ model, messages }).finalChatCompletion();
      assert.equal(final.choices[0]?.finish_reason, 'stop');
    });

    it('D-1: an answer under a JSON schema is parsed by the client', async () => {
      const response_format = zodResponseFormat(Mood, 'mood');
      const answer = await client.chat.completions.parse({ model, messages, response_format });
      assert.ok(Mood.safeParse(answer.choices[0]?.message.parsed).success);
    });
  });
}

for (const model of ['steady/tools', 'rescued/tools'] as const) {
  it(`T-8: ${model}: tool calls of an answer and of a stream`, async () => {
    const whole = await client.chat.completions.create({ model, messages, tools });
    const streamed = await client.chat.completions.stream({ model, messages, tools }).finalChatCompletion();
    for (const answer of [whole, streamed]) {
      const call = answer.choices[0]?.message.tool_calls?.[0];
      assert.equal(call?.type, 'function');
      const { city } = JSON.parse(call?.type === 'function' ? call.function.arguments : '{}');
      assert.equal(typeof city, 'string');
    }
  });
}

describe('a chain of models', () => {
  const chained = { model: CHAIN[0], messages, models: CHAIN };

  it('R-2: answer and stream with the report in them are read', async () => {
    const answer = await client.chat.completions.create(chained);
    assert.equal(answer.model, CHAIN[2]);
    const { understudy } = answer as unknown as { understudy: { attempts: number } };
    assert.equal(understudy.attempts, 3);
    const streamed = await client.chat.completions.stream(chained).finalChatCompletion();
    assert.equal(streamed.choices[0]?.finish_reason, 'stop');
  });
});

describe('when everything fails', () => {
  for (const stream of [false, true]) {
    it(`D-7: the defaults repeat nothing, because the answer forbids it (stream ${stream})`, async () => {
      const calling = client.chat.completions.create({ model: 'down/all', messages, stream });
      await assert.rejects(calling, (error) => error instanceof APIError && error.status === 503);
      assert.equal((await host.rig.calls()).length, channelsOf('down/all'));
    });
  }
});

describe('an interruption', () => {
  it('T-4: raises an error while reading and in the helper', async () => {
    const request = { model: 'cut/after-content', messages, stream: true } as const;
    let text = '';
    const reading = async () => {
      for await (const chunk of await client.chat.completions.create(request)) {
        text += chunk.choices[0]?.delta.content ?? '';
      }
    };
    await assert.rejects(reading, (error) => error instanceof APIError && error.code === 'stream_interrupted');
    assert.match(text, /\w/);
    await assert.rejects(client.chat.completions.stream(request).finalChatCompletion(), APIError);
  });
});
