import { describe, expect, it } from 'vitest';
import { renderBody, renderStream } from '../dialects/chat/render.ts';
import { readChatRequest } from '../dialects/chat/request.ts';
import { composeCompletion } from './completion.ts';
import { fitSchema } from './fit-schema.ts';
import { readReadyMade, readyMadeNames } from './ready-made.ts';
import type { SimRequest } from './request.ts';
import { readXSim, XSimCounter } from './x-sim.ts';

function asked(fields: Record<string, unknown> = {}): SimRequest {
  const request = readChatRequest({ model: 'm', messages: [{ role: 'user', content: 'say it back' }], ...fields });
  if (!('model' in request)) throw new Error(request.message);
  return request;
}

const tool = (name: string) => ({
  type: 'function',
  function: { name, parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } },
});

describe('ready-made model names', () => {
  it('X-1: every listed name is one, with or without a label', () => {
    for (const name of readyMadeNames()) {
      expect(readReadyMade(name), name).toBeTypeOf('object');
      expect(readReadyMade(`${name}:eu`), name).toEqual(readReadyMade(name));
    }
    for (const name of ['ok', 'fail-503', 'fail-429', 'slow-2000', 'cut-3', 'hang', 'reset', 'garbage']) {
      expect(readReadyMade(name), name).not.toBeNull();
    }
  });

  it('X-1: a name that only looks ready-made is an error, any other name is free', () => {
    expect(readReadyMade('fail-9000')).toMatch(/300 to 599/);
    expect(readReadyMade('slow-fast')).toMatch(/slow- takes a number/);
    expect(readReadyMade('cut-3-4')).toMatch(/cut- takes a number/);
    expect(readReadyMade('gpt-5')).toBeNull();
    expect(readReadyMade('toString')).toBeNull();
    expect(readReadyMade('fail-429-30')).toEqual({ status: 429, retryAfterS: 30 });
    expect(readReadyMade('error-3-529')).toEqual({ errorAfter: 3, errorStatus: 529 });
    expect(readReadyMade('error-3-200')).toMatch(/perhaps the status/);
    expect(readReadyMade('strict-tools:eu')).toEqual({ content: 'tools' });
    expect(readReadyMade('strict-mine')).toBeNull();
    expect(readReadyMade('mixed-0')).toEqual({ random: { ok: 100 } });
  });
});

describe('X-Sim', () => {
  it('X-1: reads every key', () => {
    expect(readXSim('status=503; times=1 ;retry_after=7;delay_ms=5;cut_after=2;end=rst;body=%7B%3B%7D;id=a')).toEqual({
      behaviour: { status: 503, retryAfterS: 7, delayMs: 5, cutAfter: 2, end: 'rst', body: '{;}' },
      times: 1,
    });
    expect(readXSim('socket=accept_then_silence')).toEqual({
      behaviour: { socket: 'accept_then_silence' },
      times: null,
    });
  });

  it.each([
    ['stauts=503', /unknown key "stauts" \(known: status, /],
    ['status=abc', /status is a number from 200 to 599/],
    ['status=503;status=500', /twice/],
    ['end=soon', /end is one of clean/],
    ['socket=reset', /socket is one of refused/],
    ['times', /needs a value/],
    ['delay_ms=-1', /whole number/],
    ['body=%zz', /percent-encoded/],
  ])('X-1: refuses %s', (header, expected) => {
    expect(readXSim(header)).toMatch(expected);
  });

  it('X-1: times=N is N faults, one good answer, and again; ids are counted apart', () => {
    const counter = new XSimCounter();
    const strikes = (header: string, count: number) => Array.from({ length: count }, () => counter.strikes(header, 2));
    expect(strikes('a', 6)).toEqual([true, true, false, true, true, false]);
    expect(counter.strikes('a', 2)).toBe(true);
    expect(strikes('b', 3)).toEqual([true, true, false]);
    expect(counter.strikes('c', null)).toBe(true);
    expect(counter.strikes('d', 0)).toBe(false);
  });
});

describe('reading a request', () => {
  it.each([
    [[], /JSON object/],
    [{ messages: [] }, /model/],
    [{ model: 'm', messages: [] }, /messages/],
    [{ model: 'm', messages: [{}], n: 0 }, /n must/],
  ])('X-1: refuses %j', (body, expected) => {
    expect(readChatRequest(body)).toHaveProperty('message', expect.stringMatching(expected));
  });
});

describe('composing an answer', () => {
  it('X-1: the same seed, model and call give the same answer; each of them matters', () => {
    const body = (seed: number, call: number, model = 'm') =>
      renderBody(composeCompletion(asked({ model }), {}, seed, call), asked({ model }));
    expect(body(1, 0)).toBe(body(1, 0));
    expect(new Set([body(1, 0), body(2, 0), body(1, 1), body(1, 0, 'n')]).size).toBe(4);
  });

  it('X-1: obeys n, max_tokens, echo and logprobs', () => {
    const two = composeCompletion(asked({ n: 2 }), {}, 1, 0);
    expect(two.choices.map((choice) => choice.index)).toEqual([0, 1]);
    const short = composeCompletion(asked({ max_completion_tokens: 2 }), {}, 1, 0).choices[0];
    expect(short?.finish).toBe('length');
    expect(short?.text).toHaveLength(2);
    expect(composeCompletion(asked(), { content: 'echo' }, 1, 0).choices[0]?.text.join('')).toBe('say it back');
    const probed = JSON.parse(
      renderBody(composeCompletion(asked(), {}, 1, 0), asked({ logprobs: true, top_logprobs: 2 })),
    );
    expect(probed.choices[0].logprobs.content[0].top_logprobs).toHaveLength(2);
  });

  it('X-1: calls tools only when asked to, with arguments that fit', () => {
    const tools = [tool('f'), tool('g')];
    const names = (fields: Record<string, unknown>, content?: 'tools') =>
      composeCompletion(asked(fields), content === undefined ? {} : { content }, 1, 0).choices[0]?.toolCalls.map(
        (call) => call.name,
      );
    expect(names({ tools })).toEqual([]);
    expect(names({ tools }, 'tools')).toEqual(['f', 'g']);
    expect(names({ tools, parallel_tool_calls: false }, 'tools')).toEqual(['f']);
    expect(names({ tools, tool_choice: 'none' }, 'tools')).toEqual([]);
    expect(names({ tools, tool_choice: 'required' })).toEqual(['f']);
    expect(names({ tools, tool_choice: { type: 'function', function: { name: 'g' } } })).toEqual(['g']);
    expect(names({ tools, messages: [{ role: 'tool', tool_call_id: 'x', content: '1' }] }, 'tools')).toEqual([]);
    expect(names({}, 'tools')).toEqual([]);
    const call = composeCompletion(asked({ tools }), { content: 'tools' }, 1, 0).choices[0]?.toolCalls[0];
    expect(JSON.parse(call?.input ?? '')).toEqual({ city: 'sim' });
  });

  it('X-1: a stream says what the body says, usage only when asked', () => {
    const request = asked({ stream: true, n: 2, tools: [tool('f')] });
    for (const content of ['text', 'reasoning', 'tools', 'refusal', 'empty', 'filter'] as const) {
      const completion = composeCompletion(request, { content }, 1, 0);
      const whole = JSON.parse(renderBody(completion, request));
      const chunks = renderStream(completion, request).map((event) => JSON.parse(event.data));
      expect(assemble(chunks), content).toEqual(whole.choices.map((choice: WholeChoice) => summary(choice)));
      expect(chunks.some((chunk) => 'usage' in chunk)).toBe(false);
    }
    const withUsage = asked({ stream: true, stream_options: { include_usage: true } });
    const chunks = renderStream(composeCompletion(withUsage, {}, 1, 0), withUsage).map((event) =>
      JSON.parse(event.data),
    );
    expect(chunks.filter((chunk) => chunk.usage !== null)).toHaveLength(1);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: expect.any(Number) } });
  });
});

