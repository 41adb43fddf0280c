/** The Vercel AI SDK, major 7, with its OpenAI and its OpenAI-compatible provider. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, generateText, type LanguageModel, Output, RetryError, stepCountIs, streamText, tool } from 'ai';
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
const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: async ({ city }) => `sunny in ${city}` });
const Mood = z.object({ mood: z.string(), certainty: z.number() });

const PROVIDERS: Record<string, (model: SdkModel) => LanguageModel> = {
  '@ai-sdk/openai': (model) => createOpenAI({ baseURL: host.rig.baseUrl, apiKey: host.rig.apiKey }).chat(model),
  '@ai-sdk/openai-compatible': (model) =>
    createOpenAICompatible({
      name: 'understudy',
      baseURL: host.rig.baseUrl,
      apiKey: host.rig.apiKey,
      supportsStructuredOutputs: true,
    })(model),
};

for (const [name, modelOf] of Object.entries(PROVIDERS)) {
  describe(name, () => {
    for (const id of ['steady/text', 'rescued/text'] as const) {
      it(`D-1: ${id}: a text, a stream and an object`, async () => {
        const whole = await generateText({ model: modelOf(id), prompt });
        assert.match(whole.text, /\w/);
        assert.equal(whole.finishReason, 'stop');
        assert.equal((await host.rig.calls()).length, channelsOf(id));
        const streamed = streamText({ model: modelOf(id), prompt });
        assert.match(await streamed.text, /\w/);
        assert.equal(await streamed.finishReason, 'stop');
        const { output } = await generateText({ model: modelOf(id), prompt, output: Output.object({ schema: Mood }) });
        assert.ok(Mood.safeParse(output).success);
      });
    }

    for (const id of ['steady/tools', 'rescued/tools'] as const) {
      it(`T-8: ${id}: a tool is run and answered, whole and streamed`, async () => {
        const request = { model: modelOf(id), prompt, tools: { weather }, stopWhen: stepCountIs(3) };
        const whole = await generateText(request);
        assert.match(whole.text, /\w/);
        assert.equal(whole.steps[0]?.toolResults.length, 1);
        const streamed = streamText(request);
        assert.match(await streamed.text, /\w/);
        assert.equal((await streamed.steps)[0]?.toolResults.length, 1);
      });
    }

    it('D-9: when everything fails and the client repeats nothing, only the channels are called', async () => {
      const calling = generateText({ model: modelOf('down/all'), prompt, maxRetries: 0 });
      await assert.rejects(calling, (error) => APICallError.isInstance(error) && error.statusCode === 503);
      assert.equal((await host.rig.calls()).length, channelsOf('down/all'));
    });

    it('D-7: each repeat of its defaults is recognised and shown', async () => {
      const own = `${prompt} asked through ${name}`;
      const calling = generateText({ model: modelOf('down/all'), prompt: own });
      await assert.rejects(calling, (error) => RetryError.isInstance(error));
      assert.equal((await host.rig.calls()).length, 3 * channelsOf('down/all'));
      const retries = (await host.rig.records('down/all', 3)).map(({ client_retry: { count, how } }) => ({
        count,
        how,
      }));
      assert.deepEqual(retries, [
        { count: 0, how: null },
        { count: 1, how: 'fingerprint' },
        { count: 2, how: 'fingerprint' },
      ]);
    });

    it('T-4: an interruption raises an error', async () => {
      const kinds: string[] = [];
      const streamed = streamText({ model: modelOf('cut/after-content'), prompt, onError: () => undefined });
      for await (const part of streamed.fullStream) kinds.push(part.type);
      assert.ok(kinds.includes('text-delta'));
      assert.ok(kinds.includes('error'));
      assert.equal((await host.rig.calls()).length, 1);
    });
  });
}
