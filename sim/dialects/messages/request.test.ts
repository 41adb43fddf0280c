import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Memory } from '../../answer/memory.ts';
import type { SimRequest } from '../../answer/request.ts';
import { readMessagesRequest } from './request.ts';
import { sealThought, signatureOf } from './thoughts.ts';

const OLD = { 'anthropic-version': '2023-06-01', 'x-api-key': 'k' };
const NEW = { 'anthropic-version': '2026-10-21', authorization: 'Bearer k' };
const HELLO = { role: 'user', content: 'hello' };
const TOOL = { name: 'f', input_schema: { type: 'object', properties: {} } };
const CALL = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} };
const RESULT = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'done' };
const called = (...after: unknown[]) => ({ messages: [HELLO, { role: 'assistant', content: [CALL] }, ...after] });
const user = (...content: unknown[]) => ({ role: 'user', content });
const assistant = (...content: unknown[]) => ({ role: 'assistant', content });
const cached = { type: 'text', text: 'x', cache_control: { type: 'ephemeral' } };

function read(fields: Record<string, unknown> = {}, headers: Record<string, string> = OLD, counting = false) {
  const body = { model: 'm', ...(counting ? {} : { max_tokens: 100 }), messages: [HELLO], ...fields };
  return readMessagesRequest(body, counting ? 'count_tokens' : 'generate', headers, new Memory());
}

function taken(fields: Record<string, unknown> = {}, headers: Record<string, string> = OLD): SimRequest {
  const request = read(fields, headers);
  if (!('model' in request)) throw new Error(request.message);
  return request;
}

