import { describe, expect, it } from 'vitest';
import { Memory } from '../../answer/memory.ts';
import type { Refusal, SimRequest } from '../../answer/request.ts';
import { readResponsesRequest } from './request.ts';
import { seal } from './sealed-thought.ts';

const PLACE = { operation: 'generate', model: null, stream: null, form: null } as const;
const ASK = { method: 'POST', path: '/v1/responses', query: new URLSearchParams(), headers: {} };

function read(body: unknown, memory = new Memory()): SimRequest | Refusal {
  return readResponsesRequest(JSON.parse(JSON.stringify(body)), PLACE, ASK, memory);
}

const asking = (fields: object) => read({ model: 'm', input: 'hi', ...fields });
const saying = (...input: object[]) => read({ model: 'm', input });

const user = { role: 'user', content: 'hi' };
const call = { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' };
const result = { type: 'function_call_output', call_id: 'call_1', output: 'done' };
const open = { type: 'object', properties: { a: { type: 'string' } } };
const closed = { ...open, required: ['a'], additionalProperties: false };
const tool = { type: 'function', name: 'f', parameters: open, strict: false };

describe('what the Responses API refuses', () => {
  it.each([
    [[], 'invalid_type', null],
    [{ input: 'hi' }, 'missing_required_parameter', 'model'],
    [{ model: '', input: 'hi' }, 'missing_required_parameter', 'model'],
    [{ model: 'm' }, 'missing_required_parameter', 'input'],
    [{ model: 'm', input: [] }, 'missing_required_parameter', 'input'],
    [{ model: 'm', input: 5 }, 'invalid_type', 'input'],
    [{ model: 'm', input: [5] }, 'invalid_type', 'input[0]'],
    [{ model: 'm', messages: [user] }, 'unsupported_parameter', 'messages'],
  ])('X-1: the body %j', (body, code, param) => {
    expect(read(body)).toMatchObject({ code, ...(param === null ? {} : { param }) });
  });

  it.each([
    [{ stop: ['x'] }, 'unknown_parameter', 'stop'],
    [{ seed: 1 }, 'unknown_parameter', 'seed'],
    [{ n: 2 }, 'unknown_parameter', 'n'],
    [{ max_tokens: 100 }, 'unsupported_parameter', 'max_tokens'],
    [{ response_format: { type: 'text' } }, 'unsupported_parameter', 'response_format'],
    [{ reasoning_effort: 'low' }, 'unsupported_parameter', 'reasoning_effort'],
    [{ stream_options: { include_usage: true } }, 'unknown_parameter', 'stream_options.include_usage'],
    [{ max_output_tokens: 15 }, 'integer_below_min_value', 'max_output_tokens'],
    [{ max_output_tokens: '99' }, 'invalid_type', 'max_output_tokens'],
    [{ temperature: 2.5 }, 'decimal_above_max_value', 'temperature'],
    [{ top_logprobs: 21 }, 'integer_above_max_value', 'top_logprobs'],
    [{ stream: 'yes' }, 'invalid_type', 'stream'],
    [{ include: ['everything'] }, 'invalid_value', 'include[0]'],
    [{ reasoning: { effort: 'huge' } }, 'invalid_value', 'reasoning.effort'],
    [{ reasoning: { budget_tokens: 9 } }, 'unknown_parameter', 'reasoning.budget_tokens'],
    [{ metadata: { a: 1 } }, 'invalid_type', 'metadata.a'],
    [{ safety_identifier: 'x'.repeat(65) }, 'string_above_max_length', 'safety_identifier'],
    [{ background: true, store: false }, '', 'background'],
    [{ text: { format: { type: 'json_schema', json_schema: { name: 'x' } } } }, 'unknown_parameter', /json_schema$/],
    [{ text: { format: { type: 'json_schema', schema: closed } } }, 'missing_required_parameter', 'text.format.name'],
    [{ text: { format: { type: 'yaml' } } }, 'invalid_value', 'text.format.type'],
    [{ text: { format: { type: 'json_object' } } }, '', 'input'],
    [{ tools: null }, 'invalid_type', 'tools'],
    [{ tools: [{ type: 'function', function: { name: 'f' } }] }, 'unknown_parameter', 'tools[0].function'],
    [{ tools: [{ type: 'function', name: 'f' }] }, 'missing_required_parameter', 'tools[0].parameters'],
    [{ tools: [{ ...tool, name: 'a b' }] }, 'invalid_value', 'tools[0].name'],
    [{ tools: [{ type: 'teleport' }] }, 'invalid_value', 'tools[0].type'],
    [{ tools: [{ ...tool, strict: true }] }, 'invalid_function_parameters', 'tools[0].parameters'],
    [{ tool_choice: 'required' }, '', 'tool_choice'],
    [{ tool_choice: 'any', tools: [tool] }, 'invalid_value', 'tool_choice'],
    [{ tool_choice: { type: 'function', name: 'g' }, tools: [tool] }, '', 'tool_choice'],
    [{ tool_choice: { type: 'function', function: { name: 'f' } } }, 'unknown_parameter', 'tool_choice.function'],
    [{ model: 'strict-m', tools: [{ ...tool, strict: null }] }, 'invalid_function_parameters', 'tools[0].parameters'],
    [{ model: 'strict-m', temperature: 1 }, '', 'temperature'],
  ])('X-1: the fields %j', (fields, code, param) => {
    expect(asking(fields)).toMatchObject({
      code,
      param: param instanceof RegExp ? expect.stringMatching(param) : param,
    });
  });

  it('X-1: a choice among tools that nobody offered, whatever it is called', () => {
    for (const name of ['g', null, { toString: 1 }]) {
      const choice = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name }] };
      expect(asking({ tools: [tool], tool_choice: choice })).toHaveProperty('param', 'tool_choice');
    }
  });

  it('X-1: strict schemas are closed, all of them, with every property required', () => {
    const format = (schema: object) =>
      asking({ text: { format: { type: 'json_schema', name: 'x', strict: true, schema } } });
    expect(format(closed)).toHaveProperty('schema', closed);
    const nested = { ...closed, properties: { a: { type: 'array', items: open } } };
    expect(format(nested)).toMatchObject({
      code: 'invalid_json_schema',
      message: expect.stringMatching(/'a', 'items'/),
    });
    expect(format({ ...closed, additionalProperties: true })).toHaveProperty('code', 'invalid_json_schema');
    expect(format({ ...closed, required: [] })).toHaveProperty('message', expect.stringMatching(/Missing 'a'/));
    expect(format({ type: 'array', items: closed })).toHaveProperty('message', expect.stringMatching(/type: "object"/));
    expect(asking({ tools: [{ ...tool, strict: true, parameters: closed }] })).toHaveProperty('tools.0.name', 'f');
  });
});

