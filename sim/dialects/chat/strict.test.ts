import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readChatRequest } from './request.ts';

const HELLO = { role: 'user', content: 'hello' };
const CALL = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
const CALLING = { role: 'assistant', content: null, tool_calls: [CALL] };
const TOOLS = [{ type: 'function', function: { name: 'f' } }];

function problemOf(fields: object, model = 'strict-ok'): string {
  const request = readChatRequest({ model, messages: [HELLO], ...fields });
  return 'model' in request ? 'taken' : request.message;
}

describe('strict models in Chat', () => {
  it.each<[string, object, RegExp]>([
    ['an unknown field', { max_output_tokens: 5 }, /Unknown parameter: 'max_output_tokens'/],
    ['the old limit', { max_tokens: 5 }, /Use 'max_completion_tokens'/],
    ['functions while reasoning', { tools: TOOLS, reasoning_effort: 'low' }, /Use \/v1\/responses/],
    ['a role of another API', { messages: [{ role: 'model', content: 'x' }] }, /Invalid value: 'model'/],
    [
      'a part of another API',
      { messages: [{ role: 'user', content: [{ type: 'input_text', text: 'x' }] }] },
      /'input_text'/,
    ],
    [
      'a picture in a result',
      { messages: [HELLO, CALLING, { role: 'tool', tool_call_id: 'a', content: [{ type: 'image_url' }] }] },
      /'image_url'/,
    ],
    [
      'a result without call',
      { messages: [HELLO, { role: 'tool', tool_call_id: 'b', content: 'x' }] },
      /must be a response/,
    ],
    ['a call without result', { messages: [HELLO, CALLING, HELLO] }, /did not have response messages: a$/],
    ['a call at the end', { messages: [HELLO, CALLING] }, /did not have response messages: a$/],
  ])('X-1: %s is refused by them alone', (_name, fields, expected) => {
    expect(problemOf(fields)).toMatch(expected);
    expect(problemOf(fields, 'ok')).toBe('taken');
  });

  it('X-1: what the newest models take is taken', () => {
    expect(problemOf({ tools: TOOLS, reasoning_effort: 'none', max_completion_tokens: 5, stream: true })).toBe('taken');
    expect(problemOf({ reasoning_effort: 'high' })).toBe('taken');
    const result = { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'x' }] };
    expect(problemOf({ messages: [HELLO, CALLING, result, HELLO], tools: TOOLS })).toBe('taken');
  });

  it('X-1: whatever is sent is read or refused, never thrown', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, two) => {
        problemOf({ messages: [one, two], tools: two });
        problemOf({ messages: [{ role: 'assistant', content: one, tool_calls: two }], [JSON.stringify(one)]: two });
      }),
    );
  });
});