describe('a Messages request', () => {
  it('X-1: is read into what an answer depends on', () => {
    const request = taken({
      system: [cached],
      messages: [user({ type: 'text', text: 'say' }, { type: 'text', text: 'this' })],
      tools: [TOOL, { type: 'web_search_20260318', name: 'web_search', max_uses: 2 }],
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      stop_sequences: ['END'],
      stream: true,
      metadata: { user_id: 'u' },
      service_tier: 'auto',
      temperature: 0.5,
      output_config: { effort: 'low' },
    });
    expect(request).toMatchObject({
      model: 'm',
      stream: true,
      maxTokens: 100,
      lastUserText: 'say\nthis',
      lastRole: 'user',
      toolChoice: 'required',
      parallelTools: false,
      stop: ['END'],
      schema: null,
      reasoning: false,
    });
    expect(request.tools.map((tool) => tool.name)).toEqual(['f']);
    expect(taken(called(user(RESULT))).lastRole).toBe('tool');
    expect(taken({ thinking: { type: 'adaptive', display: 'omitted' } }).reasoning).toBe(true);
  });

  it('X-1: tools come and go between turns, and words of the system hold for one', () => {
    const change = { type: 'tool_removal', tool: { type: 'tool_reference', name: 'f' } };
    const found = { ...RESULT, content: [{ type: 'tool_reference', tool_name: 'f' }] };
    const system = { role: 'system', content: [change], clear_at: 'next_user_message' };
    const setting = { role: 'system', output_config: { effort: 'low' } };
    taken({ messages: [HELLO, assistant(CALL), user(found), system, setting], tools: [TOOL] });
    expect(read({ system: [change] })).toMatchObject({ param: 'system' });
    expect(read({ messages: [HELLO, { role: 'system' }] })).toMatchObject({
      message: expect.stringContaining('non-empty content'),
    });
    expect(read({ messages: [{ ...HELLO, clear_at: 'never' }] })).toMatchObject({ param: 'messages.0.clear_at' });
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['no max_tokens', { max_tokens: undefined }, /^max_tokens: Field required$/],
    ['max_tokens 0', { max_tokens: 0 }, /greater than or equal to 1/],
    ['an unknown field', { seed: 1 }, /^seed: Extra inputs are not permitted$/],
    ['a beta field without a beta', { mcp_servers: [] }, /^mcp_servers: Extra inputs/],
    [
      'an unknown field in a block',
      { messages: [user({ type: 'text', text: 'x', id: 1 })] },
      /^messages\.0\.content\.0\.id/,
    ],
    ['no messages', { messages: [] }, /at least one message/],
    ['an assistant first', { messages: [assistant({ type: 'text', text: 'x' })] }, /first message must use/],
    ['another role', { messages: [{ role: 'tool', content: 'x' }] }, /messages\.0\.role: Input should be 'user'/],
    ['empty content', { messages: [{ role: 'user', content: '' }] }, /non-empty content/],
    ['an empty text block', { messages: [user({ type: 'text', text: '' })] }, /must be non-empty/],
    ['blank words', { messages: [{ role: 'user', content: ' ' }] }, /non-whitespace text/],
    ['an audio block', { messages: [user({ type: 'input_audio', data: 'x' })] }, /Input tag 'input_audio'/],
    ['a call of the user', { messages: [user(CALL)] }, /can only be in `assistant`/],
    ['arguments as text', called(user(RESULT), assistant({ ...CALL, id: 'b', input: '{}' })), /valid dictionary/],
    [
      'an image of another type',
      { messages: [user({ type: 'image', source: { type: 'base64', media_type: 'image/tiff', data: 'AAAA' } })] },
      /media_type: Input should be/,
    ],
    [
      'a data URL',
      { messages: [user({ type: 'image', source: { type: 'url', url: 'data:image/png;base64,AAAA' } })] },
      /Only HTTP/,
    ],
    ['a call without result', called(), /without `tool_result` blocks immediately after: toolu_1/],
    ['a result after words', called(user({ type: 'text', text: 'so' }, RESULT)), /immediately after: toolu_1/],
    [
      'a result one turn late',
      called(HELLO, assistant({ type: 'text', text: 'x' }), user(RESULT)),
      /immediately after/,
    ],
    ['an orphan result', { messages: [user(RESULT)] }, /unexpected `tool_use_id` found .*toolu_1/],
    ['a result given twice', called(user(RESULT, RESULT)), /must have a single result/],
    ['an id used twice', called(user(RESULT), assistant(CALL), user(RESULT)), /must be unique/],
    ['an id with a colon', called(user({ ...RESULT, tool_use_id: 'a:b' })), /should match pattern/],
    [
      'a prefill ending in space',
      { messages: [HELLO, assistant({ type: 'text', text: 'so ' })] },
      /trailing whitespace/,
    ],
    [
      'a thought at the end',
      { messages: [HELLO, assistant({ type: 'thinking', thinking: 'a', signature: signatureOf('a') })] },
      /cannot be `thinking`/,
    ],
    [
      'a changed thought',
      {
        messages: [
          HELLO,
          assistant({ type: 'thinking', thinking: 'b', signature: signatureOf('a') }, CALL),
          user(RESULT),
        ],
      },
      /Invalid `signature`/,
    ],
    [
      'a foreign sealed thought',
      { messages: [HELLO, assistant({ type: 'redacted_thinking', data: 'Zm9v' }, CALL), user(RESULT)] },
      /Invalid `data`/,
    ],
    [
      'a call without its thought',
      { ...called(user(RESULT)), max_tokens: 5000, thinking: { type: 'enabled', budget_tokens: 1024 } },
      /Expected `thinking` or `redacted_thinking`, but found `tool_use`/,
    ],
    ['a small budget', { thinking: { type: 'enabled', budget_tokens: 10 } }, /greater than or equal to 1024/],
    ['a budget above max_tokens', { thinking: { type: 'enabled', budget_tokens: 1024 } }, /must be greater than/],
    ['thinking and temperature', { thinking: { type: 'adaptive' }, temperature: 0 }, /may only be set to 1/],
    [
      'thinking and a forced tool',
      { thinking: { type: 'adaptive' }, tools: [TOOL], tool_choice: { type: 'any' } },
      /Thinking may not/,
    ],
    ['temperature 1.5', { temperature: 1.5 }, /less than or equal to 1/],
    ['a nested tool', { tools: [{ type: 'function', function: { name: 'f' } }] }, /Input tag 'function'/],
    ['a tool name with a dot', { tools: [{ ...TOOL, name: 'a.b' }] }, /should match pattern/],
    ['two tools of one name', { tools: [TOOL, TOOL] }, /must be unique/],
    [
      'a schema of no object',
      { tools: [{ name: 'f', input_schema: { properties: {} } }] },
      /input_schema\.type: Field required/,
    ],
    [
      'a schema with anyOf on top',
      { tools: [{ name: 'f', input_schema: { type: 'object', anyOf: [] } }] },
      /at the top level/,
    ],
    ['a strict tool with an open schema', { tools: [{ ...TOOL, strict: true }] }, /additionalProperties/],
    ['tool_choice without tools', { tool_choice: { type: 'auto' } }, /while providing tools/],
    ['a choice of no tool', { tools: [TOOL], tool_choice: { type: 'tool', name: 'g' } }, /'g' not found/],
    ['a choice in other words', { tools: [TOOL], tool_choice: { type: 'required' } }, /tool_choice\.type/],
    ['tool_choice as text', { tools: [TOOL], tool_choice: 'auto' }, /valid dictionary/],
    ['a blank stop', { stop_sequences: ['\n'] }, /non-whitespace/],
    ['a stop as text', { stop_sequences: 'END' }, /valid list/],
    ['five cache marks', { messages: [user(cached, cached, cached, cached, cached)] }, /maximum of 4 blocks.*Found 5/],
    [
      'an open output schema',
      { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
      /output_config\.format\.schema: For 'object'/,
    ],
    [
      'a named output schema',
      { output_config: { format: { type: 'json_schema', name: 'x', schema: {} } } },
      /format\.name: Extra inputs/,
    ],
    ['an effort of another API', { output_config: { effort: 'minimal' } }, /output_config\.effort/],
    ['metadata of its own', { metadata: { team: 'a' } }, /^metadata\.team: Extra/],
    ['a system block of another kind', { system: [{ type: 'image', source: {} }] }, /not permitted in `system`/],
  ])('X-1: %s is refused', (_name, fields, expected) => {
    const refused = read(fields);
    expect('model' in refused ? 'taken' : refused.message).toMatch(expected);
  });

  it('X-1: what a vendor takes is taken', () => {
    taken({ messages: [HELLO, HELLO, assistant({ type: 'text', text: 'so' })] });
    taken({
      messages: [HELLO, assistant({ type: 'text', text: 'a' }), { role: 'system', content: 'be brief' }, HELLO],
    });
    taken({
      ...called(
        user(
          { ...RESULT, content: [{ type: 'image', source: { type: 'url', url: 'https://x/y.png' } }], is_error: true },
          { type: 'text', text: 'go on' },
        ),
      ),
    });
    // Results in two messages of the user are one turn.
    const two = assistant(CALL, { ...CALL, id: 'toolu_2' });
    taken({ messages: [HELLO, two, user(RESULT), user({ ...RESULT, tool_use_id: 'toolu_2' })] });
    const thought = { type: 'thinking', thinking: 'hm', signature: signatureOf('hm') };
    const thinking = { max_tokens: 5000, thinking: { type: 'enabled', budget_tokens: 1024 } };
    taken({ ...thinking, messages: [HELLO, assistant(thought, CALL), user(RESULT)] });
    taken({
      ...thinking,
      messages: [HELLO, assistant({ type: 'redacted_thinking', data: sealThought('x') }, CALL), user(RESULT)],
    });
    taken({
      messages: [
        HELLO,
        assistant(
          { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
          { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
        ),
      ],
    });
    taken({ mcp_servers: [] }, { ...OLD, 'anthropic-beta': 'mcp-client-2025-11-20' });
    taken({
      output_config: {
        format: { type: 'json_schema', schema: { type: 'object', properties: {}, additionalProperties: false } },
      },
    });
  });

  it('X-1: knows two versions, and needs one', () => {
    const message = (fields: object, headers: Record<string, string>) => {
      const request = read({ ...fields }, headers);
      return 'model' in request ? 'taken' : request.message;
    };
    expect(message({}, {})).toBe('anthropic-version: header is required');
    expect(message({}, { 'anthropic-version': '2024-01-01' })).toMatch(/not a valid version/);
    for (const field of [{ temperature: 1 }, { top_p: 1 }, { top_k: 5 }]) {
      expect(message(field, OLD)).toBe('taken');
      expect(message(field, NEW)).toMatch(/is not supported/);
    }
    const document = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } };
    const saved = { messages: [HELLO, assistant(document, { type: 'text', text: 'x' }), HELLO] };
    expect(message(saved, OLD)).toBe('taken');
    expect(message(saved, NEW)).toMatch(/document/);
    const quoting = { messages: [user({ type: 'text', text: 'x', citations: [{}] })] };
    expect(message(quoting, OLD)).toBe('taken');
    expect(message(quoting, NEW)).toMatch(/citations/);
  });

  it('X-1: two different keys are refused, none is taken, but for strict models', () => {
    const version = { 'anthropic-version': '2023-06-01' };
    expect(read({}, { ...version, 'x-api-key': 'a', authorization: 'Bearer b' })).toMatchObject({ status: 401 });
    expect(read({}, { ...version, 'x-api-key': 'a', authorization: 'Bearer a' })).toHaveProperty('model');
    expect(read({}, version)).toHaveProperty('model');
    expect(read({ model: 'strict-ok' }, version)).toMatchObject({ status: 401 });
  });

  it('X-1: strict models insist on what the newest models insist on', () => {
    const strict = (fields: Record<string, unknown>) => {
      const request = read({ model: 'strict-ok', ...fields });
      return 'model' in request ? 'taken' : request.message;
    };
    expect(strict({})).toBe('taken');
    expect(strict({ messages: [HELLO, HELLO] })).toMatch(/roles must alternate/);
    expect(strict({ messages: [HELLO, assistant({ type: 'text', text: 'so' })] })).toMatch(/prefill/);
    expect(strict({ temperature: 1 })).toMatch(/temperature/);
    expect(strict({ thinking: { type: 'disabled' } })).toMatch(/not supported/);
    expect(strict({ tools: [TOOL], tool_choice: { type: 'any' } })).toMatch(/forced tool use/);
  });

  it('X-1: a count takes nothing about the answer', () => {
    expect(read({ tools: [TOOL] }, OLD, true)).toMatchObject({ operation: 'count_tokens', stream: false });
    expect(read({ max_tokens: 5 }, OLD, true)).toMatchObject({ message: 'max_tokens: Extra inputs are not permitted' });
  });

  it('X-1: whatever is sent is read or refused, never thrown', () => {
    const word = fc.constantFrom(
      'type',
      'toString',
      'text',
      'role',
      'content',
      'source',
      'input',
      'name',
      'user',
      'assistant',
      'tool_use',
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ maxDepth: 5 }, fc.jsonValue(), word, fc.array(tie('any')), fc.dictionary(word, tie('any'))),
    })).any;
    const field = fc.constantFrom(
      'messages',
      'system',
      'tools',
      'tool_choice',
      'thinking',
      'output_config',
      'stop_sequences',
    );
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    expect(read({ system: [{ type: 'text', text: 'x', citations: deep }] })).toHaveProperty('message');
    expect(read({ tools: [{ ...TOOL, strict: true, input_schema: { type: 'object', items: deep } }] })).toHaveProperty(
      'message',
    );
    fc.assert(
      fc.property(field, value, value, (name, one, two) => {
        read({ [name]: one });
        read({ [name]: [one, two] });
        read({
          messages: [
            { role: 'user', content: [one] },
            { role: 'assistant', content: [two] },
          ],
        });
        readMessagesRequest(one, 'generate', OLD, new Memory());
      }),
    );
  });
});