describe('items of the input', () => {
  it.each([
    [{ role: 'tool', content: 'x' }, 'invalid_value', 'input[0].role'],
    [{ role: 'user' }, 'missing_required_parameter', 'input[0].content'],
    [{ role: 'user', content: null }, 'invalid_type', 'input[0].content'],
    [{ role: 'user', content: [{ type: 'text', text: 'x' }] }, 'invalid_value', 'input[0].content[0].type'],
    [{ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }, 'invalid_value', 'input[0].content[0].type'],
    [{ role: 'assistant', content: 'x', tool_calls: [] }, 'unknown_parameter', 'input[0].tool_calls'],
    [{ type: 'telepathy' }, 'invalid_value', 'input[0].type'],
    [{ name: 'x' }, 'missing_required_parameter', 'input[0].type'],
    [{ ...call, id: 'call_1' }, 'invalid_value', 'input[0].id'],
    [{ ...call, arguments: { a: 1 } }, 'invalid_type', 'input[0].arguments'],
    [{ ...call, call_id: 'c'.repeat(65) }, 'string_above_max_length', 'input[0].call_id'],
    [
      { type: 'function_call', id: 'fc_1', name: 'f', arguments: '{}' },
      'missing_required_parameter',
      'input[0].call_id',
    ],
    [{ ...result, output: { a: 1 } }, 'invalid_type', 'input[0].output'],
  ])('X-1: refuses %j', (item, code, param) => {
    expect(saying(item)).toMatchObject({ code, param });
  });

  it.each([
    [{ type: 'input_image', image_url: { url: 'https://x.test/a.png' } }, 'invalid_type'],
    [{ type: 'input_image', image_url: 'ftp://x.test/a.png' }, 'invalid_value'],
    [{ type: 'input_image', image_url: 'data:image/png;base64,?' }, 'invalid_value'],
    [{ type: 'input_image', detail: 'low' }, 'missing_required_parameter'],
    [{ type: 'input_file', filename: 'a.pdf' }, 'missing_required_parameter'],
    [{ type: 'input_image', file_id: 'file-1' }, ''],
    [{ type: 'input_audio', data: 'AA==' }, 'invalid_value'],
  ])('X-1: refuses the part %j', (part, code) => {
    expect(saying({ role: 'user', content: [part] })).toHaveProperty('code', code);
  });

  it('X-1: results need their calls, and calls their results', () => {
    expect(saying(user, call, result)).toMatchObject({ lastRole: 'tool', lastUserText: 'hi' });
    expect(saying(user, result)).toHaveProperty('message', expect.stringMatching(/No tool call found .* call_1/));
    expect(saying(user, result, call)).toHaveProperty('message', expect.stringMatching(/No tool call found/));
    expect(saying(user, call)).toHaveProperty('message', 'No tool output found for function call call_1.');
    expect(saying(user, call, { ...result, type: 'custom_tool_call_output' })).toHaveProperty('code', '');
    const custom = { type: 'custom_tool_call', call_id: 'call_1', name: 'c', input: 'x' };
    expect(saying(user, custom, { ...result, type: 'custom_tool_call_output' })).toHaveProperty('model', 'm');
  });

  it('X-1: sealed thoughts come back unchanged, to their own item, with what they led to', () => {
    const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: seal('rs_1') };
    const spoken = { role: 'assistant', content: 'so' };
    const code = (changed: object) => saying(user, { ...thought, ...changed }, spoken);
    expect(code({})).toHaveProperty('model', 'm');
    expect(code({ id: undefined })).toHaveProperty('model', 'm');
    expect(saying(user, thought, call, result)).toHaveProperty('model', 'm');
    expect(code({ id: 'rs_2' })).toHaveProperty('code', 'invalid_encrypted_content');
    expect(code({ encrypted_content: 'EqQBCkYIBxgCKkA' })).toHaveProperty('code', 'invalid_encrypted_content');
    for (const at of [9, 20, seal('rs_1').length - 1]) {
      const letter = seal('rs_1')[at] === 'A' ? 'B' : 'A';
      const changed = `${seal('rs_1').slice(0, at)}${letter}${seal('rs_1').slice(at + 1)}`;
      expect(code({ encrypted_content: changed }), changed).toHaveProperty('code', 'invalid_encrypted_content');
    }
    expect(code({ encrypted_content: null })).toMatchObject({
      status: 404,
      message: expect.stringMatching(/'rs_1' not/),
    });
    expect(code({ encrypted_content: null, id: null })).toHaveProperty('param', 'input[1].id');
    expect(saying(user, thought)).toHaveProperty('message', expect.stringMatching(/required following item/));
    expect(saying(thought, user)).toHaveProperty('message', expect.stringMatching(/required following item/));
    expect(saying(user, thought, spoken, thought, spoken)).toHaveProperty(
      'message',
      expect.stringMatching(/^Duplicate/),
    );
  });

  it('X-1: state that was made elsewhere is unknown', () => {
    expect(asking({ previous_response_id: 'resp_x' })).toMatchObject({ code: 'previous_response_not_found' });
    expect(asking({ conversation: 'conv_x' })).toMatchObject({ status: 404, param: 'conversation' });
    expect(asking({ prompt: { id: 'pmpt_x' } })).toMatchObject({ status: 404, param: 'prompt' });
    expect(saying({ type: 'item_reference', id: 'msg_x' })).toMatchObject({ status: 404 });
    expect(saying({ id: 'msg_x' })).toMatchObject({ status: 404 });
    const both = asking({ previous_response_id: 'resp_x', conversation: 'conv_x' });
    expect(both).toHaveProperty('code', 'mutually_exclusive_parameters');
  });
});

