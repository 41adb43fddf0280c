import { describe, expect, it } from 'vitest';
import type { Degrade } from '../../core/request/redundancy-types.ts';
import type { Answer, ClientRequest } from '../contract.ts';
import { isCut, longerOutput } from './longer-answer.ts';
import { readRequest, writeUpstream } from './request.ts';
import { readAnswer } from './response.ts';

const messages = [{ role: 'user', content: 'hi' }];

function request(fields: object): ClientRequest {
  const read = readRequest(Buffer.from(JSON.stringify({ model: 'm', messages, ...fields })));
  if (!read.ok) throw new Error(read.error.message);
  return read.value;
}

function answer(reasons: readonly string[], output: number | null = 50): Answer {
  const choices = reasons.map((finish_reason, index) => ({ index, message: { content: 'x' }, finish_reason }));
  const usage = output === null ? {} : { usage: { prompt_tokens: 1, completion_tokens: output } };
  return readAnswer(Buffer.from(JSON.stringify({ object: 'chat.completion', choices, ...usage })))!;
}

describe('D-5: which answers were cut', () => {
  it.each([
    [['stop'], false],
    [['tool_calls'], false],
    [['length'], true],
    [['max_tokens'], true],
    [['stop', 'length'], true],
    // The context window is full: more room for output does not help.
    [['model_length'], false],
  ] as const)('D-5: %j: %s', (reasons, cut) => {
    expect(isCut(answer(reasons))).toBe(cut);
  });

  it('D-5: a tool call that was cut is asked for again as well', () => {
    const message = { content: null, tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{"a":' } }] };
    const body = { object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'length' }] };
    expect(isCut(readAnswer(Buffer.from(JSON.stringify(body)))!)).toBe(true);
  });
});

describe('D-5: how much is asked for next', () => {
  const next = (
    fields: object,
    degrade: Degrade | null = null,
    most: number | null = null,
    output: number | null = 50,
  ) => longerOutput(request(fields), degrade, answer(['length'], output), most);

  it.each<[string, object, Degrade | null, number | null, number | null]>([
    ['twice the client’s limit', { max_tokens: 100 }, null, null, 200],
    ['by either name', { max_completion_tokens: 100 }, null, null, 200],
    ['twice what was used where nobody said', {}, null, null, 100],
    ['up to the model’s limit', { max_tokens: 100 }, null, 120, 120],
    ['nothing where that is reached', { max_tokens: 100 }, null, 100, null],
    ['nothing beyond the entry’s', { max_tokens: 100 }, { max_output_tokens: 60 }, null, null],
    ['as far as the entry goes', { max_tokens: 100 }, { max_output_tokens: 150 }, null, 150],
    ['nothing where the entry drops limits', {}, { drop_params: ['max_tokens', 'max_completion_tokens'] }, null, null],
    ['nothing for a limit of none', { max_tokens: 0 }, null, null, null],
  ])('D-5: %s', (_name, fields, degrade, most, expected) => {
    expect(next(fields, degrade, most)).toBe(expected);
  });

  it('D-5: several answers share what was used; where nobody counted, nothing is known', () => {
    expect(next({ n: 2 }, null, null, 100)).toBe(100);
    expect(next({}, null, null, null)).toBeNull();
  });
});

describe('D-5: the longer request', () => {
  const written = (fields: object, degrade: Degrade | null = null) => {
    const target = { upstreamModel: 'up', vendor: 'v', maxOutputTokens: null, lacks: new Set<string>() };
    const write = { target, degrade, injectUsage: false, outputTokens: 200 };
    const { bytes, changes } = writeUpstream(request(fields), write);
    const { model: _model, messages: _messages, ...rest } = JSON.parse(Buffer.from(bytes).toString());
    return [rest, changes];
  };

  it('D-5, R-4: every limit the client used is raised, and told', () => {
    expect(written({ max_tokens: 100 })).toEqual([{ max_tokens: 200 }, ['max_tokens 100 → 200']]);
    expect(written({ max_tokens: 100, max_completion_tokens: 90 })).toEqual([
      { max_tokens: 200, max_completion_tokens: 200 },
      ['max_completion_tokens 90 → 200', 'max_tokens 100 → 200'],
    ]);
    expect(written({})).toEqual([{ max_completion_tokens: 200 }, ['max_completion_tokens set to 200']]);
  });

  it('R-4: a name that the entry drops stays dropped', () => {
    expect(written({}, { drop_params: ['max_completion_tokens'] })).toEqual([
      { max_tokens: 200 },
      ['max_tokens set to 200'],
    ]);
  });
});
