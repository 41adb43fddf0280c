import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composeCompletion } from './answer/completion.ts';
import { fitSchema } from './answer/fit-schema.ts';
import { Memory } from './answer/memory.ts';
import { readReadyMade } from './answer/ready-made.ts';
import { readXSim } from './answer/x-sim.ts';
import { chatDialect } from './dialects/chat/dialect.ts';
import { renderBody, renderStream } from './dialects/chat/render.ts';
import { readChatRequest } from './dialects/chat/request.ts';
import { allDialects } from './dialects/table.ts';
import { replyOfStep } from './play/from-step.ts';
import { parseScript, ScriptError } from './script/load.ts';
import { checkScript } from './script/schema.ts';

const anything = fc.anything({ withNullPrototype: false });
const fieldName = fc.constantFrom(
  'status',
  'body',
  'chunks',
  'headers',
  'random',
  'end',
  'split',
  'times',
  'socket',
  'x',
);

describe('whatever is sent to it', () => {
  it('X-1: readers answer with a value, never with an exception', () => {
    fc.assert(
      fc.property(anything, fc.string(), (value, text) => {
        readChatRequest(value);
        readChatRequest({ model: 'm', messages: [value], tools: value, tool_choice: value, response_format: value });
        readXSim(text);
        readReadyMade(text);
        fitSchema(value);
        checkScript(value);
      }),
    );
  });

  it.each(allDialects().map((dialect) => [dialect.name, dialect] as const))(
    'X-1: %s reads or refuses whatever it gets, and answers what it reads',
    (_name, dialect) => {
      const field = fc.constantFrom(
        ...['model', 'messages', 'input', 'contents', 'role', 'content', 'parts', 'text', 'type', 'tools', 'name'],
        ...['function', 'tool_choice', 'toolConfig', 'max_tokens', 'system', 'instructions', 'stream', 'toString'],
        ...['toolUse', 'toolResult', 'reasoningContent', 'toolSpec', 'inferenceConfig', 'outputConfig', 'source'],
      );
      const word = fc.oneof(field, fc.constantFrom('user', 'assistant', 'model', 'message', 'm', 'strict-ok'));
      const value = fc.letrec((tie) => ({
        any: fc.oneof({ maxDepth: 6 }, fc.jsonValue(), word, fc.array(tie('any')), fc.dictionary(field, tie('any'))),
      })).any;
      const headers = { 'anthropic-version': '2023-06-01' };
      const ask = { method: 'POST', path: '/v1/x', query: new URLSearchParams(), headers };
      fc.assert(
        fc.property(value, fc.dictionary(field, value), fc.boolean(), (one, fields, counts) => {
          for (const body of [one, fields, { ...fields, model: 'm' }]) {
            const operation = counts ? 'count_tokens' : 'generate';
            const place = { operation, model: 'm', stream: null, form: null } as const;
            const request = dialect.read(body, place, ask, new Memory());
            if (!('model' in request)) {
              JSON.parse(dialect.errorBody({ status: 400, ...request }));
              continue;
            }
            const completion = composeCompletion(request, {}, 1, 0);
            JSON.parse(dialect.renderBody(completion, request));
            if (!counts) dialect.renderStream(completion, request, true);
          }
        }),
      );
    },
  );

  it.each(['*x', '{ models: { m: *x } }', 'models: { m: [ { body: *a } ] }'])('X-1: %s names nothing', (text) => {
    expect(() => parseScript(text)).toThrow(ScriptError);
  });

  it('X-1: a script is taken or refused with its problems', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        try {
          parseScript(text);
        } catch (error) {
          expect(error).toBeInstanceOf(ScriptError);
        }
      }),
    );
  });

  it('X-1: every step the schema takes can be played', () => {
    const request = readChatRequest({ model: 'm', messages: [{ role: 'user', content: 'x' }], stream: true });
    if (!('model' in request)) throw new Error(request.message);
    const asked = { dialect: chatDialect, request, memory: new Memory() };
    const value = fc.oneof(
      fc.integer({ min: 0, max: 600 }),
      fc.string(),
      fc.array(fc.string()),
      fc.jsonValue(),
      fc.constantFrom('clean', 'rst'),
    );
    fc.assert(
      fc.property(fc.dictionary(fieldName, value), (step) => {
        const checked = checkScript({ models: { m: [step] } });
        if (!('script' in checked)) return;
        const reply = replyOfStep(checked.script.models['m']?.[0] ?? {}, 0, asked, { seed: 1, call: 0 });
        expect([...reply.pieces].every((piece) => 'waitMs' in piece || piece.byteLength > 0)).toBe(true);
      }),
    );
  });

  it('X-1: any request that is read gets an answer that parses', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 3 }), (schema, n) => {
        const request = readChatRequest({
          model: 'm',
          messages: [{ role: 'user', content: 'x' }],
          n,
          stream: true,
          tools: [{ type: 'function', function: { name: 'f', parameters: schema } }],
          tool_choice: n === 2 ? 'required' : 'auto',
          response_format: { type: 'json_schema', json_schema: { name: 's', schema } },
        });
        if (!('model' in request)) throw new Error(request.message);
        const completion = composeCompletion(request, {}, 1, 0);
        JSON.parse(renderBody(completion, request));
        for (const event of renderStream(completion, request)) JSON.parse(event.data);
      }),
    );
  });
});
