/** The Messages client from its first major on: API version 2026-10-21, its key as a bearer token, no sampling. */
import Anthropic from 'anthropic-1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type MessagesStage, openStage } from './anthropic-rig.ts';
import { type ClientClass, describeClient } from './anthropic-suite.ts';

describeClient('Messages client 1', Anthropic as unknown as ClientClass);

describe('dialects §14.5: API version 2026-10-21', () => {
  let stage: MessagesStage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage.close());

  it('G-10: the version goes upstream as it came; what it forbids is refused there, and told', async () => {
    const client = new Anthropic({ baseURL: stage.gateway.url, apiKey: stage.rig.apiKey });
    const messages = [{ role: 'user' as const, content: 'hi' }];
    const asked = { model: 'steady/text', max_tokens: 9, messages };
    expect((await client.messages.create(asked)).type).toBe('message');
    expect(stage.simulator.calls.at(-1)?.headers['anthropic-version']).toBe('2026-10-21');
    const old = { ...asked, temperature: 1 } as typeof asked;
    const refused = await client.messages.create(old).then(
      () => null,
      (error: unknown) => error,
    );
    expect(refused).toBeInstanceOf(Anthropic.BadRequestError);
    expect((refused as Error).message).toContain('temperature');
  });

  it.each([
    [
      'a document of the assistant’s',
      [
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          content: [{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } }],
        },
        { role: 'user', content: 'on' },
      ],
    ],
    [
      'citations of the user’s',
      [
        {
          role: 'user',
          content: [
            {
              type: 'text',
              text: 'hi',
              citations: [
                {
                  type: 'char_location',
                  cited_text: 'x',
                  document_index: 0,
                  document_title: null,
                  start_char_index: 0,
                  end_char_index: 1,
                },
              ],
            },
          ],
        },
      ],
    ],
  ])('G-10, E-3: %s is refused there with 400, and only by this version', async (_what, messages) => {
    const path = `${stage.gateway.url}/v1/messages`;
    const send = (version: string) =>
      fetch(path, {
        method: 'POST',
        headers: { 'x-api-key': stage.rig.apiKey, 'anthropic-version': version, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'steady/text', max_tokens: 9, messages }),
      });
    const refused = await send('2026-10-21');
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
    expect((await send('2023-06-01')).status).toBe(200);
  });
});
