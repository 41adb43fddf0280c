/** The Messages client before its first major: API version 2023-06-01, its key in `x-api-key`. */
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MessagesStage, openStage } from './anthropic-rig.ts';
import { describeClient } from './anthropic-suite.ts';

describeClient('Messages client 0', Anthropic);

describe('dialects §14.5: API version 2023-06-01', () => {
  let stage: MessagesStage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage.close());

  it('G-10: the version goes upstream as it came, and sampling with it', async () => {
    const client = new Anthropic({ baseURL: stage.gateway.url, apiKey: stage.rig.apiKey });
    const messages = [{ role: 'user' as const, content: 'hi' }];
    const answer = await client.messages.create({ model: 'steady/text', max_tokens: 9, messages, temperature: 0.5 });
    expect(answer.type).toBe('message');
    expect(stage.simulator.calls.at(-1)?.headers['anthropic-version']).toBe('2023-06-01');
  });
});