describe('what the Responses API takes', () => {
  it('X-1: every kind of field, and reads what an answer depends on', () => {
    const body = {
      model: 'm',
      instructions: 'Answer in json.',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'one' }] }, user],
      max_output_tokens: 16,
      stream: true,
      store: false,
      include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
      top_logprobs: 2,
      reasoning: { effort: 'low', summary: 'auto' },
      tools: [tool, { type: 'custom', name: 'c' }, { type: 'web_search' }, { ...tool, name: 'g' }],
      tool_choice: { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'g' }] },
      parallel_tool_calls: false,
      text: { format: { type: 'json_object' }, verbosity: 'low' },
      metadata: { a: 'b' },
      user: 'someone',
    };
    expect(read(body)).toMatchObject({
      stream: true,
      maxTokens: 16,
      tools: [{ name: 'g' }],
      toolChoice: 'required',
      parallelTools: false,
      schema: {},
      logprobs: 2,
      reasoning: true,
      lastUserText: 'hi',
      lastRole: 'user',
    });
    expect(asking({ reasoning: { effort: 'none' } })).toHaveProperty('reasoning', false);
    expect(asking({ temperature: null, metadata: null, store: null, reasoning: null })).toHaveProperty('model', 'm');
    expect(asking({ tools: [tool], tool_choice: { type: 'function', name: 'f' } })).toHaveProperty(
      'toolChoice.name',
      'f',
    );
  });
});
