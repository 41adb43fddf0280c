/** LangChain's OpenAI model. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { z } from 'zod';
import { channelsOf, type SdkModel } from '../gateway-config.ts';
import { type Host, shortenWaits, startHost } from './host.ts';

let host: Host;
before(async () => {
  shortenWaits();
  host = await startHost();
});
after(() => host.stop());
beforeEach(() => host.rig.forget());

const prompt = 'How is the weather?';
const Mood = z.object({ mood: z.string(), certainty: z.number() });
const weather = tool(async ({ city }: { city: string }) => `sunny in ${city}`, {
  name: 'weather',
  description: 'tells the weather',
  schema: z.object({ city: z.string() }),
});

function chat(model: SdkModel, options: { maxRetries?: number } = {}): ChatOpenAI {
  const { baseUrl, apiKey } = host.rig;
  return new ChatOpenAI({ model, apiKey, configuration: { baseURL: baseUrl }, useResponsesApi: false, ...options });
}

for (const model of ['steady/text', 'rescued/text'] as const) {
  describe(model, () => {
    it('D-1: a chat is answered, failed channels unseen', async () => {
      const answer = await chat(model).invoke(prompt);
      assert.match(answer.text, /\w/);
      assert.equal((await host.rig.calls()).length, channelsOf(model));
    });

    it('T-2: a stream is whole', async () => {
      let text = '';
      for await (const chunk of await chat(model).stream(prompt)) text += chunk.text;
      assert.match(text, /\w/);
    });

    it('D-1: an answer under a JSON schema is parsed', async () => {
      const answer = await chat(model).withStructuredOutput(Mood, { method: 'jsonSchema' }).invoke(prompt);
      assert.ok(Mood.safeParse(answer).success);
    });
  });
}

for (const model of ['steady/tools', 'rescued/tools'] as const) {
  it(`T-8: ${model}: tool calls of an answer and of a stream`, async () => {
    const bound = chat(model).bindTools([weather]);
    const whole = await bound.invoke(prompt);
    assert.equal(typeof whole.tool_calls?.[0]?.args['city'], 'string');
    let pieces = '';
    for await (const chunk of await bound.stream(prompt)) {
      for (const piece of chunk.tool_call_chunks ?? []) if (piece.index === 0) pieces += piece.args ?? '';
    }
    assert.equal(typeof JSON.parse(pieces).city, 'string');
  });
}

describe('when everything fails', () => {
  it('D-9: and the client repeats nothing, only the channels are called', async () => {
    await assert.rejects(chat('down/all', { maxRetries: 0 }).invoke(prompt));
    assert.equal((await host.rig.calls()).length, channelsOf('down/all'));
  });

  it('D-7: each repeat of its defaults is recognised and shown', async () => {
    await assert.rejects(chat('down/all').invoke(`${prompt} asked again and again`));
    const repeats = (await host.rig.calls()).length / channelsOf('down/all') - 1;
    assert.equal(repeats, 6);
    const records = await host.rig.records('down/all', repeats + 1);
    assert.deepEqual(
      records.map(({ client_retry }) => client_retry.count),
      Array.from({ length: repeats + 1 }, (_, count) => count),
    );
  });
});

it('T-4: an interruption raises an error', async () => {
  let text = '';
  const reading = async () => {
    for await (const chunk of await chat('cut/after-content', { maxRetries: 0 }).stream(prompt)) text += chunk.text;
  };
  await assert.rejects(reading);
  assert.match(text, /\w/);
  assert.equal((await host.rig.calls()).length, 1);
});
