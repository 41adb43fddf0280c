/** What a request says in places nobody knows, or cannot mean: never gone in silence (R-4, P-6, dialects §14.20). */
import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/core/wire-names.ts';
import { laneOf } from '../../src/dialects/lanes.ts';
import { SPEAKERS, type Speaker, TARGET } from './crossings.ts';

const UPSTREAMS: readonly Dialect[] = ['openai-chat', 'openai-responses', 'anthropic', 'gemini', 'bedrock'];

const chatTool = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } };
const responsesTool = { type: 'function', name: 'look', parameters: { type: 'object' }, strict: false };
const messagesTool = { name: 'look', input_schema: { type: 'object' } };
const chat = (more: object): object => ({ messages: [{ role: 'user', content: 'hi' }], ...more });
const responses = (more: object): object => ({ input: 'hi', store: false, ...more });
const messages = (more: object): object => ({ max_tokens: 9, messages: [{ role: 'user', content: 'hi' }], ...more });

/** Dialect → a body with one member too many, and where it stands. */
const UNKNOWN: readonly (readonly [client: string, place: string, body: object])[] = [
  ['chat', 'messages', { messages: [{ role: 'user', content: 'hi', zap: 1 }] }],
  ['chat', 'messages.content', { messages: [{ role: 'user', content: [{ type: 'text', text: 'hi', zap: 1 }] }] }],
  ['chat', 'tools', chat({ tools: [{ ...chatTool, zap: 1 }] })],
  ['chat', 'tools.function', chat({ tools: [{ ...chatTool, function: { ...chatTool.function, zap: 1 } }] })],
  ['chat', 'reasoning', chat({ reasoning: { effort: 'low', zap: 1 } })],
  ['responses', 'input', { input: [{ role: 'user', content: 'hi', zap: 1 }], store: false }],
  [
    'responses',
    'input.content',
    { input: [{ role: 'user', content: [{ type: 'input_text', text: 'hi', zap: 1 }] }], store: false },
  ],
  ['responses', 'tools', responses({ tools: [{ ...responsesTool, zap: 1 }] })],
  [
    'responses',
    'tools.namespace',
    responses({ tools: [{ type: 'namespace', name: 'ns', tools: [responsesTool], zap: 1 }] }),
  ],
  ['responses', 'text', responses({ text: { zap: 1 } })],
  ['responses', 'reasoning', responses({ reasoning: { effort: 'low', zap: 1 } })],
  ['messages', 'tools', messages({ tools: [{ ...messagesTool, zap: 1 }] })],
];

function read({ client, codec }: Speaker, body: object) {
  const bytes = Buffer.from(JSON.stringify({ model: 'm', ...body }));
  const request = codec.readRequest(bytes, {
    model: 'm',
    ...(client.name === 'generate' ? { stream: false } : {}),
    version: client.name === 'messages' ? '2023-06-01' : null,
  });
  if (!request.ok) throw new Error(request.error.message);
  return request.value;
}

function crossingsOf(name: string) {
  const speaker = SPEAKERS.find(({ client }) => client.name === name)!;
  return UPSTREAMS.filter((dialect) => dialect !== speaker.codec.dialect).map((dialect) => ({ dialect, speaker }));
}

describe.each(UNKNOWN)('a member that nobody knows, of %s in %s', (client, place, body) => {
  it.each(crossingsOf(client))('R-4: is recorded as dropped before $dialect', ({ dialect, speaker }) => {
    const request = read(speaker, body);
    const pair = laneOf(speaker.codec, dialect)!;
    expect(pair.misses(request, null, TARGET)).toBeNull();
    const lane = pair.open({ request, target: TARGET, servedModel: 'm', id: 'x', createdAt: 0 });
    const { changes, dropped } = lane.writeUpstream(request, { target: TARGET, degrade: null, injectUsage: true });
    expect(changes).toContain(`dropped ${place}.zap`);
    expect(dropped).toBe(true);
  });
});

/** Dialect → a call demanded of what is not there. */
const DEMANDS: readonly (readonly [client: string, what: string, body: object])[] = [
  ['chat', 'any call without tools', chat({ tool_choice: 'required' })],
  ['chat', 'another tool', chat({ tools: [chatTool], tool_choice: { type: 'function', function: { name: 'hear' } } })],
  ['responses', 'any call without tools', responses({ tool_choice: 'required' })],
  ['responses', 'another tool', responses({ tools: [responsesTool], tool_choice: { type: 'function', name: 'hear' } })],
  ['messages', 'any call without tools', messages({ tool_choice: { type: 'any' } })],
  ['messages', 'another tool', messages({ tools: [messagesTool], tool_choice: { type: 'tool', name: 'hear' } })],
  [
    'generate',
    'another tool',
    {
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
      tools: [{ functionDeclarations: [{ name: 'look' }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['hear'] } },
    },
  ],
];

describe.each(DEMANDS)('a demand of %s for %s', (client, _what, body) => {
  it.each(crossingsOf(client))(
    'P-6: is the client’s own fault before $dialect, not forgotten',
    ({ dialect, speaker }) => {
      const miss = laneOf(speaker.codec, dialect)!.misses(read(speaker, body), null, TARGET);
      expect(miss?.fault).toMatchObject({ code: 'invalid_parameter', param: 'tool_choice' });
    },
  );
});
