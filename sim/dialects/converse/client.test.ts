/** The vendor's own client must find nothing amiss. */
import { type IncomingMessage, request as sendRequest } from 'node:http';
import {
  BedrockRuntimeClient,
  type BedrockRuntimeClientConfig,
  ConverseCommand,
  ConverseStreamCommand,
  type ConverseStreamOutput,
} from '@aws-sdk/client-bedrock-runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../simulator.ts';
import { secretOf } from './signature.ts';

const KEY = 'AKIASIMULATOR001';

/** What the client hands over, as far as it is sent here. */
interface Outgoing {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string | Uint8Array;
}

/** Plain HTTP of version 1: the client's own handler speaks only version 2. */
function overHttp1(base: string): NonNullable<BedrockRuntimeClientConfig['requestHandler']> {
  const handle = ({ method, path, headers, body }: Outgoing): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const request = sendRequest(base + path, { method, headers }, (response: IncomingMessage) => {
        resolve({ response: { statusCode: response.statusCode, headers: response.headers, body: response } });
      });
      request.on('error', reject);
      request.end(body);
    });
  return { handle } as NonNullable<BedrockRuntimeClientConfig['requestHandler']>;
}

let sim: Simulator;
let client: BedrockRuntimeClient;

beforeAll(async () => {
  sim = await startSimulator({ seed: 5 });
  client = clientWith(secretOf(KEY));
});
afterAll(() => sim.close());

function clientWith(secretAccessKey: string): BedrockRuntimeClient {
  return new BedrockRuntimeClient({
    region: 'eu-west-1',
    endpoint: sim.url,
    credentials: { accessKeyId: KEY, secretAccessKey, sessionToken: 'a/session+token=' },
    requestHandler: overHttp1(sim.url),
    maxAttempts: 1,
  });
}

const messages = [{ role: 'user' as const, content: [{ text: 'say it back' }] }];
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const toolConfig = { tools: [{ toolSpec: { name: 'weather', inputSchema: { json: schema } } }] };

async function streamed(modelId: string, more: object = {}): Promise<ConverseStreamOutput[]> {
  const { stream } = await client.send(new ConverseStreamCommand({ modelId, messages, ...more }));
  const events: ConverseStreamOutput[] = [];
  for await (const event of stream!) events.push(event);
  return events;
}

describe('the Bedrock client', () => {
  it('X-1: signs as the simulator expects, and reads whole answers', async () => {
    const modelId = 'arn:aws:bedrock:eu-west-1::foundation-model/echo-like:0';
    const answer = await client.send(new ConverseCommand({ modelId, messages }));
    expect(answer.output?.message?.content?.[0]?.text).toMatch(/\w/);
    const echoed = await client.send(new ConverseCommand({ modelId: 'echo', messages }));
    expect(echoed).toMatchObject({
      output: { message: { role: 'assistant', content: [{ text: 'say it back' }] } },
      stopReason: 'end_turn',
      usage: { outputTokens: 3 },
    });
    await expect(clientWith('another').send(new ConverseCommand({ modelId: 'ok', messages }))).rejects.toMatchObject({
      name: 'InvalidSignatureException',
    });
  });

  it('X-1: reads streams of text, calls and thoughts', async () => {
    const text = await streamed('echo');
    expect(text.flatMap((event) => event.contentBlockDelta?.delta?.text ?? []).join('')).toBe('say it back');
    expect(text.at(-1)?.metadata?.usage?.outputTokens).toBe(3);
    const calls = await streamed('tools', { toolConfig });
    expect(calls.flatMap((event) => event.contentBlockStart?.start?.toolUse?.name ?? [])).toEqual(['weather']);
    const input = calls.flatMap((event) => event.contentBlockDelta?.delta?.toolUse?.input ?? []).join('');
    expect(JSON.parse(input)).toEqual({ city: 'sim' });
    expect(calls.find((event) => event.messageStop)?.messageStop?.stopReason).toBe('tool_use');
    const thoughts = await streamed('sealed');
    expect(thoughts.some((event) => event.contentBlockDelta?.delta?.reasoningContent?.redactedContent)).toBe(true);
  });

  it('X-1: thoughts and calls go back as they came', async () => {
    const first = await client.send(
      new ConverseCommand({ modelId: 'reasoning', messages, outputConfig: { effort: 'low' }, toolConfig }),
    );
    const back = [...messages, first.output!.message!, ...messages];
    const again = await client.send(new ConverseCommand({ modelId: 'reasoning', messages: back, toolConfig }));
    expect(again.stopReason).toBe('end_turn');
  });

  it('X-1: knows errors by their kind, before the stream and inside it', async () => {
    for (const [modelId, name] of [
      ['fail-429', 'ThrottlingException'],
      ['fail-503', 'ServiceUnavailableException'],
      ['too-long', 'ValidationException'],
      ['strict-ok', 'ValidationException'],
    ] as const) {
      const inferenceConfig = { temperature: 1 };
      await expect(
        client.send(new ConverseCommand({ modelId, messages, inferenceConfig })),
        modelId,
      ).rejects.toMatchObject({ name });
    }
    await expect(streamed('error-2-429')).rejects.toMatchObject({ name: 'ThrottlingException' });
    await expect(streamed('ok:bad-checksum')).rejects.toThrow(/checksum/);
  });
});