interface WholeChoice {
  index: number;
  finish_reason: string;
  message: {
    content: string | null;
    refusal: string | null;
    reasoning_content?: string;
    tool_calls?: { function: { name: string; arguments: string } }[];
  };
}

function summary(choice: WholeChoice): object {
  const { content, refusal, reasoning_content, tool_calls } = choice.message;
  return {
    index: choice.index,
    finish: choice.finish_reason,
    content: content ?? '',
    refusal: refusal ?? '',
    reasoning: reasoning_content ?? '',
    calls: (tool_calls ?? []).map((call) => `${call.function.name}${call.function.arguments}`),
  };
}

interface ChunkShape {
  choices: {
    index: number;
    finish_reason: string | null;
    delta: {
      content?: string | null;
      refusal?: string | null;
      reasoning_content?: string;
      tool_calls?: { index: number; function: { name?: string; arguments: string } }[];
    };
  }[];
}

function assemble(chunks: ChunkShape[]): object[] {
  const found: {
    index: number;
    finish: string;
    content: string;
    refusal: string;
    reasoning: string;
    calls: string[];
  }[] = [];
  for (const { choices } of chunks) {
    for (const { index, delta, finish_reason } of choices) {
      found[index] ??= { index, finish: '', content: '', refusal: '', reasoning: '', calls: [] };
      const choice = found[index];
      choice.finish += finish_reason ?? '';
      choice.content += delta.content ?? '';
      choice.refusal += delta.refusal ?? '';
      choice.reasoning += delta.reasoning_content ?? '';
      for (const call of delta.tool_calls ?? []) {
        choice.calls[call.index] =
          `${choice.calls[call.index] ?? ''}${call.function.name ?? ''}${call.function.arguments}`;
      }
    }
  }
  return found;
}

describe('fitting a schema', () => {
  it('X-1: fits the common keywords', () => {
    expect(
      fitSchema({
        type: 'object',
        required: ['id', 'kind'],
        properties: {
          id: { type: 'integer', minimum: 5 },
          kind: { enum: ['x', 'y'] },
          when: { type: 'string', format: 'date' },
          tags: { type: 'array', items: { type: 'string', maxLength: 2 }, minItems: 2 },
          maybe: { type: ['null', 'number'], exclusiveMinimum: 3, maximum: 3.5 },
          ref: { $ref: '#/$defs/leaf' },
          either: { anyOf: [{ const: 7 }, { type: 'null' }] },
          all: { allOf: [{ properties: { a: { type: 'boolean' } } }, { properties: { b: { type: 'null' } } }] },
        },
        $defs: { leaf: { type: 'string', minLength: 5 } },
      }),
    ).toEqual({
      id: 5,
      kind: 'x',
      when: '2026-01-02',
      tags: ['si', 'si'],
      maybe: 3.5,
      ref: 'sim..',
      either: 7,
      all: { a: true, b: null },
    });
  });

  it('X-1: a schema that refers to itself ends', () => {
    const schema = { type: 'object', properties: { next: { $ref: '#' } } };
    expect(JSON.stringify(fitSchema(schema)).length).toBeLessThan(200);
    expect(JSON.stringify(fitSchema({ ...schema, required: ['next'] })).length).toBeLessThan(500);
    expect(fitSchema({ $ref: '#' })).toBeNull();
  });
});
